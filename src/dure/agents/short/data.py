"""Tables: the model writes one SELECT, its error goes back to it; the rows, and a chart of them, are the answer."""

import re
from typing import Any

from dure.agents.outcome import Outcome
from dure.agents.short.way import Short, stopped

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
_RULES = {
    "ko": "표에서 답을 구하는 DuckDB SELECT 문 하나를 씁니다. 표와 열의 이름은 아래 그대로 씁니다. 묶음마다 값을 "
    "구하면 묶는 열도 SELECT에 넣고, 계산한 열에는 AS로 이름을 붙입니다.\n예: 부서별 인원수와 평균 급여 → SELECT "
    "부서, count(*) AS 인원수, avg(급여) AS 평균급여 FROM 직원 GROUP BY 부서 ORDER BY 평균급여 DESC\n"
    "예: 부서별 급여 비중 → SELECT 부서, round(sum(급여) * 100.0 / (SELECT sum(급여) FROM 직원), 1) AS 비중 FROM 직원 "
    "GROUP BY 부서\n"
    "예: 가장 나이 많은 직원 → SELECT 이름, 나이 FROM 직원 ORDER BY 나이 DESC LIMIT 1\n\n{tables}",
    "en": "Write one DuckDB SELECT that answers the question from the tables. Use the names of tables and columns as "
    "they stand below. With groups, select the grouping column too; name what is calculated with AS.\n"
    "Example: headcount and average pay by department → SELECT dept, count(*) AS headcount, avg(pay) AS average_pay "
    "FROM staff GROUP BY dept ORDER BY average_pay DESC\n"
    "Example: each department's share of pay → SELECT dept, round(sum(pay) * 100.0 / (SELECT sum(pay) FROM staff), 1) "
    "AS share FROM staff GROUP BY dept\n"
    "Example: the oldest employee → SELECT name, age FROM staff ORDER BY age DESC LIMIT 1\n\n{tables}",
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"sql": {"type": "string"}},
    "required": ["sql"],
    "additionalProperties": False,
}
_LIMIT = re.compile(r"\s+limit\s+\d+\s*$", re.IGNORECASE)
_SOME = re.compile(
    r"가장|제일|최고|최대|최저|최소|상위|하위|\d ?(?:개|명|곳|위)"
    r"|\b(?:top|best|worst|most|least|highest|lowest|first|last)\b",
    re.IGNORECASE,
)
"""Words that ask for some of the rows."""
_OVER = re.compile(r"(?<!sum\()\b(?:sum)\s*\(\s*((?!sum\b)[^()]+)\)\s*over\s*\(\s*\)", re.IGNORECASE)
_TEXT = {
    "from": {"ko": "{tables} 표에서 구했습니다.", "en": "From the table {tables}:"},
    "sql": {"ko": "사용한 SQL:\n\n```sql\n{sql}\n```", "en": "The SQL that was used:\n\n```sql\n{sql}\n```"},
    "chart": {"ko": "그래프: {file}", "en": "Chart: {file}"},
    "no_chart": {"ko": "그래프는 그리지 못했습니다. {reason}", "en": "No chart was drawn. {reason}"},
    "failed": {"ko": "표를 조회하지 못했습니다. {reason}", "en": "The tables could not be queried. {reason}"},
    "add": {
        "ko": "`dure ingest 파일.csv`로 표를 추가한 뒤 다시 물어보세요.",
        "en": "Add tables with `dure ingest file.csv` and ask again.",
    },
    "mend": {"ko": "{error}\n\n고친 SELECT 문을 쓰세요.", "en": "{error}\n\nWrite the SELECT again, mended."},
}


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
