"""What a run has done already, read from its record, so that a run that goes on does none of it twice.

A run that was broken off or had to wait is played again from its start: the graph decides anew, and what it asks of
the model or of tools is answered from here as long as it is known, failures too. That is why ids count per piece of
work and never depend on time or chance. What is asked or called otherwise than it is recorded ends the run: nobody
knows what it would do twice.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from dure.dialects import Reply
from dure.errors import Diverged, Interrupted, ModelError, restore
from dure.events import (
    ArtifactMade,
    Event,
    ModelCalled,
    Routed,
    RunStarted,
    Sourced,
    StepChanged,
    ToolFinished,
    ToolStarted,
)
from dure.knowledge.units import units_of
from dure.messages import Message, ToolCall, Usage, canonical
from dure.models import Asked
from dure.sources import Passage, place_of
from dure.tooling import ToolResult

FORMAT = 3
"""Of the records that are written. 1: the model's failures have no code, questions to it no digest, and calls no
effect class. Up to 2: a planner's intents are those of team `office`, a step counts as done whose calls all failed,
calls that are repeated are not made again, passages are printed again, the reason of a rejection stands as data, only
`hitl` is shown results, nobody is told that it said what is built on, people are asked about steps that build on
nothing found, and papers are read section by section. Every earlier format can be gone on with."""


def digest(messages: Sequence[Message]) -> str:
    """What tells one question to the model from another, as 16 hexadecimal digits. Instructions do not count: they tell
    the day, and a newer version words them otherwise."""
    return sha256(canonical([each for each in messages if each["role"] != "system"])).hexdigest()[:16]


def result_of(event: ToolFinished) -> ToolResult:
    """The result that is recorded so."""
    found, failed = [Passage(**p) for p in event.passages], event.status != "ok"
    places = [Passage(**p) for p in event.places]
    ended: dict[str, Any] = {"ended": event.status, "seconds": event.seconds}
    return ToolResult(event.text, found, failed, data=event.data, images=event.images, places=places, **ended)


_MOST = 2000
"""Characters in which what was done is told."""


class Journal:
    """Made of a run's recorded events; an empty one knows nothing. Once something differs from it, all that it is asked
    raises Diverged."""

    def __init__(
        self,
        events: Iterable[Event] = (),
        allowed: Collection[str] = (),
        began: Mapping[str, str] | None = None,
        taken: int = 0,
    ) -> None:
        """allowed: the calls that people said may run. began: when calls were begun, as stored. taken: of how many
        events another run has had the expense. Raises ValueError for a record of a newer format."""
        self.format = FORMAT
        """Of the record; what a run does has to be what it did when it began."""
        self._allowed = allowed
        self.began = began or {}
        self._diverged: Diverged | None = None
        self._reached: set[str] = set()
        """Calls that were made again."""
        self._asked: dict[str, ModelCalled] = {}
        self._free: set[str] = set()
        self._started: dict[str, ToolStarted] = {}
        self.starts: Counter[str] = Counter()
        """How often each call was begun."""
        self._finished: dict[str, ToolFinished] = {}
        self.seconds: dict[str, float] = {}
        """How long work on a step took, by its id, where its end is recorded."""
        self.routed: Routed | None = None
        """The first decision on who works."""
        self.artifacts: list[dict[str, Any]] = []
        """Files that were made, each once."""
        self.passages: list[Passage] = []
        """What was found, in the order of its numbers."""
        found: dict[tuple[str, int, int], Passage] = {}
        for number, event in enumerate(events):
            if isinstance(event, ModelCalled) and event.ask_id:
                self._asked[event.ask_id] = event
                self._free |= {event.ask_id} if number < taken else set()
            elif isinstance(event, RunStarted):
                self.format = event.format
                if event.format > FORMAT:
                    raise ValueError(f"a record of format {event.format}")
            elif isinstance(event, Routed):
                self.routed = self.routed or event
            elif isinstance(event, ToolStarted):
                self._started[event.call_id] = event
                self.starts[event.call_id] += 1
            elif isinstance(event, ToolFinished):
                self._finished[event.call_id] = event
                found |= {place_of(p): p for p in (Passage(**each) for each in [*event.passages, *event.places])}
            elif isinstance(event, Sourced) and event.number == len(self.passages) + 1:
                self.passages.append(_at(event.place, found))
            elif isinstance(event, StepChanged) and event.seconds is not None:
                self.seconds[event.work_id] = event.seconds
            elif isinstance(event, ArtifactMade):
                self.artifacts = [a for a in self.artifacts if a["id"] != event.artifact["id"]] + [event.artifact]

    def asked(self, ask_id: str, purpose: str, asked: str) -> Asked | None:
        """The exchange with the model that was recorded under this id. asked: the question's `digest`. Raises the error
        that it ended with, and Diverged where something else was asked."""
        self._check()
        event = self._asked.get(ask_id)
        if event is None:
            return None
        if event.purpose != purpose or event.asked not in ("", asked):
            raise self._differs(f"{purpose} {ask_id}")
        if event.error is not None:
            raise restore(**event.failure) if event.failure else ModelError(reason=event.error)
        said = event.reply | {"tool_calls": [ToolCall(**call) for call in event.reply["tool_calls"]]}
        tokens = (event.prompt_tokens, event.completion_tokens, event.cached_tokens, event.reasoning_tokens)
        reply = Reply(**said, usage=Usage() if ask_id in self._free else Usage(1, *tokens))
        return Asked(reply, event.request, event.dialect, event.seconds)

    def knows(self, work_id: str) -> bool:
        """Whether the model was asked in this piece of work."""
        return f"{work_id}.a1" in self._asked if work_id else "a1" in self._asked

    def begun(self, call_id: str, *worded: ToolCall) -> ToolStarted | None:
        """How this call was begun. worded: as it may be recorded. Raises Diverged where another was begun."""
        self._check()
        started = self._started.get(call_id)
        if started is None and worded[0].error and call_id in self._allowed:
            # Its tool is gone, or takes other arguments: it would be left out in silence.
            raise self._differs(f"{worded[0].name} {call_id}")
        if started is None or call_id in self._reached:
            return started
        if not any(started.name == c.name and canonical(started.args) == canonical(c.args) for c in worded):
            raise self._differs(f"{worded[0].name} {call_id}")
        self._reached.add(call_id)
        return started

    def finished(self, call_id: str) -> ToolResult | None:
        """How the call ended that was begun so."""
        event = self._finished.get(call_id)
        return None if event is None else result_of(event)

    def ended(self, status: str) -> None:
        """The run has come so far with this status. Raises Diverged where an end leaves out recorded effects."""
        self._check()
        if status in ("completed", "stopped") and any(not call["reached"] for call in self._effects()):
            raise self._differs("end")

    def interrupted(self) -> Interrupted:
        """The error of a run that is given up, with the effects that it had, or may have had."""
        calls, done = self._told()
        return Interrupted(calls=calls, done=done) if calls else Interrupted()

    def _check(self) -> None:
        if self._diverged is not None:
            raise self._diverged

    def _differs(self, at: str) -> Diverged:
        calls, done = self._told()
        self._diverged = Diverged(at=at, calls=calls, done=done or "-")
        return self._diverged

    def _told(self) -> tuple[list[dict[str, Any]], str]:
        calls = self._effects()
        return calls, ", ".join(f"{c['name']} {canonical(c['args']).decode()} ({c['status']})" for c in calls)[:_MOST]

    def _effects(self) -> list[dict[str, Any]]:
        """The recorded calls with effects, but those that were declined; status: `unknown` where it broke off."""
        found = []
        for key, event in self._started.items():
            status = self._finished[key].status if key in self._finished else "unknown"
            if event.effect not in ("", "read") and status != "declined":
                about = {"call_id": key, "name": event.name, "args": event.args, "status": status}
                found.append({**about, "reached": key in self._reached})
        return found


def _at(place: Sequence[Any], found: Mapping[tuple[str, int, int], Passage]) -> Passage:
    """What was found at a place, or a passage's sentence or row there, as small models cite them. Raises KeyError."""
    document, start, end = place
    if (document, start, end) in found:
        return found[document, start, end]
    held = (p for p in found.values() if p.document_id == document and p.start <= start and end <= p.end)
    return {place_of(unit): unit for each in held for unit in units_of(each)}[document, start, end]
