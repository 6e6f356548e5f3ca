"""Questions about what papers say, answered by the bundled model from the PDFs of `benchmarks/data/reading`.

    python benchmarks/reading.py [--split dev|test|second-dev|second-test] [--every N] [--alone] [--kind KIND] [--id ID]

The papers are imported into a fresh library as `dure papers import` does, and each question is asked with its history
over all of them, of team `papers`, or `--alone` of its agent `summarize`. `source/score.py` there says what is right; a
figure counts as nowhere where it stands neither in a passage shown beside the answer nor in the conversation.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from model_replies import keep

from dure import Answer, Dure, Team
from dure.app import DEFAULT_OWNER
from dure.knowledge.claims import unsupported_numbers
from dure.packs.papers.opened import papers_of

DATA = Path(__file__).parent / "data" / "reading"
SPLITS = ("dev", "test", "second-dev", "second-test")
sys.path.insert(0, str(DATA / "source"))
from score import NUMBER, PLACE, REFUSAL, holds, plain, right  # noqa: E402


def judged(case: dict[str, Any], answer: Answer) -> str:
    if answer.metadata.get("choices"):
        return "asked back"
    if right(case, answer.response):
        return "right"
    if any(holds(plain(answer.response), wrong) for wrong in case["must_not"]):
        return "wrong figure"
    figures = NUMBER.findall(PLACE.sub(" ", plain(answer.response)))
    return "not found" if REFUSAL.search(answer.response) and not figures else "not right"


async def library(dure: Dure) -> None:
    """The papers as a user imports them, read and embedded."""
    papers, attached = papers_of(dure), []
    for path in sorted(DATA.glob("*.pdf")):
        attached += (await papers.import_file(DEFAULT_OWNER, path)).attached
    await papers.wait(DEFAULT_OWNER, attached)


async def nowhere(dure: Dure, case: dict[str, Any], told: str, cited: list[Any]) -> list[str]:
    """The figures of an answer that no passage shown beside it holds."""
    history = [turn["content"] for turn in case.get("history", [])]
    quotes = [each.quote for each in cited]
    return unsupported_numbers(
        PLACE.sub(" ", told), [*quotes, *(each.title for each in cited), case["question"], *history]
    )


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--split", choices=SPLITS, default="dev")
    options.add_argument("--every", type=int, default=1, help="only each N-th question")
    options.add_argument("--alone", action="store_true", help="the agent `summarize` without its team")
    options.add_argument("--kind", help="only questions of this kind")
    options.add_argument("--id", nargs="*", help="only these questions")
    options.add_argument("--quiet", action="store_true", help="totals alone")
    options.add_argument("--data", type=Path, help="a data folder that is kept too, filled at the first time")
    options.add_argument("--kept", type=Path, help="a file for replies; what is there is not asked again")
    given = options.parse_args()
    asked = keep(given.kept)
    lines = [line for path in sorted(DATA.glob("questions*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    cases = [json.loads(line) for line in lines]
    cases = [case for case in cases if case["split"] == given.split and given.kind in (None, case["kind"])]
    cases = [case for case in cases if not given.id or case["id"] in given.id][:: given.every]
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    worked: dict[str, Counter[str]] = defaultdict(Counter)
    told, spent, stray, placed = [], [], 0, 0
    reader = Dure().teams["papers"].agent("summarize").model_copy(update={"fallback": None})
    alone = Team(name="reading", kind="router", description="-", agents=[reader])
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=given.data or Path(folder), teams=[alone]) as dure:
            if not await dure.knowledge.list(DEFAULT_OWNER):
                await library(dure)
            for case in cases:
                session = (
                    await dure.runs.sessions.begin(DEFAULT_OWNER, case["history"]) if case.get("history") else None
                )
                started = time.perf_counter()
                team = "reading" if given.alone else "papers"
                answer = await dure.chat(case["question"], team=team, session_id=session)
                spent.append(time.perf_counter() - started)
                came = judged(case, answer)
                lost = await nowhere(dure, case, answer.response, answer.citations)
                stray += len(lost)
                kinds[case["kind"]][came] += 1
                worked[" > ".join(answer.metadata["agents"]) or "nobody"][came] += 1
                titles = {each.page for each in answer.citations}
                placed += bool(titles & {page for pages in case["pages"].values() for page in pages})
                line = f"{spent[-1]:6.1f} s  {came}: {case['id']} {case['kind']}: {case['question']}\n"
                line += f"         {answer.metadata['agents']} {' '.join(answer.response.split())[:700]}\n"
                line += f"         wanted {case['answer']}" + (f"; nowhere: {lost}" if lost else "")
                told.append((came == "right", line))
                if not given.quiet:
                    print(line, file=sys.stderr, flush=True)
    for fine, line in sorted(told, key=lambda each: each[0]):
        if not given.quiet and not fine:
            print(line)
    total: Counter[str] = sum(kinds.values(), Counter())
    for kind, came_of in [*sorted(kinds.items()), *sorted(worked.items())]:
        print(f"{kind:15} {dict(came_of)}")
    count, refused = sum(total.values()), kinds["impossible"]
    print(
        f"{count} questions: " + ", ".join(f"{name} {n} ({100 * n / count:.0f} %)" for name, n in total.most_common())
    )
    print(
        f"figures that stand nowhere: {stray}; impossible ones refused: {refused['right']} of {sum(refused.values())}"
    )
    print(f"a passage of the right page beside the answer: {placed} of {sum(1 for c in cases if not c['impossible'])}")
    print(", ".join(f"{name} {n}" for name, n in asked.items()))
    print(f"seconds a question: median {sorted(spent)[len(spent) // 2]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
