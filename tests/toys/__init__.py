"""A tiny experiment with everything an experiment may have, for the tests of runs and report."""
