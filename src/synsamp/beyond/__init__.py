"""What the paper leaves open: one folder per experiment, run by name."""
