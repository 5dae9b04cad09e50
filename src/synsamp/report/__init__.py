"""Draws saved results and lays them out as one page; computes nothing."""
