"""Many trials of one experiment, at one or several settings. Start reading at `run`."""
