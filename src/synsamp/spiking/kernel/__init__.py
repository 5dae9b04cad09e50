"""Compiled code: the event loop and all that it does between and at spikes."""
