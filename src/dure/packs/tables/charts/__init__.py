"""Charts as SVG: pure functions from numbers to text."""
