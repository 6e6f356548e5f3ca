"""What a message speaks of: papers that it names, that were found a moment ago, or a text that it brings along."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dure.agents import RunContext
from dure.agents.definition import Agent
from dure.agents.running import run_tools
from dure.messages import ToolCall
from dure.packs.papers.stages.pointing import compares, count, parts, places, points, points_to_answer, several
from dure.teams.stages.stage import Paper

NAMED = "papers_named"
"""The tool that knows papers by their names."""


_MARKED = re.compile(r"\*\*(.{3,250}?)\*\*|[\"“「](.{3,250}?)[\"”」]")
_ITEM = re.compile(r"^\s{0,3}\d{1,2}[.)]\s+(.{3,300})$", re.MULTILINE)
_READ = 20_000
"""Characters of an answer that are looked through."""
_LINES = 20
_AT_ONCE = 8
_HEAD = 240
"""Characters of a title in a list; `_AT_ONCE` of them are looked up in one call."""
_BACK = 8
"""Answers that are looked through for a list."""


@dataclass(slots=True)
class Known:
    """`named` by the message itself; `earlier`: those of the last answer, in its order, without an id those that the
    library does not have; `listed`: those of the newest list, where the last answer holds none; `answer`: the last."""

    message: str
    named: list[Paper] = field(default_factory=list)
    earlier: list[Paper] = field(default_factory=list)
    listed: list[Paper] = field(default_factory=list)
    answer: str = ""

    @property
    def request(self) -> str:
        """The message without the text that it brings along."""
        return parts(self.message)[0]

    @property
    def text(self) -> str:
        """What is to be summarised where that is no paper: the text that the message brings along, else the last answer
        where it points to that."""
        if brought := parts(self.message)[1]:
            return brought
        pointed = self.answer and not self.named and not self.earlier and points_to_answer(self.message)
        return self.answer if pointed else ""

    @property
    def given(self) -> bool:
        """Whether there is a text to be summarised."""
        return bool(self.text)

    @property
    def settled(self) -> bool:
        """Whether it is clear which papers are meant: also where it is a place that no list has."""
        return bool(self.named or places(self.request) or self.meant())

    def meant(self) -> list[Paper]:
        """The papers that are meant: the named ones, else those that the message points to. A comparison with one name
        is between that and what the message points to."""
        if self.named and (len(self.named) > 1 or not compares(self.request)):
            return self.named
        return [*self.named, *(paper for paper in self._pointed() if paper not in self.named)]

    def _pointed(self) -> list[Paper]:
        these = points(self.request)
        if spots := places(self.request):
            listed = self.listed or self.earlier
            chosen = [listed[at - 1 if at > 0 else at] for at in spots if at <= len(listed) and listed]
            # "That one and the first": beside the list, what was spoken of since.
            beside = self.earlier[:1] if these and self.listed and compares(self.request) else []
            return [*beside, *(paper for paper in chosen if paper not in beside)]
        if not these:
            return []
        # "Compare that with BERT" is about one, "compare them" about all.
        if not (several(self.request) or (compares(self.request) and not self.named)):
            return self.earlier[:1]
        return (self.listed or self.earlier)[: count(self.request)]


async def look(run: RunContext) -> Known:
    """Which papers the message of `run` speaks of; by the tool `papers_named`, where the library has it."""
    known = Known(run.message, answer=run.last_answer)
    if NAMED not in run.tools:
        return known
    request, brought = parts(run.message)
    known.named = await named_in(run, request) if request.strip() else []
    open_ = not known.named or (len(known.named) == 1 and compares(request))
    spots, these = places(request), points(request)
    if brought or not open_ or not run.last_answer or not (spots or these):
        return known
    known.earlier, listed = await _told(run, run.last_answer)
    many = several(request) or (compares(request) and not known.named)
    if not listed and (spots or (many and len(known.earlier) < 2)):
        known.listed = await _newest_list(run)
    return known


async def _told(run: RunContext, answer: str) -> tuple[list[Paper], bool]:
    """The papers that an answer told of, in its order, and whether it is a list of them. Most lines of a list name a
    paper: the points of a summary may be numbered too."""
    heads = [_head(line) for line in _listed(answer)]
    found = []
    for at in range(0, len(heads), _AT_ONCE):
        found += await named_in(run, "\n".join(heads[at : at + _AT_ONCE]))
    papers = [_paper(head, found) for head in heads]
    if 2 * sum(bool(paper["id"]) for paper in papers) >= len(papers) > 0:
        return papers, True
    return await named_in(run, _titles(answer)) or papers, False


async def _newest_list(run: RunContext) -> list[Paper]:
    """The papers of the newest list of the conversation."""
    for answer in _answers(run):
        if _listed(answer):
            papers, listed = await _told(run, answer)
            if listed:
                return papers
    return []


def _answers(run: RunContext) -> Iterator[str]:
    """Those before the last one, newest first."""
    said = [str(each["content"]) for each in run.history if each["role"] == "assistant"]
    return (answer for answer in said[: -_BACK - 2 : -1] if answer != run.last_answer)


def _listed(answer: str) -> list[str]:
    """The lines of a numbered list, each without its number; of a list of one there is nothing to point to."""
    lines = [match[1] for match in _ITEM.finditer(answer[:_READ])][:_LINES]
    return lines if len(lines) > 1 else []


def _head(line: str) -> str:
    """What in a line of a list is the title: what is set in bold or quoted, else what stands before the authors."""
    marked = _MARKED.search(line)
    head = next(filter(None, marked.groups())) if marked else re.split(r"\s[—–-]\s|\s\(|\s\[\d", line, maxsplit=1)[0]
    return head.strip()[:_HEAD]


def _paper(head: str, found: list[Paper]) -> Paper:
    """The paper that a line's head names; one without an id where the library does not have it. Of several names the
    longest counts, and short names only where they stand for the whole: RoBERTa's title holds "BERT" too."""
    folded = head.casefold()
    names = [
        (len(name), paper)
        for paper in found
        for name in (paper["title"], *(paper.get("aliases") or ()))
        if (name == paper["title"] and name.casefold() in folded) or _stands_for(name.casefold(), folded)
    ]
    return max(names, key=lambda each: each[0])[1] if names else {"id": "", "title": head}


def _stands_for(name: str, head: str) -> bool:
    rest = head.removeprefix("the ").removeprefix(name)
    return (
        len(rest) < len(head.removeprefix("the "))
        and re.match(r"\s*(?:$|[:(,\[]|[—–-]\s|논문|paper)", rest) is not None
    )


def _titles(answer: str) -> str:
    """What in an answer can be titles: what is set in bold or quoted; else its beginning."""
    marked = [next(filter(None, match.groups())) for match in _MARKED.finditer(answer[:_READ])]
    return "\n".join(marked) if marked else answer[:2000]


async def named_in(run: RunContext, text: str) -> list[Paper]:
    """The papers that a text names, in the order of the text. The call is recorded like any other."""
    agent = Agent(name="router", description="-")
    tools = {NAMED: run.tools[NAMED]}
    results = await run_tools(run, tools, [ToolCall(NAMED, {"text": text[:2000]})], agent, "route")
    data = results[0].data if results else None
    return list(data["papers"]) if isinstance(data, dict) else []
