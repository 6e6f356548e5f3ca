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
_TEXT: dict[str, dict[Language, str]] = {
    "head": {"ko": "DuckDB 표:", "en": "DuckDB tables:"},
    "table": {"ko": "{table} ({count:,}행): {meaning}", "en": "{table} ({count:,} rows): {meaning}"},
    "joins": {
        "ko": "조인: paper_authors.paper_id = papers.id, paper_authors.author_id = authors.id",
        "en": "Joins: paper_authors.paper_id = papers.id, paper_authors.author_id = authors.id",
    },
    "years": {"ko": "papers.year: {first}~{last}년", "en": "papers.year: {first} to {last}"},
    "fields": {"ko": "papers.field의 값(논문 수): {values}", "en": "Values of papers.field (papers): {values}"},
    "venues": {
        "ko": "papers.venue의 흔한 값(논문 수): {values}",
        "en": "Common values of papers.venue (papers): {values}",
    },
    "cited": {
        "ko": "피인용 수(papers.citations)를 아는 논문: {count:,}편",
        "en": "Papers whose number of citations (papers.citations) is known: {count:,}",
    },
    "uncited": {
        "ko": "papers.citations는 모든 논문에서 NULL이다: 인용 순위는 citations 표에서 cited_id를 세어 구한다.",
        "en": "papers.citations is NULL for all papers: to rank by citations, count cited_id in the table citations.",
    },
    "rules": {
        "ko": "SELECT 문 하나(WITH 가능). 글자 값은 작은따옴표, 대소문자 없이 찾으려면 ILIKE. 정수 나눗셈은 //. "
        f"결과는 최대 {LIMITS.rows}행. 저자와 논문을 조인하면 논문이 여러 번 나오므로 count(DISTINCT …)를 쓴다.",
        "en": "One SELECT statement (WITH is fine). Text in single quotes, ILIKE to ignore case. // divides to whole "
        f"numbers. At most {LIMITS.rows} rows. Joining authors repeats papers: use count(DISTINCT …).",
    },
}


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
    lines.append(say["rules"])
    return "\n".join(lines)


def _quoted(name: Any) -> str:
    """As SQL writes it. What a source called its venue is data: one line, and short."""
    return "'" + " ".join(str(name).split())[:_LONGEST].replace("'", "''") + "'"
