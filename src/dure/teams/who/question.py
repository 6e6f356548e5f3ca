"""The question to the person who should work, and what is picked in answer to it: the question itself holds all that
is needed for that, so that nothing has to be kept between two messages."""

import re
from collections.abc import Sequence
from textwrap import shorten

from dure.agents import Agent, RunContext
from dure.errors import Language
from dure.language import in_language
from dure.messages import language_of
from dure.teams.definition import Team
from dure.teams.plan import HITL
from dure.teams.who.chances import Key
from dure.teams.who.learning import DIRECT
from dure.teams.who.model import firsts
from dure.texts import LANGUAGES, TEXTS

_TEXT = TEXTS["teams_who"]
_LONGEST = 80
"""Characters of what is said of an agent."""
_JOINED = " → "
_LINE = re.compile(r"^[1-9]\. (.*) \(([^()\n]+)\)$", re.MULTILINE)
"""An option: what people call those who work and what they do, and their names."""
_NUMBER = re.compile(r"[^\w]*([1-9])(?:\D{0,8})")


def ask(team: Team, options: Sequence[Key], run: RunContext) -> str:
    """The question which of `options` is meant; programs find them as the answer's `metadata["choices"]`."""
    run.choices, lines = [], [_TEXT["head"][run.language]]
    for number, key in enumerate(options, 1):
        text = _label(team, key, run.language)
        run.choices.append({"number": number, "agents": [each for each in key if each != DIRECT], "text": text})
        lines.append(f"{number}. {text} ({_JOINED.join(key)})")
    return "\n".join(lines)


def _label(team: Team, key: Key, language: Language) -> str:
    called = {DIRECT: _TEXT["direct"][language], HITL: _TEXT["person"][language]}
    called |= {agent.name: agent.called(language) for agent in team.agents}
    does = [_about(team.agent(name), language) for name in key if name not in (DIRECT, HITL)]
    return ": ".join(filter(None, [_JOINED.join(called[name] for name in key), "; ".join(does)]))


def _about(agent: Agent, language: Language) -> str:
    """What an agent does, in a language: its description where that is in it, else an example."""
    example, does = firsts(agent.examples).get(language), in_language(agent.description, language)
    told = does if example is None or language_of(does) == language else f"“{example}”"
    return shorten(told, _LONGEST, placeholder=" …")


def picked(team: Team, run: RunContext) -> tuple[Key, str] | None:
    """What the message picks, by number or name, of the question that was the last answer, and what that was about."""
    question = run.last_answer
    asked = [m["content"] or "" for m in run.history if m["role"] == "user"]
    if not asked or not any(question.startswith(_TEXT["head"][language]) for language in LANGUAGES):
        return None
    options = [(told.partition(":")[0], tuple(joined.split(_JOINED))) for told, joined in _LINE.findall(question)]
    message = run.message.strip().casefold()
    by_number = _NUMBER.fullmatch(message)
    by_name = [
        key
        for told, key in options
        if any(each.casefold() in message for each in (told, _JOINED.join(key), ", ".join(key)))
    ]
    key = max(by_name, key=len, default=None)
    if by_number and int(by_number[1]) <= len(options):
        key = options[int(by_number[1]) - 1][1]
    names = {DIRECT, HITL, *(agent.name for agent in team.agents)}
    return (key, asked[-1]) if key is not None and names.issuperset(key) else None
