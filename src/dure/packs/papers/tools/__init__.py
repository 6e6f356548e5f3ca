"""Tools over the library of papers and the glossary."""
