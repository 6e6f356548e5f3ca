"""Why a document cannot be read, in words for its owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dure.errors import DocumentUnreadable, Text
from dure.texts import TEXTS

PROBLEMS = TEXTS["knowledge_parse_problems.problems"]


class Unreadable(DocumentUnreadable):
    """DocumentUnreadable for one of `PROBLEMS`, with the parameters of its sentence."""

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.parameters = parameters
        super().__init__(problem=problem, reason=Text(**PROBLEMS[problem].filled(**parameters)))


@contextmanager
def unreadable() -> Iterator[None]:
    """Makes whatever reading a file raises Unreadable: nobody knows what a damaged one makes a library raise."""
    try:
        yield
    except Unreadable:
        raise
    except FileNotFoundError as error:
        raise Unreadable("missing") from error
    except MemoryError as error:
        raise Unreadable("memory") from error
    except Exception as error:
        raise Unreadable("broken") from error
