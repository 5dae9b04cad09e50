"""What lies on disk: the run folder, its results, checkpoints, manifests and drawings."""
