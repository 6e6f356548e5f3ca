"""What a newcomer gets from the bundled model: `python benchmarks/newcomer.py [--variant 0.5b]`.

Asks the questions of `data/newcomer.jsonl` about the example documents of team `workplace`, the first being the
one of `dure demo`. A question counts as right when the answer holds what it must, cites the right document and
page, and is not a refusal; one that the documents do not answer, when it is refused. Prints wall and CPU seconds
(Dure and its model process), model calls and tokens of each.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from dure import Answer, Dure
from dure.agents.prompts import NO_ANSWER, NOT_FOUND
from dure.cli.demo import DOCUMENTS

HERE = Path(__file__).parent


def right(answer: Answer, wanted: dict[str, Any], names: dict[str, str]) -> bool:
    """Whether an answer is what its line of the set asks for. names: the documents' file names by id."""
    refused = any(text in answer.response for text in (*NOT_FOUND.values(), *NO_ANSWER.values()))
    if not wanted["answerable"]:
        return refused
    text = answer.response.replace(",", "")
    for must in wanted["must"]:
        alternatives = must if isinstance(must, list) else [must]
        if not any(alternative.replace(",", "") in text for alternative in alternatives):
            return False
    if refused:
        return False
    cited = {(names.get(c["document_id"]), c["page"]) for c in answer.citations}
    if any(name == wanted["document"] and wanted["page"] in (None, page) for name, page in cited):
        return True
    # What SQL found in a table has no sentence to quote.
    queried = any(call["name"] == "query_tables" and call["status"] == "ok" for call in answer.tool_calls)
    return queried and Path(wanted["document"]).suffix in (".csv", ".xlsx")


def cpu_seconds() -> float:
    """CPU of this process and its living children."""
    total, ticks = 0.0, os.sysconf("SC_CLK_TCK")
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / ticks
        for task in Path(f"/proc/{pid}/task").iterdir():
            waiting += [int(child) for child in (task / "children").read_text().split()]
    return total


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=["1.5b", "0.5b"], default="1.5b")
    given = parser.parse_args()
    questions = [json.loads(line) for line in (HERE / "data" / "newcomer.jsonl").read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        async with Dure(data_dir=folder, bundled_model=given.variant, model_base_url=None) as dure:
            added = await dure.ingest(DOCUMENTS)
            await dure.knowledge.wait("default", [d.id for d in added], embedded=True)
            names = {d.id: d.name for d in added}
            await dure.model.ready()
            good = 0
            print(f"{'':2} {'wall s':>7} {'CPU s':>7} {'calls':>5} {'in':>6} {'out':>5}  question → answer")
            for wanted in questions:
                wall, cpu = time.perf_counter(), cpu_seconds()
                answer = await dure.chat(wanted["question"], team="workplace")
                wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
                holds = right(answer, wanted, names)
                good += holds
                usage = answer.metadata["usage"]
                numbers = f"{wall:7.1f} {cpu:7.1f} {usage['model_calls']:5} {usage['prompt_tokens']:6}"
                print(f"{'ok' if holds else '--'} {numbers} {usage['completion_tokens']:5}  {wanted['question']}")
                print(f"{'':37} → {' '.join(answer.response.split())[:300]}", flush=True)
            print(f"right: {good} of {len(questions)} (the newcomer's question first)")


if __name__ == "__main__":
    asyncio.run(main())
