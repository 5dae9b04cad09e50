"""Experiments on what the paper leaves open."""
