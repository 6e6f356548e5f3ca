"""What a run has done already, read from its record, so that a run that goes on does none of it twice.

A run that was broken off or had to wait is played again from its start: the graph decides anew, and what it asks of
the model or of tools is answered from here as long as it is known. That is why ids count per piece of work and never
depend on time or chance.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from dure.dialects import Reply
from dure.events import ArtifactMade, Event, ModelCalled, Routed, Sourced, StepChanged, ToolFinished, ToolStarted
from dure.messages import ToolCall, Usage, canonical
from dure.models import Asked
from dure.sources import Passage, place_of
from dure.tooling import ToolResult


class Journal:
    """Made of a run's recorded events; an empty one knows nothing."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._asked: dict[str, ModelCalled] = {}
        self._started: dict[str, ToolStarted] = {}
        self._starts: Counter[str] = Counter()
        self._finished: dict[str, ToolFinished] = {}
        self._seconds: dict[str, float] = {}
        self.routed: Routed | None = None
        """The first decision on who works."""
        self.artifacts: list[dict[str, Any]] = []
        """Files that were made, each once."""
        self.passages: list[Passage] = []
        """What was found, in the order of its numbers."""
        found: dict[tuple[str, int, int], Passage] = {}
        for event in events:
            if isinstance(event, ModelCalled) and event.ask_id and event.error is None:
                self._asked[event.ask_id] = event
            elif isinstance(event, Routed):
                self.routed = self.routed or event
            elif isinstance(event, ToolStarted):
                self._started[event.call_id] = event
                self._starts[event.call_id] += 1
            elif isinstance(event, ToolFinished):
                self._finished[event.call_id] = event
                found |= {place_of(p): p for p in (Passage(**each) for each in event.passages)}
            elif isinstance(event, Sourced) and event.number == len(self.passages) + 1:
                document, start, end = event.place
                self.passages.append(found[document, start, end])
            elif isinstance(event, StepChanged) and event.seconds is not None:
                self._seconds[event.work_id] = event.seconds
            elif isinstance(event, ArtifactMade):
                self.artifacts = [a for a in self.artifacts if a["id"] != event.artifact["id"]] + [event.artifact]

    def seconds(self, work_id: str) -> float | None:
        """How long this work on a step took, where its end is recorded."""
        return self._seconds.get(work_id)

    def asked(self, ask_id: str) -> Asked | None:
        """The exchange with the model that was recorded under this id."""
        event = self._asked.get(ask_id)
        if event is None:
            return None
        said = event.reply | {"tool_calls": [ToolCall(**call) for call in event.reply["tool_calls"]]}
        reply = Reply(**said, usage=Usage(1, event.prompt_tokens, event.completion_tokens))
        return Asked(reply, event.request, event.dialect, event.seconds)

    def finished(self, call_id: str, call: ToolCall) -> ToolResult | None:
        """How this very call ended."""
        event = self._finished.get(call_id)
        if event is None or not self._same(call_id, call):
            return None
        found = [Passage(**p) for p in event.passages]
        failed = event.status != "ok"
        return ToolResult(event.text, found, failed, event.data, ended=event.status, seconds=event.seconds)

    def broken_off(self, call_id: str, call: ToolCall) -> bool:
        """Whether this very call was begun and nothing is known of its end."""
        return call_id not in self._finished and self._same(call_id, call)

    def starts(self, call_id: str) -> int:
        """How often this call was begun."""
        return self._starts[call_id]

    def reword(self, call_id: str, written: ToolCall, call: ToolCall) -> None:
        """Take a call recorded as the model wrote it for the call that was made of it: older records hold some so."""
        if self._same(call_id, written):
            self._started[call_id] = replace(self._started[call_id], args=call.args)

    def _same(self, call_id: str, call: ToolCall) -> bool:
        started = self._started.get(call_id)
        return started is not None and started.name == call.name and canonical(started.args) == canonical(call.args)
