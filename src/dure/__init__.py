"""Dure (두레): a self-hosted team of AI agents that answers with checkable sources."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dure.agents import Agent as Agent
    from dure.app import Dure as Dure
    from dure.runs import Answer as Answer
    from dure.teams import Team as Team
    from dure.tooling import tool as tool

__version__ = "0.1.0"
__all__ = ["Agent", "Answer", "Dure", "Team", "tool"]

_HOMES = {
    "Agent": "dure.agents",
    "Answer": "dure.runs",
    "Dure": "dure.app",
    "Team": "dure.teams",
    "tool": "dure.tooling",
}


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used, so that `import dure` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dure' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
