"""Pages of PDFs as pictures, drawn in a child process of their own: a long text being read does not hold them up."""

import base64
from pathlib import Path

from dure.child import Child, ChildLost
from dure.errors import NotFound
from dure.knowledge.parse.problems import Unreadable

SECONDS = 20.0
MAX_WIDTH = 2000
"""Pixels."""
_IDLE = 30.0


class Pictures:
    """One child process, started at the first need, ended after half a minute without one. Calls take turns."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self.child = Child("dure.knowledge.parse.picture_child", idle_seconds=_IDLE)

    async def page(self, path: Path, page: int, width: int) -> bytes:
        """A page of the PDF at `path`, from 1, as a PNG of about `width` pixels. Raises NotFound, Unreadable."""
        try:
            (answer,) = await self.child.ask(
                {"path": str(path), "page": page, "width": width, "seconds": self._seconds}
            )
        except TimeoutError:
            raise Unreadable("timeout", seconds=round(self._seconds)) from None
        except ChildLost:
            raise Unreadable("crash") from None
        if "problem" in answer:
            raise Unreadable(answer["problem"])
        if "pages" in answer:
            raise NotFound(what="page", id=str(page), pages=answer["pages"])
        return base64.b64decode(answer["png"])

    async def close(self) -> None:
        """End the child."""
        await self.child.close()
