"""Who works on a message: a model that can decide does, and is shown the nearest examples. With a small model the
examples decide where they are sure, else it is asked to fill slots and both count; where that leaves it open, the
person is asked. Agents that only change things are chosen where the message's own words ask for them."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from dure.agents import Outcome, Prefetched, RunContext, Speech, prefetch
from dure.agents.short import SHORT_WAYS
from dure.data.questions.linking import places
from dure.events import Routed
from dure.knowledge.units import COLUMN
from dure.sources import Passage
from dure.teams.definition import Team
from dure.teams.plan import HITL
from dure.teams.tools import is_away, only_looks, tools_of
from dure.teams.who.alone import checked, written_out
from dure.teams.who.chances import Chances, Key
from dure.teams.who.learning import DIRECT, chances
from dure.teams.who.model import needs, slots
from dure.teams.who.question import ask, picked
from dure.teams.who.steps import Steps, steps

SURE = 0.9
"""From this probability on the examples decide alone."""
ENOUGH = 0.8
"""Below this the person is asked, when the model has been."""
_SURE_OF_EFFECT = 0.8
"""Something is changed only from this probability on, that it is wanted; else the person is asked."""
_ASKED = 3
"""Pipelines that the model, or the person, chooses among: the right one was among so many in 96 of 100 cases."""
_MODEL = 1.0
"""By how much (logarithm of the odds) a pipeline gains that the model chose; half for its first agent alone."""
_EVIDENCE = 1.5
"""By how much the agent gains for whom the documents hold the fullest evidence, where its tool does not say."""
_WORTH = 0.05
"""How probable another who looks has to be at least to be tried after one who found nothing."""
_LEAST = 0.01
"""How probable a second agent of a plan has to be at least."""
_ANSWER = 4.0
"""By how much the agent gains whose question was the last answer; also one that counts rows, where the message names a
table or a value in it, as 17 of 19 strangers' questions about tables do, and 2 of 70 others."""


TRIED = "tried"
"""How those are chosen who are tried one after another."""


@dataclass(slots=True)
class Choice:
    """`agents` in their order; none: the team answers itself. `how`, `request`, `effect`: as of `Routed`. `scores`: how
    probable the likeliest are, by their agents' names. `options`: among which the person is asked to choose. `found`:
    what the documents hold on it, where that was looked up. `tasks`: each agent's own words of the message."""

    agents: list[str]
    how: str
    scores: dict[str, float] = field(default_factory=dict)
    options: list[Key] = field(default_factory=list)
    request: str = ""
    found: Prefetched | None = None
    tasks: dict[str, str] = field(default_factory=dict)
    effect: bool = False


async def choose(team: Team, run: RunContext, *, in_steps: bool = False) -> Choice:
    """Who should work on the message of `run`, which from then on stands alone. in_steps: a small model says who does
    what, and whether the person is asked in between. Raises the model's errors where nothing else can decide."""
    if (answered := picked(team, run)) is not None:
        key, message = answered
        run.work_on(message)
        run.work_on(await written_out(run, message, run.history[:-2]))
        return Choice(_agents(key), "person", request=run.message)
    asker = _asker(team, run)
    if not (run.way.decides or asker):
        run.work_on(await written_out(run, run.message, run.history))
    choice = await _chosen(team, run, asker, in_steps)
    if run.written:
        choice.request = run.message
    return choice


def settled(team: Team, run: RunContext, choice: Choice) -> Outcome | None:
    """Record the decision; where it leaves options, the person is asked, which ends the work."""
    run.emit(Routed([] if choice.options else choice.agents, choice.how, choice.scores, choice.request, choice.effect))
    if not choice.options:
        return None
    question = ask(team, choice.options, run)
    Speech(run).settle(question)
    return Outcome("completed", question)


def lookers(team: Team, run: RunContext, choice: Choice) -> list[str]:
    """Those to be tried one after another until one finds an answer, since they only look something up here: of what
    the person would be asked, the likeliest first; then whoever searches, after one who counts, and whoever may be
    meant. Before one alone who has no tools now says so, all who look, unless the examples are sure of that one."""
    alone = [key for key in choice.options or [tuple(choice.agents)] if len(key) == 1]
    able = {agent.name: agent for agent in team.agents if only_looks(agent, run)}
    if not choice.options and alone and choice.how != "examples" and is_away(team.agent(*alone[0]), run):
        return [*sorted(able, key=lambda name: -choice.scores.get(name, 0.0)), *alone[0]]
    tried = [name for (name,) in alone if name in able]
    counting = tried and (way := able[tried[0]].short) and SHORT_WAYS[way].counts
    others = [n for n, agent in able.items() if (agent.search and counting) or choice.scores.get(n, 0.0) >= _WORTH]
    return list(dict.fromkeys([*tried, *others])) if tried else []


def untried(choice: Choice, tried: Sequence[str]) -> bool:
    """Whether the person could still choose somebody who does something else than those tried."""
    return any(key not in [(DIRECT,), *((name,) for name in tried)] for key in choice.options)


async def decide(team: Team, run: RunContext, *, in_steps: bool = False) -> Routed:
    """The decision alone, which nobody works on; as `choose`."""
    choice = await choose(team, run, in_steps=in_steps)
    return Routed(choice.agents, choice.how, choice.scores, choice.request, choice.effect)


async def _chosen(team: Team, run: RunContext, asker: Key, in_steps: bool) -> Choice:
    effects = _effects(team, run)
    if len(team.agents) == 1 and not team.direct:
        return Choice([team.agents[0].name], "rule")
    found = None
    if run.way.decides:
        judged = await chances(team, run)
        needed = await needs(team, run, judged, effects)
        if needed is not None:
            told = _told(judged.by_key) if judged else {}
            agents, request, effect = needed
            run.work_on(checked(request, run.message, run.history, able=True), run.language)
            return Choice(_agents(agents), "model", told, effect=effect)
    else:
        looked = prefetch([] if in_steps else team.agents, run)
        judged, found = await asyncio.gather(chances(team, run), looked)
    every: dict[Key, float] = {(agent.name,): 1.0 for agent in team.agents}
    likely = _gained(_asked_for(judged, effects) if judged else every, lambda key: _ANSWER * (key == asker))
    if in_steps:
        return await _in_steps(team, run, likely, bool(judged), asker)
    chosen = await _judged(team, run, likely, bool(judged), found, effects)
    chosen.found = found
    return chosen


def _asker(team: Team, run: RunContext) -> Key:
    """The agent whose question was the last answer."""
    asks = ((a.name, SHORT_WAYS[a.short].asks) for a in team.agents if a.short)
    return next(((name,) for name, begins in asks if run.last_answer.startswith(begins)), ())


async def _judged(
    team: Team, run: RunContext, likely: dict[Key, float], judged: bool, found: Prefetched | None, effects: set[str]
) -> Choice:
    """By the chances, what the documents hold, and a small model, as far as it takes. judged: by examples at all."""
    by_examples = next(iter(likely))
    if judged and found is not None and found.judged:
        alone, gain = (found.agent,), found.odds(_EVIDENCE)
        count = {(agent.name,) for agent in team.agents if agent.short and SHORT_WAYS[agent.short].counts}
        told = _ANSWER * _of_rows(run.message, found.result.passages)
        likely = _gained(likely, lambda key: gain * (key == alone) + told * (key in count))
    if judged and not _open(likely, effects, SURE):
        return _choice(likely, "examples" if next(iter(likely)) == by_examples else "evidence")
    offered = list(likely)[: _ASKED if judged else None]
    filled = None if run.way.decides else await slots(team, run, offered, effects)
    if filled is not None:
        likely = _gained(likely, partial(_gain_by, filled, effects)) if judged else {filled: 1.0}
    away = {agent.name for agent in team.agents if is_away(agent, run)}
    if likely[next(iter(likely))] < ENOUGH:
        # Whoever can do nothing now is none to choose.
        likely = _shared({key: chance for key, chance in likely.items() if not away.intersection(key)} or likely)
    # Without the model the likeliest is taken, but nothing is changed that nobody surely wants.
    if judged and _open(likely, effects, 0.0 if filled is None else ENOUGH):
        return _choice(likely, "person", list(likely)[:_ASKED])
    return _choice(likely, "rule" if filled is None else "model")


def _of_rows(message: str, found: Sequence[Passage]) -> bool:
    """Whether it names a document that has a row among what was found, or a value in such a row."""
    rows = [(each.title, line) for each in found for line in each.text.splitlines() if COLUMN in line]
    cells = {cell.partition(": ")[2].strip() for _, line in rows for cell in line.split(COLUMN)}
    # Numbers and single letters stand anywhere.
    values = (each for each in cells if len(each) > 1 and any(map(str.isalpha, each)))
    near = (each for each in values if each[:2].casefold() in message.casefold())
    return any(next(places(each, message), None) for each in chain({title for title, _ in rows}, near))


async def _in_steps(team: Team, run: RunContext, likely: dict[Key, float], judged: bool, asker: Key) -> Choice:
    """A small model takes the message apart; the chances of the agents tell how far it is to be believed."""
    best = next(iter(likely))
    if best in ((DIRECT,), asker) and likely[best] >= SURE:
        return _choice(likely, "examples")
    filled = await steps(team, run)
    if filled is None:
        return _choice(likely, "rule")
    first, *others = (agent for agent in filled.key if agent != HITL)
    left = {agent for agent in others if judged and likely.get((agent,), 0.0) < _LEAST}
    if left:
        asked = (HITL,) if HITL in filled.key else ()
        filled = Steps((*asked, first), {})
    work = tuple(agent for agent in filled.key if agent != HITL)
    if len(work) > 1:
        both = sum(likely.get((agent,), 0.0) for agent in work)
        likely = {work: both, **{key: chance * (1 - both) for key, chance in likely.items()}}
    likely = _gained(likely, partial(_gain_by, work, set())) if judged else {work: 1.0}
    likely = {filled.key if key == work else key: chance for key, chance in likely.items()}
    best = next(iter(likely))
    if likely[best] < ENOUGH:
        return _choice(likely, "person", list(likely)[:_ASKED])
    choice = _choice(likely, "model")
    choice.tasks = filled.tasks if best == filled.key else {}
    return choice


def _choice(likely: Mapping[Key, float], how: str, options: Sequence[Key] = ()) -> Choice:
    return Choice(_agents(next(iter(options or likely))), how, _told(likely), list(options))


def _open(likely: Mapping[Key, float], effects: set[str], bound: float) -> bool:
    """Whether the best is not probable enough, or changes something without being so."""
    best = next(iter(likely))
    changing = sum(chance for key, chance in likely.items() if effects.intersection(key))
    return likely[best] < bound or (bool(effects.intersection(best)) and changing < _SURE_OF_EFFECT)


def _asked_for(found: Chances, effects: set[str]) -> dict[Key, float]:
    """The chances without pipelines that change something the message's words do not speak of."""
    barred = effects - found.in_words
    left = {key: chance for key, chance in found.by_key.items() if not barred.intersection(key)} or found.by_key
    return _shared(left)


def _gain_by(filled: Key, effects: set[str], key: Key) -> float:
    """What a pipeline gains once the model has spoken, which is not heard on effects."""
    work = tuple(agent for agent in key if agent not in effects)
    return _MODEL * ((work == filled) + (work[:1] == filled[:1])) / 2


def _gained(likely: Mapping[Key, float], gain: Callable[[Key], float]) -> dict[Key, float]:
    """The chances once pipelines gained so much (logarithms of odds)."""
    return _shared({key: chance * math.exp(gain(key)) for key, chance in likely.items()})


def _shared(chances: Mapping[Key, float]) -> dict[Key, float]:
    whole = sum(chances.values()) or 1.0
    return dict(sorted(((key, chance / whole) for key, chance in chances.items()), key=lambda each: -each[1]))


def _effects(team: Team, run: RunContext) -> set[str]:
    """The agents that look nothing up: what they do, or all their tools do, changes things."""
    effects = {a.name: {tool.effect for tool in tools_of(a, run.tools).values()} for a in team.agents}
    return {a.name for a in team.agents if a.changes or (effects[a.name] and "read" not in effects[a.name])}


def _agents(key: Key) -> list[str]:
    return [agent for agent in key if agent != DIRECT]


def _told(likely: Mapping[Key, float]) -> dict[str, float]:
    return {" > ".join(key): round(chance, 4) for key, chance in list(likely.items())[:_ASKED]}
