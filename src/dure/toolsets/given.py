"""Tools as they are given in a list: functions, tools of any kind, toolsets."""

from collections.abc import Iterable, Mapping
from typing import Any

from dure.errors import Text
from dure.tooling import TOOL_NAME, InvalidTool, Tool
from dure.toolsets.adapters import as_tool
from dure.toolsets.functions import WRONG_NAME
from dure.toolsets.toolset import Toolset

_TWICE = Text(
    "two of those given have this name; rename one with `tool(name=…)` or `Named`",
    ko="같은 이름이 두 번 있습니다. `tool(name=…)`이나 `Named`로 하나의 이름을 바꾸세요",
)


class Tools(Toolset):
    """Tools of a list. Raises InvalidTool for what cannot be a tool, and where two have one name."""

    def __init__(self, given: Iterable[Any] = ()) -> None:
        self._parts = parts(given)

    def tools(self) -> Mapping[str, Tool]:
        return {name: each for part in self._parts for name, each in listed(part).items()}


def listed(part: Tool | Toolset) -> Mapping[str, Tool]:
    """The tools of a part of a list, by name."""
    return part.bound() if isinstance(part, Toolset) else {part.name: part}


def parts(given: Iterable[Any]) -> list[Tool | Toolset]:
    """Each of the list as a tool or toolset. Raises InvalidTool as `Tools`."""
    if not isinstance(given, Iterable):
        raise InvalidTool(tool=repr(given), reason=Text("a list of tools is wanted", ko="도구의 목록을 주세요"))
    found = [each if isinstance(each, Toolset) else as_tool(each) for each in given]
    names: set[str] = set()
    for name in (name for part in found for name in listed(part)):
        if not TOOL_NAME.fullmatch(name):
            raise InvalidTool(tool=f"'{name}'", reason=WRONG_NAME)
        if name in names:
            raise InvalidTool(tool=f"'{name}'", reason=_TWICE)
        names.add(name)
    return found
