"""The rule by which an answer counts as right, as README.md tells it.

right(question, answer) wants one object of questions.jsonl and the text of
an answer (without the passages shown beside it). Run alone, it checks that
every gold answer is right by the rule: python score.py"""

import json
import pathlib
import re

NUMBER = re.compile(r"(?<![\w.@])\d+(?:\.\d+)?")
# what is no figure: references, pages, tables, sections, years, names of files
PLACE = re.compile(
    r"\[\d+(?:[,–-]\s*\d+)*\]|\bpp?\.\s*\d+|\d+\s*(?:쪽|페이지|절)|(?:표|그림|각주|식)\s*\d+"
    r"|\b(?:pages?|tables?|figures?|fig\.|sections?|footnotes?|§)\s*\d+(?:\.\d+)*"
    r"|(?<!\d)(?:19|20)\d\d(?![.\d])|\S+\.pdf",
    re.I,
)
REFUSAL = re.compile(r"없|않|못|알 수|\bnot\b|n't|\bno\b|\bnone\b|\bnever\b|\bcannot\b|\bunable\b", re.I)


def plain(text):
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text).replace("−", "-")
    return re.sub(r"\s+", " ", text).lower()


def holds(answer, want):
    want = plain(want)
    if re.fullmatch(r"[\d.]+", want):
        return re.search(rf"(?<![\d.]){re.escape(want)}(?!\.?\d)", answer) is not None
    return want in answer


def right(question, answer):
    answer = plain(answer)
    if any(holds(answer, wrong) for wrong in question["must_not"]):
        return False
    if question["impossible"]:
        turns = [m["content"] for m in question.get("history", [])]
        asked = set(NUMBER.findall(plain(" ".join([question["question"], *turns]))))
        return bool(REFUSAL.search(answer)) and not set(NUMBER.findall(PLACE.sub(" ", answer))) - asked
    return all(any(holds(answer, o) for o in ([want] if isinstance(want, str) else want)) for want in question["must"])


if __name__ == "__main__":
    lines = (pathlib.Path(__file__).parent.parent / "questions.jsonl").read_text("utf-8").splitlines()
    wrong = [q["id"] for q in map(json.loads, lines) if not right(q, q["answer"])]
    print(len(lines), "gold answers,", len(wrong), "wrong by the rule", *wrong)
    raise SystemExit(bool(wrong))
