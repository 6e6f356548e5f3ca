"""What the models of a run are asked, stored once: most of a later call's messages are those of the run's first call,
the conversation. Told apart by place alone: another beginning, then so many messages that are the same."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

_LEAST = 3
"""Messages; fewer are stored again."""


def brief(messages: Any, first: Any, number: int) -> Any:
    """`messages` as they are stored where the event with that number, the run's first call, asked `first`."""
    if not (isinstance(messages, list) and isinstance(first, list)):
        return messages
    start = 0 if messages[:1] == first[:1] else 1
    pairs = zip(messages[start:], first[start:], strict=False)
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if count < _LEAST:
        return messages
    return {"of": number, "at": start, "count": count, "rest": messages[:start] + messages[start + count :]}


def whole(stored: Any, first: Callable[[int], Any]) -> Any:
    """What `brief` was given. first: gives the messages of the event with a number."""
    if not isinstance(stored, dict):
        return stored
    at, rest = stored["at"], stored["rest"]
    return rest[:at] + first(stored["of"])[at : at + stored["count"]] + rest[at:]
