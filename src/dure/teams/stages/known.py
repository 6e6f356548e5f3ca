"""What a message speaks of: papers that it names, that were found a moment ago, or a text that it brings along."""

import re
from dataclasses import dataclass, field
from typing import Any

from dure.agents import RunContext
from dure.agents.definition import Agent
from dure.agents.running import run_tools
from dure.messages import ToolCall

NAMED = "papers_named"
"""The tool that knows papers by their names."""

Paper = dict[str, Any]
"""`{id, title, authors, year, venue, url}`."""

_ORDINALS = {
    1: r"첫\s?번?째|첫째|1\s?번|첫 논문|\bfirst\b|\b1st\b|#1\b",
    2: r"두\s?번?째|둘째|2\s?번|\bsecond\b|\b2nd\b|#2\b",
    3: r"세\s?번째|셋째|3\s?번|\bthird\b|\b3rd\b|#3\b",
    4: r"네\s?번째|넷째|4\s?번|\bfourth\b|\b4th\b|#4\b",
    5: r"다섯\s?번?째|5\s?번|\bfifth\b|\b5th\b|#5\b",
}
_LAST = re.compile(r"마지막|\blast (?:one|paper)\b", re.IGNORECASE)
_THESE = re.compile(
    r"(?:위|방금|앞|아까|이|그|저|두|세)\s?(?:에서?\s)?(?:\S{0,6}\s){0,2}(?:논문|것|거|연구|편)"
    r"|\b(?:that|these|those|them|both|this) ?(?:papers?|ones?|works?)?\b",
    re.IGNORECASE,
)
_ALL = re.compile(r"논문들|모두|전부|비교|차이|\b(?:papers|them|these|those|both|all|compare|differ)", re.IGNORECASE)
_GIVEN = re.compile(
    r"(?:다음|아래|이)\s?(?:글|문단|텍스트|초록|내용|문장)|\b(?:following|this) (?:text|abstract|paragraph)", re.I
)
_MARKED = re.compile(r"\*\*(.{3,250}?)\*\*|[\"“「](.{3,250}?)[\"”」]")
_ITEM = re.compile(r"^\s{0,3}\d{1,2}[.)]\s+(.{3,300})$", re.MULTILINE)
_LONG = 300
"""Characters from which on a message brings its text along."""


@dataclass(slots=True)
class Known:
    """`named` by the message itself; `earlier`: those of the last answer, in its order, without an id those that the
    library does not have."""

    message: str
    named: list[Paper] = field(default_factory=list)
    earlier: list[Paper] = field(default_factory=list)

    @property
    def given(self) -> bool:
        """Whether the message brings a text along."""
        return len(self.message) > _LONG or (_GIVEN.search(self.message) is not None and len(self.message) > 40)

    @property
    def settled(self) -> bool:
        """Whether it is clear which papers are meant."""
        return bool(self.meant())

    def meant(self) -> list[Paper]:
        """The papers that are meant: the named ones, else those of the last answer that the message points to."""
        if self.named:
            return self.named
        numbers = [n for n, words in _ORDINALS.items() if re.search(words, self.message, re.IGNORECASE)]
        chosen = [self.earlier[n - 1] for n in numbers if n <= len(self.earlier)]
        if chosen or numbers:
            return chosen
        if self.earlier and _LAST.search(self.message):
            return self.earlier[-1:]
        if self.earlier and _THESE.search(self.message):
            return self.earlier if _ALL.search(self.message) else self.earlier[:1]
        return []


async def look(run: RunContext) -> Known:
    """Which papers the message of `run` speaks of; by the tool `papers_named`, where the library has it."""
    known = Known(run.message)
    if NAMED not in run.tools or known.given:
        return known
    known.named = await _named(run, run.message)
    if not known.named and run.last_answer:
        listed = _listed(run.last_answer)
        found = await _named(run, "\n".join(listed) or _titles(run.last_answer))
        known.earlier = [_paper(line, found) for line in listed] if listed else found
    return known


def _listed(answer: str) -> list[str]:
    """The lines of a numbered list, each without its number; of a list of one there is nothing to point to."""
    lines = [match[1] for match in _ITEM.finditer(answer[:20_000])]
    return lines if len(lines) > 1 else []


def _paper(line: str, found: list[Paper]) -> Paper:
    """The paper that a line of a list names; one without an id where the library does not have it."""
    folded = line.casefold()
    for paper in found:
        if any(name.casefold() in folded for name in (paper["title"], *(paper.get("aliases") or ()))):
            return paper
    marked = _MARKED.search(line)
    return {"id": "", "title": next(filter(None, marked.groups())) if marked else line.partition(" — ")[0].strip()}


def _titles(answer: str) -> str:
    """What in an answer can be titles: what is set in bold or quoted; else its beginning."""
    marked = [next(filter(None, match.groups())) for match in _MARKED.finditer(answer[:20_000])]
    return "\n".join(marked) if marked else answer[:2000]


async def _named(run: RunContext, text: str) -> list[Paper]:
    """The papers that a text names, in the order of the text. The call is recorded like any other."""
    agent = Agent(name="router", description="-")
    tools = {NAMED: run.tools[NAMED]}
    results = await run_tools(run, tools, [ToolCall(NAMED, {"text": text[:2000]})], agent, "route")
    data = results[0].data if results else None
    return list(data["papers"]) if isinstance(data, dict) else []
