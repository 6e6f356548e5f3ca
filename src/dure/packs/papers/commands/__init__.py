"""`dure papers`."""
