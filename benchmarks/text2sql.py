"""Whether `text2sql` of team `papers` counts right: with the model of the settings, else the bundled one.

    python benchmarks/text2sql.py                              # data/text2sql.jsonl
    python benchmarks/text2sql.py benchmarks/data/text2sql-test.jsonl
    python benchmarks/text2sql.py --every 4                    # each fourth question alone
    python benchmarks/text2sql.py --routed                     # the whole team: who works is decided first

A line of the set holds the SQL that somebody wrote by hand and the rows that it gives over the shipped papers (checked
before anything is asked; of a ranking the names alone). What is compared are these and the table behind the answer:

| `match` | right when |
|---|---|
| `value` | the table is one row with this value, and the number stands in the answer's words |
| `all` | the table has as many rows, each of these among them |
| `first` | the table's first rows are these, in any order |
| `any` | the table's first row is one of these |
| `none` | nothing was counted: the question is about a paper that is not there |
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from dure import Dure, Team
from dure.packs.papers.opened import glossary_of, papers_of
from dure.packs.papers.tools.sql import PaperStatistics
from dure.runs import Ask
from dure.storage import DEFAULT_OWNER

DATA = Path(__file__).parent / "data" / "text2sql.jsonl"
Rows = list[list[Any]]


def right(case: dict[str, Any], rows: Rows | None, answer: str) -> bool:
    """Whether the table of an answer, None where there is none, is what its line of the set asks for."""
    wanted: Rows = case["rows"]
    match case["match"]:
        case "none":
            return "```sql" not in answer
        case "value":
            numbers = re.findall(r"\d+(?:\.\d+)?", re.sub(r"```.*?```", "", answer, flags=re.DOTALL).replace(",", ""))
            one = rows is not None and len(rows) == 1 and _holds(rows[0], wanted[0])
            return one and any(_same(float(number), wanted[0][0]) for number in numbers)
        case "all":
            return rows is not None and len(rows) == len(wanted) and _cover(rows, wanted)
        case "first":
            return rows is not None and _cover(rows[: len(wanted)], wanted)
        case _:
            return bool(rows) and any(_holds(rows[0], each) for each in wanted)


def _cover(rows: Rows, wanted: Rows) -> bool:
    return all(any(_holds(row, each) for row in rows) for each in wanted)


def _holds(row: list[Any], wanted: list[Any]) -> bool:
    return all(any(_same(cell, value) for cell in row) for value in wanted)


def _same(cell: Any, value: Any) -> bool:
    if isinstance(cell, str) or isinstance(value, str) or cell is None:
        return str(cell).casefold() == str(value).casefold()
    return abs(float(cell) - float(value)) < 0.01


async def wrong(dure: Dure, cases: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """The questions whose SQL does not give their rows, each with what it gives."""
    found = []
    statistics = PaperStatistics(papers_of(dure), ready=glossary_of(dure).ready)
    try:
        for case in cases:
            if case["sql"]:
                rows = (await statistics.query(DEFAULT_OWNER, case["sql"])).rows
                if not _cover(rows, case["rows"]) or len(rows) != len(case["rows"]):
                    found.append((case["question"], rows))
    finally:
        await statistics.close()
    return found


async def asked(dure: Dure, team: str, case: dict[str, Any]) -> tuple[list[str], Rows | None, str, float]:
    """Who worked on a question, the table that came of it, the answer, seconds."""
    session = await dure.runs.sessions.begin(DEFAULT_OWNER, case["history"]) if case.get("history") else None
    ask = Ask(case["question"], session, team, language=case["language"])
    run = await dure.runs.start(DEFAULT_OWNER, ask)
    answer = await dure.runs.answer(DEFAULT_OWNER, run.id)
    seen = await dure.view(run.id)
    tables = [each.data["rows"] for each in seen.tools if each.name == "papers_sql" and each.status == "ok"]
    rows = tables[-1] if tables else None
    return seen.pipeline, rows, answer.response, seen.seconds or 0.0


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=DATA)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--routed", action="store_true")
    parser.add_argument("--only", default="", help="questions that hold this text")
    given = parser.parse_args()
    cases = [json.loads(line) for line in given.file.read_text("utf-8").splitlines()]
    cases = [case for case in cases[:: given.every] if given.only in case["question"]]
    agent = Dure().teams["papers"].agent("text2sql").model_copy(update={"fallback": None})
    alone = Team(name="text2sql", kind="router", description="Counts papers.", agents=[agent])
    team = "papers" if given.routed else "text2sql"
    good, total = Counter[str](), Counter[str]()
    elsewhere, seconds = 0, []
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=folder, embeddings=given.routed, teams=[alone]) as dure:
            if found := await wrong(dure, cases):
                raise SystemExit(f"their SQL does not give their rows: {found}")
            await dure.model.ready()
            for case in cases:
                agents, rows, answer, took = await asked(dure, team, case)
                holds = right(case, rows, answer)
                seconds.append(took)
                elsewhere += "text2sql" not in agents
                for kind in (case["kind"], case["language"], "all"):
                    good[kind] += holds
                    total[kind] += 1
                print(f"{'ok' if holds else '--'} {took:5.1f} s {','.join(agents):12} {case['question']}")
                print(f"{'':11} → {' '.join(answer.split())[:400]}", flush=True)
    for kind, count in total.items():
        print(f"{kind:12} {good[kind]:3} of {count}")
    print(f"answered by another agent: {elsewhere}; seconds: median {sorted(seconds)[len(seconds) // 2]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
