"""A planner team: intent → plan → route → work (side by side) → route … → aggregate.

Small talk is answered at once. Everything else becomes a plan. Steps whose inputs are there are worked on side by
side; those that need people are left until the others are done, and asked about all at once. A step that fails is
tried once more; what fails then, or is refused, has the rest of the plan mended once. Whatever is not done in the end
is said, with the reason.

Nodes change the state, edges only read it. A run that goes on is played again, so what is asked of the model, and
what agents work on, has ids that say what it is for, whatever else happened in between.
"""

from dure.agents import Outcome, RunContext, Speech
from dure.agents.outcome import Going, follow
from dure.agents.prompts import NO_ANSWER
from dure.dialects import Piece
from dure.events import Routed
from dure.teams.definition import Team
from dure.teams.give import talk
from dure.teams.plan import ENDED
from dure.teams.planner_state import Office
from dure.teams.planner_steps import ATTEMPTS, MENDS, mend, route, work
from dure.teams.planning import chosen_plan, compose, new_plan, understand, whole
from dure.teams.report import Report
from dure.teams.who import choosing
from dure.teams.who.question import ask


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    # Each step can be a round of its own, twice, and once more after mending; a round is two nodes.
    most = 2 * ATTEMPTS * (MENDS + 1) * team.max_steps + 24
    nodes = (_intent, _talk, _plan, route, mend, work, _aggregate)
    return await follow(Going(status="intent"), Going, Office(team, context), most, *nodes)


async def _intent(state: Going, office: Office) -> Going:
    run = office.run
    if not run.way.decides:
        return await _choose(office)
    office.intent = await understand(office)
    if office.intent["category"] != "general":
        return {"status": "plan"}
    run.emit(Routed([], "model"))
    return {"status": "talk"}


async def _choose(office: Office) -> Going:
    """Who works with a small model, which writes no plan."""
    run = office.run
    choice = office.choice = await choosing.choose(office.team, run, in_steps=True)
    office.intent = {"description": " ".join(run.message.split())[:80]}
    run.emit(Routed([] if choice.options else choice.agents, choice.how, choice.scores, choice.request))
    if choice.options:
        question = ask(office.team, choice.options, run)
        Speech(run).settle(question)
        return {"status": "completed", "answer": question}
    return {"status": "plan" if choice.agents else "talk"}


async def decide(team: Team, context: RunContext) -> Routed:
    """Who would work with a small model; with others the first decision is what the message is about."""
    if context.way.decides:
        office = Office(team, context)
        office.intent = await understand(office)
        steps = [] if office.intent["category"] == "general" else (await new_plan(office))["steps"]
        return Routed([step["agent"] for step in steps], "model")
    return await choosing.decide(team, context, in_steps=True)


async def _talk(state: Going, office: Office) -> Going:
    """Small talk, and what needs no agents: answered at once."""
    run, answer = office.run, await talk(office.team, office.run)
    report = Report(run.run_id, run.language, "", answer, passages=run.sources.passages)
    response = report.render("json") if run.output_format == "json" else None
    return {"status": "completed", "answer": answer, "response": response}


async def _plan(state: Going, office: Office) -> Going:
    run = office.run
    office.show(chosen_plan(office.choice, run.message) if office.choice else await new_plan(office))
    return {"status": "route"}


async def _aggregate(state: Going, office: Office) -> Going:
    run = office.run
    outcomes = list(reversed(office.outcomes))
    if not office.outputs and (error := next((o.error for _, o in outcomes if o.error), None)):
        return {"status": "failed", "error": error}
    speech = Speech(run)
    report = Report(
        run.run_id,
        run.language,
        office.intent["description"],
        "",
        office.with_status(*ENDED),
        office.outputs,
        office.missing(),
        sorted(run.artifacts, key=lambda a: str(a["name"])),
        run.sources.passages,
    )
    if run.output_format == "markdown":
        speech(Piece("text", report.heading()))
    status, reason = "completed", None
    only = whole(office)
    if only is not None:
        report.text = office.outputs[only].strip()
        last = next(outcome for number, outcome in outcomes if number == only)
        status, reason = last.status, last.reason
    elif office.outputs:
        report.text = await compose(office, speech)
    else:
        report.text = office.text("nothing")
    report.text = report.text or NO_ANSWER[run.language]
    response = report.render(run.output_format)
    speech.settle(response)
    return {"status": status, "answer": report.text, "reason": reason, "response": response}
