"""Questions about an organisation's own files, searched and answered by the bundled model.

    python benchmarks/documents.py                       # what search finds, without a model: all of dev
    python benchmarks/documents.py --ask --every 6       # and answers, of each sixth question
    python benchmarks/documents.py --split test --quiet  # totals alone
    python benchmarks/documents.py --set culture         # of `benchmarks/data/culture`, not `company`

All files are taken in as `dure ingest` does, those that cannot be read are named. A question finds its place where one
of the first five passages is of each of its files, on one of the pages that it names, or where the format has none
holds the sentence or row that tells; the facts are there where these sentences and rows, all of them, stand in what is
nearest of that (1,300 characters), and shown where they stand in the part of it that the small model reads.
`source/score.py` says which answers are right. Where the others are lost is told by the first stage at which what tells
is no longer there: `search` (the passages), `nearest` (their sentences and rows, within the 1,300 characters), `few`
(those that the model reads), `judge` (the model says that they do not tell), `model` (what it says), `checks` (what is
left of that). A citation holds a statement where all of the statement's numbers stand
in its quote, and its quote is true where it stands at its place in the document.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from model_replies import keep

from dure import Answer, Dure, Team
from dure.agents.grounded import CHARACTERS, LOOK, SHOWN, asked_of
from dure.app import DEFAULT_OWNER
from dure.errors import DureError
from dure.events import ModelCalled
from dure.knowledge.claims import unsupported_numbers
from dure.knowledge.excerpt import excerpt
from dure.knowledge.files import files_of
from dure.knowledge.names import absent
from dure.knowledge.question import QUANTITY
from dure.knowledge.sentences import sentences
from dure.knowledge.units import units_of
from dure.knowledge.versions import in_force
from dure.sources import Passage

SETS = Path(__file__).parent / "data"
sys.path.insert(0, str(SETS / "company" / "source"))
from score import judge  # noqa: E402

FIRST = 5
_GAP = ".{0,60}?"
"""What may stand between two cells of a row: cells of merged groups are left out of the quotes."""
_MARKER = re.compile(r"\[(\d+)\]")
_BEHIND = re.compile(r"([.!?。:])((?:\s*\[\d+\])+)")
"""Citations that stand behind the end of their sentence."""


def files(folder: Path) -> list[tuple[str, Path]]:
    """The files of a set, with their names."""
    found = [(name, path) for name, path in files_of([folder]) if path.parent == folder and path.suffix != ".jsonl"]
    return [each for each in found if each[0] != "README.md"]


def names(folder: Path) -> list[str]:
    """The names of these, with and without ending, long ones first."""
    found = [unicodedata.normalize("NFC", name) for name, _ in files(folder)]
    return sorted([*found, *(name.rsplit(".", 1)[0] for name in found)], key=len, reverse=True)


def bare(text: str) -> str:
    """Text without blanks, commas within figures and bars."""
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", unicodedata.normalize("NFKC", text))
    return re.sub(r"[\s|]+", "", text)


def tells(text: str, quote: str) -> bool:
    """Whether a sentence or the cells of a row stand in a text."""
    cells = [re.escape(bare(cell)) for cell in quote.split("|")]
    return re.search(_GAP.join(cells), bare(text)) is not None


def placed(case: dict[str, Any], file: str, found: list[tuple[str, Passage]]) -> bool:
    """Whether one of the passages, each with its file's name, is at a place of `file` that answers."""
    its = [passage for name, passage in found if name == file]
    if pages := case.get("pages", {}).get(file):
        return any(passage.page in pages for passage in its)
    return any(tells(passage.text, quote) for passage in its for quote in case["quote"][file])


def facts(case: dict[str, Any], found: list[tuple[str, Passage]]) -> tuple[int, int]:
    """How many of the sentences and rows that tell stand in the passages, and of how many."""
    told = [
        any(tells(passage.text, quote) for name, passage in found if name == file)
        for file, quotes in case["quote"].items()
        for quote in quotes
    ]
    return sum(told), len(told)


def held(answer: Answer) -> tuple[int, int]:
    """How many of the sentences with citations have all of their numbers in the quotes they cite, and of how many."""
    quotes = {each.marker: each.quote for each in answer.citations}
    good = count = 0
    text = _BEHIND.sub(r"\2\1", answer.response)
    for start, end in sentences(text):
        sentence = text[start:end]
        own = [quotes[int(n)] for n in _MARKER.findall(sentence) if int(n) in quotes]
        if own:
            count += 1
            good += any(not unsupported_numbers(sentence, [quote]) for quote in own)
    return good, count


async def lost(dure: Dure, case: dict[str, Any], run_id: str, named: list[str]) -> str:
    """The stage of a run, after what the model was shown, at which its answer went."""
    calls = [event async for _, event in dure.runs.events(DEFAULT_OWNER, run_id) if isinstance(event, ModelCalled)]
    said = {call.purpose: call.reply.get("content", "") for call in calls}
    if "answer" not in said:
        return "judge" if "stated" in said else "refused by rule"
    return "checks" if judge(case, said["answer"], named) == "right" else "model"


async def opened(dure: Dure, folder: Path) -> dict[str, str]:
    """Take the files in. Gives names by document id."""
    took = time.process_time()
    taken, failed = await dure.take_in(DEFAULT_OWNER, files(folder), embedded=True)
    for name in [*(each.name for each in taken if each.error), *(name for name, _ in failed)]:
        print(f"not read: {name}")
    passages = sum(each.passages for each in taken)
    print(f"{len(taken)} files, {passages} passages, {time.process_time() - took:.0f} s of CPU")
    return {each.id: unicodedata.normalize("NFC", each.name) for each in taken}


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--set", choices=["company", "culture"], default="company")
    options.add_argument("--split", choices=["dev", "test"], default="dev")
    options.add_argument("--every", type=int, default=1, help="only each N-th question")
    options.add_argument("--kind", help="only questions of this kind")
    options.add_argument("--id", nargs="*", help="only these questions")
    options.add_argument("--ask", action="store_true", help="have the bundled model answer")
    options.add_argument("--team", help="the team that is asked; else the agent `rag_agent` of `workplace` alone")
    options.add_argument("--data", type=Path, help="keep what was read and embedded in this folder")
    options.add_argument(
        "--kept", type=Path, help="a file for the model's replies: what was asked before costs nothing"
    )
    options.add_argument("--only-kept", action="store_true", help="leave out what would have to be asked")
    options.add_argument("--quiet", action="store_true", help="totals alone")
    given = options.parse_args()
    keep(given.kept, only=given.only_kept)
    named = names(SETS / given.set)
    cases = [json.loads(line) for line in (SETS / given.set / "questions.jsonl").read_text("utf-8").splitlines()]
    cases = [case for case in cases if case["split"] == given.split and given.kind in (None, case["kind"])]
    cases = [case for case in cases if not given.id or case["id"] in given.id][:: given.every]
    reader = Dure().teams["workplace"].agent("rag_agent")
    alone = Team(name="reading", kind="solo", description="-", agents=[reader])
    found_of: dict[str, Counter[str]] = defaultdict(Counter)
    came_of: dict[str, Counter[str]] = defaultdict(Counter)
    spent, whole, cited, untrue = [], 0, 0, 0
    stages: Counter[str] = Counter()
    unnamed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=given.data or Path(folder), teams=[alone]) as dure:
            name_of = await opened(dure, SETS / given.set)
            for case in cases:
                kind, lines = case["kind"], [f"{case['id']} {case['kind']}: {case['question']}"]
                found = (await dure.knowledge.search(DEFAULT_OWNER, [case["question"]], LOOK)).passages
                if absent(case["question"], [f"{each.heading}\n{each.text}" for each in found]):
                    unnamed["impossible" if kind == "impossible" else "others"] += 1
                    lines.append("    names what stands nowhere")
                if kind != "impossible":
                    best = [(name_of[p.document_id], p) for p in found[:FIRST]]
                    valid = in_force(found, asked_of(case["question"]))
                    shown = await excerpt(case["question"], valid, CHARACTERS, dure.embedder)
                    seen = [(name_of[p.document_id], p) for p in shown]
                    there = all(placed(case, file, best) for file in case["files"])
                    told, count = facts(case, seen)
                    nearest = sorted(shown, key=lambda unit: -unit.score)[:SHOWN]
                    few = nearest if QUANTITY.search(case["question"]) else shown
                    reads = facts(case, [(name_of[p.document_id], p) for p in few])[0] == count
                    found_of[kind].update(questions=1, placed=int(there), facts=int(told == count), shown=int(reads))
                    held_by = [unit for each in found for unit in units_of(each)]
                    within = facts(case, [(name_of[p.document_id], p) for p in held_by])[0] == count
                    stage = "" if reads else "few" if told == count else "nearest" if within else "search"
                    if not (there and told == count):
                        where = ", ".join(f"{name} {p.page or ''}" for name, p in best)
                        lines.append(f"    placed {there}, facts {told} of {count}: {where}")
                if given.ask:
                    started = time.perf_counter()
                    try:
                        answer = await dure.chat(case["question"], team=given.team or "reading")
                    except DureError as error:
                        print(f"not asked: {case['question']}: {error.code}")
                        continue
                    spent.append(time.perf_counter() - started)
                    came = judge(case, answer.response, named)
                    if kind != "impossible" and came != "right":
                        stage = stage or await lost(dure, case, answer.run_id, named)
                        lines.append(f"    lost: {stage}")
                    elif kind != "impossible":
                        stage = "right"
                    came_of["impossible" if kind == "impossible" else "others"][came] += 1
                    good, count = held(answer)
                    whole, cited = whole + good, cited + count
                    for each in answer.citations:
                        untrue += not await dure.knowledge.check(DEFAULT_OWNER, each)
                    lines.append(f"    {spent[-1]:.1f} s  {came}: {' '.join(answer.response.split())[:500]}")
                    lines.append(f"    wanted: {case['answer']}   (cited and whole: {good} of {count})")
                if kind != "impossible":
                    stages[stage or "shown"] += 1
                if not given.quiet and (given.ask or len(lines) > 1):
                    print("\n".join(lines), flush=True)
    for kind, counts in [*found_of.items(), ("all", sum(found_of.values(), Counter[str]()))]:
        asked = max(counts["questions"], 1)
        told = ", ".join(
            f"{name} {counts[name]} ({100 * counts[name] / asked:.0f} %)" for name in ("placed", "facts", "shown")
        )
        print(f"{kind:10} {counts['questions']:3} questions: {told}")
    print("where answers are lost: " + ", ".join(f"{stage} {n}" for stage, n in stages.most_common()))
    print(f"refused for a name that stands nowhere: impossible {unnamed['impossible']}, others {unnamed['others']}")
    if given.ask:
        for kind, came in came_of.items():
            print(f"{kind}: " + ", ".join(f"{name} {n} of {came.total()}" for name, n in came.most_common()))
        print(f"cited sentences that stand whole in their quote: {whole} of {cited}; untrue quotes: {untrue}")
        print(f"seconds a question: median {sorted(spent)[len(spent) // 2]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
