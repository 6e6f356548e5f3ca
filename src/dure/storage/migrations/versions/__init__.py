"""The schema as it grew."""
