"""Experiments to start from: `synsamp new` writes a copy of one."""
