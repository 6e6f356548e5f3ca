"""Where in its document a passage stands, as people are told: by page, slide or the name of its sheet."""

import gzip
from pathlib import Path

import pytest

from dure.events import ToolFinished
from dure.knowledge.cite import cite
from dure.runs.answer import formatted
from dure.sources import Citation, Passage, place, placed

OFFICE = Path(__file__).parents[1] / "fixtures/office"


async def found(knowledge, name, data, query):
    document = await knowledge.add("a", name, data)
    assert (await knowledge.wait("a", [document.id]))[0].status == "ready"
    return (await knowledge.search("a", [query], k=1)).passages[0]


async def test_a_sheet_is_named(knowledge, files):
    sheets = {"상반기": [["월", "매출"], ["3월", 100]], "하반기 › 계획": [["월", "매출"], ["9월", 4200]]}
    passage = await found(knowledge, "매출.xlsx", files.xlsx(sheets), "9월 매출")
    assert (passage.page, passage.sheet, passage.slide) == (2, "하반기 › 계획", None)
    assert [place(passage.as_dict(), each) for each in ("ko", "en")] == [
        "시트 '하반기 › 계획'",
        "sheet '하반기 › 계획'",
    ]
    assert passage.heading == "매출, p.2 › [하반기 › 계획]"
    _, [citation], _ = cite("9월 매출은 4200입니다 [1].", [passage])
    assert (citation.page, citation.sheet) == (2, "하반기 › 계획")
    assert "- [1] 매출, 시트 '하반기 › 계획': “" in formatted("글", [citation], "markdown", "ko")
    assert "- [1] 매출, sheet '하반기 › 계획': “" in formatted("text", [citation], "markdown", "en")
    told = ToolFinished("c", "search", "ok", "", 0.1, "clerk", passages=[passage.as_dict()])
    assert told.result.startswith("매출, sheet '하반기 › 계획'\n")


async def test_what_is_numbered_in_a_sheet_stands_under_its_name(knowledge, files):
    rows = [[f"항목{n}", n] for n in range(80)]
    sheets = {"요약": [["가", "나"], ["x", 1]], "예산": [["1. 인건비"], ["항목", "금액"], *rows, ["상여", 80]]}
    passage = await found(knowledge, "예산.xlsx", files.xlsx(sheets), "상여 금액")
    assert passage.sheet == "예산"
    assert passage.context.startswith("[예산] › ")
    await knowledge.delete("a", passage.document_id)
    packed = await found(knowledge, "a.zip", files.zip({"예산.xlsx": files.xlsx(sheets)}), "상여 금액")
    assert packed.context.startswith("예산.xlsx › [예산] › ")


async def test_a_slide_is_one(knowledge, files):
    slides = [["첫 장", "인사말"], ["두 번째", "출장비는 하루 5만 원이다."]]
    passage = await found(knowledge, "안내.pptx", files.pptx(slides), "출장비 하루")
    assert (passage.page, passage.slide, passage.sheet) == (2, 2, None)
    assert [placed(passage.as_dict(), each) for each in ("ko", "en")] == ["안내, 슬라이드 2", "안내, slide 2"]
    assert passage.heading.startswith("안내, p.2")


@pytest.mark.parametrize(
    ("name", "query"), [("budget.ods", "월"), ("budget.xls", "월"), ("talk.odp", "a"), ("talk.ppt", "a")]
)
async def test_of_every_kind_of_office(knowledge, name, query):
    document = await knowledge.add("a", name, gzip.decompress((OFFICE / f"{name}.gz").read_bytes()))
    await knowledge.wait("a", [document.id])
    passages = await knowledge.passages("a", document.id)
    told = [each.sheet if name.startswith("budget") else each.slide for each in passages]
    assert all(told), told
    assert told


def test_pages_are_pages_and_what_was_stored_before_has_its_number():
    old = {"document_id": "d", "title": "매출", "page": 2, "start": 0, "end": 1, "quote": "x", "url": None, "marker": 1}
    assert [placed(old, each) for each in ("ko", "en")] == ["매출, 2쪽", "매출, p. 2"]
    assert [placed(Citation(**old).as_dict(), each) for each in ("ko", "en")] == ["매출, 2쪽", "매출, p. 2"]
    assert placed(old | {"page": None}, "ko") == "매출"
    assert Passage("d", "매출", 2, 0, 1, "x").heading == "매출, p.2"
