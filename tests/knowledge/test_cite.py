"""Citations of an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.knowledge.cite import cite, foreign
from dure.knowledge.sentences import sentences
from dure.models.embeddings import SentenceEncoder
from dure.sources import Passage

RULES = (
    "제12조 (연차휴가)\n1년 이상 일한 직원에게는 15일의 연차휴가를 부여한다. 3년 이상 근속하면 2년마다 1일을 더한다.\n"
    "제13조 (신청)\n연차휴가는 사용일 3일 전까지 신청한다."
)
MEALS = "점심 식대로 매월 20만 원을 지원합니다. 건강검진은 해마다 한 번 받습니다."
DOCUMENT = "앞에 있는 글. " + RULES
PASSAGES = [
    Passage("rules", "인사규정", 3, 9, 9 + len(RULES), RULES),
    Passage("meals", "안내", None, 0, len(MEALS), MEALS),
]
LEAVE = "1년 이상 일한 직원에게는 15일의 연차휴가를 부여한다."
APPLY = "연차휴가는 사용일 3일 전까지 신청한다."
MEAL = "점심 식대로 매월 20만 원을 지원합니다."


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder()


def quotes(answer: str) -> tuple[str, list[str]]:
    text, citations, _ = cite(answer, PASSAGES)
    assert [c.marker for c in citations] == list(range(1, len(citations) + 1))
    return text, [c.quote for c in citations]


def test_markers_point_at_the_sentence_that_supports():
    answer = "1년이 넘으면 연차 15일을 받습니다. [1] 신청은 사용일 3일 전까지 합니다[1]. 식대는 월 20만 원입니다 [2]."
    text, found = quotes(answer)
    assert found == [LEAVE, APPLY, MEAL]
    assert text == (
        "1년이 넘으면 연차 15일을 받습니다. [1] 신청은 사용일 3일 전까지 합니다[2]. 식대는 월 20만 원입니다 [3]."
    )


def test_a_title_in_the_passages_language_makes_no_answer_of_it() -> None:
    (korean,) = [Passage("d", "매출", 1, 0, 16, "순이익은 추정식으로 구하였다.")]
    assert foreign("- **배달 플랫폼 수수료와 소상공인 매출: 이중차분 분석**\n\nNet profit was estimated [1].", [korean])
    assert not foreign("- **배달 플랫폼 수수료**\n\n순이익은 추정했습니다 [1].", [korean])


def test_a_quote_stands_in_the_document():
    _, citations, _ = cite("연차는 15일입니다 [1]", PASSAGES)
    [citation] = citations
    assert DOCUMENT[citation.start : citation.end] == citation.quote == LEAVE
    assert (citation.document_id, citation.title, citation.page) == ("rules", "인사규정", 3)


def test_the_same_quote_keeps_its_number():
    text, found = quotes("연차는 15일이다 [1]. 연차휴가 15일을 부여한다 [1].")
    assert text == "연차는 15일이다 [1]. 연차휴가 15일을 부여한다 [1]."
    assert found == [LEAVE]


def test_unknown_markers_go():
    assert quotes("식대는 월 20만 원입니다 [2][7][0].") == ("식대는 월 20만 원입니다 [1].", [MEAL])
    assert quotes("모르겠습니다 [9].") == ("모르겠습니다.", [])


@pytest.mark.parametrize("found", [[], PASSAGES])
def test_a_marker_of_nothing_goes(found: list[Passage]) -> None:
    assert cite("연차는 없습니다 [0].", found, told=["연차"])[:2] == ("연차는 없습니다.", [])


def test_unknown_markers_go_where_citations_stand():
    assert quotes("모르겠습니다. [9] 다시 물어보세요.\n하늘이 푸르네요 [8]\n") == (
        "모르겠습니다. 다시 물어보세요.\n하늘이 푸르네요\n",
        [],
    )


@pytest.mark.parametrize(
    "answer",
    [
        "출력은 [0, 1] 구간에 있다. 가중치는 [1, 2, 3]이다.",
        "구간 [1, 2] 안에서 범위는 [1, 2] 사이다. 벡터 [1, 2]를 쓴다.",
        "x = [2] 이고 a ∈ [1, 2] 이며 y=[1,2]",
        "The weights are [1, 2]. Values lie in [1, 10] or in the range [1, 2].",
        "$x \\in [1, 2]$, [5]를 더하면 [7, 9]가 된다. [2-1]",
        "| 가중치 | [0, 1, 2] |",
    ],
)
@pytest.mark.parametrize("passages", [[], PASSAGES])
def test_intervals_and_vectors_stay(answer, passages):
    assert cite(answer, passages) == (answer, [], [])


def test_an_interval_and_a_marker():
    text, found = quotes("식대는 [0, 1] 가운데 월 20만 원입니다 [2]. 문서 [1, 2]에 따르면 연차는 15일이다.")
    assert text == "식대는 [0, 1] 가운데 월 20만 원입니다 [1]. 문서 [2]에 따르면 연차는 15일이다."
    assert found == [MEAL, LEAVE]


@pytest.mark.parametrize("kind", ["구간", "신청 범위", "list", "range"])
def test_one_number_behind_what_holds_values_is_a_marker(kind: str) -> None:
    said = f"1년 이상 일한 직원의 연차휴가 15일 {kind} "
    assert quotes(f"{said}[1].") == (f"{said}[1].", [LEAVE])
    assert quotes(f"{said}[1][2]") == (f"{said}[1]", [LEAVE])
    assert quotes(f"값이 나온 {kind} [7]") == (f"값이 나온 {kind} [7]", [])


@pytest.mark.parametrize(
    "unit",
    [" ", "\t", "[", "[1", "[1] ", "[1, ", " [3]", "가 [1]. ", "가. ", "`a` ", "``` ", "`a[1]` 가. ", "[1]\n", "=  "],
)
def test_long_answers_take_linear_time(assert_linear, unit):
    assert_linear(lambda answer: cite(answer, PASSAGES), lambda n: unit * (n // len(unit)) + "x", 25_000)


def test_a_marker_without_any_common_word_goes():
    assert quotes("하늘이 푸르네요 [2].") == ("하늘이 푸르네요.", [])


def test_forms_of_markers():
    text, found = quotes("연차는 15일이고 식대는 20만 원이다 [1, 2].")
    assert (text, found) == ("연차는 15일이고 식대는 20만 원이다 [1][2].", [LEAVE, MEAL])
    assert quotes("연차는 15일, 식대는 20만 원 【1-2】")[1] == [LEAVE, MEAL]


def test_one_marker_at_the_end_of_several_sentences():
    assert quotes("연차휴가는 15일입니다. 자세한 것은 문의하세요. [1]")[1] == [LEAVE]


def test_sentences_without_markers_are_attributed_where_they_say_the_same():
    text, found = quotes("1년 이상 일한 직원은 15일의 연차휴가를 받는다. 오늘은 날씨가 좋다.")
    assert (text, found) == ("1년 이상 일한 직원은 15일의 연차휴가를 받는다. [1] 오늘은 날씨가 좋다.", [LEAVE])


def test_another_number_is_no_support():
    assert quotes("1년 이상 일한 직원은 17일의 연차휴가를 받는다.")[1] == []


ROWS = "직급: 부장 | 숙박: 115,000 | 식비: 35,500\n직급: 과장 | 숙박: 95,000 | 식비: 31,000"
MODELS = "DH-120의 소음은 57 dB이고 무게는 58 kg이다. DH-240의 소음은 62 dB이고 무게는 96 kg이다."
SMALL = "DH-120의 무게는 가볍다."
TABLES = [
    Passage("rows", "여비", 1, 0, len(ROWS), ROWS),
    Passage("models", "제습기", 1, 0, len(MODELS), MODELS),
    Passage("small", "안내", 1, 0, len(SMALL), SMALL),
]


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("숙박 한도는 부장이 아니면 직급에 따라 95,000원입니다 [1].", ROWS.split("\n")[1]),
        ("무게는 96 kg, 소음은 62 dB입니다 [2].", MODELS[MODELS.index("DH-240") :]),
        ("DH-240의 무게는 96 kg입니다 [3].", MODELS[MODELS.index("DH-240") :]),
    ],
    ids=["a row", "a sentence", "of the passage that has it"],
)
def test_the_quote_holds_all_figures_and_names(said, quote):
    _, [citation], checks = cite(said, TABLES)
    assert (citation.quote, checks) == (quote, [])


def test_a_sentence_in_other_words_gets_the_source_that_holds_its_figures():
    said = "직원이 회사에 다닌 지 1년 넘으면 연차휴가가 15일 생깁니다."
    assert quotes(said) == (f"{said} [1]", [LEAVE])
    assert quotes(said.replace("15", "16")) == (said.replace("15", "16"), [])
    assert cite(said.replace("15", "16"), PASSAGES).checks == [
        {"sentence": said.replace("15", "16"), "missing": ["16"]},
    ]


def test_what_no_one_sentence_holds_is_told():
    _, [citation], checks = cite("DH-120의 무게는 96 kg입니다 [2].", TABLES)
    assert citation.quote.startswith("DH-")
    [check] = checks
    assert check["sentence"] == "DH-120의 무게는 96 kg입니다."
    assert check["missing"] in (["96"], ["DH-120"])
    assert cite("30일이면 DH-240의 무게는 96 kg입니다 [2].", TABLES, "30일이면?").checks == []


def test_another_language():
    text, found = quotes("You get 15 days of leave. [1] Lunch is paid. [2]")
    assert text == "You get 15 days of leave. [1] Lunch is paid. [2]"
    assert found == [LEAVE, MEAL]


def test_headings_are_not_quoted_for_what_stands_under_them():
    assert quotes("신청은 미리 합니다 [1].")[1] == [APPLY]


def test_code_and_links_stay():
    answer = "`a[1]`과 [1](http://x)\n```\nb[2] = 1\n```\nx[1]"
    assert quotes(answer) == (answer, [])


def test_items_of_a_list():
    text, found = quotes("1. 연차는 15일 [1]\n2. 신청은 3일 전까지 [1]")
    assert (text, found) == ("1. 연차는 15일 [1]\n2. 신청은 3일 전까지 [2]", [LEAVE, APPLY])


def test_a_table_stays_a_table():
    head = "| 1년 이상 일한 직원에게는 | 15일의 연차휴가를 부여한다 |\n|---|:--:|"
    table = f"{head}\n| 1년 이상 일한 직원에게는 | 15일의 연차휴가를 부여한다 |\n| 점심 | 저녁 [2] |"
    text, found = quotes(f"{table}\n")
    assert found == [LEAVE, MEAL]
    assert text == f"{head}\n| 1년 이상 일한 직원에게는 | 15일의 연차휴가를 부여한다 [1] |\n| 점심 | 저녁 [2] |\n"


def test_no_passages():
    assert cite("글 [1].", []) == ("글.", [], [])
    assert cite("", PASSAGES) == ("", [], [])


PIECES = st.sampled_from(
    [LEAVE, MEAL, "[1]", "[2]", "[3]", " ", "\n", "[1, 2]", "`[1]`", "연차", "15", "- ", ". ", "【2】"]
)


@given(st.lists(PIECES, max_size=12))
def test_quotes_are_whole_sentences_verbatim(pieces):
    text, citations, _ = cite("".join(pieces), PASSAGES)
    texts = {p.document_id: (p.start, p.text) for p in PASSAGES}
    for citation in citations:
        offset, passage = texts[citation.document_id]
        assert passage[citation.start - offset : citation.end - offset] == citation.quote
        assert (citation.start - offset, citation.end - offset) in list(sentences(passage))
        assert f"[{citation.marker}]" in text
    # There is no third passage: where it does not stand as citations do, it is somebody's own number.
    assert not any(f"[{n}]" in text.replace("`[1]`", "") for n in range(len(citations) + 1, 9) if n != 3)


def test_the_number_of_a_page_is_no_figure_of_its_sentences() -> None:
    text = "조부모가 사망하면 경조휴가를 부여한다."
    checks = cite(
        "조부모가 사망하면 3일의 경조휴가를 부여한다 [1].", [Passage("d", "규정", 3, 0, len(text), text)]
    ).checks
    assert [each["missing"] for each in checks] == [["3"]]


def test_what_stands_without_a_source_beside_what_has_one_is_general_knowledge() -> None:
    text = "연차휴가는 1년에 15일이다."
    said = (
        "## 휴가 안내 말씀 드립니다 여기\n연차휴가는 1년에 15일이다 [1]. "
        "충분한 휴식은 대체로 업무 집중력을 높여 준다고 알려져 있습니다."
    )
    found = [Passage("d", "규정", None, 0, len(text), text)]
    assert cite(said, found).checks == [
        {"sentence": "충분한 휴식은 대체로 업무 집중력을 높여 준다고 알려져 있습니다.", "missing": []}
    ]
    # Where nothing is cited nothing was answered from the passages: they may simply not fit.
    assert cite("문서에서 재택근무에 관한 내용을 찾지 못했습니다.", found).checks == []


def test_what_is_said_of_an_answer_states_nothing() -> None:
    """No source is asked of it; its markers lead to the passages themselves."""
    rule = "연차휴가는 1년에 15일이다."
    found = [Passage("d", "2026년 규정", 2, 0, len(rule), rule)]
    own = [
        "질문의 답인지는 확인하지 못했습니다. 문서에서 가장 가까운 내용입니다.",
        "가장 가까운 곳: 2026년 규정, p.2 [1]",
    ]
    text, citations, checks = cite(f"{own[0]}\n\n- {rule} [1]", found, own=own)
    assert (text, checks) == (f"{own[0]}\n\n- {rule} [1]", [])
    assert cite(f"- {rule} [1]\n\n{own[0]}", found).checks
    assert cite(own[1], found, own=own) == (own[1], citations, None)
    # What stands beside it does state something.
    wrong = "병가는 1년에 60일입니다."
    assert cite(f"{wrong} {own[1]}", found, own=own).checks == [{"sentence": wrong, "missing": ["60"]}]


TOWNS = (
    "Two cheap signals halved the error of influenza forecasts. "
    "The households on which our delay rests were followed for two winters. "
    "Our towns have between 20,000 and 90,000 inhabitants. "
    "The first winter was unusual, since schools were closed for weeks. "
    "Forecasts were made each Friday."
)


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("인구 2만 명 이상의 도시만 살펴보았다 [1].", "Our towns have between 20,000 and 90,000 inhabitants."),
        ("첫 겨울은 학교가 닫혀 있어 예외적이었다 [1].", "The first winter was unusual, since schools were closed"),
        ("예측은 금요일마다 했다 [1].", "Forecasts were made each Friday."),
    ],
)
def test_a_statement_in_another_language_leads_to_the_sentence_that_means_it(encoder, said, quote) -> None:
    cited = cite(said, [Passage("d", "Flu", 2, 0, len(TOWNS), TOWNS)], encode=encoder.encode)
    assert ([each.quote[: len(quote)] for each in cited.citations], cited.checks) == ([quote], [])


def test_figures_stand_in_a_sentence_of_another_language_or_are_wanting(encoder) -> None:
    found = [Passage("d", "Flu", 2, 0, len(TOWNS), TOWNS)]
    cited = cite("인구 3만 명 이상의 도시만 살펴보았다 [1].", found, encode=encoder.encode)
    assert [each.quote[:9] for each in cited.citations] == ["Our towns"]
    assert cited.checks is not None
    assert [each["missing"] for each in cited.checks] == [["3만"]]


def test_a_korean_rule_is_told_in_english(encoder) -> None:
    cited = cite("Apply for leave before you use it [1].", PASSAGES, encode=encoder.encode)
    assert [each.quote for each in cited.citations] == [APPLY]


def test_a_marker_of_another_language_without_the_figures_gives_way(encoder) -> None:
    rule, policy = "해외 출장의 일비는 60달러에서 90달러까지로 한다.", "Chairs are paid for up to 250,000 won."
    found = [Passage("a", "여비규정", 1, 0, len(rule), rule), Passage("b", "Policy", 1, 0, len(policy), policy)]
    cited = cite("해외 출장의 일비는 60~90달러이다 [2].", found, encode=encoder.encode)
    assert ([each.quote for each in cited.citations], cited.checks) == ([rule], [])


SHARED = (
    "제4조 (이월)\n연차는 다음 해 3월까지 쓸 수 있다.\n하계휴가는 5일로 하며 이월하지 않는다.\n"
    "유급 병가는 1년에 20일까지 쓸 수 있다."
)
OTHER = "개정 전 규정에서 하계휴가는 4일이었다. 병가는 45일이었다. 출발일: 2월 3일 | 적용할 규정: 종전 규정"
BOTH = [
    Passage("new", "휴가규정", 1, 0, len(SHARED), SHARED),
    Passage("old", "종전 규정", 1, 0, len(OTHER), OTHER),
]


def test_each_part_of_a_sentence_leads_to_what_its_marker_stands_behind() -> None:
    said = (
        "연차는 3월까지 쓸 수 있고[1], 하계휴가는 5일[1], 유급 병가는 20일까지[1]이며 개정 전 하계휴가는 4일[2]이었다."
    )
    text, citations, checks = cite(said, BOTH)
    assert [each.quote for each in citations] == [
        "연차는 다음 해 3월까지 쓸 수 있다.",
        "하계휴가는 5일로 하며 이월하지 않는다.",
        "유급 병가는 1년에 20일까지 쓸 수 있다.",
        "개정 전 규정에서 하계휴가는 4일이었다.",
    ]
    assert (text.count("[1]"), text.count("[4]"), checks) == (1, 1, [])


def test_a_part_whose_figure_its_source_has_not_is_told() -> None:
    checks = cite("하계휴가는 6일로 하며[1], 유급 병가는 20일까지 쓸 수 있다[1].", BOTH).checks
    assert checks is not None
    assert [each["missing"] for each in checks] == [["6"]]


BUDGET = "경조금은 다음 표에 따른다. (단위: 만 원)\n대상 | 금액 | 휴가(일)\n대상: 조부모 | 금액: 20 | 휴가(일): 2"
SALES = "부문: 교육 | 매출: 2,075 | 이익: △83"


@pytest.mark.parametrize(
    ("said", "wanting"),
    [
        ("조부모상에는 20만 원과 휴가 2일을 준다 [1].", []),
        ("교육 부문은 8,300만 원의 손실을 냈고 매출은 2,075백만 원이다 [2].", []),
        ("교육 부문은 83억 원의 손실을 냈다 [2].", ["83억"]),
    ],
)
def test_sums_are_held_against_a_table_in_its_unit(said, wanting) -> None:
    found = [
        Passage("a", "경조금", 1, 0, len(BUDGET), BUDGET),
        Passage("b", "실적", 1, 0, len(SALES), SALES, context="매출 › (단위: 백만 원)"),
    ]
    checks = cite(said, found).checks
    assert checks is not None
    assert [name for each in checks for name in each["missing"]] == wanting


def test_each_cell_of_a_row_has_its_own_source() -> None:
    said = "| 휴가 | 지금 | 전 |\n|---|---|---|\n| 하계휴가 | 5일 [1] | 4일 [2] |"
    cited = cite(said, BOTH)
    assert [each.document_id for each in cited.citations] == ["new", "old"]
    assert cited.checks == []


def test_a_marker_is_kept_where_another_passage_only_has_the_figures() -> None:
    text, citations, _ = cite("유급 병가는 별표 2와 3에 따라 쓸 수 있다 [1].", BOTH)
    assert [each.document_id for each in citations] == ["new"]
    assert text.endswith("[1].")


def test_a_source_is_named_once_at_one_place() -> None:
    text, citations, _ = cite("하계휴가는 5일이다 [1][1] [1].", BOTH)
    assert (text, len(citations)) == ("하계휴가는 5일이다 [1].", 1)


def test_a_line_in_bold_is_a_heading() -> None:
    said = "**하계휴가의 일수와 이월에 대하여**\n\n- 하계휴가는 5일이다 [1]."
    assert cite(said, BOTH).checks == []


@pytest.mark.parametrize("hours", ["08:30~18:30", "08:30 ~ 18:30"])
def test_hours_of_a_rule_are_told_as_they_stand(hours) -> None:
    text = "상담 시간은 평일 08:30~18:30이다."
    cited = cite(f"평일 상담 시간은 {hours}입니다 [1].", [Passage("d", "안내", None, 0, len(text), text)])
    assert cited.checks == []


def test_what_two_cited_figures_differ_by_is_no_figure_without_a_source() -> None:
    said = "하계휴가는 4일이었으나[2] 지금은 5일로 하며[1], 1일이 늘었다."
    assert cite(said, BOTH).checks == []
    assert cite(said.replace("1일", "2일"), BOTH).checks == [
        {"sentence": "하계휴가는 4일이었으나 지금은 5일로 하며, 2일이 늘었다.", "missing": ["2"]}
    ]


SNIPPET, LIST = (
    "한빛은 2025년 매출이 5,605억 원으로 늘었다.",
    "청주 공장은 12.5GWh에서 20GWh로 늘어난다. 준공은 2027년 6월이다.",
)
ROWS = (
    "분기별 매출(억 원)\n분기: 1분기 | 2024년: 1,210 | 2025년: 1,340\n분기: 2분기 | 2024년: 1,305 | 2025년: 1,298\n"
    "분기: 합계 | 2024년: 5,305 | 2025년: 5,605"
)
WEB = [
    Passage("s", "한빛 실적", None, 0, len(SNIPPET), SNIPPET, url="https://a.kr/q"),
    Passage("w", "한빛 매출", None, 0, len(ROWS), ROWS, url="https://a.kr/q"),
    Passage("v", "청주 공장", None, 0, len(LIST), LIST, url="https://a.kr/e"),
]


@pytest.mark.parametrize(
    ("said", "wanting"),
    [
        ("1분기 매출은 1,340억 원, 2분기 매출은 1,298억 원이었다 [2].", []),
        ("1분기 매출은 1,298억 원, 2분기 매출은 1,340억 원이었다 [2].", ["1,298억"]),
        ("생산 능력은 12.5GWh에서 20GWh로 늘고 준공은 2027년 6월이다 [3].", []),
        ("생산 능력은 12.5GWh에서 20GWh로 늘고 준공은 2028년 6월이다 [3].", ["2028년 6월"]),
        ("한빛의 2025년 매출은 5,605억 원이고, 1분기 매출은 1,340억 원이었다 [1][2].", []),
    ],
)
def test_each_part_of_a_sentence_may_have_a_row_of_its_own(said, wanting) -> None:
    cited = cite(said, WEB)
    assert cited.checks is not None
    missing = [name for each in cited.checks for name in each["missing"]]
    assert set(wanting) <= set(missing)
    assert bool(wanting) == bool(missing)


def test_of_a_sentence_with_parts_only_what_is_wrong_is_told() -> None:
    cited = cite("Sales were 1,340 in 1분기, 1,298 in 2분기 and 5,999 in 합계 [2].", WEB)
    assert [each["missing"] for each in cited.checks or []] == [["5,999"]]


def test_a_marker_of_a_search_result_stands_for_the_page_too() -> None:
    said = "합계로 본 2025년 매출은 5,605억 원으로 2024년 5,305억 원보다 5.7% 늘었다 [1]."
    cited = cite(said, WEB)
    assert ([each.document_id for each in cited.citations], cited.checks) == (["w"], [])


@pytest.mark.parametrize(("figure", "wanting"), [("7.35%", []), ("7.4%", []), ("0.0735", []), ("7.5%", ["7.5"])])
def test_what_a_calculation_gave_may_be_told_rounded(figure, wanting) -> None:
    asked = "영업이익률은?\n412 / 5605 = 0.0735057983942908"
    checks = cite(f"영업이익률은 {figure}입니다.", WEB, asked).checks
    assert checks is not None
    assert [name for each in checks for name in each["missing"]] == wanting


def test_a_figure_behind_a_marker_of_what_has_nothing_to_do_with_it_is_wanting() -> None:
    text, citations, checks = cite("직원은 3,400명입니다 [1].", WEB)
    assert (text, citations) == ("직원은 3,400명입니다.", [])
    assert checks == [{"sentence": "직원은 3,400명입니다.", "missing": ["3,400"]}]


def test_of_rows_in_another_language_the_one_that_was_asked_about_is_cited(encoder) -> None:
    rows = "\n".join(
        f"Code: {code} | Meaning: {meaning} | First check: {check}"
        for code, meaning, check in [
            ("E6", "High pressure", "Fan capacitor"),
            ("E7", "Low pressure", "Leak at flare joint"),
            ("E8", "Communication", "Terminator on last unit"),
        ]
    )
    found = [Passage("d", "Manual", 2, 0, len(rows), rows)]
    said = "설명서에 따르면 기술자가 먼저 점검할 것이 있습니다 [1]."
    for code in ("E6", "E7", "E8"):
        (cited,) = cite(said, found, f"{code}가 뜨면 어떻게 해?", encode=encoder.encode).citations
        assert cited.quote.startswith(f"Code: {code}")


@pytest.mark.parametrize("markers", ["[1][2]", "[1, 2]"])
def test_markers_side_by_side_are_one(encoder, markers) -> None:
    """What one of two passages holds whole is not looked for in parts in the other."""
    rule = "출장에서 돌아오는 열차가 23시 이후에 도착하면 집까지의 택시비를 40,000원까지 실비로 지급한다."
    rows = "조항: 심야 도착 | 한도: 40,000원\n출장에서 돌아오는 열차와 항공편의 좌석은 종전 규정대로 한다."
    found = [Passage("a", "여비규정", 1, 0, len(rule), rule), Passage("b", "비교표", 1, 0, len(rows), rows)]
    said = (
        "If your train (or flight) back from a business trip arrives at or after 23:00, "
        "the company pays the actual taxi fare home up to KRW 40,000"
    )
    cited = cite(f"{said} {markers}.", found, encode=encoder.encode)
    assert [each.quote for each in cited.citations] == [rule]
    assert cited.checks == []


def test_a_passage_in_the_statements_language_takes_no_marker_for_its_figures_alone(encoder) -> None:
    quote = "Prices are in EUR per piece and stay valid until further notice."
    rule = "조문: 이월 사용 기한 | 현행: 다음 해 6월 30일 | 개정: 2026년 9월 1일부터 유효"
    found = [Passage("a", "Quotation", 1, 0, len(quote), quote), Passage("b", "휴가규정", 1, 0, len(rule), rule)]
    cited = cite("가격은 유로/개이고 2026년 9월 1일 주문부터 유효 [1].", found, encode=encoder.encode)
    assert [each.quote for each in cited.citations] == [quote]
