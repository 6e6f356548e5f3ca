"""The rule for right and wrong. python score.py answers.jsonl: lines of {"id": ..., "answer": ...}."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
QUESTIONS = HERE.parent / "questions.jsonl"
KINDS = ("single", "table", "several", "replaced", "cross", "aggregate", "impossible")

REFUSAL = re.compile(
    r"없[습다어음네고는지으]|않[습는아았]|찾을 ?수|찾지 ?못|확인할 ?수|확인되지|모르|모릅|답할 ?수|못했"
    r"|\bnot\b|n't\b|\bno\b(?!\.? ?\d)|\bcannot\b|\bunable\b|\bnone\b|\bnothing\b|\bneither\b|\bunknown\b",
    re.IGNORECASE,
)
UNIT = re.compile(r"(?<![\d.])(?:\d+(?:\.\d+)? ?[억만천백]+ ?)+(?:(?<=[억만천백])\d+|(?<= )\d{3,4}(?![\d.년]))?")
WORTH = {"백": 100, "천": 1_000, "만": 10_000, "억": 100_000_000}
OLD_BEFORE = re.compile(
    r"(?:종전|기존|이전|개정 ?전|바뀌기 ?전|예전|옛"
    r"|previous|formerly|former|\bold|\bwas|\bfrom|\bnot|instead of)[^\d.]{0,15}$"
)
OLD_AFTER = re.compile(r"^ ?[^\d\s]{0,4} ?(?:에서|→|->|이었|였|이 ?아니|가 ?아니|아니|대신)")
CODE = re.compile(r"[A-Za-z]+[-_ ]?\d[\w.-]*")


def won(m: re.Match[str]) -> str:
    """A figure with 억, 만, 천 or 백 as a plain number."""
    total = part = number = 0.0
    for token in re.findall(r"\d+(?:\.\d+)?|[억만천백]", m.group(0)):
        if token not in WORTH:
            number = float(token)
        elif token in "천백":
            part, number = part + (number or 1) * WORTH[token], 0.0
        else:
            total, part, number = total + (part + number) * WORTH[token], 0.0, 0.0
    return f"{round(total + part + number)} "


def plain(text: str) -> str:
    """Text for comparison: NFKC, lower case, no thousands commas, spaces only between Latin words and figures."""
    text = unicodedata.normalize("NFKC", text).lower().replace("–", "-").replace("−", "-").replace("*", "")
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    return re.sub(r"(?<![0-9a-z])\s+|\s+(?![0-9a-z])", "", text)


def forms(text: str) -> list[str]:
    """The text as it is, and with 9만 5천 written as 95000."""
    bare = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", unicodedata.normalize("NFKC", text))
    return [plain(text), plain(UNIT.sub(won, bare))]


def hits(entry: str, text: str) -> list[re.Match[str]]:
    """Where an entry stands in a plain text; figures and Latin words only as a whole."""
    e = plain(entry)
    day = "월" if re.fullmatch(r"\d+일", e) else ""  # 5일 is not in 3월 5일
    left = rf"(?<![\d.{day}])" if e[0].isdigit() else r"(?<![a-z])" if e[0].isascii() and e[0].isalpha() else ""
    right = r"(?!\d|\.\d)" if e[-1].isdigit() else r"(?![a-z])" if e[-1].isascii() and e[-1].isalpha() else ""
    return list(re.finditer(left + re.escape(e) + right, text))


def holds(entry: str | list[str], answer: str) -> bool:
    """Whether an answer holds an entry or, if it is a list, one of its alternatives."""
    every = [entry] if isinstance(entry, str) else entry
    return any(hits(e, t) for e in every for t in forms(answer))


def offends(entry: str, answer: str) -> bool:
    """Whether an answer gives a figure that it must not, other than as what it was before or what it is not."""
    for t in forms(answer):
        for m in hits(entry, t):
            if not (OLD_BEFORE.search(t[: m.start()]) or OLD_AFTER.search(t[m.end() :])):
                return True
    return False


def figures(answer: str, question: str, names: list[str]) -> list[str]:
    """The figures in an answer, less those in names, dates, places in a text, and in the question."""
    for n in names:
        answer = answer.replace(n, " ")
    answer = CODE.sub(" ", answer)
    answer = re.sub(r"\d{4} ?[-.년] ?\d{1,2} ?[-.월] ?\d{1,2} ?[일.]?|(?:19|20)\d\d(?: ?년|\b)", " ", answer)
    answer = re.sub(
        r"(?:제 ?)?\d+ ?(?:쪽|페이지|조|항|장|절|판|행|줄|분기|월|번째)|(?:page|row|section|article|p\.) ?\d+",
        " ",
        answer,
        flags=re.I,
    )
    answer = re.sub(r"(?m)^ *\d+[.)] |\[\d+\]|별표 ?\d+|붙임 ?\d+", " ", answer)
    asked = plain(question)
    return [f for f in re.findall(r"\d+(?:\.\d+)?", plain(answer)) if not hits(f, asked)]


def judge(question: dict[str, Any], answer: str, names: list[str]) -> str:
    """right, wrong or refused; hedged for a refusal of an impossible question that gives figures all the same."""
    no = bool(REFUSAL.search(answer)) or not answer.strip()
    if question["kind"] == "impossible":
        if not no:
            return "wrong"
        return "hedged" if figures(answer, question["question"], names) else "right"
    if any(offends(e, answer) for e in question["must_not"]):
        return "wrong"
    if all(holds(e, answer) for e in question["must"]):
        return "right"
    return "refused" if no else "wrong"


def load() -> list[dict[str, Any]]:
    """The questions."""
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def names() -> list[str]:
    """The names of the files, with and without ending."""
    found = [unicodedata.normalize("NFC", p.name) for p in HERE.parent.iterdir() if p.is_file()]
    return sorted([*found, *(n.rsplit(".", 1)[0] for n in found)], key=len, reverse=True)


def main() -> None:
    """Prints the outcomes by kind for each split."""
    given = {}
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        given[row["id"]] = row["answer"]
    every = names()
    for split in ("dev", "test"):
        asked = [q for q in load() if q["split"] == split and q["id"] in given]
        seen = Counter((q["kind"], judge(q, given[q["id"]], every)) for q in asked)
        for kind in (*KINDS, "all"):
            row = Counter({o: n for (k, o), n in seen.items() if k == kind})
            if kind == "all":
                for (_, o), n in seen.items():
                    row[o] += n
            print(f"{split:5}{kind:11}", *(f"{o} {row[o]:<4}" for o in ("right", "wrong", "refused", "hedged")))


if __name__ == "__main__":
    main()
