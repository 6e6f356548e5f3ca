"""Requests to search the library: how often a right paper is among the first five, and the filters are right.

    python benchmarks/searching.py [FILE] [--every N] [--data DIR]

Each goes to the agent that searches papers alone, with the bundled model where no other is set. FILE: lines as
`benchmarks/data/searching/README.md` describes them, dev.jsonl by default. Filters are those of the last search. DIR
keeps the library with its vectors for the next time.
"""

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from dure import Dure, Team
from dure.packs.papers import keys
from dure.packs.papers.library.conditions import fits
from dure.packs.papers.opened import papers_of
from dure.packs.papers.storage.library import shelf

FILE = Path(__file__).parent / "data" / "searching" / "dev.jsonl"
_FILTERS = ("year_from", "year_to", "author", "venue", "field")
_FIRST = 5


def same(given: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether filters ask for the same; a name may be its last part, a venue any form of its name."""
    if given.keys() != wanted.keys():
        return False
    for name, value in wanted.items():
        mine = given[name]
        if name == "author" and not set(keys.person_asked(mine)) & set(keys.person_asked(value)):
            return False
        if name == "venue" and not fits(value, mine) and not fits(mine, value):
            return False
        if name not in ("author", "venue") and mine != value:
            return False
    return True


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", nargs="?", type=Path, default=FILE)
    options.add_argument("--every", type=int, default=1, help="only each N-th request")
    options.add_argument("--data", type=Path, help="a folder to keep the library in")
    given = options.parse_args()
    cases = [json.loads(line) for line in given.file.read_text("utf-8").splitlines()][:: given.every]
    searcher = Dure().teams["papers"].agent("search_paper").model_copy(update={"fallback": None})
    team = Team(name="searching", kind="router", description="-", agents=[searcher])
    came: Counter[str] = Counter()
    spent: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=given.data or Path(folder), teams=[team]) as dure:
            cards = [paper.document_id for paper in await papers_of(dure).list("nobody", limit=1000)]
            await dure.knowledge.wait(shelf(""), cards, embedded=True)
            for case in cases:
                started = time.perf_counter()
                answer = await dure.chat(case["message"], team="searching")
                spent.append(time.perf_counter() - started)
                calls = [call["args"] for call in answer.tool_calls if call["name"] == "search_papers"]
                last = calls[-1] if calls else {}
                filters = {name: last[name] for name in _FILTERS if name in last}
                listed = re.findall(r"^\d+\. \*\*(.+?)\*\*", answer.response, re.MULTILINE)[:_FIRST]
                found = bool(set(listed) & set(case["papers"])) if case["papers"] else not listed
                right = any(same(filters, each) for each in (case["filters"], *case.get("also", ())))
                came["found"] += found
                came["filters"] += right
                came["both"] += found and right
                mark = f"{'found' if found else 'NOT FOUND'}, {'filters right' if right else 'FILTERS WRONG'}"
                print(f"{spent[-1]:5.1f} s  {mark}: {case['message']}\n         {json.dumps(last, ensure_ascii=False)}")
                print(f"         {listed}" if not found else "", flush=True)
    shares = (f"{name} {came[name]} ({100 * came[name] / len(cases):.0f} %)" for name in ("found", "filters", "both"))
    print(f"{len(cases)} requests: {', '.join(shares)}; seconds a request: median {sorted(spent)[len(spent) // 2]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
