"""The libraries of the extra `office`, without which some tools only say what is missing."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dure.settings import Settings

_NEEDED = {"web_search": "ddgs", "fetch_page": "trafilatura", "run_python": "pydantic_monty"}


def lacking(settings: "Settings") -> dict[str, str]:
    """The built-in tools that do not work here, each with the library that it lacks."""
    found = {tool: library for tool, library in _NEEDED.items() if find_spec(library) is None}
    if settings.tavily_api_key is not None:
        found.pop("web_search", None)
    return found
