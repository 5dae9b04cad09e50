"""Many processes: workers, the tasks on them, the jobs within one run."""
