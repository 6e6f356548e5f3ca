"""The library: papers and the glossary."""
