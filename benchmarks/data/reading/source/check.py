"""Checks questions.jsonl against the PDFs: every quote is on the page that is
claimed, every figure of an answer is in a quote. Run: python check.py"""

import collections
import json
import pathlib
import re
import unicodedata

import pypdfium2

HERE = pathlib.Path(__file__).parent.parent
FIELDS = set(
    ["id", "split", "lang", "kind", "question", "papers", "answer", "must", "must_not", "pages", "quote", "impossible"]
)


def squeeze(text):
    # line ends, hyphens at line ends and ligatures are matters of typesetting
    return re.sub(r"[\s\u00ad\u2010\u0002\ufffe-]", "", unicodedata.normalize("NFKC", text))


def main():
    library = [json.loads(line) for line in (HERE / "papers.jsonl").open(encoding="utf-8")]
    pages = {}
    for paper in library:
        pdf = pypdfium2.PdfDocument(HERE / paper["file"])
        pages[paper["file"]] = [squeeze(page.get_textpage().get_text_bounded()) for page in pdf]
    group = {paper["file"]: paper["split"] for paper in library}
    seen, counts, bad = set(), collections.Counter(), []
    for line in (HERE / "questions.jsonl").open(encoding="utf-8"):
        q = json.loads(line)
        name = q["id"]
        counts[q["kind"], q["split"]] += 1
        if name in seen or not set(q) >= FIELDS:
            bad.append((name, "id or fields"))
        seen.add(name)
        for paper in q["papers"]:
            if paper not in pages:
                bad.append((name, paper, "no such file"))
        if q["papers"] and group[q["papers"][0]] != q["split"]:
            bad.append((name, "split"))
        for paper, quotes in q["quote"].items():
            for quote in quotes:
                where = [n for n, text in enumerate(pages[paper], 1) if squeeze(quote) in text]
                if not set(where) & set(q["pages"][paper]):
                    bad.append((name, paper, quote, "claimed", q["pages"][paper], "found", where))
        if q["impossible"]:
            if q["must"] or q["quote"]:
                bad.append((name, "impossible with an answer"))
            continue
        quoted = " ".join(x for quotes in q["quote"].values() for x in quotes)
        for want in q["must"]:
            options = [want] if isinstance(want, str) else want
            if all(re.fullmatch(r"[\d.,]+", o) for o in options) and not any(
                re.search(rf"(?<![\d.]){re.escape(o)}(?!\.?\d)", quoted) for o in options
            ):
                bad.append((name, want, "not in the quotes"))
        for wrong in q["must_not"]:
            if any(wrong == o for want in q["must"] for o in ([want] if isinstance(want, str) else want)):
                bad.append((name, wrong, "both right and wrong"))
    for key in sorted(counts):
        print(*key, counts[key])
    print(len(seen), "questions,", len(bad), "faults")
    for fault in bad:
        print(*fault)
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
