"""System texts: an agent's own prompt, then the few rules that hold for all."""

from collections.abc import Collection
from datetime import date

from dure.agents.context import Level, RunContext
from dure.agents.definition import Agent
from dure.messages import Message, assistant, user
from dure.texts import TEXTS

_LANGUAGE = TEXTS.one("agents_prompts.language")
_LEVEL: dict[Level, str] = {
    "easy": "The reader is a beginner: short sentences, plain words, step by step, an everyday comparison; explain "
    "every technical term where it first comes; no formulas.",
    "hard": "The reader is an expert: keep technical terms, formulas and numbers, be dense and exact, explain no "
    "basics.",
}
_CITE = "Answer only from the passages, citing them as [1]; say so when they lack the answer."

_IDLE = (
    "None of your tools is connected now: nothing can be looked up, sent or changed. Say that it was not done, and why."
)

STOPPED = TEXTS.one("agents_prompts.stopped")
LAST_ANSWER = TEXTS.one("agents_prompts.last_answer")
NOT_FOUND = TEXTS.one("agents_prompts.not_found")
CUT = {"length": TEXTS.one("agents_prompts.length"), "content_filter": TEXTS.one("agents_prompts.content_filter")}
"""What a reply ends with that its server broke off, by its `finish_reason`."""
NO_ANSWER = TEXTS.one("agents_prompts.no_answer")
TOO_MANY_CALLS = TEXTS.one("agents_prompts.too_many_calls")
FILES_NOT_KEPT = TEXTS.one("agents_prompts.files_not_kept")
UNSOURCED = TEXTS.one("agents_prompts.unsourced")
"""Stands below what an agent that answers from documents wrote without having looked there."""
SEARCH_FIRST = "You have not searched the documents. Search them, then answer from what is found."
QUOTED = TEXTS.one("agents_prompts.quoted")


def level_rule(context: RunContext) -> str:
    """How easy or hard to write, where that was asked for."""
    return _LEVEL[context.level] if context.level else ""


def style(context: RunContext) -> str:
    """Language and level, as every writing prompt ends. An able model may be asked for another language."""
    unless = " unless asked otherwise." if context.way.decides else "."
    return f"{_LANGUAGE[context.language]}{unless} {level_rule(context)}".strip()


def today() -> str:
    """The date, as prompts end that days are told to."""
    return f"Today is {date.today()}."


def cut_off(unfinished: str) -> list[Message]:
    """What a model is told whose call, `unfinished`, was cut off."""
    return [assistant(f"({unfinished})"), user("The call was cut off before its end. Make it again, shorter.")]


def system_text(agent: Agent, context: RunContext, tools: Collection[str]) -> str:
    """The one system message of an agent. tools: those it has at the moment."""
    # Whoever is told to use tools and has none tells of what it did with them.
    idle = _IDLE if agent.tools and not tools and context.way.decides else ""
    rules = " ".join(filter(None, [_CITE if agent.search else "", idle, style(context), today()]))
    return f"{agent.prompt.strip()}\n\n{rules}" if agent.prompt.strip() else rules
