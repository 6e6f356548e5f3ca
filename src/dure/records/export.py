"""Runs as JSON lines or as a table for spreadsheets, one at a time: an export holds no more than one in memory."""

import csv
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TextIO

from dure.errors import InvalidInput, phrase
from dure.records.experiment import Experiment
from dure.sources import placed
from dure.storage import stamp
from dure.storage.sql import dumps
from dure.workbook import safe

Format = Literal["jsonl", "csv"]
COLUMNS = (
    *("run_id", "created_at", "ended_at", "status", "experiment", "session_id", "team", "level", "models", "dialects"),
    *("question", "answer", "routed", "how", "scores", "agents", "tools", "sql", "searches", "sources", "approvals"),
    *("model_calls", "prompt_tokens", "completion_tokens", "seconds", "cost", "currency"),
    *("rating", "rating_comment", "errors"),
)
"""Of the CSV; lists are joined by `; `."""
_UNITS = {"d": "days", "h": "hours"}
_AGO = re.compile("([0-9]+)([dh])")


async def export(found: AsyncIterator[Experiment], out: TextIO, form: Format) -> int:
    """Write experiments to `out`, one a line or row; how many there were. For CSV, `out` must not change line ends."""
    count = 0
    table = csv.writer(out, lineterminator="\r\n") if form == "csv" else None
    if table is not None:
        table.writerow(COLUMNS)
    async for each in found:
        count += 1
        if table is not None:
            table.writerow([safe(value) for value in cells(each)])
        else:
            out.write(dumps(each.as_dict()) + "\n")
    return count


def cells(run: Experiment) -> list[str | float | None]:
    """The experiment as a row of the CSV, in the order of `COLUMNS`."""
    decided = [(a, (a.get("decision") or {}).get("action", "waiting")) for a in run.approvals]
    values: dict[str, Any] = {name: getattr(run, name, None) for name in COLUMNS} | {
        "routed": [" → ".join(each.agents) or "–" for each in run.routing],
        "how": [each.how for each in run.routing],
        "scores": [f"{name} {score:g}" for each in run.routing for name, score in each.scores.items()],
        "tools": [f"{each.name}({dumps(each.args)}) {each.status}" for each in run.tools],
        "sql": [each.text for each in run.queries if each.kind == "sql"],
        "searches": [each.text for each in run.queries if each.kind == "search"],
        "sources": list(dict.fromkeys(placed(citation, "en") for citation in run.citations)),
        "approvals": [f"{a['tool'] or a['title']} {how}" for a, how in decided],
        "errors": [f"{each['source']}: {each['message']}" for each in run.errors],
    }
    return ["; ".join(map(str, value)) if isinstance(value, list) else value for value in values.values()]


def moment(text: str, key: str = "since") -> str:
    """A date or time (ISO 8601, by default UTC) or how long ago (`2d`, `12h`), as runs hold it. Raises InvalidInput."""
    try:
        if ago := _AGO.fullmatch(text := text.strip()):
            read = datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        else:
            read = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise InvalidInput(reason=phrase("records_export.date", key=key, date=text[:40]), key=key) from None
    return stored(read)


def stored(time: datetime) -> str:
    """A time as runs hold it; one without a zone is UTC. Raises InvalidInput for one that UTC does not have."""
    try:
        return stamp(time if time.tzinfo else time.replace(tzinfo=UTC))
    except OverflowError:
        raise InvalidInput(reason=phrase("records_export.time"), key="since") from None
