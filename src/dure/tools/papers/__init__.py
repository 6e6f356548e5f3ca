"""Tools over the library of papers."""
