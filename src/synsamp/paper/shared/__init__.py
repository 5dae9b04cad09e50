"""What several figures of the paper use."""
