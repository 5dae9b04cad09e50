"""Synaptic sampling: the paper's rule, its models and experiments."""
