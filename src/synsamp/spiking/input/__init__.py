"""Stimuli, and their schedule as the kernel walks along it."""
