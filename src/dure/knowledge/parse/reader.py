"""Reads files in a child process, with a time limit; a crash or a hang costs one document, not the server."""

from pathlib import Path

from dure.child import Child, ChildLost
from dure.knowledge.parse.parsed import DocumentText
from dure.knowledge.parse.problems import Unreadable

SECONDS = 120.0


class Reader:
    """One child process, started at the first need and again after it ended. Calls take turns."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self.child = Child("dure.knowledge.parse.child")

    async def read(self, path: Path, kind: str) -> tuple[str, DocumentText]:
        """Title ("" where the document names none) and text of a file. Raises Unreadable."""
        try:
            (answer,) = await self.child.ask({"path": str(path), "kind": kind, "seconds": self._seconds})
        except TimeoutError:
            raise Unreadable("timeout", seconds=round(self._seconds)) from None
        except ChildLost:
            raise Unreadable("crash") from None
        if "problem" in answer:
            raise Unreadable(answer["problem"], **answer["parameters"])
        pages = [(number, start) for number, start in answer["pages"]]
        return answer["title"], DocumentText(answer["text"], pages)

    async def close(self) -> None:
        """End the child."""
        await self.child.close()
