"""A router team: one decision gives one to four agents that work one after another, each with the question, the
conversation and what those before it found; the last one writes the answer. An agent that finds nothing is replaced by
its fallback, or left out where others can work without it, and the answer says so.
"""

from itertools import dropwhile

from dure.agents import Outcome, RunContext, Speech
from dure.agents.prompts import NO_ANSWER
from dure.agents.short import Waits
from dure.errors import DureError
from dure.events import AgentFinished, AgentStarted, Routed
from dure.teams.definition import Team
from dure.teams.stages import METHODS, Done, Stage, Subject, subject_of
from dure.teams.tools import tools_of
from dure.teams.who.choosing import TRIED, Choice, choose, lookers, settled
from dure.texts.korean import filled

_FALLBACKS = 3
"""Agents that may take over in one run."""


async def play(team: Team, context: RunContext) -> Outcome:
    """Let the team answer the message of `context`."""
    run, subject = context, subject_of(a.method for a in team.agents)
    choice = await _choice(team, run)
    tried = bool(choice.options) and choice.agents == lookers(team, run, choice)[:1]
    if tried:
        # Whoever only looks something up does so before the person is asked.
        run.emit(Routed(choice.agents, TRIED, choice.scores, choice.request))
    elif (asked := settled(team, run, choice)) is not None:
        return asked
    known = await subject.known(run, [team.agent(name).method for name in choice.agents])
    pipeline, done = list(choice.agents), list[Done]()
    notes: list[str] = []
    """Who found nothing; the last stage says it."""
    instead = ""
    """Who took over from the last of them, while that is at work."""
    while len(done) < len(pipeline):
        agent, *later = (team.agent(name) for name in pipeline[len(done) :])
        given = (run, agent, tools_of(agent, run.tools), run.new_id("w"), known, team.prompt)
        said = " ".join(filter(None, [*notes, instead]))
        try:
            stage = Stage(*given, earlier=[*done], later=later, note=said, effect=choice.effect)
            ended = await _worked(stage, subject)
        except Waits:
            return Outcome("waiting", "")
        if ended["status"] == "failed":
            # What was found before the model failed is still an answer.
            error, found = ended.get("error"), stage.before()
            if not found:
                return Outcome("failed", "", error=error)
            return _said(run, [said, found], "stopped", (error or {}).get("code"))
        if ended["status"] != "nothing":
            done.append(ended)
            if instead:
                notes[-1], instead = f"{notes[-1]} {instead}", ""
        elif tried and (asked := settled(team, run, choice)) is not None:
            return asked
        elif agent.fallback is None or len(notes) >= _FALLBACKS:
            rest = [*dropwhile(lambda each: not METHODS[each.method].alone, later)] if run.way.decides else []
            if not rest:
                # What others found before answers a part of the message.
                return _said(run, [stage.before(), *notes, ended["text"]], "completed")
            # Whoever needs nothing of it works all the same.
            pipeline[len(done) :] = [each.name for each in rest]
            notes, instead = [*notes, ended["text"]], ""
        else:
            # Its fallback takes its place, and those after it stay.
            pipeline[len(done)] = agent.fallback
            taking_over = METHODS[team.agent(agent.fallback).method].instead.said(run.language)
            notes, instead = [*notes, ended["text"]], filled(taking_over, {"agent": agent.fallback})
    reason = done[-1].get("reason")
    return Outcome("stopped" if reason else "completed", done[-1]["text"] or NO_ANSWER[run.language], reason)


async def _choice(team: Team, run: RunContext) -> Choice:
    """Who should work on the message of `run`. A run that goes on keeps to what was decided."""
    decided = run.journal.routed
    if decided is not None and decided.agents and {a.name for a in team.agents}.issuperset(decided.agents):
        scores = dict(decided.scores)
        choice = Choice(list(decided.agents), decided.how, scores, request=decided.request, effect=decided.effect)
    else:
        choice = await choose(team, run)
    # What an able model wrote out keeps the message's language, whatever titles are in it.
    run.work_on(choice.request, run.language if run.way.decides else None)
    return choice


async def _worked(stage: Stage, subject: Subject) -> Done:
    """How the stage ended; a model's failure is an end. Raises Waits."""
    run, agent = stage.run, stage.agent
    run.at_work(agent.name)
    run.emit(AgentStarted(stage.work_id, agent.name, run.message))
    try:
        ended = await METHODS[agent.method].work(stage)
        if stage.last and ended["status"] == "done":
            ended["text"] = await subject.finished(stage, ended["text"])
    except DureError as error:
        ended = Done(agent=agent.name, status="failed", text="", error=error.kept())
    code = (ended.get("error") or {}).get("code")
    run.emit(AgentFinished(stage.work_id, agent.name, "failed" if ended["status"] == "failed" else "completed", code))
    return ended


def _said(run: RunContext, texts: list[str], status: str, reason: str | None = None) -> Outcome:
    """The end with an answer that no stage has said."""
    answer = "\n\n".join(filter(None, texts))
    Speech(run).settle(answer)
    return Outcome(status, answer, reason)
