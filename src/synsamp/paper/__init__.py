"""The paper's figures and Theorem 1, one folder each."""
