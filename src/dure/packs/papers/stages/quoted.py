"""What an able model tells of a paper: statements in its own words, each with the lines that tell it.

Code holds the figures and names of each against the lines that are quoted. Of what stands in none of them the model is
told once; what does not stand then gives way to the lines themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from dure.knowledge.claims import missing
from dure.knowledge.excerpt import told
from dure.knowledge.worked import worked_out
from dure.messages import system
from dure.packs.papers.stages import prompt, text
from dure.packs.papers.stages.lines import AT, names_of, own_words
from dure.sources import Passage
from dure.teams.stages.stage import Paper, Stage
from dure.tooling import an_object

_MOST = 4
"""Statements of an answer, and lines of a statement."""
_ROWS = 12
"""Rows of a table."""


class Statement(NamedTuple):
    """What a paper says, and the lines that say it; none where it is said that the paper does not say something. With
    `columns` it is a row of a table that was asked for, of cells with `|` between them."""

    says: str
    lines: Sequence[Passage] = ()
    columns: tuple[str, ...] = ()


async def quoted(
    stage: Stage, paper: Paper, asks: str, question: str, lines: Sequence[Passage]
) -> list[Statement] | None:
    """What the lines tell of what is asked (`question`: with what was said before); empty where the model says that
    they do not, None where nothing that it says can be shown. Raises the model's errors."""
    numbered = {f"L{n}": line for n, line in enumerate(lines, 1)}
    shown = told((replace(each, text=f"{n} {each.text}") for n, each in numbered.items()), attrgetter("context"))
    names = {"type": "array", "items": {"type": "string", "enum": [*numbered]}, "maxItems": _MOST}
    says = an_object({"lines": names, "says": {"type": "string"}})
    form: dict[str, Any] = {"columns": {"type": "array", "items": {"type": "string"}}}
    form["found"] = {"type": "array", "items": says, "minItems": 1, "maxItems": _ROWS}

    def faults(written: Any) -> list[str]:
        found = _read(written, numbered)
        return list(chain(*_wrong(stage, paper, asks, found, lines))) if found else ["There is no statement."]

    tries = await stage.run.mended(
        "read",
        [
            system(prompt("quoted.ask", rows=_ROWS)),
            stage.run.said(f"Paper: {paper['title']}\nLines:\n{shown}\n{question}"),
        ],
        an_object(form, "columns"),
        faults,
        max_tokens=stage.run.way.tokens.get("form"),
        agent=stage.agent.name,
        work_id=f"{stage.work_id}.{paper['id']}",
    )
    found = next(filter(None, (_read(written, numbered) for written in reversed(tries))), [])
    kept, left = dict[str, Statement](), False
    for each, wrong in zip(found, _wrong(stage, paper, asks, found, lines), strict=True):
        left = left or bool(wrong)
        quotes = [Statement(f"“{' '.join(line.text.split())}”", [line]) for line in each.lines]
        kept |= {one.says: one for one in (quotes if wrong else [each])}
    if any(each.lines for each in kept.values()):
        note = [Statement(stage.run.own(text("quoted", stage.run.language)))] if left else []
        return [*kept.values(), *note]
    return None if left or not found else []


def _read(written: Any, numbered: Mapping[str, Passage]) -> list[Statement]:
    """The statements of a form, which a server that does not hold the model to it may hand on in any shape."""
    found, head = (written.get("found"), written.get("columns")) if isinstance(written, dict) else (None, None)
    columns = tuple(map(str, head)) if isinstance(head, list) else ()
    read = list[Statement]()
    for each in found[: _ROWS if columns else _MOST] if isinstance(found, list) else ():
        names = each.get("lines") if isinstance(each, dict) else None
        if isinstance(names, list) and (says := " ".join(str(each.get("says") or "").split())):
            lines = [numbered[n] for n in dict.fromkeys(map(str, names)) if n in numbered]
            row = bool(lines) and says.count("|") + 1 == len(columns)
            read.append(Statement(says, lines, columns if row else ()))
    return read


def _wrong(
    stage: Stage, paper: Paper, asks: str, found: Sequence[Statement], shown: Sequence[Passage]
) -> list[list[str]]:
    """What is wrong with each statement. A figure may stand in any line that is quoted, or be worked out of two; that
    of a name is none where the name stands in any line that was shown."""
    quotes, known = _texts(line for each in found for line in each.lines), "\n".join([asks, *_texts(shown)])
    named = {name.casefold() for name in AT.findall(known)}
    answer, wrong = " ".join([asks, *(each.says for each in found)]), []
    for each in found:
        says = AT.sub(lambda name: "@" if name[0].casefold() in named else name[0], each.says)
        lacking = missing(says, asks, *names_of(paper), *quotes)
        lacking = [figure for figure in lacking if not worked_out(figure, answer, quotes)]
        faults = [f"{figure} stands in no line that is quoted: quote the line, or leave it out" for figure in lacking]
        lines = " ".join(line.text for line in each.lines)
        if lines and not own_words(" ".join([*each.columns, each.says]), lines, asks, stage.run.language):
            faults.append(f"not in the language of the question: {each.says}")
        wrong.append(faults)
    return wrong


def _texts(lines: Iterable[Passage]) -> list[str]:
    """Lines with what they stand under."""
    return [f"{line.above}\n{line.text}" for line in lines]
