"""What `list_tables` says of tables: those nearest to a question in full, the others by name, all within its room."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import PurePath
from typing import Any, Final

from dure import markdown
from dure.data.columns import in_sql, leaving_out
from dure.data.questions.linking import places
from dure.data.questions.words import stems
from dure.errors import Language
from dure.messages import language_of
from dure.packs.tables import TEXTS
from dure.packs.tables.naming import foreign

ROOM: Final = 12_000
"""Characters; a result may have more, of which the marks and a server's prompt take some."""
_FULL: Final = 4
"""Tables that are shown with their rows."""
_FAR: Final = 4
"""Words that are of no other table, by which that is surely the one of which they are."""
_OTHERS: Final = 3_000
"""Characters of the columns of those that are not near."""
_VALUES: Final = 600
"""Characters of the values that are told of one table."""
_NUMBER = re.compile(r"\d+")
_PARTS = re.compile(r"\d+|[^\W\d_]+")
"""Of a name."""
_say = TEXTS["tables.text"].say

Found = Sequence[Mapping[str, Any]]
"""Tables as the sandbox tells of them."""


def told(found: Mapping[str, Any], question: str, language: Language) -> str:
    """The text of `{tables, problems}`, at most `ROOM` characters; empty where there is nothing."""
    tables: Found = found["tables"]
    faults = [_say("problem", language, document=p["document"], reason=p[language]) for p in found["problems"]]
    problems = _within(faults, faults, ROOM // 4, language)
    named = _named(tables, question)
    near = [*([table for table, _ in _scored(named or tables, question)] or named)[:_FULL]]
    # Words in English are none of a table in Korean: where they are few, any may be the one.
    others = [each for each in tables if each not in near and foreign(each, question) and not _again(each, tables)]
    near += others if question and not named and language_of(question) == "en" and len(others) <= 2 * _FULL else []
    full = near or (tables if len(tables) <= _FULL else [])
    lines = {each["name"]: _line(each, language) for each in tables}
    left = ROOM - len(problems) - min(sum(map(len, lines.values())) + len(lines), ROOM // 2)
    blocks = []
    for table in near or tables:
        rows = _rows(table) if table in full else ""
        columns = _columns(table, left, language)
        caveats = "\n".join(filter(None, [_values(table, language), _caveats(table, language)]))
        for text in ("\n".join(filter(None, [lines[table["name"]], columns, more, caveats])) for more in (rows, "")):
            if columns and len(text) + 2 <= left:
                blocks.append(text)
                left -= len(text) + 2
                del lines[table["name"]]
                break
    # What is asked for may be called otherwise there, as in another language.
    rest = [_short(each, lines[each["name"]], tables, left, language) for each in tables if each["name"] in lines]
    if not named and sum(map(len, rest)) + 2 * len(rest) <= min(left, _OTHERS):
        blocks, lines = [*blocks, *rest], {}
    if lines:
        names = _within([*lines.values()], [*lines], ROOM // 2, language)
        blocks.append(f"{_say('others', language)}\n{names}")
    return "\n\n".join(filter(None, [*blocks, problems]))


def _short(table: Mapping[str, Any], line: str, tables: Found, room: int, language: Language) -> str:
    """A table without its rows; a sheet of several that are one table too by its line alone."""
    if _again(table, tables):
        return line
    return "\n".join(filter(None, [line, _columns(table, room, language), _values(table, language)]))


def _again(table: Mapping[str, Any], tables: Found) -> bool:
    return any(each["joined"] and _heads(each)[:-1] == _heads(table) for each in tables)


def _heads(table: Mapping[str, Any]) -> tuple[str, ...]:
    return (table["document"], *(name for name, _, _ in table["columns"]))


def _scored(tables: Found, question: str) -> list[tuple[Mapping[str, Any], float]]:
    """The tables that words of the question stand in, most of them first: a word counts for less, the more tables have
    it. Of each table its names count, and the values that the question says (`said`)."""
    asked = _words([question])
    held = []
    for each in tables:
        heads = [head or name for name, _, head in each["columns"]]
        words = _words([PurePath(each["document"]).stem, each["sheet"], *heads, *each["said"]]) & asked
        held.append({*words, *(f"={value}" for value in each["said"])})
    shared = Counter(word for words in held for word in words)
    scores = [sum(1 / shared[word] for word in words) for words in held]
    order = sorted(range(len(tables)), key=lambda at: (-scores[at], not tables[at]["joined"]))
    found, together = list[tuple[Mapping[str, Any], float]](), set[tuple[str, ...]]()
    for table, score in ((tables[at], scores[at]) for at in order if scores[at]):
        names = _heads(table)
        # What one table of several sheets tells these say again.
        if names not in together:
            found.append((table, score))
        together |= {names[:-1]} if table["joined"] else set()
    return found


def _named(tables: Found, question: str) -> list[Mapping[str, Any]]:
    """The tables that a question names, or whose documents: by a name of several words, of which years and other
    numbers may be left out, or a file's with its ending. A single word, which may else be what is asked for, is a name
    too beside one that it names so, or where no column is called by it and most is said of its table. Else that which
    far more is said of than of all others."""
    (first, most), (_, next_most) = [*_scored(tables, question), ({}, 0.0), ({}, 0.0)][:2]
    said = "".join(_PARTS.findall(question.casefold()))
    heads = " ".join(head or name for table in tables for name, _, head in table["columns"]).casefold()
    found, sure = list[Mapping[str, Any]](), False
    for table in tables:
        names = (table["document"], PurePath(table["document"]).stem, table["name"], table["sheet"])
        parts = [_PARTS.findall(name.casefold()) for name in names]
        parts += [[each for each in of if not each.isdigit()] for of in parts[1:]]
        called = [of for of in parts if of and "".join(of) in said]
        found += [table] * bool(called)
        alone = (any(places(of[0], question)) and of[0] not in heads for of in called if len(of) == 1)
        sure = sure or any(len(of) > 1 for of in called) or (table is first and any(alone))
    return found if sure else [first] * (most >= next_most + max(next_most, _FAR))


def _words(texts: Iterable[str]) -> set[str]:
    texts = list(texts)
    return {*stems(texts), *(number for text in texts for number in _NUMBER.findall(text))}


def _within(lines: Sequence[str], shorter: Sequence[str], room: int, language: Language) -> str:
    """The lines; where they are too long the shorter ones, and how many more there are."""
    if sum(map(len, lines)) + len(lines) <= room:
        return "\n".join(lines)
    lengths = accumulate(len(line) + 1 for line in shorter)
    kept = [line for line, length in zip(shorter, lengths, strict=True) if length <= room]
    more = len(shorter) - len(kept)
    return "\n".join(kept + ([_say("more_lines", language, count=more)] if more else []))


def _line(table: Mapping[str, Any], language: Language) -> str:
    source = _say("sheet" if table["sheet"] else "source", language, **table)
    return _say("table", language, name=table["name"], count=table["rows"], source=source)


def _columns(table: Mapping[str, Any], room: int, language: Language) -> str:
    """The columns, as many as the room has place for; empty where that is none."""
    shown = [
        f"{name} {kind}" + (f' ("{head}")' if head and head != name else "") for name, kind, head in table["columns"]
    ]
    while shown and sum(map(len, shown)) + 2 * len(shown) > room // 2:
        del shown[-max(1, len(shown) // 8) :]
    more = len(table["columns"]) - len(shown)
    text = ", ".join(shown) + (_say("more_columns", language, count=more) if more else "")
    return _say("columns", language, columns=text) if shown else ""


def _values(table: Mapping[str, Any], language: Language) -> str:
    """All values of the columns that have few, as SQL says them, as long as there is room."""
    left, told = _VALUES, []
    for text in (f"{name} IN ({in_sql(values)})" for name, values in table["values"].items()):
        if len(text) <= left:
            told.append(text)
            left -= len(text)
    return _say("values", language, values=", ".join(told)) if told else ""


def _rows(table: Mapping[str, Any]) -> str:
    names = [name for name, _, _ in table["columns"]]
    *first, last = table["sample"] or [[]]
    between = [["…"] * len(names)] if table["rows"] > len(table["sample"]) else []
    return markdown.table(names, [*first, *between, last] if last else [])


def _caveats(table: Mapping[str, Any], language: Language) -> str:
    """What has to be known of its rows."""
    name, count, told = table["name"], table["totals"], []
    if table["notes"]:
        told.append(_say("noted", language, notes=" / ".join(table["notes"])))
    if count:
        told.append(_say("summed", language, name=name, count=count, where=leaving_out(table["marks"])))
    if table["cut"]:
        told.append(_say("cut", language, name=name, count=table["rows"]))
    return "\n".join(told)
