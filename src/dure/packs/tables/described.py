"""The user's tables as described data: what each holds, and which of them a question is about."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from dure.data.questions.description import Description
from dure.data.questions.linking import Links, link, places
from dure.data.questions.tables import Column, described, profile, values
from dure.data.questions.understanding import stems
from dure.data.rows import Rows

_CATEGORY = 40
"""Values of a column that are all told; of one with more, those that stand in the question."""


async def profiled(
    table: Mapping[str, Any], question: str, run: Callable[[str], Awaitable[Rows]]
) -> dict[str, dict[str, Any]]:
    """`{counts, values}` of a table as `list_tables` tells of it: see `questions.tables.profile`; the values of each
    column of text that are few or stand in the question."""
    columns = [Column(*each) for each in table["columns"]]
    found = await run(profile(table["name"], columns))
    known = {}
    for each in columns:
        if each.type == "VARCHAR":
            held = [str(row[0]) for row in (await run(values(table["name"], each))).rows]
            known[each.name] = [v for v in held if len(held) <= _CATEGORY or any(places(v, question))]
    return {"counts": dict(zip(found.columns, found.rows[0], strict=True)), "values": known}


def chosen(
    tables: Sequence[Mapping[str, Any]], profiles: Mapping[str, Any], question: str
) -> tuple[Description, Links] | None:
    """The table that the question says most of: its values, its columns, words of its name. None where it says as much
    of another."""
    found, asked = [], stems([question])
    for table in tables:
        columns, held = [Column(*each) for each in table["columns"]], profiles[table["name"]]
        description = described(table["name"], columns, held["counts"], held["values"])
        links = link(question, description)
        said = {(each.start, each.end) for each in (*links.values, *links.fields)}
        words = stems([PurePath(table["document"]).stem, table["sheet"], *(each.name for each in description.fields)])
        found.append((2 * len(said) + len(words & asked), description, links))
    found.sort(key=lambda each: -each[0])
    if len(found) > 1 and found[0][0] == found[1][0]:
        return None
    return found[0][1:]
