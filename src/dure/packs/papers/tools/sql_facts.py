"""What is in the tables, so that a model can write SQL that finds something."""

from collections.abc import Awaitable, Callable
from typing import Any

from dure.errors import Language
from dure.packs.papers.texts import TEXTS
from dure.packs.papers.tools.sql_tables import LIMITS, TABLES

_MOST_VENUES = 12
_MOST_FIELDS = 30
_LONGEST = 60

_MEANINGS = TEXTS["tools_sql_facts.meanings"]
_TEXT = TEXTS["tools_sql_facts.text"]


async def facts(ask: Callable[[str], Awaitable[list[list[Any]]]]) -> dict[str, Any]:
    """`{counts: {table: rows}, years: [first, last], fields: [[name, papers]], venues: …, cited, first}`.

    ask: gives the rows of one SELECT.
    """
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in TABLES)  # noqa: S608
    numbers = "min(year), max(year), count(citations), (SELECT min(position) FROM paper_authors)"
    ((first, last, cited, position, *rows),) = await ask(f"SELECT {numbers}, {counts} FROM papers")  # noqa: S608
    values = {
        f"{column}s": await ask(
            f"SELECT {column}, count(*) AS n FROM papers WHERE {column} <> '' "  # noqa: S608
            f"GROUP BY {column} ORDER BY n DESC, {column} LIMIT {most}"
        )
        for column, most in (("field", _MOST_FIELDS), ("venue", _MOST_VENUES))
    }
    counted = dict(zip(TABLES, rows, strict=True))
    return {"counts": counted, **values, "years": [first, last], "cited": cited, "first": position}


def described(found: dict[str, Any], language: Language) -> str:
    """The tables, their columns and what is in them, for a prompt."""
    say = {key: texts[language] for key, texts in _TEXT.items()}
    lines = [say["head"]]
    for table, columns in TABLES.items():
        meaning = _MEANINGS[table][language]
        lines.append("- " + say["table"].format(table=table, count=found["counts"][table], meaning=meaning))
        for column, kind in columns.items():
            name = f"{table}.{column}"
            meant = _MEANINGS[name][language] if name in _MEANINGS else ""
            if meant:
                meant = " -- " + meant.format(first=found["first"] if found["first"] is not None else 1)
            lines.append(f"    {column} {kind}{meant}")
    lines.append(say["joins"])
    if found["years"][0] is not None:
        lines.append(say["years"].format(first=found["years"][0], last=found["years"][1]))
    for key in ("fields", "venues"):
        if found[key]:
            values = ", ".join(f"{_quoted(name)} ({count})" for name, count in found[key])
            lines.append(say[key].format(values=values))
    lines.append(say["cited" if found["cited"] else "uncited"].format(count=found["cited"]))
    lines.append(say["rules"].format(rows=LIMITS.rows))
    return "\n".join(lines)


def _quoted(name: Any) -> str:
    """As SQL writes it. What a source called its venue is data: one line, and short."""
    return "'" + " ".join(str(name).split())[:_LONGEST].replace("'", "''") + "'"
