"""Many trials of one experiment, at one or several settings, in one folder. Start reading at `run`."""
