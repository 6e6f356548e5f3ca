"""Dure (두레): a self-hosted team of AI agents that answers with checkable sources."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dure.agents import Agent as Agent
    from dure.answer import Answer as Answer
    from dure.answer import Approval as Approval
    from dure.answer import Artifact as Artifact
    from dure.answer import ToolUse as ToolUse
    from dure.app import Dure as Dure
    from dure.errors import DureError as DureError
    from dure.events import Event as Event
    from dure.knowledge.document import Document as Document
    from dure.pack import Pack as Pack
    from dure.runs import Run as Run
    from dure.settings import Settings as Settings
    from dure.sources import Citation as Citation
    from dure.sources import Passage as Passage
    from dure.teams import Team as Team
    from dure.tooling import Tool as Tool
    from dure.tooling import ToolContext as ToolContext
    from dure.tooling import ToolResult as ToolResult
    from dure.toolsets import Toolset as Toolset
    from dure.toolsets import tool as tool

__version__ = "0.1.0"

_HOMES = {
    "agents": ("Agent",),
    "answer": ("Answer", "Approval", "Artifact", "ToolUse"),
    "app": ("Dure",),
    "errors": ("DureError",),
    "events": ("Event",),
    "knowledge.document": ("Document",),
    "pack": ("Pack",),
    "runs": ("Run",),
    "settings": ("Settings",),
    "sources": ("Citation", "Passage"),
    "teams": ("Team",),
    "tooling": ("Tool", "ToolContext", "ToolResult"),
    "toolsets": ("Toolset", "tool"),
}
_PLACES = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [*_PLACES]


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used, so that `import dure` stays quick."""
    if name not in _PLACES:
        raise AttributeError(f"module 'dure' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"dure.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    """The public names, also before they are first used."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
