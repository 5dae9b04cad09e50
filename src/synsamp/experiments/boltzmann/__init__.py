"""What `generalization` and `prior_comparison` share: trials of Boltzmann machines."""
