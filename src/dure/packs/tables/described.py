"""The user's tables as described data: what each holds, and which of them a question is about."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from dure.data.questions.description import Description, paired
from dure.data.questions.likeness import Likeness, translated
from dure.data.questions.linking import Links, link, places, stems
from dure.data.questions.notes import Notes
from dure.data.questions.tables import Column, described, profile, values
from dure.data.rows import Rows

_CATEGORY = 40
"""Values of a column that are all told; of one with more, those that stand in the question."""
_AT_ONCE = 4
"""Columns that one query counts: of many, its SQL would be longer than any may be."""
_CLEAR = 0.05
"""How much liker a question is to its table than to the next."""


async def profiled(
    table: Mapping[str, Any], question: str, run: Callable[[str], Awaitable[Rows]]
) -> dict[str, dict[str, Any]]:
    """`{counts, values}` of a table as `list_tables` tells of it: see `questions.tables.profile`; the values of each
    column of text that are few or stand in the question."""
    columns = [Column(*each) for each in table["columns"]]
    counts, known = dict[str, Any](), {}
    for first in range(0, len(columns), _AT_ONCE):
        found = await run(profile(table["name"], columns[first : first + _AT_ONCE], first))
        counts |= zip(found.columns, found.rows[0], strict=True)
    for each in columns:
        if each.type == "VARCHAR":
            held = [str(row[0]) for row in (await run(values(table["name"], each))).rows]
            known[each.name] = [v for v in held if len(held) <= _CATEGORY or any(places(v, question))]
    return {"counts": counts, "values": known}


async def chosen(
    tables: Sequence[Mapping[str, Any]], listed: Mapping[str, Any], question: str, like: Likeness | None = None
) -> tuple[Description, Links] | None:
    """The table that the question says most of: its values, its columns, words of its name; where that is as much of
    several, the one that it is likest to. None where that is unclear too."""
    found, asked = [], stems([question])
    for table in tables:
        columns, held = [Column(*each) for each in table["columns"]], listed["profiles"][table["name"]]
        notes = Notes.model_validate(listed["noted"][table["name"]]["notes"])
        description = described(table["name"], columns, held["counts"], held["values"], notes)
        links = link(question, description)
        spans = [(each.start, each.end) for each in (*links.values, *links.fields)]
        said = [w for w in re.finditer(r"\w+", question) if any(a < w.end() and w.start() < b for a, b in spans)]
        heads = [each.name for each in description.fields]
        words = stems([PurePath(table["document"]).stem, table["sheet"], *heads])
        about = f"{description.name.replace('_', ' ')}: {', '.join(heads)}"
        near = (await like([question], [about]))[0] if like else 0.0
        # A value tells one table from others more than the name of a column, such as `1분기`, does.
        held_in = len({(each.start, each.end) for each in links.values})
        found.append((2 * len(said) + held_in + len(words & asked), near, description, links))
    found.sort(key=lambda each: (-each[0], -each[1]))
    if len(found) > 1 and found[0][0] == found[1][0] and found[0][1] - found[1][1] < _CLEAR:
        return None
    description, links = found[0][2:]
    links.values += await translated(description, links, like) if like else []
    named = sorted(links.fields, key=lambda each: (each.start, -each.end))
    return paired(description, list(dict.fromkeys(each.field for each in named))), links
