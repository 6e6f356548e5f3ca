"""A run that takes over what the record of an ended one holds up to a step, does none of it again, and goes on anew."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from dure import events as ours
from dure.agents import Journal, way_of
from dure.errors import Conflict, Forbidden, InvalidInput, existing, phrase
from dure.runs.artifacts import Artifacts
from dure.runs.working import Working
from dure.storage import approvals as approval_rows
from dure.storage import now, shelves
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.teams import Team, fault_of

Row = dict[str, Any]
_STEPS = {ours.AgentStarted.kind, ours.ModelCalled.kind, ours.ToolStarted.kind}
_SAID = ours.TextDelta | ours.ReasoningDelta | ours.TextRetracted


@dataclass(slots=True)
class Branch:
    """What a new run takes over of another, `row`: of its record what stands before the event of number `step`, each
    with its time, and what people decided there. asked: the id of its question."""

    row: Row
    definition: Row | None
    step: int
    asked: int
    events: list[tuple[str, ours.Event]]
    approvals: list[Row]

    async def into(self, row: Row, artifacts: Artifacts) -> tuple[list[Row], Callable[[sa.Connection], None]]:
        """Make `row`, of the new run, one that goes on from here. Returns the rows of the files that are its own now,
        and what stores the rest. Raises NotFound for a file that is gone."""
        run_id, began = row["id"], self.row["id"]
        made = [event.artifact for _, event in self.events if isinstance(event, ours.ArtifactMade)]
        files = {each["id"]: await artifacts.copy(row["owner"], began, each, run_id) for each in made}
        events = [(at, self._of(event, row, files)) for at, event in self.events]
        events.append((now(), ours.RunResumed("branched", run_id=began)))
        if self.definition:
            row["definition"] = self.row["definition"]
        # Recorded questions name pictures as that run had them.
        kept = {key: each for key, each in self.row["options"].items() if key == "images"}
        row["options"] |= kept | {"from": {"run_id": began, "step": self.step, "events": len(events)}}
        stored = [(number, event.kind, at, event) for number, (at, event) in enumerate(events, 1)]
        decided = [each | {"id": f"p-{secrets.token_hex(12)}", "run_id": run_id} for each in self.approvals]

        def store(connection: sa.Connection) -> None:
            run_rows.append_events(connection, row["owner"], run_id, stored)
            approval_rows.add(connection, decided)

        return list(files.values()), store

    def _of(self, event: ours.Event, row: Row, files: dict[str, Row]) -> ours.Event:
        if isinstance(event, ours.RunStarted):
            return replace(event, run_id=row["id"], session_id=row["session_id"])
        if isinstance(event, ours.ArtifactMade):
            return ours.ArtifactMade(event.artifact | {"id": files[event.artifact["id"]]["id"]})
        return event


def read(connection: sa.Connection, owner: str, run_id: str, step: int) -> Branch:
    """What a run that goes on from a step takes over. Raises NotFound, InvalidInput for what is no step, Conflict where
    the run has not ended, its record cannot be read, or a tool with effects was at work, Forbidden for a lost shelf."""
    row = existing(run_rows.get(connection, owner, run_id), "run", run_id)
    if row["status"] not in ours.ENDED:
        raise Conflict(reason=phrase("runs_branch.open"), status=row["status"])
    if shelves.lost(connection, owner, row["created_at"]):
        raise Forbidden(reason=phrase("storage_shelves.lost"))
    stored = run_rows.events(connection, owner, run_id)
    if not any(seq == step and kind in _STEPS for seq, kind, _, _ in stored):
        raise InvalidInput(reason=phrase("runs_branch.step", step=step), key="step")
    try:
        before = [(at, ours.decode(kind, data)) for seq, kind, at, data in stored if seq < step]
        Journal(event for _, event in before)
    except Exception:
        # Of a newer version.
        raise Conflict(reason=phrase("runs_branch.record")) from None
    ended = {event.call_id for _, event in before if isinstance(event, ours.ToolFinished)}
    events = _settled(before, ended)
    asked = {each["id"] for _, event in events if isinstance(event, ours.RunWaiting) for each in event.approvals}
    # Of a call that is made again people are asked again.
    approvals = [
        each
        for each in approval_rows.of_run(connection, owner, run_id)
        if each["id"] in asked and each["decision"] and each["question"].get("call_id", "") in {"", *ended}
    ]
    question = session_rows.asked_by(connection, owner, row["session_id"], run_id)
    return Branch(row, run_rows.definition(connection, row), step, question, events, approvals)


def check(branch: Branch, working: Working, model: str | None) -> Team | None:
    """The team that it goes on with, where that is known. Raises UnknownModel, and Conflict where what was done cannot
    be played again: that team works no more, or `model` (None: the run's own) is worked with in another way."""
    row, models = branch.row, working.models
    try:
        team = working.definitions.team(row, branch.definition)
        if team and (fault := fault_of(team)):
            raise ValueError(fault[1])
    except ValueError as error:
        raise Conflict(reason=phrase("runs_branch.definition", team=row["team"], fault=str(error))) from None
    usual = team.model if team else None
    names = [name or usual for name in (row["options"].get("model"), model or row["options"].get("model"))]
    lines = [models.line(name) for name in names if name is None or name in models or name == names[1]]
    if len({way_of(models[line[0]], working.settings.way) for line in lines}) > 1:
        raise Conflict(reason=phrase("runs_branch.way", model=model))
    return team


def _settled(before: list[tuple[str, ours.Event]], ended: set[str]) -> list[tuple[str, ours.Event]]:
    """A record that breaks off, without what was under way there: texts that a model was saying, calls whose end it
    does not hold (`ended` are the others), and waiting for what is asked anew."""
    kept: list[tuple[str, ours.Event]] = []
    silent: set[str] = set()
    for at, event in reversed(before):
        if isinstance(event, ours.ModelCalled | ours.AgentFinished):
            silent.add(event.work_id)
        if isinstance(event, ours.ToolStarted | ours.ToolTold) and event.call_id not in ended:
            if isinstance(event, ours.ToolStarted) and event.effect not in ("", "read"):
                raise Conflict(reason=phrase("runs_branch.at_work", tool=event.name))
        elif isinstance(event, _SAID) and event.work_id not in silent:
            continue
        elif kept or not isinstance(event, ours.RunWaiting | ours.RunResumed):
            kept.append((at, event))
    return kept[::-1]
