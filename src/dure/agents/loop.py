"""The agent loop: the model's turn, with its calls run, again … → answer, stop or error.

The limit is checked before anything else; every call gets exactly one result; calls of one reply run side
by side; calls that are repeated without anything new in between, and bring nothing new, end the loop. Where a person
has to be asked first, the loop ends as `waiting` before any of the calls has run, and is played again once all is
decided.
"""

import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, TypedDict

from dure.agents.asking import context_of
from dure.agents.context import RunContext, Speech
from dure.agents.grounded import FOUND, Prefetched, first_look
from dure.agents.journaled import Journaled
from dure.agents.outcome import Outcome
from dure.agents.prompts import CUT, LAST_ANSWER, NO_ANSWER, SEARCH_FIRST, STOPPED, UNSOURCED, cut_off, system_text
from dure.agents.running import run_tools
from dure.agents.short import Turn
from dure.dialects import ToolCallParser
from dure.errors import DureError
from dure.events import Notice
from dure.messages import Message, ToolCall, assistant, canonical, system, tool_result, user, wire_call
from dure.sources import place_of
from dure.texts import TEXTS
from dure.tooling import Tool, ToolResult, beside, owned
from dure.toolsets import prepared

_FOREIGN = TEXTS.one("agents_loop.foreign")
AGAIN = "turn"
"""The status of work that goes on with another turn."""


@dataclass(slots=True)
class Work(Turn):
    """One agent's work on one task: the context of the loop's graph."""

    work_id: str = ""
    speaks: bool = True
    """Its words are the answer to the user; else they are its own and go to whoever asked for the work."""
    about: str = ""
    """What it is about in one line, where that is not the whole message."""
    query: str = ""
    """The question in another language than the message's, where documents are in that."""
    found: Prefetched | None = None
    """Passages that were fetched before the agent was chosen."""
    left: Mapping[str, Any] | None = None
    """Where an earlier try broke off (`Outcome.left`): nothing of it is done again."""
    ends: list[str] = field(default_factory=list)
    """How its calls ended, a status each."""

    @property
    def limit(self) -> int:
        return self.agent.max_iterations or self.run.max_iterations

    def speech(self) -> Speech:
        return Speech(self.run, "" if self.speaks else self.work_id)


class LoopState(TypedDict, total=False):
    status: str
    """`AGAIN`, or how the work ended, with the rest as in `Outcome`."""
    answer: str
    reason: str | None
    error: dict[str, Any] | None
    messages: Annotated[list[Message], operator.add]
    iteration: int
    batches: list[tuple[str, list[tuple[str, str]]]]
    """The batches of calls made so far, each with how its calls ended and what the model read of them."""


async def work(job: Work, task: Message) -> Outcome:
    """Let an agent work on `task` (a user message) until it answers or must stop; a model's failure is an outcome."""
    if job.left is None:
        job.run.shown.pop(job.work_id, None)
    if job.left is not None:
        state = LoopState(messages=[task, *job.left["messages"][1:]], iteration=0, batches=job.left["batches"])
        job.ends = [status for _, came in job.left["batches"] for status, _ in came]
    elif (outcome := await job.run.way.begin(job, task)) is not None:
        return outcome
    else:
        state = LoopState(messages=[task, *await _looked(job)], iteration=0, batches=[])
    if job.run.way.asks:
        job.tools = {**job.tools, **await owned(beside(job.tools, job.run.tools), job.run.owner)}
        job.tools = {name: await _in_both(tool, job.run) for name, tool in job.tools.items()}
    if os.environ.get("LANGSMITH_TRACING_V2") == "false":
        # Most work is done in one turn, which needs no graph; LangSmith, where it listens, is told of all.
        update = await _turn(state, job)
        state = {**state, **update, "messages": [*state["messages"], *update.get("messages", [])]}
    if state.get("status", AGAIN) == AGAIN:
        # Some more for calls that were cut off.
        state = await graph().ainvoke(state, {"recursion_limit": job.limit + 8}, context=job)
    in_vain = bool(job.ends) and all(status in ("error", "timeout") for status in job.ends)
    # A last answer that failed leaves calls without results.
    whole = state["status"] == "failed" and state["batches"] and state["messages"][-1]["role"] != "assistant"
    left = {key: state[key] for key in ("messages", "batches")} if whole else None
    ended = state["status"], state.get("answer", ""), state.get("reason"), state.get("error")
    return Outcome(*ended, in_vain=in_vain, left=left)


@cache
def graph() -> Any:
    """The loop as a graph of LangGraph: one node, which says whether it comes again."""
    # Two thirds of a second of CPU, paid by the first work that takes a second turn.
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command

    async def turn(state: Any, runtime: Any) -> Any:
        update = await _turn(state, runtime.context)
        # A command, since an edge would read the whole state again.
        return Command(update=update, goto="turn" if update["status"] == AGAIN else END)

    made = StateGraph(LoopState, context_schema=Work)
    made.add_edge(START, "turn")
    made.add_node("turn", turn)
    return made.compile()


async def _in_both(tool: Tool, run: RunContext) -> Tool:
    """The tool, which tells the model of documents in another language than the message's, where it searches such."""
    foreign = await tool.foreign(run.owner, run.language)
    return replace(tool, description=f"{tool.description} {_FOREIGN[foreign]}") if foreign else tool


def _conversation(state: LoopState, job: Work) -> list[Message]:
    return [system(system_text(job.agent, job.run, job.tools)), *job.run.history, *state["messages"]]


async def _looked(job: Work) -> list[Message]:
    """A look with the message itself, as if the agent had made it: what is well found spares its first turn."""
    run = job.run
    found = await first_look(job.agent, job.tools, run, job.about, job.query) if run.way.asks else None
    if found is None:
        return []
    context = context_of(run, job.agent.name, run.new_id("l", job.work_id), job.work_id)
    # Who can do nothing else would make that search anyhow; below `FOUND`, too, it has what is asked for
    # 28 of 44 questions about a company's files. What an agent's first tool lists it would list first.
    well = found.result.passages if job.tools.keys() == {job.agent.search} else found.evidence >= FOUND
    well = well or not job.agent.search
    # What was begun with it or without goes on so when it is played again, whatever the documents hold by then.
    if run.journal.begun(context.call_id, found.call) is None and (
        run.journal.knows(job.work_id) or found.result.status != "ok" or not well
    ):
        return []
    found.call.id = "first"
    return [
        assistant(None, [wire_call(found.call)]),
        _told(found.call, Journaled(run, found.call, context).ended(found.result), job),
    ]


async def _turn(state: LoopState, job: Work) -> LoopState:
    offered = [t.as_openai() for t in job.tools.values()]
    speech = job.speech()
    try:
        asked = await job.run.ask("work", _conversation(state, job), offered, on_piece=speech, **job.place)
    except DureError as error:
        if not job.speaks:
            speech.settle("")
        return {"status": "failed", "error": error.kept()}
    reply = asked.reply
    # Words before a call that was cut off announce the call; they are no answer.
    said = "" if reply.tool_calls or reply.unfinished else reply.content
    speech.settle(said)
    turn = assistant(reply.content or None, [wire_call(c) for c in reply.tool_calls])
    update = LoopState(messages=[turn], iteration=state["iteration"] + 1, answer=said, status="completed")
    last = update["iteration"] >= job.limit
    if reply.tool_calls:
        calls = [prepared(job.tools, each, job.run.language) for each in reply.tool_calls]
        batch = canonical(sorted((c.name, canonical(c.args).decode()) for c in calls)).decode()
        before = [came for made, came in state["batches"] if made == batch]
        repeated = len(before) > 1 or batch in [made for made, _ in state["batches"][-1:]]
        ends = repeated and not _may_again(calls, before[-1], job)
        if ends or last:
            unrun = [tool_result(c.id, c.name, "Not run: no more calls are possible.") for c in reply.tool_calls]
            return await _stop(state, update, "repeated_call" if ends else "max_iterations", unrun, job)
        results = await run_tools(job.run, job.tools, reply.tool_calls, job.agent, job.work_id, by_model=True)
        if results is None:
            return update | {"status": "waiting"}
        job.ends += [result.status for result in results]
        # Numbered after all have ended, in the order of the calls, so that numbers do not depend on timing.
        told = [_told(call, result, job) for call, result in zip(reply.tool_calls, results, strict=True)]
        numbers = [list(map(job.run.number, result.passages)) for result in results]
        came = sorted((each.status, f"{each.text}\n{its}") for each, its in zip(results, numbers, strict=True))
        if repeated and came == before[-1]:
            return await _stop(state, update, "repeated_call", told, job)
        return update | {"status": AGAIN, "messages": [turn, *told], "batches": [*state["batches"], (batch, came)]}
    if reply.unfinished and not last:
        # A call that was cut off may be made again.
        return update | {"status": AGAIN, "messages": cut_off(reply.unfinished)}
    if (ended := reply.finish_reason) in CUT:
        answer = f"{said.strip()}\n\n{job.run.own(CUT[ended][job.run.language])}".strip()
        speech.settle(answer)
        return update | {"status": "stopped", "reason": ended, "answer": answer}
    if not said.strip():
        return await _stop(state, update, "empty_answer", [], job)
    looked = any(status != "error" for status in job.ends)
    looked = looked or any(each["name"] == job.agent.search for each in job.run.tool_calls)
    if job.agent.search in job.tools and not (looked or job.run.sources.passages):
        # Who answers from documents looks there; what is said without that is marked.
        if len(state["messages"]) == 1 and not last:
            return update | {"status": AGAIN, "messages": [turn, user(SEARCH_FIRST)]}
        speech.settle(answer := f"{said.strip()}\n\n{UNSOURCED[job.run.language]}")
        return update | {"answer": answer}
    return update


def _may_again(calls: Sequence[ToolCall], came: list[tuple[str, str]], job: Work) -> bool:
    """Whether calls that ended so may be made again: what failed may succeed, and what only looks may see something
    new. Nothing has its effect twice, and who said no is not asked again."""
    ended = {status for status, _ in came}
    looks = all(tool.effect == "read" for each in calls if (tool := job.tools.get(each.name)))
    return job.run.journal.format >= 3 and (ended == {"error"} or (looks and "declined" not in ended))


def _told(call: ToolCall, result: ToolResult, job: Work) -> Message:
    run = job.run
    turn = tool_result(call.id, call.name, run.observation(job.tools.get(call.name), result, job.work_id))
    if run.way.asks and run.journal.format > 2:
        run.shown.setdefault(job.work_id, set()).update(map(place_of, result.passages))
    return turn | {"images": result.images} if result.images else turn


async def _stop(state: LoopState, update: LoopState, reason: str, told: list[Message], job: Work) -> LoopState:
    """One last answer without tools. Of reasons a limit is told to the user. told: what the last turn's calls gave."""
    run, limited = job.run, reason == "max_iterations"
    run.emit(Notice(reason, STOPPED[run.language] if limited else f"The loop ended: {reason}"))
    ended = await last_answer(
        run,
        [*_conversation(state, job), *update["messages"], *told],
        list(job.tools.values()),
        job.speech(),
        known="\n\n".join(m["content"] or "" for m in state["messages"] if m["role"] == "tool").strip(),
        limited=limited,
        **job.place,
    )
    return {**update, "status": ended.status, "answer": ended.answer, "error": ended.error, "reason": reason}


async def last_answer(
    run: RunContext,
    messages: Sequence[Message],
    offered: Sequence[Any],
    speech: Speech,
    *,
    known: str,
    silent: str = "",
    limited: bool,
    **place: Any,
) -> Outcome:
    """One last answer without the tools that were `offered`. known: what is said where the model fails; silent: where
    it says nothing. limited: because of a limit, which the user is told. place: as of `Turn`."""
    try:
        asked_for = [*messages, user(LAST_ANSWER[run.language])]
        asked = await run.ask("last_answer", asked_for, **place)
        # The model may go on calling although nothing is offered; what it says besides is the answer.
        parsed = ToolCallParser(offered).parse(asked.reply.content)
        answer = (parsed.final_answer or parsed.content).strip() or silent
    except DureError as error:
        if not known:
            return Outcome.failed(error)
        answer = known
    head = run.own(STOPPED[run.language]) + "\n\n" if limited else ""
    text = head + (answer or NO_ANSWER[run.language])
    speech.settle(text)
    return Outcome("stopped" if limited or not answer else "completed", text)
