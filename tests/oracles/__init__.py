"""Slow plain twins and closed forms that the tests hold the package against."""
