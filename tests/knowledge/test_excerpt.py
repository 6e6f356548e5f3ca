"""What of passages a small model is shown."""

from dataclasses import replace

import numpy as np
import pytest

from dure.knowledge.excerpt import excerpt
from dure.sources import Passage

ROWS = "\n".join(
    f"직급: {rank} | 항목: {item} | 한도: {n}"
    for n, (rank, item) in enumerate(
        [(rank, item) for rank in ("임원", "부장", "과장") for item in ("숙박", "식비", "일비")], 101
    )
)
RULES = Passage("rules", "여비규정", 2, 40, 40 + len(ROWS), ROWS, score=0.8, context="별표 1 국내 출장")
MEALS = "점심은 열두 시부터 먹습니다. 식대는 달마다 줍니다."
OTHER = Passage("meals", "식당 안내", None, 0, len(MEALS), MEALS, score=0.4)


async def test_the_row_that_was_asked_for_is_shown_where_there_is_room_for_one():
    [row] = await excerpt("과장 숙박 한도가 얼마야?", [OTHER, RULES], 30)
    assert row.text == "직급: 과장 | 항목: 숙박 | 한도: 107"
    assert ROWS[row.start - 40 : row.end - 40] == row.text
    assert (row.page, row.context) == (2, "별표 1 국내 출장")


async def test_sentences_stand_in_the_order_of_their_documents():
    shown = await excerpt("과장 숙박 한도와 식대", [OTHER, RULES], 1000)
    assert [unit.document_id for unit in shown] == ["meals"] * 2 + ["rules"] * 9
    assert [unit.start for unit in shown[2:]] == sorted(unit.start for unit in shown[2:])


async def test_a_row_of_a_markdown_table_has_its_head():
    text = "| 등급 | 해결 |\n| --- | --- |\n| 1급 | 2시간 |\n| 2급 | 6시간 |\n| 3급 | 1영업일 |"
    shown = await excerpt("3급은 언제 해결돼?", [Passage("d", "안내", None, 0, len(text), text, score=0.5)], 35)
    assert [unit.text for unit in shown] == ["| 등급 | 해결 |", "| 3급 | 1영업일 |"]


async def test_meaning_counts_beside_words():
    class Encoder:
        second = None

        async def queries(self, texts):
            return np.array([[1.0, 0.0]] * len(texts), np.float32)

        async def passages(self, texts):
            return np.array([[float("달마다" in text), 0.0] for text in texts], np.float32)

    assert [unit.text for unit in await excerpt("밥값 지원", [OTHER], 20, Encoder())] == ["식대는 달마다 줍니다."]


CHANGED = (
    "제3조의 “문구 3개”를 “문구 5개”로 한다. 별표 1 가운데 과장의 숙박을 120원으로 한다."
    " 별표 1 가운데 일비를 9원으로 한다."
)


@pytest.mark.parametrize(
    ("question", "room", "changed"),
    [
        ("과장 숙박 한도가 얼마야?", 65, ["별표 1 가운데 과장의 숙박을 120원으로 한다."]),
        # Which version was in force is a part of that question.
        ("2025년에 과장 숙박 한도가 얼마였지?", 65, []),
    ],
)
async def test_what_changes_a_rule_is_as_near_as_the_rule(question, room, changed):
    before = replace(RULES, title="여비규정_2025-07-01")
    later = Passage("later", "여비규정_일부개정_2026-02-01", None, 0, len(CHANGED), CHANGED, score=0.1)
    more = Passage("more", "여비규정_2025-07-01", None, 0, 0, "과장 숙박 한도 안내 과장 숙박 한도", score=0.7)
    shown = await excerpt(question, [before, more, later], room)
    assert [unit.text for unit in shown if unit.document_id == "later"] == changed
    assert any("107" in unit.text for unit in shown)


async def test_nothing_found():
    assert await excerpt("무엇?", [], 100) == []
