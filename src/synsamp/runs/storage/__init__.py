"""What lies on disk: the run folder, its results, checkpoints, seals and drawings."""
