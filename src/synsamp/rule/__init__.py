"""THE rule: prior term + likelihood term + noise, its sampler and its theory."""
