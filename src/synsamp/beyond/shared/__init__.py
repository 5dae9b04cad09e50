"""What several experiments beyond the paper use."""
