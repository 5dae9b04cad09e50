"""Models that provide a likelihood: a landscape of peaks, the Boltzmann machine."""
