"""Right and wrong as the company set has it. python score.py answers.jsonl: lines of {"id": ..., "answer": ...}."""

from __future__ import annotations

import importlib.util
import json
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

SHOP = Path(__file__).parent.parent
KINDS = ("count", "aggregate", "rank", "row", "rule", "both", "follow", "impossible")


def company() -> Any:
    """The rule of the company set."""
    path = SHOP.parent / "company" / "source" / "score.py"
    spec = importlib.util.spec_from_file_location("company_score", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RULE = company()


def load(folder: Path = SHOP) -> list[dict[str, Any]]:
    """The questions of a set."""
    return [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


def names(folder: Path = SHOP) -> list[str]:
    """The names of a set's files, with and without ending."""
    found = [unicodedata.normalize("NFC", p.name) for p in folder.iterdir() if p.is_file()]
    return sorted([*found, *(n.rsplit(".", 1)[0] for n in found)], key=len, reverse=True)


def judge(question: dict[str, Any], answer: str, files: list[str]) -> str:
    """right, wrong, refused or hedged, of the answer to the last turn."""
    return str(RULE.judge({**question, "question": " ".join(question["turns"])}, answer, files))


def main() -> None:
    """Prints the outcomes by kind for each split."""
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    given = {row["id"]: row["answer"] for row in map(json.loads, lines)}
    files = names()
    for split in ("dev", "test"):
        asked = [q for q in load() if q["split"] == split and q["id"] in given]
        seen = [(q["kind"], judge(q, given[q["id"]], files)) for q in asked]
        for kind in (*KINDS, "all"):
            row = Counter(outcome for k, outcome in seen if kind in (k, "all"))
            print(f"{split:5}{kind:11}", *(f"{o} {row[o]:<4}" for o in ("right", "wrong", "refused", "hedged")))


if __name__ == "__main__":
    main()
