"""A planner team: intent → plan → route → work (side by side) → route … → aggregate.

Small talk is answered at once. Everything else becomes a plan. Steps whose inputs are there are worked on side by
side; those that need people are left until the others are done, and asked about all at once. A step that fails is
tried once more; what fails then, or is refused, has the rest of the plan mended once. Whatever is not done in the end
is said, with the reason.

A run that goes on is played again, so what is asked of the model, and what agents work on, has ids that say what it is
for, whatever else happened in between.
"""

from dure.agents import Outcome, RunContext, Speech
from dure.agents.prompts import NO_ANSWER
from dure.dialects import Piece
from dure.events import Routed
from dure.teams.definition import Team
from dure.teams.give import talk
from dure.teams.plan import ENDED
from dure.teams.planner_state import Office
from dure.teams.planner_steps import mend, route, work
from dure.teams.planning import GENERAL, chosen_plan, compose, new_plan, understand, whole
from dure.teams.report import Report
from dure.teams.who import choosing


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    run, office = context, Office(team, context)
    if run.way.decides:
        office.intent = await understand(office)
        if office.intent["category"] == GENERAL:
            run.emit(Routed([], "model"))
            return await _talked(team, run)
        office.show(await new_plan(office))
    else:
        # A small model writes no plan.
        choice = await choosing.choose(team, run, in_steps=True)
        office.intent = {"description": " ".join(run.message.split())[:80]}
        if (asked := choosing.settled(team, run, choice)) is not None:
            return asked
        if not choice.agents:
            return await _talked(team, run)
        office.show(chosen_plan(choice, run.message))
    while (following := await route(office)) != "aggregate":
        if following == "waiting":
            return Outcome("waiting", "")
        if following == "work":
            await work(office)
        elif following == "mend":
            await mend(office)
    return await _aggregate(office)


async def decide(team: Team, context: RunContext) -> Routed:
    """Who would work with a small model; with others the first decision is what the message is about."""
    if context.way.decides:
        office = Office(team, context)
        office.intent = await understand(office)
        steps = [] if office.intent["category"] == GENERAL else (await new_plan(office))["steps"]
        return Routed([step["agent"] for step in steps], "model")
    return await choosing.decide(team, context, in_steps=True)


async def _talked(team: Team, run: RunContext) -> Outcome:
    """Small talk, and what needs no agents: answered at once."""
    answer = await talk(team, run)
    if run.output_format != "json":
        return Outcome("completed", answer)
    return Report(run.run_id, run.language, "").outcome("completed", answer, run.output_format)


async def _aggregate(office: Office) -> Outcome:
    run = office.run
    outcomes = list(reversed(office.outcomes))
    if not office.outputs and (error := next((o.error for _, o in outcomes if o.error), None)):
        return Outcome("failed", "", error=error)
    speech = Speech(run)
    report = Report(
        run.run_id,
        run.language,
        office.intent["description"],
        office.with_status(*ENDED),
        office.outputs,
        office.missing(),
        sorted(run.artifacts, key=lambda a: str(a["name"])),
        office.settled,
    )
    head = report.heading() if run.output_format == "markdown" else ""
    speech(Piece("text", head))
    status, reason = "completed", None
    only = whole(office)
    if only is not None:
        text = office.outputs[only].strip()
        last = next(outcome for number, outcome in outcomes if number == only)
        status, reason = last.status, last.reason
    elif office.outputs or office.said:
        text = await compose(office, speech)
    else:
        text = ""
    text = text or (NO_ANSWER[run.language] if office.outputs else office.text("nothing"))
    speech.settle(f"{head}{text}")
    return report.outcome(status, text, run.output_format, reason)
