"""What supplies a likelihood gradient: the toy landscape, the Boltzmann machine."""
