"""What watches and changes a running network: recording, probes, lesions, pairing."""
