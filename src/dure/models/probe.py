"""What a model server can do, found out by asking it."""

PROBE_TOOL = "dure_probe"
"""Name of the dummy tool that a server is asked to call when it does not say what it can do."""
