"""What a spike does to synapses: one file per plasticity."""
