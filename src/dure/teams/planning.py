"""What a planner team asks of the model: the intent, the plan, its mending, the answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from dure.agents import RunContext, Speech
from dure.agents.prompts import style, today
from dure.errors import DureError
from dure.messages import system, user
from dure.teams.definition import Team
from dure.teams.plan import HITL, Plan, Step, make_plan, nearest, plan_schema, single, sound
from dure.teams.planner_state import Office
from dure.teams.tools import QUERY, foreign
from dure.teams.who.chances import Chances
from dure.teams.who.choosing import Choice
from dure.teams.who.learning import chances
from dure.teams.who.model import hints, listed
from dure.tooling import an_object

GENERAL = "general"
"""The intent of what needs no agent."""
_BEFORE = ("search", "web", "contract", "code", "data", GENERAL)
"""The intents of every team in records of formats before 3."""
_INTENT_RULES = """What does the user want? Reply with JSON.
category: the one below whose work it is; general where it is none, only greetings, thanks, small talk.
{agents}
description: what is wanted, in a few words of the user's language."""
_PLAN_RULES = """Make a plan for the user's request as JSON: the fewest steps that do it, {most} at most.
step: its number, from {first}. agent: one of those below. task: what to do, complete in itself, in the user's \
language. depends_on: numbers of the steps whose results it needs; steps that need nothing of each other run side by \
side. requires_approval: true only where a person must agree first, who is shown the results that the step depends on: \
a text that they are to see is written in a step before. estimated_time: such as "1 min", in that language.
Do not plan a step that only sums up: that is done at the end."""
_HITL = f"- {HITL}: the person; only for a decision or an answer that the work needs"
_MEND_RULES = "Some of the plan was refused or failed. Plan the rest anew with new steps, another way. Never repeat \
what was refused. Steps that are done stay and can be depended on."
_ANSWERED_RULES = "No step builds on what the person said: plan what it asks for, no step where it asks for nothing."
_WISH_RULES = (
    "A result that the person wants changed is changed in a step of its own, before what is asked about again."
)
_COMPOSE_RULES = "Put the results of the steps together into one answer to the user's message. Use only the results, \
keep numbers such as [1] where they stand, and do not list the steps."
_SAID_RULES = (
    "What the person said with a decision is part of the message: the answer does it, where no agent is needed."
)
_FORMAT = {"chat": "", "markdown": "Write Markdown: ## headings, lists.", "json": ""}
_CONTEXT_PART = 3
"""Of the model's context window, a third may be results of earlier steps, at two characters a token."""


async def understand(office: Office) -> dict[str, str]:
    """The intent of the message: `{category, description}`. Raises the model's errors."""
    team, run = office.team, office.run
    found = await chances(team, run)
    able = office.present[0]
    names = [agent.name for agent in able]
    rules = _INTENT_RULES.format(agents="\n".join(listed(able)))
    messages = [system(rules + hints(found, names, GENERAL)), *run.history, user(run.message)]
    known = [*names, GENERAL] if run.journal.format >= 3 else _BEFORE
    text = {"type": "string"}
    schema = an_object({"category": {**text, "enum": [*known]}, "description": text})

    def faults(written: Any) -> list[str]:
        sound = isinstance(written, Mapping) and written.get("category") in known
        return [] if sound else [f"category must be one of {', '.join(known)}."]

    # Asked under ids of its own purpose: a question more or less of one kind leaves those of others alone.
    most = run.way.tokens.get("intent")
    written = (await run.mended("intent", messages, schema, faults, max_tokens=most, work_id="intent"))[-1]
    given = written if isinstance(written, Mapping) else {}
    category, description = given.get("category"), given.get("description")
    return {
        "category": str(category) if category in known else _guess(category, known, team, run.message, found),
        "description": description.strip()[:300] if isinstance(description, str) else "",
    }


def _guess(category: Any, known: Sequence[str], team: Team, message: str, found: Chances | None) -> str:
    """The likeliest category where the model gave none."""
    if isinstance(category, str) and (near := nearest(category, known)):
        return near
    if message.strip().casefold().rstrip("!.~?") in {d.casefold().rstrip("!.~?") for d in team.direct}:
        return GENERAL
    likely = [*next(iter(found.by_key))] if found else []
    return next((name for name in [*likely, *(a.name for a in team.agents)] if name in known), GENERAL)


async def new_plan(office: Office) -> Plan:
    """A sound plan for the message. Raises the model's errors."""
    run, names, most = office.run, office.names, office.most
    category, description = office.intent["category"], office.intent["description"]
    rules = _PLAN_RULES.format(most=most, first=1)
    told = f"{run.message}\n\n(Understood as: {category}: {description})"
    messages = [system(f"{rules}\n\n{_agents(office)}"), *run.history, user(told)]
    schema = await _schema(office, most)

    def faults(written: Any) -> list[str]:
        return sound(written, names, most)[1]

    bound = run.way.tokens.get("plan")
    tries = await run.mended("plan", messages, schema, faults, max_tokens=bound, work_id="plan")
    steps = next(filter(None, (sound(each, names, most)[0] for each in reversed(tries))), None)
    return make_plan(steps or [single(nearest(category, names) or names[0], run.message)])


def chosen_plan(choice: Choice, message: str) -> Plan:
    """The plan of a small model's team: who was chosen, one after another, the person among them."""
    steps: list[Step] = []
    for agent in choice.agents:
        step = single(agent, choice.tasks.get(agent, message), len(steps) + 1)
        step["depends_on"] = [each["step"] for each in steps]
        step["requires_approval"] = agent == HITL
        steps.append(step)
    return make_plan(steps)


async def replan(office: Office, most: int) -> Any:
    """What the model writes for the rest of the plan, unchecked; None when it fails, or is too small for that."""
    run, outputs, reasons = office.run, office.outputs, office.reasons
    if not run.way.decides:
        return None
    steps = office.plan["steps"]
    room = _room(run, len(outputs))
    lines = [
        f"Step {s['step']} ({s['agent']}), {s['status']}: {s['task']}"
        + (f"\nResult: {_result(office, s['step'], room)}" if s["step"] in outputs else "")
        + (f"\nWhy not: {reasons[s['step']]}" if s["step"] in reasons else "")
        + (f"\nDone before, not to be done again: {office.done[s['step']]}" if s["step"] in office.done else "")
        for s in steps
    ]
    first = max(s["step"] for s in steps) + 1
    more = [_ANSWERED_RULES] * office.answered + [_WISH_RULES] * bool(office.settled)
    rules = "\n".join([_PLAN_RULES.format(most=most, first=first), _MEND_RULES, *more])
    told = "\n\n".join([run.message, "The plan so far:", *lines])
    messages = [system(f"{rules}\n\n{_agents(office)}"), *run.history, user(told)]
    try:
        return await run.fill_in("mend", messages, await _schema(office, most), work_id="mend")
    except DureError:
        return None


async def compose(office: Office, speech: Speech) -> str:
    """The results as one answer, as the person wants it by now; the results themselves when the model fails."""
    team, run, outputs = office.team, office.run, office.outputs
    results = [s for s in office.plan["steps"] if s["step"] in outputs]
    worked = [s for s in results if s["agent"] != HITL]
    if not run.way.decides:
        # Each result stands as it is: put in its own words, a small model's numbers are not to be trusted.
        return "\n\n".join(f"**{s['task']}**\n\n{outputs[s['step']].strip()}" for s in worked)
    room = _room(run, len(results))
    parts = [_request(office)]
    parts += [
        f"Result of step {s['step']} ({s['agent']}: {s['task']}):\n{_result(office, s['step'], room)}" for s in results
    ]
    if missing := [each for each in office.missing() if each["step"] not in office.settled]:
        parts.append("Not done (the user is told so below your answer): " + "; ".join(m["task"] for m in missing))
    rules = " ".join(
        filter(None, [_COMPOSE_RULES, _SAID_RULES if office.said else "", _FORMAT[run.output_format], style(run)])
    )
    messages = [system(f"{team.prompt.strip()}\n\n{rules}".strip()), *run.history, user("\n\n".join(parts))]
    try:
        asked = await run.ask("compose", messages, on_piece=speech, work_id="answer")
        answer = asked.reply.content.strip()
    except DureError:
        answer = ""
    return answer or "\n\n".join(outputs[s["step"]].strip() for s in worked)


def whole(office: Office) -> int | None:
    """The step whose result is the whole answer, if one is: the only one for an agent, with nothing left undone."""
    steps = office.plan["steps"]
    if any(s["status"] != "done" for s in steps):
        return None
    working = [s["step"] for s in steps if s["agent"] != HITL]
    return working[0] if len(working) == 1 and office.outputs.get(working[0], "").strip() else None


def task_text(office: Office, step: Step) -> str:
    """A step's task as its agent reads it: with the message it serves and the results it builds on."""
    run, task = office.run, step["task"]
    inputs = {n: office.outputs[n] for n in _inputs(office, step) if n in office.outputs}
    room = _room(run, len(inputs))
    parts = [f"Task: {task}"] if task.strip() != run.message.strip() else []
    request = _request(office, step)
    parts.append(f"The user's message: {request}" if parts else request)
    said = _said_by_the_person(office)
    parts += [f"Result of step {n}:\n{_cut(result, room)}{said.get(n, '')}" for n, result in inputs.items()]
    return "\n\n".join(parts)


def _request(office: Office, step: Step | None = None) -> str:
    """The message with what the person said with decisions: for the answer all of it, for a step what was said of it,
    of what comes before it, and before it was planned. Others may have been worked on before it was said."""
    said = office.said
    if step is not None:
        told, needs = {step["step"]}, {each["step"]: each["depends_on"] for each in office.plan["steps"]}
        while further := {n for each in told for n in needs.get(each, ())} - told:
            told |= further
        planned_after = office.fresh if 0 < office.fresh <= step["step"] else 0
        said = {number: text for number, text in said.items() if number in told or number < planned_after}
    return "\n\n".join([office.run.message, *(said[number] for number in sorted(said))])


def _inputs(office: Office, step: Step) -> list[int]:
    """The steps whose results a step builds on, before a person's word on results also these results."""
    people = {each["step"]: each for each in office.plan["steps"] if each["agent"] == HITL}
    found: list[int] = []
    for number in step["depends_on"]:
        found += [*(_inputs(office, people[number]) if number in people else ()), number]
    return list(dict.fromkeys(found))


def _said_by_the_person(office: Office) -> dict[int, str]:
    """By step what tells below its result that the person gave it: it would be taken for something found."""
    if not office.run.way.decides or office.run.journal.format < 3:
        return {}
    return {
        s["step"]: f"\n(The person said so, asked: {s['task']})" for s in office.plan["steps"] if s["agent"] == HITL
    }


async def _schema(office: Office, most: int) -> dict[str, Any]:
    able = office.present[0]
    others = [of for agent in able if (of := await foreign(agent, office.run))]
    return plan_schema([a.name for a in able], most, QUERY[others[0]] if others else "")


def _agents(office: Office) -> str:
    able, away = office.present
    return "\n".join(filter(None, ["Agents:", *listed(able), _HITL, away, today()]))


def _room(run: RunContext, results: int) -> int:
    """Characters that each of so many results may have."""
    return 2 * run.model.context // _CONTEXT_PART // max(results, 1)


def _result(office: Office, number: int, most: int) -> str:
    """What a step came to, and that the last call of its work failed: its agent may speak as if it had not."""
    tool = office.failed_calls.get(number)
    told = f"\n(The last call of {tool} failed: nothing above comes from it.)" if tool else ""
    return f"{_cut(office.outputs[number], most)}{told}"


def _cut(result: str, most: int) -> str:
    return result if len(result) <= most else f"{result[:most]} …"
