"""Proves that each quote stands in its file, where the question says, by readers that share nothing with the makers.

Needs poppler and tesseract (kor) on the path; from PyPI pdfplumber, unhwp, dochan, odfpy and beautifulsoup4
besides what make.py needs. Scanned pages and the photo are read by OCR and compared loosely; their quotes
must also stand word for word in the source text.
"""

from __future__ import annotations

import csv
import difflib
import email
import email.policy
import io
import re
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import bs4
import dochan
import numpy as np
import openpyxl
import pdfplumber
import pptx
import score
import unhwp
from PIL import Image

OUT = Path(__file__).parent.parent
KINDS = {"single": 25, "table": 25, "several": 10, "replaced": 10, "cross": 10, "aggregate": 10, "impossible": 30}
Place = tuple[str | int | None, str | int | None, list[str], bool]  # sheet or page, row, readings, whether by OCR


def bare(text: str) -> str:
    """Text without spaces, bars and marks of Markdown, to compare what different readers lay out differently."""
    return re.sub(r"[\s\x00-\x1f|*#\\]", "", unicodedata.normalize("NFKC", text)).lower()


def sh(*cmd: str) -> str:
    """What a command prints."""
    return subprocess.run(cmd, capture_output=True, text=True, check=True).stdout


def ruled(dark: Any, least: int) -> Any:
    """The long horizontal dark runs of a picture."""
    out = np.zeros_like(dark)
    for y, row in enumerate(dark):
        edge = np.diff(np.concatenate([[0], row.astype(np.int8), [0]]))
        for i, j in zip(np.where(edge == 1)[0], np.where(edge == -1)[0], strict=True):
            if j - i >= least:
                out[y, i:j] = True
    return out


def ocr(picture: Path) -> list[str]:
    """The text of a picture as a block, as scattered words, and as a block after the lines of tables are wiped."""
    img = Image.open(picture).convert("L")
    dark = np.asarray(img) < 140
    lines = ruled(dark, 60) | ruled(dark.T, 70).T
    for d in (-2, -1, 1, 2):
        lines |= np.roll(lines, d, 0) | np.roll(lines, d, 1)
    wiped = np.asarray(img).copy()
    wiped[lines] = 245
    with tempfile.TemporaryDirectory() as d:
        Image.fromarray(wiped).save(f"{d}/w.png")
        tries = ((str(picture), "6"), (str(picture), "11"), (f"{d}/w.png", "6"))
        return [sh("tesseract", f, "-", "-l", "kor+eng", "--psm", m) for f, m in tries]


def pdf(path: Path) -> list[Place]:
    """The pages of a PDF, read in three ways, or by OCR if a page has no text."""
    out: list[Place] = []
    with pdfplumber.open(path) as doc:
        for n, page in enumerate(doc.pages, 1):
            span = ["-f", str(n), "-l", str(n)]
            texts = [sh("pdftotext", *span, str(path), "-"), sh("pdftotext", "-layout", *span, str(path), "-")]
            texts.append(page.extract_text() or "")
            halves = [page.crop((x, 0, x + page.width / 2, page.height)) for x in (0, page.width / 2)]
            texts.append("".join(h.extract_text() or "" for h in halves))
            texts += [" ".join(str(c or "") for r in t for c in r) for t in page.extract_tables()]
            if any(bare(t) for t in texts):
                out.append((n, None, texts, False))
                continue
            with tempfile.TemporaryDirectory() as d:
                sh("pdftoppm", *span, "-r", "200", "-png", "-singlefile", str(path), f"{d}/p")
                out.append((n, None, ocr(Path(d) / "p.png"), True))
    return out


def book(data: Path | io.BytesIO) -> list[Place]:
    """The rows of a workbook."""
    wb = openpyxl.load_workbook(data, data_only=True)
    return [
        (ws.title, n, [" ".join(str(c) for c in row if c is not None)], False)
        for ws in wb
        for n, row in enumerate(ws.iter_rows(values_only=True), 1)
    ]


def ods(path: Path) -> list[Place]:
    """The rows of an OpenDocument spreadsheet, from its XML: the values, not what is shown."""
    root = ElementTree.fromstring(zipfile.ZipFile(path).read("content.xml"))
    t, o = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}", "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
    out: list[Place] = []
    for sheet in root.iter(t + "table"):
        n = 0
        for row in sheet.iter(t + "table-row"):
            shown = [c.get(o + "value") or "".join(c.itertext()) for c in row if c.tag == t + "table-cell"]
            n += 1
            out.append((sheet.get(t + "name"), n, [" ".join(x for x in shown if x)], False))
            n += int(row.get(t + "number-rows-repeated", "1")) - 1
    return out


def xml_text(path: Path, member: str) -> str:
    """All text of a part of a zipped office file."""
    root = ElementTree.fromstring(zipfile.ZipFile(path).read(member))
    return "".join(root.itertext())


def slides(path: Path) -> list[Place]:
    """The slides of a deck."""
    out: list[Place] = []
    for n, slide in enumerate(pptx.Presentation(str(path)).slides, 1):
        texts = [s.text_frame.text for s in slide.shapes if s.has_text_frame]
        for s in slide.shapes:
            if s.has_table:
                texts += [" ".join(c.text for c in r.cells if not c.is_spanned) for r in s.table.rows]
        out.append((n, None, ["\n".join(texts)], False))
    return out


def mail(path: Path) -> list[Place]:
    """The body of a mail and the rows of the workbook attached to it."""
    m = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    out: list[Place] = [(None, None, [m.get_body(("plain",)).get_content()], False)]  # type: ignore[union-attr]
    for a in m.iter_attachments():
        out += [(f"{a.get_filename()}/{s}", n, t, o) for s, n, t, o in book(io.BytesIO(a.get_content()))]
    return out


@cache
def places(name: str) -> list[Place]:
    """All places of a file with their text."""
    path = OUT / name
    kind = path.suffix
    if kind == ".pdf":
        return pdf(path)
    if kind == ".xlsx":
        return book(path)
    if kind == ".ods":
        return ods(path)
    if kind == ".pptx":
        return slides(path)
    if kind == ".eml":
        return mail(path)
    if kind == ".png":
        return [(None, None, ocr(path), True)]
    if kind in (".hwp", ".hwpx"):
        return [(None, None, [unhwp.to_markdown(str(path)), dochan.Dochan(str(path)).to_markdown()], False)]
    if kind in (".docx", ".odt"):
        return [(None, None, [xml_text(path, "word/document.xml" if kind == ".docx" else "content.xml")], False)]
    if kind == ".html":
        return [(None, None, [bs4.BeautifulSoup(path.read_text("utf-8"), "html.parser").get_text(" ")], False)]
    if kind == ".csv":
        rows = csv.reader(path.read_text("cp949").splitlines())
        return [(None, n, [" ".join(r)], False) for n, r in enumerate(rows, 1)]
    return [(None, None, [path.read_text("utf-8")], False)]


def like(quote: str, text: str) -> float:
    """How much of a quote stands in a text read by OCR, in order."""
    best = 0.0
    for i in range(0, max(1, len(text) - len(quote) // 2), 4):
        part = text[i : i + len(quote) + 8]
        m = difflib.SequenceMatcher(None, quote, part, autojunk=False)
        best = max(best, sum(b.size for b in m.get_matching_blocks()) / len(quote))
    return best


@cache
def written() -> str:
    """The source texts of all files, bare."""
    return "".join(bare(f.read_text("utf-8")) for f in sorted((Path(__file__).parent / "docs").glob("*.txt")))


def find(name: str, quote: str) -> list[tuple[str | int | None, str | int | None]]:
    """The places of a file that hold a quote."""
    q = bare(quote)
    out = []
    for where, row, texts, loose in places(name):
        every = [bare(t) for t in texts]
        if any(q in t for t in every) or (loose and q in written() and max(like(q, t) for t in every) >= 0.6):
            out.append((where, row))
    return out


def problems(q: dict[str, Any], names: list[str]) -> list[str]:
    """What is wrong with a question."""
    out = []
    for f in q["files"]:
        if not (OUT / f).is_file():
            out.append(f"no file {f}")
    if q["kind"] == "impossible":
        if q["must"] or q["must_not"] or q["quote"]:
            out.append("an impossible question has no must, must_not and quote")
    else:
        if not q["must"] or sorted(q["quote"]) != sorted(q["files"]):
            out.append("must and a quote for each file are needed")
        for f, quotes in q["quote"].items():
            for quote in quotes:
                at = find(f, quote)
                if not at:
                    out.append(f"not in {f}: {quote}")
                told = (q.get("pages") or {}).get(f), (q.get("sheet") or {}).get(f), (q.get("rows") or {}).get(f)
                if told[0] and not any(w in told[0] for w, _ in at):
                    out.append(f"not on page {told[0]} of {f} but {at}: {quote}")
                if told[2] and not any(r in told[2] and w in (told[1] or [None]) for w, r in at):
                    out.append(f"not in rows {told[1:]} of {f} but {at}: {quote}")
    if score.judge(q, q["answer"], names) != "right":
        out.append(f"the gold answer is {score.judge(q, q['answer'], names)}: {q['answer']}")
    for f in q["must_not"]:
        if score.judge(q, f"{q['answer']} / {f}", names) != "wrong":
            out.append(f"{f} beside the gold answer is not judged as wrong")
    if q["kind"] != "impossible" and score.judge(q, "문서에서 찾을 수 없습니다.", names) != "refused":
        out.append("a refusal is not judged as refused")
    return out


def main() -> None:
    """Checks all questions and the counts."""
    asked = score.load()
    names = score.names()
    bad = [f"{q['id']}: {p}" for q in asked for p in problems(q, names)]
    kinds = Counter(q["kind"] for q in asked)
    if kinds != KINDS or Counter(q["split"] for q in asked) != {"dev": 60, "test": 60}:
        bad.append(f"counts: {kinds}")
    if Counter(q["lang"] for q in asked) != {"ko": 90, "en": 30} or len({q["id"] for q in asked}) != 120:
        bad.append("counts of languages or ids")
    used = {s: {f for q in asked if q["split"] == s for f in q["files"]} for s in ("dev", "test")}
    if used["dev"] & used["test"]:
        bad.append(f"in both splits: {used['dev'] & used['test']}")
    files = {unicodedata.normalize("NFC", p.name) for p in OUT.iterdir() if p.is_file()}
    files -= {"README.md", "questions.jsonl"}
    bad += [f"no question about {f}" for f in sorted(files - used["dev"] - used["test"])]
    print("\n".join(bad) or f"{len(asked)} questions about {len(files)} files: all quotes stand where they should")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
