"""A run as a call of an MCP tool: progress while it works, and people asked where the client can ask them."""

from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import mcp_types as mcp
from mcp.server import ServerRequestContext

from dure.agents.approvals import asks_form
from dure.api.auth import Caller
from dure.api.doors.turns import page_of
from dure.api.wires import Wire
from dure.events import AgentStarted, ToolStarted
from dure.messages import json_bytes
from dure.runs import AnswerRecord
from dure.storage import DEFAULT_OWNER

Context = ServerRequestContext[Any, Any]
Reply = mcp.CallToolResult | mcp.InputRequiredResult
DOCUMENT = "dure://documents/"
"""Before a document's id, in its address as a resource."""


def reply(text: str, data: Any = None, *more: mcp.ContentBlock, failed: bool = False) -> mcp.CallToolResult:
    """What a tool gives: text for the model, `data` for programs."""
    content: list[mcp.ContentBlock] = [mcp.TextContent(text=text), *more]
    return mcp.CallToolResult(content=content, structured_content=data, is_error=failed)


async def answered(
    context: Context, who: Caller, run_id: str, given: Mapping[str, mcp.InputResponse] | None = None
) -> Reply:
    """The run's answer. What it waits for is asked of the person at the client: in a reply that the client repeats the
    call with (`given`), or in between, as the protocol's version has it. Where the client cannot, the answer says what
    it waits for.

    Raises the typed error of a run that failed."""
    if given:
        answer = await who.dure.runs.answer(who.owner, run_id)
        if not await _decide(who, answer, given):
            return _shown(context, who, answer)
    while True:
        await _follow(context, who, run_id)
        answer = await who.dure.runs.answer(who.owner, run_id)
        told = context.session.client_capabilities
        forms = {each["id"]: _form(each) for each in answer.approvals}
        if not forms or told is None or told.elicitation is None:
            return _shown(context, who, answer)
        if not context.session.can_send_request:
            asked = {id: mcp.ElicitRequest(params=form) for id, form in forms.items()}
            return mcp.InputRequiredResult(input_requests={**asked}, request_state=run_id)
        said = {}
        for id, form in forms.items():
            said[id] = await context.session.elicit_form(form.message, form.requested_schema, context.request_id)
        if not await _decide(who, answer, said):
            return _shown(context, who, answer)


async def _follow(context: Context, who: Caller, run_id: str) -> None:
    step = 0
    async with aclosing(who.dure.runs.followed(who.owner, run_id)) as events:
        async for _, event in events:
            if isinstance(event, AgentStarted | ToolStarted):
                step += 1
                message = event.agent if isinstance(event, AgentStarted) else f"{event.agent}: {event.name}"
                await context.session.report_progress(step, message=message)


def _form(approval: Wire) -> mcp.ElicitRequestFormParams:
    """What is asked, as a form of plain fields: what asks for some, as it is; changed arguments are no such."""
    if asks_form(approval):
        return mcp.ElicitRequestFormParams(message=approval["title"], requested_schema=approval["schema"])
    actions = [action for action in approval["actions"] if action != "edit"]
    fields = {"action": {"type": "string", "enum": actions}, "message": {"type": "string"}}
    wanted = {"type": "object", "properties": fields, "required": ["action"]}
    told = f"{approval['title']}\n{json_bytes(approval['args']).decode()}" if approval["args"] else approval["title"]
    return mcp.ElicitRequestFormParams(message=told, requested_schema=wanted)


async def _decide(who: Caller, answer: AnswerRecord, given: Mapping[str, mcp.InputResponse]) -> bool:
    """Decide what the person did; False where they left everything open."""
    decisions: list[Wire] = []
    for each in answer.approvals:
        said = given.get(each["id"])
        if isinstance(said, mcp.ElicitResult) and said.action != "cancel":
            content, form = said.content or {}, asks_form(each)
            action = "answer" if form else str(content.get("action"))
            decision = {"args": content} if form else {"message": content.get("message") or None}
            action = action if said.action == "accept" else "reject"
            decisions.append({"approval_id": each["id"], "action": action, **decision})
    if decisions:
        await who.dure.runs.decide(who.owner, str(answer.metadata["run_id"]), decisions)
    return bool(decisions)


def _shown(context: Context, who: Caller, answer: AnswerRecord) -> mcp.CallToolResult:
    text, session_id = answer.response, answer.metadata["thread_id"]
    if answer.status == "waiting":
        # Many clients show their model the text alone.
        run_id, owner = answer.metadata["run_id"], "" if who.owner == DEFAULT_OWNER else f" --owner {who.owner}"
        page = page_of(context.request, session_id) if context.request else f"`dure runs decide {run_id}{owner}`"
        open = [f"approval_id: {each['id']} ({', '.join(each['actions'])})" for each in answer.approvals]
        text = "\n".join([f"{text}\n\n{page}", f"run_id: {run_id}", *open])
    kept = ("id", "title", "tool", "args", "actions", "expires_at")
    data = {"answer": answer.response, "status": answer.status, "session_id": session_id}
    data |= {"run_id": answer.metadata["run_id"], "citations": answer.citations}
    data |= {"approvals": [{name: each[name] for name in kept} for each in answer.approvals]}
    titles = {each["document_id"]: each["title"] for each in answer.citations if not each["url"]}
    links = [
        mcp.ResourceLink(name=title, uri=f"{DOCUMENT}{id}", mime_type="text/plain") for id, title in titles.items()
    ]
    return reply(text, data, *links)
