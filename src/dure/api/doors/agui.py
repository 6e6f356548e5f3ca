"""`POST /v1/agui/{team}`: a team as an AG-UI agent, for clients that know nothing of ours (https://docs.ag-ui.com)."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from dure.api.agui import Translator
from dure.api.approvals import decision_of, stream_decided, waiting_run
from dure.api.auth import Client
from dure.api.bodies import Resume, described, read_json
from dure.api.doors.turns import Turn, asked
from dure.api.following import settled, stream
from dure.api.wires import Wire
from dure.events import Event

router = APIRouter(prefix="/v1", tags=["AG-UI"])

_LIMIT = 32 << 20
"""Bytes of a conversation."""
_IDS = ("messageId", "toolCallId", "subagentRunId")


class RunAgentInput(BaseModel):
    """AG-UI's request: the thread is a session. The client's state, tools and context say nothing to a team."""

    thread_id: Annotated[str, Field(alias="threadId")]
    run_id: Annotated[str, Field(alias="runId")]
    messages: list[Turn] = []
    resume: Annotated[list[Resume], Field(max_length=100)] | None = None


class OneMessage(Translator):
    """Tells one message a run, the answer once it stands: clients of others' cannot take back a draft, which is
    reasoning to them. Ids are no other run's of the thread, and the run has the name that the client gave it."""

    def __init__(self, name: str, run_id: str) -> None:
        super().__init__(run_id)
        self._name, self._ours = name, run_id

    def feed(self, event: Event) -> list[Wire]:
        told = settled(event)
        return [self._named(wire) for wire in super().feed(told)] if told else []

    def still_waiting(self, approvals: list[Wire], response: str) -> list[Wire]:
        return [self._named(wire) for wire in super().still_waiting(approvals, response)]

    def _named(self, wire: Wire) -> Wire:
        named = wire | {key: f"{self._ours}.{wire[key]}" for key in _IDS if key in wire}
        if "runId" in wire:
            named["runId"] = self._name
        if interrupts := wire.get("outcome", {}).get("interrupts"):
            named["outcome"] = wire["outcome"] | {"interrupts": [self._named(each) for each in interrupts]}
        return named


@router.post("/agui/{team}", openapi_extra=described(RunAgentInput))
async def run_agent(team: str, request: Request, who: Client) -> Response:
    """Ask a team as an AG-UI agent is run, or resume its run that waits. It ends when the client hangs up, unless it
    waits for people."""
    body = await read_json(request, RunAgentInput, _LIMIT)
    request.state.text = body.messages[-1].text if body.messages else ""
    made = partial(OneMessage, body.run_id)
    if body.resume:
        run_id = await waiting_run(who, body.thread_id)
        return await stream_decided(who, run_id, [decision_of(each) for each in body.resume], made)
    run_id = (await who.dure.runs.start(who.owner, await asked(who, body.messages, body.thread_id, team))).id
    return stream(who, run_id, translator=made(run_id), kept=False)
