"""Pure functions, arrays in, numbers out."""
