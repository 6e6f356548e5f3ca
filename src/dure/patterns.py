"""Regular expressions that are compiled when they are first used. Of the hundreds there are a process uses few, and to
compile all of them took 0.15 s of CPU of every start of a server."""

import re
from typing import Any, cast


class _Later:
    """What `later` gives: its methods are made its own as they are asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        # Others of the same text and flags share what `re` keeps.
        found = getattr(re.compile(self.pattern, self._flags), name)
        self.__dict__[name] = found
        return found


def later(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives of the same, compiled with its first use, which raises `re.error` for what is none. Not
    for functions of `re` that take a pattern."""
    return cast("re.Pattern[str]", _Later(text, flags))
