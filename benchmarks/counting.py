"""Questions about numbers, answered by the bundled model: how many are right, told to be unsure, or silently wrong.

    python benchmarks/counting.py [FILE] [--source papers] [--every N] [--kept FILE]

Each goes to the agent for papers or for tables alone: who works is measured by `routing.py`. FILE: lines as
`benchmarks/data/numbers/README.md` describes them, dev.jsonl by default. An answer counts as told to be unsure where it
refuses, names words of the question that it left out, or a column that it took though the question does not say so.

    python benchmarks/counting.py benchmarks/data/numbers/fresh-dev.jsonl --tables benchmarks/data/numbers/fresh-tables
"""

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from model_replies import keep

from dure import Dure, Team
from dure.app import DEFAULT_OWNER
from dure.errors import DureError
from dure.packs.tables import TEXTS as TABLES
from dure.texts import TEXTS

DATA = Path(__file__).parent / "data" / "numbers"
_TEXT = TEXTS["data_questions.text"]
_WHICH = [said.partition(":")[0] for said in TABLES["short.text"]["which"].values()]
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def begins(answer: str, key: str) -> bool:
    heads = [said.partition("{")[0] for said in _TEXT[key].values()]
    return any(head.strip() in answer for head in heads)


def holds(answer: str, case: dict[str, Any]) -> bool:
    """Whether the answer, without its SQL, says what is right."""
    told, gold = answer.partition("```")[0], case["answer"]
    if gold in ("yes", "no"):
        return any(_TEXT[gold][language].partition("(")[0].strip() in told for language in ("ko", "en"))
    if isinstance(gold, int | float):
        bold = re.findall(r"\*\*(.+?)\*\*", told)
        values = [float(each.replace(",", "")) for each in _NUMBER.findall(" ".join(bold) or told)]
        return any(abs(value - gold) <= case.get("tolerance", 1e-9) for value in values)
    rows = [re.split(r"\s*\|\s*", line.strip("| ")) for line in told.splitlines() if line.startswith("|")][2:]
    said = [" ".join(row).casefold() for row in rows] or [
        each.casefold() for each in re.findall(r"\*\*(.+?)\*\*", told)
    ]
    if isinstance(gold, str):
        return bool(said) and gold.casefold() in said[0]
    return len(said) == len(gold) and all(any(str(name).casefold() in each for each in said) for name in gold)


def judged(answer: str, case: dict[str, Any]) -> str:
    refused = any(begins(answer, key) for key in ("cannot", "unsure", "which")) or any(
        which in answer for which in _WHICH
    )
    unsure = begins(answer, "unread") or begins(answer, "assumed")
    if case["answer"] is None:
        return "right" if refused else "told" if unsure else "SILENTLY WRONG"
    if refused:
        return "refused"
    if holds(answer, case):
        return "right, with a caveat" if unsure else "right"
    return "told" if unsure else "SILENTLY WRONG"


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", nargs="?", type=Path, default=DATA / "dev.jsonl")
    options.add_argument("--source", help="papers, or the name of a table's file; all by default")
    options.add_argument("--tables", type=Path, default=DATA / "tables", help="the folder of the tables that are asked")
    options.add_argument("--every", type=int, default=1, help="only each N-th question")
    options.add_argument("--data", type=Path, help="a data folder that is kept too, filled at the first time")
    options.add_argument("--kept", type=Path, help="a file for replies; what is there is not asked again")
    options.add_argument("--only-kept", action="store_true", help="leave out what would have to be asked")
    options.add_argument("--quiet", action="store_true", help="totals alone")
    given = options.parse_args()
    asked = keep(given.kept, only=given.only_kept)
    cases = [json.loads(line) for line in given.file.read_text("utf-8").splitlines()]
    cases = [case for case in cases if given.source in (None, case["source"])][:: given.every]
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    spent: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        counting = Dure().teams["papers"].agent("text2sql").model_copy(update={"fallback": None})
        papers = Team(name="counting", kind="router", description="-", agents=[counting])
        clerk = Dure().teams["workplace"].agent("internal_agent")
        tables = Team(name="tables", kind="solo", description="-", agents=[clerk])
        async with Dure(data_dir=given.data or Path(folder), teams=[papers, tables]) as dure:
            for path in [] if await dure.knowledge.list(DEFAULT_OWNER) else sorted(given.tables.iterdir()):
                await dure.ingest(path)
            for case in cases:
                started = time.perf_counter()
                team = "counting" if case["source"] == "papers" else "tables"
                try:
                    answer = (await dure.chat(case["question"], team=team)).response
                except DureError as error:
                    print(f"          not asked: {case['question']}: {error.code}")
                    continue
                spent.append(time.perf_counter() - started)
                came = judged(answer, case)
                kinds[case["kind"]][came] += 1
                if given.quiet:
                    continue
                told = " ".join(answer.partition("```")[0].split())
                print(f"{spent[-1]:6.1f} s  {came}: {case['question']}\n         {told[:200]}", flush=True)
                if came not in ("right", "right, with a caveat"):
                    print(f"         wanted {case['answer']}: {case['why']}", flush=True)
    total: Counter[str] = sum(kinds.values(), Counter())
    for kind, came in sorted(kinds.items()):
        print(f"{kind:12} {dict(came)}")
    count = sum(total.values())
    print(
        f"{count} questions: " + ", ".join(f"{name} {n} ({100 * n / count:.0f} %)" for name, n in total.most_common())
    )
    print(", ".join(f"{name} {n}" for name, n in asked.items()))
    print(f"seconds a question: median {sorted(spent)[len(spent) // 2]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
