"""Reads files and draws pages in child processes with a time limit; a crash or a hang costs one document alone."""

import base64
from pathlib import Path
from typing import Any

from dure.child import Child, ChildLost, Message
from dure.errors import NotFound
from dure.knowledge.parse.parsed import DocumentText
from dure.knowledge.parse.problems import Unreadable

MAX_WIDTH = 2000
"""Pixels of a picture."""


class Asked:
    """One child process, started at the first need and again after it ended. Calls take turns.

    program: a module that answers with `problems.answering`."""

    def __init__(
        self, seconds: float, idle_seconds: float | None = None, program: str = "dure.knowledge.parse.child"
    ) -> None:
        self._seconds = seconds
        self.child = Child(program, idle_seconds=idle_seconds)

    async def ask(self, **request: Any) -> Message:
        """The answer to a request. Raises Unreadable."""
        try:
            (answer,) = await self.child.ask({**request, "seconds": self._seconds})
        except TimeoutError:
            raise Unreadable("timeout", seconds=round(self._seconds)) from None
        except ChildLost:
            raise Unreadable("crash") from None
        if "problem" in answer:
            raise Unreadable(answer["problem"], **answer["parameters"])
        return answer

    async def close(self) -> None:
        """End the child."""
        await self.child.close()


class Reader(Asked):
    """Reads files; its child stays until it is closed."""

    def __init__(self, seconds: float = 120.0) -> None:
        super().__init__(seconds)

    async def read(self, path: Path, kind: str) -> tuple[str, str, DocumentText]:
        """Title and author ("" where the document names none) and text of a file. Raises Unreadable."""
        answer = await self.ask(path=str(path), kind=kind)
        pages, headings, sure = ([tuple(each) for each in answer[name]] for name in ("pages", "headings", "sure"))
        return answer["title"], answer["author"], DocumentText(answer["text"], pages, headings, sure)


class Pictures(Asked):
    """Draws pages, in a child of its own, so that a long text being read does not hold them up; it is ended after half
    a minute without a call."""

    def __init__(self, seconds: float = 20.0) -> None:
        super().__init__(seconds, idle_seconds=30.0)

    async def page(self, path: Path, kind: str, page: int, width: int) -> bytes:
        """A page of the file at `path`, from 1, as a PNG of about `width` pixels. Raises NotFound, Unreadable."""
        answer = await self.ask(path=str(path), kind=kind, page=page, width=width)
        if "pages" in answer:
            raise NotFound(what="page", id=str(page), pages=answer["pages"])
        return base64.b64decode(answer["png"])
