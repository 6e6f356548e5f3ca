"""What a message asks of which papers, or of which text: one constrained call, whose choices are what code knows:
papers that were shown before, that the message names, and that it may mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dure.agents import Earlier, RunContext
from dure.agents.definition import Agent
from dure.agents.running import look
from dure.data.questions.linking import places
from dure.knowledge.question import QUANTITY
from dure.messages import system, user
from dure.packs.papers.record import credit
from dure.packs.papers.stages import prompt
from dure.packs.papers.stages.glossary import in_plain_words
from dure.packs.papers.stages.lines import named as is_named
from dure.packs.papers.stages.lines import names_of, once
from dure.teams.stages import Stage, Subject
from dure.teams.stages.stage import Paper
from dure.teams.who.model import fill_in
from dure.tooling import an_object

NAMED = "papers_named"
"""The tool that knows papers by their names, and by what is said of them."""
_ROUTER = Agent(name="router", description="-")
_WANTS = ("question", "summary", "comparison", "citations")
_REFERENCES = "references"
"""What an able model can say besides: a small one has learnt the form without it."""

_NEAR = 6
"""Papers that a message may mean without naming them."""
_SHOWN = 20
_READ = 2000
"""Characters of a text that names are looked for in."""
_CELLS = 8
"""Cells of a table that names are looked for in at once."""
_LONG = 1000
"""Characters from which on what a message brings along is a text of its own."""
_BREAK = re.compile(r"(?<!\d)[:：](?!//)|\n")
_ITEM = re.compile(r"[^\S\n]*(?:[-*•]|\d{1,2}[.)])\s")
_TURN = 300
_LINE = 200
_FIND = frozenset({"search_paper", "text2sql", "web_search"})
"""Methods of stages whose results are papers, or tell of some."""
_PICKS = ("of", "also", "third")
_PARTS = ("whole", "method", "results", "limits")


@dataclass(slots=True)
class Meant:
    """`wants` and `part`: as `prompts.toml` has them. `papers`: those that are meant; `named`: those whose names stand
    in the message; `found`: besides, all that other stages find first. `text`: what is to be summed up where that is no
    paper. `missing`: what the message calls a paper that is not here. `documents`: PDFs that it names and that lie
    under Documents instead."""

    message: str
    wants: str = "summary"
    part: str = "whole"
    papers: list[Paper] = field(default_factory=list)
    named: list[Paper] = field(default_factory=list)
    found: bool = False
    text: str = ""
    missing: str = ""
    documents: list[str] = field(default_factory=list)

    @property
    def request(self) -> str:
        """The message without the text that it brings along."""
        return self.message.replace(self.text, "").strip() if self.text in self.message else self.message


class PapersSubject(Subject):
    """Papers that a message names or points to; terms that beginners do not know."""

    async def known(self, run: RunContext, methods: list[str]) -> Meant:
        if "summarize" in methods:
            return await meant(run, after=run.way.decides and not _FIND.isdisjoint(methods))
        if "text2sql" not in methods or NAMED not in run.tools:
            return Meant(run.message)
        named = (await named_in(run, run.message)).papers
        if not named and await _shown(run):
            # What the message may point to, a model chooses.
            chosen = await meant(run)
            return Meant(run.message, papers=[] if chosen.text else chosen.papers)
        return Meant(run.message, papers=named, named=named)

    async def finished(self, stage: Stage, answer: str) -> str:
        return await in_plain_words(stage, answer)


async def meant(run: RunContext, *, after: bool = False) -> Meant:
    """What the message of `run` asks. after: others find papers first, which may be those. Raises the model's
    errors."""
    brought = _brought(run.message)
    if len(brought) > _LONG or NAMED not in run.tools:
        return Meant(run.message, text=brought)
    shown = await _shown(run)
    named, near, told, _ = await named_in(run, run.message, near=_NEAR)
    known = once([*shown, *named, *told, *near])
    written = await _chosen(run, known, shown, brought, after, {})
    if run.way.decides and (missed := _said(written, "missing")):
        # A message has many words besides; by its name alone more is found, and where that stands is told. A paper in
        # another language has its authors in other letters.
        wider, lines = known, dict[str, str]()
        for name in filter(None, dict.fromkeys((missed, _said(written, "translated")))):
            more = await named_in(run, name, near=_NEAR, name=True)
            lines |= {paper["id"]: str(paper["line"]) for paper in more.holding}
            holding = [{key: paper[key] for key in paper if key != "line"} for paper in more.holding]
            wider = once([*wider, *more.papers, *holding, *more.told, *more.near])
        if len(wider) > len(known) or lines:
            known, written = wider, await _chosen(run, wider, shown, brought, after, lines)
    picks = [str(pick) for pick in (*map(written.get, _PICKS), *(written.get("others") or ()))]
    papers = [known[int(pick) - 1] for pick in dict.fromkeys(picks) if pick.isdigit() and int(pick) <= len(known)]
    if "all" in picks:
        papers = once([*shown, *papers])
    found = Meant(run.message, written.get("wants", "summary"), written.get("part", "whole"), papers, named)
    found.found, missing = "found" in picks, _said(written, "missing")
    found.missing = missing if missing.casefold() in run.message.casefold() else ""
    if not papers and picks[0] in ("text", "answer"):
        found.text = brought if picks[0] == "text" else run.last_answer
    elif not run.way.decides:
        if found.wants == "comparison" and QUANTITY.search(run.message):
            found.wants = "question"
        whole = [paper for paper in named if paper["full_text_id"]]
        if found.wants == "question" and told and len(whole) < len(named):
            # What is named, but not there to be read, may be what the other paper tells of ("error of LSTM").
            found.named = once([*whole, *told])
        found.papers = _surer(found, [*shown, *found.named], once([*told, *near]))
        found.missing = "" if found.papers else found.missing
    elif not papers and not found.found:
        # A name is a fact, whatever a model makes of it; but what is asked of a paper that is not here, another does
        # not tell because it is named besides.
        asked = found.missing if found.wants == "question" else ""
        found.papers = [paper for paper in named if not asked or is_named(paper, asked)]
    if found.wants == "comparison" and len(found.papers) == 1 and not found.missing:
        # What is compared within one paper, it tells itself.
        found.wants = "question"
    if found.missing or not found.papers or not run.way.decides:
        found.documents = await documents_in(run, found.missing or run.message)
    return found


def _surer(found: Meant, known: list[Paper], near: list[Paper]) -> list[Paper]:
    """The papers that a small model means: what is named, as a fact, unless it chose just the best found, which may
    hold other names ("error of LSTM in the bus paper"); of one that it chose among what was found, the best found,
    which is right more often. What is not there is not replaced but for questions, which a paper that does not tell
    leaves open."""
    if near and found.papers == near[:1] and near[0] not in known:
        return found.papers
    if found.named:
        return once([*found.named, *(paper for paper in found.papers if paper in known)])
    if len(found.papers) > 1 or (found.papers and found.papers[0] in known):
        return found.papers
    return near[:1] if found.papers or found.wants == "question" else found.named


def _said(written: Mapping[str, Any], name: str) -> str:
    return " ".join(str(written.get(name) or "").split())


async def _chosen(
    run: RunContext, known: list[Paper], shown: list[Paper], brought: str, after: bool, holding: Mapping[str, str]
) -> dict[str, Any]:
    """What the model fills in. holding: by paper the line of it that holds what was missing before."""
    numbers = [str(number) for number in range(1, len(known) + 1)]
    others = [*(["all"] if shown else []), *(["text"] if brought else []), *(["answer"] if run.last_answer else [])]
    others += ["found"] if after else []
    of = {"type": "string", "enum": [*numbers, *others, "none"]}
    more = {"type": "string", "enum": ["-", *numbers]}
    kinds = (*_WANTS, _REFERENCES) if run.way.decides else _WANTS
    wants, part = ({"type": "string", "enum": list(each)} for each in (kinds, _PARTS))
    missing = {"type": "string"}
    form = {"wants": wants, "part": part, "of": of, "also": more, "third": more, "missing": missing}
    able = run.way.decides
    if able:
        form["translated"] = {"type": "string", "maxLength": 150}
    if able and numbers:
        form["others"] = {"type": "array", "items": {"type": "string", "enum": numbers}, "maxItems": len(numbers)}
    # What cannot be chosen is not spoken of; a small model has learnt to read all of it.
    choices = others if able else ["all", "text", "answer", *others]
    rules = prompt("meant.ask", able=able, choices=choices, others="others" in form)
    lines = [
        f"{n}. {str(paper['title'])[:120]} - {credit(paper)}{' (shown)' if paper in shown else ''}"
        + (f" “{holding[paper['id']][:_LINE]}”" if paper["id"] in holding else "")
        for n, paper in enumerate(known, 1)
    ]
    said = [f"({turn['role']}: {str(turn['content'] or '')[:_TURN]})" for turn in list(run.history)[-2:]]
    message = run.message if len(run.message) <= _READ else f"{run.message[:_TURN]} … {run.message[-_TURN:]}"
    asked = "\n".join(["Papers:", *lines, *said, f"Message: {message}"])
    return await fill_in(run, "meant", [system(rules), user(asked)], an_object(form), run.way.tokens.get("form"))


def _brought(message: str) -> str:
    """The text that a message may bring along: what stands behind its first colon or line end, or before its last."""
    first = _BREAK.search(message)
    if first is None:
        return ""
    before, _, last = message.rstrip().rpartition("\n")
    behind = message[first.end() :].strip()
    return before.strip() if before and len(last) < len(message[: first.start()]) else behind


async def _shown(run: RunContext) -> list[Paper]:
    """The papers that the newest answer told of which told of any, in its order."""
    for each in await run.earlier():
        if papers := told_by(each):
            return papers[:_SHOWN]
    for turn in list(run.history)[::-1]:
        named = (await named_in(run, str(turn["content"] or ""))).papers
        if named:
            return named
    return []


def told_by(earlier: Earlier) -> list[Paper]:
    """The papers that an answer told of, of those that its tools found, as `told_in` has them."""
    held: list[Any] = []
    for data in (data for _, data in earlier.found if isinstance(data, dict)):
        held += data.get("papers") or [data.get("paper"), *data.get("cited_by", ()), *data.get("cites", ())]
    return told_in(earlier, once(paper for paper in held if isinstance(paper, dict) and paper.get("title")))


def told_in(earlier: Earlier, papers: list[Paper]) -> list[Paper]:
    """Those of the papers that an answer told of, by title or citation: as its lists have them, one an item, where a
    short name will do; then all others in its order."""
    answer, told, items = earlier.answer, dict[str, int](), dict[int, tuple[int, str]]()
    for paper in papers:
        documents = paper.get("document_id"), paper.get("full_text_id")
        marks = [f"[{c.marker}]" for c in earlier.citations if c.document_id in documents]
        said = "|".join(map(re.escape, [str(paper["title"]), *marks]))
        sure = [match.start() for match in re.finditer(said, answer, re.IGNORECASE)]
        if sure:
            told[paper["id"]] = min(sure)
        for at in (*sure, *(at for name in paper.get("aliases") or () for at, _ in places(str(name), answer))):
            line = answer.rfind("\n", 0, at) + 1
            if _ITEM.match(answer, line):
                items[line] = min(items.get(line, (at, paper["id"])), (at, paper["id"]))
    ids = dict.fromkeys([*(items[line][1] for line in sorted(items)), *sorted(told, key=lambda id: told[id])])
    by_id = {paper["id"]: paper for paper in papers}
    return [by_id[id] for id in ids]


class Named(NamedTuple):
    """`papers` that a text names, in its order; `near`: those that it may mean; `told`: the one whose whole text holds
    nearly all of it, if any; `holding`: those whose whole text holds it word for word, with the `line` that does."""

    papers: list[Paper]
    near: list[Paper]
    told: list[Paper]
    holding: list[Paper]


async def named_in(run: RunContext, text: str, *, near: int = 0, name: bool = False) -> Named:
    """The papers that a text names, or is a `name` of, and up to `near` that it may mean. Recorded like any other
    call."""
    given = {key: value for key, value in (("near", near), ("name", name)) if value}
    found = await look(run, NAMED, _ROUTER, "route", text=text[:_READ], **given)
    return Named(*(found.get(name, []) for name in Named._fields))


async def named_by(run: RunContext, rows: Sequence[Sequence[Any]]) -> list[Paper]:
    """The papers that rows of a table name in a cell of their own, by title, short name, key or id, in the order of the
    rows. A column whose first cells name none has none."""
    by_name: dict[str, Paper] = {}
    for column in zip(*rows, strict=True):
        cells = [cell[: _READ // _CELLS - 1] for cell in dict.fromkeys(column) if isinstance(cell, str)]
        for some in (cells[n : n + _CELLS] for n in range(0, len(cells), _CELLS)):
            if not (found := (await named_in(run, "\n".join(some))).papers):
                break
            names = {
                str(name): paper for paper in found for name in (*names_of(paper), paper["arxiv_id"], paper["doi"])
            }
            by_name |= names
    return once(by_name[cell] for row in rows for cell in row if isinstance(cell, str) and cell in by_name)


async def documents_in(run: RunContext, text: str) -> list[str]:
    """The PDFs that a text names and that lie under Documents, not in the library."""
    found = await look(run, NAMED, _ROUTER, "route", text=text[:_READ], documents=True)
    return list(found.get("documents", []))
