"""What of an event is new to a run's record: a run that is played again reports much of its past once more."""

from collections import Counter
from collections.abc import Iterable

import orjson

from dure.events import (
    Event,
    ModelCalled,
    ReasoningDelta,
    RunResumed,
    RunWaiting,
    TextDelta,
    TextRetracted,
    ToolStarted,
    encode,
)
from dure.messages import json_bytes

_ALWAYS = (ModelCalled, ToolStarted, RunResumed, RunWaiting)
"""Reported only when they really happen: what is recorded is not done again."""


class Replay:
    """Made of the recorded events; `new` says what a reported event adds to them."""

    def __init__(self, recorded: Iterable[Event]) -> None:
        self._known: Counter[bytes] = Counter()
        self._text: dict[tuple[str, str], str] = {}
        """What was said as a message and stands: the record's text by (kind, message id)."""
        self._said: dict[tuple[str, str], str] = {}
        """What has been said of those messages this time, as long as it agrees with the record."""
        for event in recorded:
            if isinstance(event, TextDelta | ReasoningDelta):
                key = (event.kind, event.message_id)
                self._text[key] = self._text.get(key, "") + event.text
            elif isinstance(event, TextRetracted):
                self._text.pop((TextDelta.kind, event.message_id), None)
                self._known[_identity(event)] += 1
            elif not isinstance(event, _ALWAYS):
                self._known[_identity(event)] += 1

    def new(self, event: Event) -> list[Event]:
        """The events to record for `event`: none where it is known, the rest of a text that was begun, …"""
        if isinstance(event, TextDelta | ReasoningDelta):
            return self._new_text(event)
        if isinstance(event, TextRetracted):
            stood = self._text.pop((TextDelta.kind, event.message_id), None)
            self._said.pop((TextDelta.kind, event.message_id), None)
            return [event] if stood is not None or not self._is_known(event) else []
        if isinstance(event, _ALWAYS) or not self._is_known(event):
            return [event]
        return []

    def _new_text(self, event: TextDelta | ReasoningDelta) -> list[Event]:
        key = (event.kind, event.message_id)
        recorded = self._text.get(key)
        if recorded is None:
            return [event]
        said = self._said[key] = self._said.get(key, "") + event.text
        if recorded.startswith(said):
            return []
        del self._text[key], self._said[key]
        if said.startswith(recorded):
            return [type(event)(event.message_id, said[len(recorded) :], event.work_id)]
        # This time the model says something else: what was shown of the first attempt is taken back.
        whole = type(event)(event.message_id, said, event.work_id)
        if isinstance(event, ReasoningDelta):
            return [whole]
        return [TextRetracted(event.message_id, event.work_id), whole]

    def _is_known(self, event: Event) -> bool:
        identity = _identity(event)
        if not self._known[identity]:
            return False
        self._known[identity] -= 1
        return True


def _identity(event: Event) -> bytes:
    kind, fields = encode(event)
    # How long something took differs each time.
    told = {name: value for name, value in fields.items() if name != "seconds"}
    return json_bytes([kind, told], orjson.OPT_SORT_KEYS)
