"""Tables: the model writes one SELECT, its error goes back to it; the rows, and a chart of them, are the answer."""

import re
from typing import Any

from dure.agents.outcome import Outcome
from dure.agents.short import Short, ShortWay, stopped
from dure.packs.tables.texts import TEXTS
from dure.tooling import an_object

TRIES = 3
_TABLES_CHARS = 2500
_TOKENS = 250
_CHART = re.compile(r"그래프|차트|그려|도표|시각화|\b(chart|graph|plot|draw|visuali[sz]e)", re.IGNORECASE)
_KIND_WORDS = (
    ("pie", r"원형|원 ?그래프|파이|비율|비중|\bpie\b|\bshares?\b"),
    ("line", r"꺾은선|선 ?그래프|추이|추세|변화|월별|일별|연도별|\bline\b|\btrend|\bmonthly\b|over time"),
    ("scatter", r"산점도|\bscatter"),
    ("bar", r"막대|\bbar\b"),
)
_RULES = TEXTS.one("short.rules")
_SCHEMA = an_object({"sql": {"type": "string"}})
_LIMIT = re.compile(r"\s+limit\s+\d+\s*$", re.IGNORECASE)
_SOME = re.compile(
    r"가장|제일|최고|최대|최저|최소|상위|하위|\d ?(?:개|명|곳|위)"
    r"|\b(?:top|best|worst|most|least|highest|lowest|first|last)\b",
    re.IGNORECASE,
)
"""Words that ask for some of the rows."""
_OVER = re.compile(r"(?<!sum\()\b(?:sum)\s*\(\s*((?!sum\b)[^()]+)\)\s*over\s*\(\s*\)", re.IGNORECASE)
_TEXT = TEXTS["short.text"]


async def work(short: Short) -> Outcome | None:
    listed = await short.call("list_tables")
    tables = listed.data["tables"] if isinstance(listed.data, dict) else []
    if not tables:
        if "calculate" in short.tools and not listed.is_error and re.search(r"\d", short.task):
            return None  # a sum in the message itself: a matter for the calculator
        return stopped(f"{listed.text} {short.say(_TEXT, 'add')}")
    rules = _RULES[short.run.language].format(tables=listed.text[:_TABLES_CHARS])
    asked, seen, reason = short.task, set[str](), ""
    for _ in range(TRIES):
        form = await short.form(rules, asked, _SCHEMA, _TOKENS)
        sql = _mended(str(form.get("sql") or "").strip().rstrip(";"), short.task)
        if not sql or sql in seen:
            break
        seen.add(sql)
        result = await short.call("query_tables", sql=sql)
        if not result.is_error:
            return Outcome("completed", await _answer(short, tables, sql, result.text))
        reason = result.text
        asked = short.say(_TEXT, "mend", error=reason)
    return stopped(short.say(_TEXT, "failed", reason=reason).strip())


def _mended(sql: str, task: str) -> str:
    """The SQL without the two faults that small models make most: sums over all groups that are not of the groups'
    sums, and a LIMIT that nobody asked for."""
    if not re.search(r"\bgroup\s+by\b", sql, re.IGNORECASE):
        return sql
    sql = _OVER.sub(r"sum(sum(\1)) OVER ()", sql)
    return sql if _SOME.search(task) else _LIMIT.sub("", sql)


async def _answer(short: Short, tables: list[dict[str, Any]], sql: str, rows: str) -> str:
    used = [t["name"] for t in tables if t["name"].casefold() in sql.casefold()]
    parts = [short.say(_TEXT, "from", tables=", ".join(used)), rows]
    if _CHART.search(short.run.message) and "draw_chart" in short.tools:
        drawn = await short.call("draw_chart", sql=sql, kind=_kind(short.task), title=short.run.message[:60])
        file = drawn.data.get("file") if isinstance(drawn.data, dict) else None
        parts.append(
            short.say(_TEXT, "no_chart", reason=drawn.text) if file is None else short.say(_TEXT, "chart", file=file)
        )
    return "\n\n".join([*parts, short.say(_TEXT, "sql", sql=sql)])


def _kind(task: str) -> str:
    return next((kind for kind, words in _KIND_WORDS if re.search(words, task, re.IGNORECASE)), "bar")


WAY = ShortWay(
    work,
    frozenset({"list_tables", "query_tables"}),
    words=r"표에서|표의|테이블|매출|엑셀|\bcsv\b|차트|그래프|\btables?\b|\bsql\b|\bcharts?\b|\bspreadsheet",
)
