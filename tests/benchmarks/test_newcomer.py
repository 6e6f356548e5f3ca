"""The newcomer's questions: their answers stand in the example documents, at the page that is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from dure.cli.demo import DOCUMENTS

REPO = Path(__file__).parents[2]
LINES = (REPO / "benchmarks" / "data" / "newcomer.jsonl").read_text(encoding="utf-8").splitlines()
QUESTIONS: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def text_of(name: str, page: int | None) -> str:
    """The document's text, read by the plainest way its format has; of one page (from 1) when it is given."""
    path = DOCUMENTS / name
    if path.suffix == ".pdf":
        import pypdfium2

        pdf = pypdfium2.PdfDocument(path)
        texts = [leaf.get_textpage().get_text_range() for leaf in pdf]
        pdf.close()
    elif path.suffix == ".docx":
        from docx import Document

        texts = ["\n".join(paragraph.text for paragraph in Document(str(path)).paragraphs)]
    elif path.suffix == ".pptx":
        from pptx import Presentation

        slides = Presentation(str(path)).slides
        texts = ["\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame) for slide in slides]
    elif path.suffix == ".xlsx":
        from openpyxl import load_workbook

        book = load_workbook(path)
        texts = ["\n".join(str(row) for row in sheet.iter_rows(values_only=True)) for sheet in book]
    else:
        texts = [path.read_text(encoding="utf-8")]
    text = texts[page - 1] if page else "\n".join(texts)
    return " ".join(text.split())


def test_the_first_is_the_newcomers_question_and_two_have_no_answer() -> None:
    assert QUESTIONS[0]["question"] == "회사 휴가 정책 알려줘"
    assert len(QUESTIONS) >= 11
    assert sum(not line["answerable"] for line in QUESTIONS) == 2
    assert len({line["question"] for line in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("line", QUESTIONS, ids=lambda line: line["question"])
def test_answers_stand_where_the_line_says(line: dict[str, Any]) -> None:
    assert set(line) == {"question", "language", "document", "page", "must", "answerable"}
    assert line["language"] in ("ko", "en")
    if not line["answerable"]:
        assert (line["document"], line["page"], line["must"]) == (None, None, [])
        return
    text = text_of(line["document"], line["page"])
    for must in line["must"]:
        assert any(choice in text for choice in ([must] if isinstance(must, str) else must)), must


def test_the_examples_are_small() -> None:
    sizes = [path.stat().st_size for path in DOCUMENTS.iterdir()]
    assert max(sizes) <= 300_000
    assert sum(sizes) <= 600_000
