"""Sentence boundaries."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.knowledge.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("연차는 15일이다. 병가는 60일이다!", ["연차는 15일이다.", "병가는 60일이다!"]),
        ("모두 9,120건이다.¹) 판결은 남는다.²", ["모두 9,120건이다.¹)", "판결은 남는다.²"]),
        (
            "다음 일은 의결을 거친다. 1. 2천만원을 넘는 계약 2. 차입 3. 5억원 이상의 신설",
            ["다음 일은 의결을 거친다.", "1. 2천만원을 넘는 계약", "2. 차입", "3. 5억원 이상의 신설"],
        ),
        ("1. plans 2. loans. It is so.", ["1. plans", "2. loans.", "It is so."]),
        # A passage may begin within them.
        ("한 처치 2. 등록의 잘못 3. 투여의 잘못", ["한 처치", "2. 등록의 잘못", "3. 투여의 잘못"]),
        ("국장이 정한다: 가. 차입 나. 담보 제공", ["국장이 정한다:", "가. 차입", "나. 담보 제공"]),
        (
            "by hand 2. by post 3. by fax. It ends on 3. May.",
            ["by hand", "2. by post", "3. by fax.", "It ends on 3.", "May."],
        ),
        ("1. 기한은 2026. 2. 3.이다. 다음", ["1. 기한은 2026. 2. 3.이다.", "다음"]),
        ("신청했나요? 네, 했어요.", ["신청했나요?", "네, 했어요."]),
        ("띄어쓰기가 없다.다음 문장이다.", ["띄어쓰기가 없다.", "다음 문장이다."]),
        ('그가 "간다."라고 했다. 끝.', ['그가 "간다."라고 했다.', "끝."]),
        ('그가 "간다." 하고 말했다. "온다." 끝.', ['그가 "간다." 하고 말했다.', '"온다."', "끝."]),
        (
            "Dr. Kim of Acme Inc. left at 3.5 p.m. today. He ran.",
            ["Dr. Kim of Acme Inc. left at 3.5 p.m. today.", "He ran."],
        ),
        ("Korrin Alloys Sdn. Bhd.라고만 있다. 끝.", ["Korrin Alloys Sdn. Bhd.라고만 있다.", "끝."]),
        ("공급자는 Akoya Pte. Ltd.입니다. 끝.", ["공급자는 Akoya Pte. Ltd.입니다.", "끝."]),
        (
            "We saw Kim. Mr. Lee left. It is 50 Hz. And so on.",
            ["We saw Kim.", "Mr. Lee left.", "It is 50 Hz.", "And so on."],
        ),
        ("Lift 2 (log no. R-06), see fig. 3. Next.", ["Lift 2 (log no. R-06), see fig. 3.", "Next."]),
        ("The answer is no. We left in mar. He ran.", ["The answer is no.", "We left in mar.", "He ran."]),
        (
            "Call tel. 02-123-4567 (Ext. 4119) or ext. 4100, and tell. In use. 3 people left. Go on. 2. Stop",
            [
                "Call tel. 02-123-4567 (Ext. 4119) or ext. 4100, and tell.",
                "In use.",
                "3 people left.",
                "Go on.",
                "2. Stop",
            ],
        ),
        (
            "Call the doctor, ext. 4119.\nSee para. 4\nIt began. 2026 was good.",
            ["Call the doctor, ext. 4119.", "See para. 4", "It began.", "2026 was good."],
        ),
        (
            "나. 두 대를 산다. 12월까지. (책임 김민수)\n다. 다음 (개정 2026. 8. 1.)",
            ["나. 두 대를 산다.", "12월까지. (책임 김민수)", "다. 다음 (개정 2026. 8. 1.)"],
        ),
        (
            "It is paid. (as of 1 May, amended 2026. 8. 1.)\nHe ran. (He was late.) (A) Next. (see",
            ["It is paid. (as of 1 May, amended 2026. 8. 1.)", "He ran.", "(He was late.)", "(A) Next.", "(see"],
        ),
        (
            "It stays above -60 C. Trips take 8 h. We wait, at 5 °C. A van does 90 km/h. Stop.",
            ["It stays above -60 C.", "Trips take 8 h.", "We wait, at 5 °C.", "A van does 90 km/h.", "Stop."],
        ),
        ("영하 60 C. 무게는 3 g. 길이는 5 m. 끝", ["영하 60 C.", "무게는 3 g.", "길이는 5 m.", "끝"]),
        *((each, [each]) for each in ("12 J. Smith, see Vol. 3 M. Park, Table 2 B. Kim", "left at 5 p. m. sharp")),
        ("근거는 '4. 할 일' 표이다. 끝.", ["근거는 '4. 할 일' 표이다.", "끝."]),
        ("2024. 3. 15. 시행한다. 끝.", ["2024. 3. 15. 시행한다.", "끝."]),
        (
            "개정 후(2026.8.1. 시행)는 2026. 8. 1. ~ 9. 1. 이다. 끝.",
            ["개정 후(2026.8.1. 시행)는 2026. 8. 1. ~ 9. 1. 이다.", "끝."],
        ),
        ("시행 2026. 8. 1.\n본문(개정 2026. 8. 1.) 끝.", ["시행 2026. 8. 1.", "본문(개정 2026. 8. 1.)", "끝."]),
        ("Dated 2026. 8. 1. The rate is 2.5. It holds.", ["Dated 2026. 8. 1.", "The rate is 2.5.", "It holds."]),
        ("1. 첫째 항목\n2. 둘째 항목", ["1. 첫째 항목", "2. 둘째 항목"]),
        ("- Item 2. More staff\n- 항목 3. 보류", ["- Item 2. More staff", "- 항목 3. 보류"]),
        (
            "1. **안건 1. 현장 견학**: 바꾼다.\n**4. 중복 수혜**",
            ["1. **안건 1. 현장 견학**: 바꾼다.", "**4. 중복 수혜**"],
        ),
        (
            "## 안건 2. 예산\n- 회의록: 안건 1. 견학, 안건 4. 발표",
            ["## 안건 2. 예산", "- 회의록: 안건 1. 견학, 안건 4. 발표"],
        ),
        ("정원은 20, 신청은 18. 다음 문장.", ["정원은 20, 신청은 18.", "다음 문장."]),
        ("한다. 1. 첫째\n  - (가. 둘째", ["한다.", "1. 첫째", "- (가. 둘째"]),
        ("제목\n\n본문이다.", ["제목", "본문이다."]),
        ("버전 1.2.3은 e.g. 이것이다. 끝", ["버전 1.2.3은 e.g. 이것이다.", "끝"]),
        ("정말…… 그렇다. 。", ["정말……", "그렇다.", "。"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_boundaries(text, wanted):
    assert cut(text) == wanted


def test_a_wrapped_line_goes_on():
    text = (
        "This sentence was broken by an editor at some seventy columns or so of\ntext, and it ends here. Next.\n- item"
    )
    assert cut(text) == [text[: text.index(" Next")], "Next.", "- item"]


def test_rows_of_a_table_stand_alone_however_long_they_are():
    rows = [f"구분: 국내 출장 | 직급: {each} | 항목: 숙박 | 한도: 85,000 | 비고: 1박" for each in ("임원", "부장")]
    assert cut("\n".join(rows)) == rows


def test_a_row_goes_on_behind_the_dates_and_sentences_of_its_cells():
    row = "계약: 이용 | 계약일: 2025. 10. 1. | 조건: 선불이다. 해지는 서면으로 한다. | 상태: 진행"
    text = f"{row}\n계약: 자문 | 비고: 갱신한다. 금액은 같다."
    assert [text[a:b] for a, b in sentences(text)] == [row, "계약: 자문 | 비고: 갱신한다.", "금액은 같다."]


@pytest.mark.parametrize(
    "unit", ["1. ", "1.", "가. ", ".", "!", "?.", ".)", " ", "\n", "\n 1. ", "a. ", "- ", "다.나", "。"]
)
def test_long_texts_take_linear_time(assert_linear, unit):
    assert_linear(lambda text: list(sentences(text)), lambda n: f"x{unit * (n // len(unit))}x", 60_000)


def test_a_part_of_a_text():
    text = "하나다. 둘이다. 셋이다."
    assert list(sentences(text, 5, 9)) == [(5, 9)]


@given(st.text(st.sampled_from("가다요. \n.!?\"')1a-#|。…A,제조"), max_size=80))
def test_nothing_is_lost_but_blanks(text):
    spans = list(sentences(text))
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))
    assert all(not text[a].isspace() and not text[b - 1].isspace() for a, b in spans)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
