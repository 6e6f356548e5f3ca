"""`summarize`: answers what papers say, sums up papers or a text; papers from their full texts where they are there.

Passages keep their numbers all the way through notes on parts of them, so that the summary cites the very places. What
could not be read is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dure import markdown
from dure.agents.prompts import NO_ANSWER
from dure.knowledge.claims import cited_in
from dure.knowledge.units import COLUMN
from dure.knowledge.unsupported import without_unsupported
from dure.packs.papers.record import credit, kind_of
from dure.packs.papers.stages import lying, ours, prompt, text
from dure.packs.papers.stages.lines import named, once
from dure.packs.papers.stages.meant import Meant, named_in
from dure.packs.papers.stages.read import of_cards, read
from dure.packs.papers.stages.reading import fit, question
from dure.packs.papers.stages.within import READ
from dure.packs.papers.tools.save import plain
from dure.sources import Passage
from dure.teams.stages.general import unsourced
from dure.teams.stages.method import Method
from dure.teams.stages.stage import Done, Paper, Stage

_MOST = 10
"""Papers of one answer."""
_ALONE = 2
"""Format of records up to which papers were read one after another, section by section."""
_BEHIND = ("references", "besides")
_FIRST = ("abstract", "conclusion", "results", "introduction", "method", "limits", "")
"""Kinds of sections, those first that a whole summary is made of where not all can be read."""


@dataclass(slots=True)
class _Read:
    """What could be read of a paper."""

    paper: Paper
    full: bool
    passages: list[Passage]
    share: float = 1.0
    """How much of its text was read for the answer, from its beginning, 0 to 1."""
    told: str = ""
    """What the answer says of it alone, without marks."""

    @property
    def title(self) -> str:
        return str(self.paper["title"])

    @property
    def head(self) -> str:
        return f"**{self.title}** — {credit(self.paper)}"


async def summarize(stage: Stage) -> Done:
    """Do what the message wants with the papers, or the text, that it means."""
    known: Meant = stage.known
    stage.whole, stage.kept = True, stage.before(papers=False)
    papers = _of_found(stage)
    if not papers and known.text:
        return await _text(stage, prompt("summarize.given"), known.text)
    if not stage.papers() and (known.found or not papers):
        papers = once([*papers, *await _in_tables(stage)])
    if not papers and stage.before():
        stage.kept = ""
        return await _text(stage, prompt("summarize.results"), stage.before())
    if not papers:
        key = "no_such_paper" if known.missing else "no_paper"
        return stage.nothing(" ".join([ours(stage.run, key, names=known.missing), *lying(stage.run, known.documents)]))
    if known.wants in ("citations", "references"):
        return await citing(stage, papers[:_MOST])
    if known.wants == "question":
        return await read(stage, papers[:_MOST], _beyond(stage, papers))
    return await _summarized(stage, papers)


async def _summarized(stage: Stage, papers: list[Paper]) -> Done:
    chosen = papers[:_MOST]
    together = [chosen] if stage.run.journal.format > _ALONE else [[paper] for paper in chosen]
    read = [each for some in together for each in await _read(stage, some)]
    texts = [each for each in read if each.passages]
    if not texts:
        return stage.nothing(ours(stage.run, "no_paper"))
    told = await _told(stage, texts)
    missing = [*(each.title for each in read if not each.passages), *filter(None, [stage.known.missing])]
    notes = [*_left_out(stage, texts, missing), *_beyond(stage, papers)]
    return stage.done("\n\n".join([told, *notes]), papers=[each.paper | {"summary": each.told} for each in texts])


async def citing(stage: Stage, papers: list[Paper]) -> Done:
    """Of several papers, which of them cite each other, or what each cites. Of one, which of the library cite it, or
    what it cites; both where a small model said what is meant, whose form has one word for the two."""
    run, wants = stage.run, stage.known.wants
    if len(papers) > 1 and wants == "citations":
        pairs = [(one, two) for one in papers for two in papers if two["id"] in (one.get("references") or ())]
        told = [ours(run, "citing", citing=one["title"], cited=two["title"]) for one, two in pairs]
        return stage.done("\n\n".join(told) or ours(run, "none_cites"), papers=papers)
    ways = ["cites"] if wants == "references" else ["cited_by"] if run.way.decides else ["cited_by", "cites"]
    parts, found = list[str](), list[Paper]()
    for paper in papers:
        result, title = await stage.call(READ, paper=paper["id"]), paper["title"]
        for way in ways:
            its = list(result.fields.get(way) or ())
            lines = [f"{number}. **{each['title']}**" for number, each in enumerate(its, 1)]
            head = ours(run, way if its else f"{way}_none", title=title, count=len(its))
            parts, found = [*parts, "\n".join([head, "", *lines] if its else [head])], once([*found, *its])
    return stage.done("\n\n".join(parts), papers=found or papers)


def _of_found(stage: Stage) -> list[Paper]:
    """The papers that are meant of those that the stages before found; else what these found first."""
    found, chosen = stage.papers(), stage.known.papers
    if stage.known.found:
        return once([*chosen, *found])
    if not found or not chosen:
        return chosen or found[:1]
    ids = {paper["id"] for paper in found}
    meant = [paper for paper in chosen if paper["id"] in ids or paper in stage.known.named]
    held = {paper["id"] for paper in meant}
    return [*meant, *(paper for paper in found if paper["id"] not in held)][: len(chosen)]


async def _in_tables(stage: Stage) -> list[Paper]:
    """The first paper that the tables of the stages before name; all of them where these are meant."""
    tables = [table for each in stage.earlier if (table := each.get("table"))]
    cells = [str(cell) for table in tables for row in table["rows"][:_MOST] for cell in row if isinstance(cell, str)]
    found = (await named_in(stage.run, "\n".join(cells))).papers if cells else []
    return found if stage.known.found else found[:1]


async def _read(stage: Stage, papers: Sequence[Paper]) -> list[_Read]:
    """The papers' texts, side by side: in one call where that holds a full text, else its sections; or their cards."""
    whole = {"whole": True} if stage.run.journal.format > _ALONE else {}
    results = await stage.calls(READ, [{"paper": paper["id"], **whole} for paper in papers])
    read = [
        _Read(paper, bool(each.fields.get("full")), [*each.passages])
        for paper, each in zip(papers, results, strict=True)
    ]
    single: list[tuple[_Read, str]] = []
    for each, result in zip(read, results, strict=True):
        titles = _sections(stage, list(dict.fromkeys(result.fields.get("sections") or []))) if each.full else []
        if within := result.fields.get("within"):
            of = list(zip(within, result.passages, strict=True))
            each.passages = [passage for title in titles for name, passage in of if name == title]
            if stage.known.part == "results" and stage.run.way.window is None:
                # A table may stand below any heading.
                each.passages += [passage for name, passage in of if name not in titles and COLUMN in passage.text]
        else:
            single += [(each, title) for title in titles]
    parts = await stage.calls(READ, [{"paper": each.paper["id"], "section": title} for each, title in single])
    for (each, _), part in zip(single, parts, strict=True):
        each.passages += part.passages
    return read


def _sections(stage: Stage, titles: list[str]) -> list[str]:
    """The sections to be read for what the message asks: all but what stands behind the text, or those of the part that
    is asked for. Where the beginning alone can be read, what tells most comes first."""
    kinds = {title: kind for title in titles if (kind := kind_of(title)) not in _BEHIND}
    chosen = [title for title, kind in kinds.items() if kind == stage.known.part] or list(kinds)
    return chosen if stage.run.way.window is None else sorted(chosen, key=lambda title: _FIRST.index(kinds[title]))


async def _told(stage: Stage, texts: list[_Read]) -> str:
    """What the answer tells of the papers."""
    if not stage.run.way.tells and not any(each.full for each in texts) and (cards := _cards(stage, texts)):
        return cards
    compared = stage.known.wants == "comparison"
    # What papers say to one thing, such as what they leave open, is asked of them together.
    if len(texts) > 1 and (compared or (stage.run.way.decides and stage.known.part != "whole")):
        material = "\n\n".join([await _fitted(stage, each, len(texts), together=True) for each in texts])
        head = "".join(f"{stage.run.own(f'- {each.head}')}\n" for each in texts) + "\n"
        task = prompt("summarize.comparison" if compared else "summarize.gathered")
        answer = await stage.write(task, f"{question(stage)}\n\n{material}", said=head)
        return head + (_held(stage, answer, texts) or material)
    told, task = "", prompt("summarize.summary" if len(texts) == 1 else "summarize.one_of")
    for each in texts:
        material = await _fitted(stage, each, len(texts))
        told += stage.run.own(f"- {each.head}" if len(texts) == 1 else each.head) + "\n\n"
        # What is said below by rule, a model says too where it is not told.
        beside = prompt("summarize.card") if stage.run.way.decides and not each.full else ""
        answer = await stage.write(f"{task}{beside}", f"{question(stage)}\n\n{material}", said=told)
        first, _, rest = answer.partition("\n")
        if plain(first).strip("*- \n") in {plain(each.title).strip(), plain(each.head).strip()}:
            answer = rest.strip()  # Its first line only says again what stands above it.
        its = _held(stage, answer, [each]) or material.partition("\n")[2]
        told, each.told = f"{told}{its}\n\n", plain(unsourced(its))
    return told.rstrip()


def _held(stage: Stage, answer: str, texts: list[_Read]) -> str:
    """The answer without what has figures that stand in none of the papers which it cites; where it cites none, in none
    of those that it names, if any. What was left out is said."""
    run = stage.run

    def sources(said: str) -> list[str]:
        cited = cited_in(said)
        its = [each for each in texts if any(run.number(passage) in cited for passage in each.passages)]
        its = its or [each for each in texts if named(each.paper, said)] or texts
        told = [passage.text for each in its for passage in each.passages]
        return [*told, *(f"{each.title} {credit(each.paper)}" for each in its), run.message]

    kept, left = without_unsupported(answer, sources)
    note = ours(run, "left_out", figures=", ".join(left)) if kept and left else ""
    return "\n\n".join(filter(None, [kept, note]))


async def _fitted(stage: Stage, read: _Read, texts: int, *, together: bool = False) -> str:
    """What is written from: a line with the paper's title, and its text, or notes on it."""
    pieces = [(f"[{stage.run.number(passage)}] ", passage.text) for passage in read.passages]
    head, name = f"# {read.title}", str(read.paper["id"])
    fitted, read.share = await fit(stage, pieces, name=name, head=head, texts=texts, together=together)
    return f"{head}\n{fitted}"


async def _text(stage: Stage, task: str, given: str) -> Done:
    """Summarise a text that is no paper."""
    fitted, share = await fit(stage, [("", given)], name="text")
    material = f"{question(stage)}\n\nText:\n{fitted}" if given != stage.run.message else fitted
    answer = await stage.write(task, material) or NO_ANSWER[stage.run.language]
    return stage.done("\n\n".join([answer, *_partly(stage, share)]))


def _cards(stage: Stage, texts: list[_Read]) -> str:
    """The summaries on the papers' cards, where all have one in the user's language: a small model would only say the
    same in worse words. Of a comparison a table."""
    language = stage.run.language
    summaries = [str(each.paper.get(f"summary_{language}") or "") for each in texts]
    if not all(summaries):
        return ""
    for each, said in zip(texts, summaries, strict=True):
        each.told = said
    told = [f"{each.told} [{stage.run.number(each.passages[0])}]" for each in texts]
    if len(texts) > 1 and stage.known.wants == "comparison":
        columns = [text("paper", language), text("says", language)]
        return markdown.table(columns, [[each.title, said] for each, said in zip(texts, told, strict=True)])
    return "\n\n".join(f"{each.head}\n\n{said}" for each, said in zip(texts, told, strict=True))


def _left_out(stage: Stage, texts: list[_Read], missing: list[str]) -> list[str]:
    """Sentences about what the answer is not made from."""
    notes = [note for each in texts for note in _partly(stage, each.share, each.title)]
    notes += of_cards(stage, [each.title for each in texts if not each.full], len(texts))
    if missing:
        notes.append(ours(stage.run, "missing", names=", ".join(missing)))
    return [*notes, *lying(stage.run, stage.known.documents)]


def _beyond(stage: Stage, papers: Sequence[Paper]) -> list[str]:
    """A sentence about the papers that are too many to be read."""
    titles = " / ".join(str(paper["title"]) for paper in papers[_MOST:])
    return [ours(stage.run, "too_many", most=_MOST, titles=titles)] if titles else []


def _partly(stage: Stage, share: float, title: str = "") -> list[str]:
    """A sentence about a text, or the paper `title`, of which the beginning alone was read."""
    key = "partly_read" if title else "text_partly_read"
    return [ours(stage.run, key, percent=max(int(100 * share), 1), title=title)] if share < 1 else []


METHOD = Method(summarize, subject="papers")
