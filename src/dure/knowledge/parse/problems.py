"""Why a document cannot be read, in words for its owner."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dure.errors import DocumentUnreadable, Text
from dure.serving import Message
from dure.texts import TEXTS

PROBLEMS = TEXTS["knowledge_parse_problems.problems"]


class Unreadable(DocumentUnreadable):
    """DocumentUnreadable for one of `PROBLEMS`, with the parameters of its sentence."""

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.parameters = parameters
        super().__init__(problem=problem, reason=Text(**PROBLEMS[problem].filled(**parameters)))


_ENDS = {b"%PDF-": b"%%EOF", b"PK\x03\x04": b"PK\x05\x06", b"\x89PNG": b"IEND"}
"""What stands near the end of files that begin so."""
_LAST = 66_000
"""Bytes of a file within which its end is told."""


def fault_of(data: bytes) -> str:
    """The problem of a file that cannot be read: `cut`, where its end is missing, else `broken`."""
    end = next((end for first, end in _ENDS.items() if data.startswith(first)), b"")
    return "broken" if end in data[-_LAST:] else "cut"


@contextmanager
def unreadable(data: bytes = b"") -> Iterator[None]:
    """Makes whatever reading a file, or `data`, raises Unreadable: a damaged one makes libraries raise anything."""
    try:
        yield
    except Unreadable as error:
        if error.problem != "broken":
            raise
        raise Unreadable(fault_of(data)) from error
    except FileNotFoundError as error:
        raise Unreadable("missing") from error
    except MemoryError as error:
        raise Unreadable("memory") from error
    except RecursionError as error:
        raise Unreadable("deep") from error
    except Exception as error:
        raise Unreadable(fault_of(data)) from error


def answering(read: Callable[[Message, bytes], Message]) -> Callable[[Message], Message]:
    """A child's answer: what `read` makes of a request and of the file at its `path`, or `{problem, parameters}`."""

    def answered(request: Message) -> Message:
        try:
            with unreadable():
                return read(request, Path(request["path"]).read_bytes())
        except Unreadable as error:
            return {"problem": error.problem, "parameters": error.parameters}

    return answered
