"""Proves the answers by proofs.tsv, from the files themselves. python check.py: exits 1 if anything differs."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from docx import Document
from openpyxl import load_workbook

ROOT = Path(__file__).parent.parent
SPEC: Any = importlib.util.spec_from_file_location("shop_score", ROOT.parent / "shop" / "source" / "score.py")
SCORE: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(SCORE)
NAMES = sorted((n for p in ROOT.iterdir() if p.is_file() for n in (p.name, p.stem)), key=len, reverse=True)
SIZES = {"count": 4, "aggregate": 3, "rank": 2, "row": 4, "rule": 4, "both": 2, "follow": 3, "impossible": 3}
VISITS, HOTEL, SHOTS, ORDERS = "진료일지_2026_봄.xlsx", "호텔_미용_장부.xlsx", "접종명부.csv", "supply_orders_2026.csv"
Row = dict[str, str]


def sheet(name: str, title: str, head: int) -> list[Row]:
    """The rows of a sheet; an empty first cell is one of a merged group and holds what stands above it."""
    lines = [list(r) for r in load_workbook(ROOT / name)[title].iter_rows(min_row=head, values_only=True)]
    for above, line in pairwise(lines):
        line[0] = line[0] or above[0]
    text = [["" if v is None else str(v).removesuffix(" 00:00:00") for v in line] for line in lines]
    return [dict(zip(text[0], line, strict=True)) for line in text[1:]]


def words(name: str) -> str:
    """The text of a document, tags and spaces made one space; cells of a table with bars between."""
    if not name.endswith(".docx"):
        return " ".join(re.sub(r"<[^>]+>", " ", (ROOT / name).read_text(encoding="utf-8")).split())
    paper = Document(str(ROOT / name))
    rows = [" | ".join(c.text for c in r.cells) for t in paper.tables for r in t.rows]
    return " ".join([*(p.text for p in paper.paragraphs), *rows])


def num(text: str) -> float:
    """A figure or a day to order and to add by; an empty cell is nought."""
    return float(re.sub(r"[,-]", "", text) or 0)


def total(lines: list[Row], columns: str) -> float:
    """The sum of one column or more."""
    return sum(num(r[c]) for r in lines for c in columns.split())


def show(value: float) -> str:
    """A figure as answers write it."""
    return f"{round(value):,}" if abs(value - round(value)) < 1e-6 else str(round(value, 2))


def where(lines: list[Row], wanted: str) -> list[Row]:
    """The rows that meet every one of: a=b, a=b* (a beginning), a!=b, a<3."""
    for want in wanted.split(", "):
        key, sign, value = re.split(r"(!=|=|<)", want, maxsplit=1)
        if sign == "<":
            lines = [r for r in lines if num(r[key]) < float(value)]
        elif value.endswith("*"):
            lines = [r for r in lines if r[key].startswith(value[:-1])]
        else:
            lines = [r for r in lines if (r[key] == value) == (sign == "=")]
    if not lines:
        raise ValueError(f"no row: {wanted}")
    return lines


def first(pairs: list[tuple[float, str]]) -> list[str]:
    """What has the greatest figure, which must not tie with the next one."""
    ranked = sorted(pairs, reverse=True)
    return [ranked[0][1]] if ranked[0][0] > ranked[1][0] else ["a tie"]


def find(how: str, lines: list[Row], column: str, wanted: str, then: str) -> list[str]:
    """What the rows of a table give."""
    lines = where(lines, wanted)
    key, _, name = column.partition(" ")
    if how == "count":
        return [show(len(lines))]
    if how in ("sum", "mean"):
        value = total(lines, column) / (len(lines) if how == "mean" else 1)
        sign, _, by = then.partition(" ")
        if then and len(lines) > 1:
            raise ValueError("more than one row")
        return [show(value * float(by) if sign == "*" else value + float(by or 0))]
    if how == "group":
        return first([(total([r for r in lines if r[name] == n], key), n) for n in {r[name] for r in lines}])
    if how in ("most", "least"):
        return first([(num(r[key]) * (1 if how == "most" else -1), r[name]) for r in lines])
    if how == "cell" and len(lines) > 1:
        raise ValueError("more than one row")
    return [re.sub(r"^2026-0?(\d+)-0?(\d+)$", r"\1월 \2일", r[column]) for r in lines]


BOOKS = {"4월": sheet(VISITS, "4월", 1), "5월": sheet(VISITS, "5월", 1), "호텔": sheet(HOTEL, "호텔", 4)}
ENDS = {n: lines.pop() for n, lines in BOOKS.items()}
BOOKS["미용"] = sheet(HOTEL, "미용", 4)
for title, file, code in (("접종", SHOTS, "cp949"), ("orders", ORDERS, "utf-8")):
    BOOKS[title] = list(csv.DictReader((ROOT / file).read_text(encoding=code).splitlines()))
ALL = json.dumps(BOOKS, ensure_ascii=False)
ALL += " ".join(words(p.name) for p in ROOT.iterdir() if p.suffix in (".docx", ".txt", ".html") or "안내" in p.name)


def proves(q: Any, proofs: list[list[str]]) -> list[str]:
    """What is wrong with a question."""
    bad = [f"no file {f}" for f in q["files"] if not (ROOT / f).is_file()] + ["no proof"] * (not proofs)
    found = []
    for how, place, column, text, then in proofs:
        if how == "says":
            bad += [f"not in {place}: {text}"] * (text not in words(place) or place not in q["files"])
        elif how == "absent":
            bad += [f"told: {text}"] * bool(re.search(text, ALL, re.IGNORECASE))
        elif how == "before":
            bad += [f"{place} goes beyond {text}"] * (max(r[column] for r in BOOKS[place]) >= text)
        elif how == "blank":
            bad += [f"told: {text}"] * (find("cell", BOOKS[place], column, text, "") != [""])
        else:
            found += find(how, BOOKS[place], column, text, then)
    for v in found:  # a figure below ten is asked for with a unit
        fits = any(SCORE.RULE.holds(m, f"{v}{unit}") for m in q["must"] for unit in ("", "건", "마리"))
        bad += [f"no must for {v}"] * (not fits)
    if found and not any(p[0] == "cell" for p in proofs) and len(found) != len(q["must"]):
        bad.append(f"{len(found)} found, {len(q['must'])} must")
    told = {"right": q["answer"]} | ({} if q["kind"] == "impossible" else {"refused": "문서에서 확인할 수 없습니다."})
    bad += [f"not {k}: {a}" for k, a in told.items() if SCORE.judge(q, a, NAMES) != k]
    bad += [f"{m} passes" for m in q["must_not"] if SCORE.judge(q, f"{m} / {q['answer']}", NAMES) != "wrong"]
    return bad + ["turns"] * ((len(q["turns"]) == 2) != (q["kind"] == "follow"))


def main() -> int:
    """Prints what is wrong, and how many questions there are."""
    questions = [json.loads(line) for line in (ROOT / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    proofs = [line.split("\t") for line in (ROOT / "source" / "proofs.tsv").read_text(encoding="utf-8").splitlines()]
    bad = [f"{q['id']}: {b}" for q in questions for b in proves(q, [p[1:] for p in proofs if p[0] == q["id"]])]
    for name, columns in (("4월", "진료비 약값"), ("5월", "진료비 약값"), ("호텔", "박수 총액(원)")):
        bad += [f"{name} 합계 {c}" for c in columns.split() if num(ENDS[name][c]) != total(BOOKS[name], c)]
    for split in ("dev", "test"):
        mine = [q for q in questions if q["split"] == split]
        if Counter(q["kind"] for q in mine) != SIZES or {q["id"] for q in mine} != {
            f"{split}-{i + 1:02}" for i in range(25)
        }:
            bad.append(f"{split}: ids or kinds")
        print(f"{split}: {len(mine)} questions, {sum(q['lang'] == 'ko' for q in mine)} in Korean")
    used = {(f, q["split"]) for q in questions for f in q["files"]}
    bad += ["both splits use a file"] * (len(used) != len({f for f, _ in used}))
    print("\n".join(bad) or "all right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
