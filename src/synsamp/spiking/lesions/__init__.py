"""Lesions: remove neurons, remove synapses, silence inputs. One file each."""
