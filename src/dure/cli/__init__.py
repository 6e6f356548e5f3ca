"""The command `dure`."""

from dure.cli.main import main

__all__ = ["main"]
