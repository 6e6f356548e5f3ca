"""What of an answer counts as stated, and what each statement is held against."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.sources import Passage

SUPPLY = passage(
    "# 공급 계약서\n\n## 제8조 (지체상금)\n지체일수 1일마다 대금의 0.1%를 지급한다. 총액은 대금의 10%를 넘지 못한다.",
    "supply",
)
MAIL = passage("밸브 400개(단가 18,500원)가 7일 지체되었습니다.", "mail")
ABROAD = passage(
    "Employees may work from another country for up to 20 working days per calendar year. "
    "Requests must be filed with Global HR at least 30 days in advance.",
    "abroad",
)
BEFORE = passage("구분: 정규직 | 통신비: 월 30,000원\n구분: 계약직 | 통신비: 월 20,000원", "before")
NOW = passage("구분: 정규직 | 통신비: 월 40,000원\n구분: 계약직 | 통신비: 월 40,000원", "now")


def wanting(answer: str, *found: Passage, asked: str = "") -> list[list[str]]:
    return [each["missing"] for each in cite(answer, found, asked).checks or []]


def test_a_statement_may_name_the_heading_that_its_source_stands_under() -> None:
    assert wanting("제8조의 지체상금은 1일마다 0.1%이다 [1].", SUPPLY) == []
    assert wanting("제9조의 지체상금은 1일마다 0.1%이다 [1].", SUPPLY) == [["제9조"]]


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("협정 제4조에 따라 초안은 제출 30일 전에 보냅니다 [1].", []),
        ("협정 제3조에 따라 쓰지 않은 20%는 넘깁니다 [1].", []),
        ("Section 4 asks for a draft at least 30 days before submission [1].", []),
        ("협정 제5조에 따라 초안은 제출 30일 전에 보냅니다 [1].", [["제5조"]]),
        ("협정 제4조에 따라 초안은 제출 40일 전에 보냅니다 [1].", [["40"]]),
    ],
)
def test_a_numbered_heading_is_an_article_by_another_name(said: str, missing: list[list[str]]) -> None:
    text = (
        "Unspent money is carried over, up to 20%.\n4. Publications\nA draft is to be sent at least 30 days before "
        "submission.\n5. Data\nRaw data are kept for at least 10 years."
    )
    agreement = Passage("agreement", "agreement", None, 0, len(text), text, context="Agreement › 3. Funding")
    assert wanting(said, agreement) == missing


def test_the_lines_that_a_document_opens_with_are_of_all_of_it() -> None:
    rules = passage(
        "실험실 안전관리 규칙\n시행 2026년 3월 1일\n제1조 (목적)\n이 규칙은 안전을 목적으로 한다.\n"
        "제2조 (안전교육)\n실험실을 쓰는 사람은 안전교육을 받아야 한다.",
        "규칙",
    )
    said = "근거는 실험실 안전관리 규칙(2026년 3월 {}일 시행) 제{}조(안전교육)입니다 [1]."
    (cited,) = cite(said.format(1, 2), [rules]).citations
    assert cited.quote.startswith("실험실을 쓰는")
    assert wanting(said.format(1, 2), rules) == []
    assert wanting(said.format(28, 2), rules) == [["2026년 3월 28일"]]
    assert wanting(said.format(1, 3), rules) == [["제3조"]]


@pytest.mark.parametrize(
    "marker", ["(출처 1)", "(출처: 1)", "[출처 1]", "(source 1)", "[Source: 1]", "【출처 1】", "【1†source】"]
)
def test_markers_with_their_name(marker) -> None:
    text, citations, checks = cite(f"밸브 400개가 7일 지체되었습니다 {marker}.", [MAIL])
    assert text == "밸브 400개가 7일 지체되었습니다 [1]."
    assert (len(citations), checks) == (1, [])


def test_several_markers_with_one_name() -> None:
    text, citations, _ = cite("통신비는 월 30,000원에서 월 40,000원이 되었다 (출처: 1, 2).", [BEFORE, NOW])
    assert text.endswith("되었다 [1][2].")
    assert [each.document_id for each in citations] == ["before", "now"]
    # What only stands in brackets is no marker.
    assert cite("순서는 (1) 신청, (2) 승인이다.", [BEFORE, NOW]).text == "순서는 (1) 신청, (2) 승인이다."


def test_the_number_of_a_heading_in_bold_is_no_figure() -> None:
    assert wanting("**4. 통신비**\n계약직은 월 40,000원입니다 [1].\n\n**5. 교통비**", NOW) == []


def test_what_leads_to_a_table_or_a_list_is_no_statement() -> None:
    table = "| 구분 | 통신비 |\n|---|---|\n| 계약직 | 월 40,000원 [1] |"
    assert wanting(f"계약직 기준으로 정리하면 다음과 같습니다.\n\n{table}", NOW) == []
    assert wanting("계약직 기준으로 정리하면 다음과 같습니다.\n- 통신비는 월 40,000원이다 [1].", NOW) == []
    # With a figure of its own it is one.
    assert wanting(f"통신비는 월 70,000원으로 올랐습니다.\n\n{table}", NOW) == [["70,000"]]


LETTER = "제목: 통신비 안내\n\n안녕하십니까, 총무팀입니다.\n\n통신비는 월 40,000원입니다 [1].\n\n{}\n\n총무팀 드림"
MAIL_TO = "Dear colleagues of the team,\n\nThe allowance is 40,000 won [1].\n\n{}\n\nPlease ask."
REPORT = "통신비는 월 40,000원입니다 [1].\n\n{}\n\n총무팀에 물어보십시오"


@pytest.mark.parametrize("text", [LETTER, f"메일을 썼습니다.\n\n---\n{LETTER}", MAIL_TO])
@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("불편이 없도록 서둘러 신청해 주시기 바랍니다.", []),
        ("We would like to thank all of you for the help.", []),
        ("통신비는 월 70,000원으로 오릅니다.", [["70,000"]]),
        ("통신비는 월 70,000원으로 오릅니다 [1].", [["70,000"]]),
    ],
)
def test_in_a_letter_only_figures_are_checked(text: str, line: str, missing: list[list[str]]) -> None:
    assert [each for each in wanting(text.format(line), NOW) if each] == missing
    assert wanting(text.format(line).partition("---\n")[2] or text.format(line), NOW) == missing


@pytest.mark.parametrize("before", ["", "메일을 썼습니다.\n\n", "---\n\n"])
def test_what_a_letter_is_about_gets_no_marker(before: str) -> None:
    letter = f"{before}{LETTER.format('서둘러 신청해 주십시오.')}"
    title = "제목: 계약직의 통신비 월 40,000원"
    text, _, checks = cite(letter.replace("제목: 통신비 안내", title), [NOW])
    assert f"{title}\n" in text
    assert title not in [each["sentence"] for each in checks or []]
    assert ["70,000"] in wanting(letter.replace("통신비 안내", "통신비 월 70,000원"), NOW)
    # In no letter such a line may be a fact.
    assert f"{title} [1]" in cite(f"{title}\n\n통신비는 월 40,000원입니다 [1].", [NOW]).text


@pytest.mark.parametrize("addressed", ["총무팀 담당자님께,", "Dear colleagues,"])
@pytest.mark.parametrize("end", ["감사합니다.", "Kind regards,\nMiru Logistics Co., Ltd."])
@pytest.mark.parametrize("before", ["", "초안입니다.\n\n"])
def test_what_stands_over_a_salutation_gets_no_marker(addressed: str, end: str, before: str) -> None:
    title = "제목: 계약직의 통신비 월 40,000원"
    letter = f"{before}{title}\n\n{addressed}\n\n통신비는 월 40,000원입니다.\n\n{end}"
    assert cite(letter, [NOW]).text == letter
    assert ["70,000"] in wanting(letter.replace("월 40,000원\n", "월 70,000원\n"), NOW)


@pytest.mark.parametrize(
    "text",
    [
        REPORT,
        f"# 통신비\n\n{REPORT}",
        "통신비는 월 40,000원입니다 [1]. {}",
        "# 통신비\n\n통신비는 월 40,000원입니다 [1].\n\n{}\n\n출처: 재택근무 지침",
        # What stands before a letter or below it is no part of it.
        f"통신비는 월 40,000원입니다 [1].\n\n{{}}\n\n---\n{LETTER.format('통신비를 씁니다.')}",
        f"{LETTER.format('통신비를 씁니다.')}\n\n---\n{{}}",
    ],
)
@pytest.mark.parametrize("line", ["전액 환불됩니다.", "팀장님, 주차는 무료입니다.", "- Parking for tenants is free,"])
def test_outside_of_letters_what_has_no_source_is_told(text: str, line: str) -> None:
    said = [each["sentence"] for each in cite(text.format(line), [NOW]).checks or []]
    assert line in said


@pytest.mark.parametrize(
    "line",
    ["차를 미리 예약해 주십시오.", "먼저 관리실에 묻는 것이 좋습니다.", "- Please reserve your parking lot first."],
)
def test_a_request_or_advice_states_nothing(line: str) -> None:
    said = f"통신비는 월 40,000원입니다 [1]. {line}"
    assert cite(said, [NOW]).checks == []
    # Its figures are held against what was found.
    assert wanting(said.replace("먼저", "7만원을 먼저"), NOW) == [["7만"]] * ("먼저" in line)


def test_a_sentence_of_two_facts_leads_to_the_sentences_that_hold_them() -> None:
    said = "You may work from another country for up to 20 working days, if you file a request 30 days in advance [1]."
    text, citations, checks = cite(said, [ABROAD])
    assert [each.quote.split()[0] for each in citations] == ["Employees", "Requests"]
    assert (text[-8:], checks) == (" [1][2].", [])
    assert wanting(said.replace("30 days", "45 days"), ABROAD) == [["45"]]


def test_of_rows_with_the_same_figure_the_one_that_was_asked_about_is_cited() -> None:
    said = "| 항목 | 금액 |\n|---|---|\n| 통신비 | 월 40,000원 [1] |"
    (cited,) = cite(said, [NOW], "계약직 통신비는 지금 얼마야?").citations
    assert cited.quote == "구분: 계약직 | 통신비: 월 40,000원"


def test_a_difference_with_its_sign_may_be_as_large_as_what_was() -> None:
    row = "| 통신비 | 월 20,000원 [1] | 월 40,000원 [2] | {} |"
    assert wanting(row.format("+20,000원"), BEFORE, NOW) == []
    assert wanting(row.format("+30,000원"), BEFORE, NOW) == [["30,000"]]


def test_sums_that_are_written_out_are_held_against_their_result() -> None:
    said = (
        "- 지체 물품 대금: 400개 × 18,500원 = {} [2]\n"
        "- 지체상금: 7,400,000원 × 0.1% × 7일 = **{}** [1]\n"
        "- 상한은 7,400,000원 × 10% = 740,000원입니다 [1]."
    )
    assert wanting(said.format("7,400,000원", "51,800원"), SUPPLY, MAIL) == []
    assert wanting(said.format("7,400,000원", "58,100원"), SUPPLY, MAIL) == [["58,100"]]
    # A result that is wrong is no figure to go on with.
    assert ["7,500,000"] in wanting(said.format("7,500,000원", "51,800원"), SUPPLY, MAIL)


def test_a_digit_that_is_near_a_ratio_is_not_worked_out() -> None:
    """9 is 1.5 times 6, which is not 2."""
    room = passage("이용 시간은 오전 9시부터 오후 6시까지이다. 취소는 2시간 전까지 한다.", "room")
    said = "회의실 이용은 오전 9시부터 오후 6시까지이고 취소는 {}시간 전까지 합니다 [1]."
    _, citations, checks = cite(said.format(2), [room])
    assert ([each.quote[:2] for each in citations], checks) == (["이용", "취소"], [])
    assert wanting(said.format(1), room) == [["1"]]


def test_sums_with_brackets_are_worked_out_too() -> None:
    said = "숙박비와 일비로 (400 + 18,500) × 7 = {}원입니다 [1]."
    assert wanting(said.format("132,300"), MAIL) == []
    assert wanting(said.format("142,300"), MAIL) == [["142,300"]]


def test_what_tools_told_is_held_against_an_answer_without_passages_too() -> None:
    told = ['{"days_left": 6.5, "used": 8.5}']
    assert cite("6.5일 남았고 8.5일을 썼으니 모두 15일입니다.", [], told=told).checks == []
    assert [each["missing"] for each in cite("16.5일 남았습니다.", [], told=told).checks or []] == [["16.5"]]
    assert cite("오후 1시이고 파일은 3개입니다.", [], told=["13:00 a.txt b.txt c.txt"]).checks == []
    # Where nothing was looked up there is nothing to hold it against.
    assert cite("16.5일 남았습니다.", []).checks == []


@pytest.mark.parametrize(
    ("first", "total", "missing"),
    [
        ("12,000,000", "16,750,000", []),
        ("12,000,000", "16,850,000", [["16,850,000"]]),
        # What is not known makes no sum that is.
        ("12,100,000", "16,850,000", [["12,100,000"], ["16,850,000"]]),
    ],
)
@pytest.mark.parametrize("marker", ["", " [1]"])
def test_the_last_row_of_a_table_may_be_its_sum(first: str, total: str, missing: list[list[str]], marker: str) -> None:
    costs = passage(
        "항목: 인건비 | 금액: 12,000,000\n항목: 재료비 | 금액: 3,500,000\n항목: 여비 | 금액: 1,250,000", "costs"
    )
    rows = f"| 인건비 | {first}원 [1] |\n| 재료비 | 3,500,000원 [1] |\n| 여비 | 1,250,000원 [1] |"
    said = f"비용은 다음과 같습니다.\n\n| 항목 | 금액 |\n|---|---|\n{rows}\n| 합계 | {total}원{marker} |"
    assert wanting(said, costs) == missing


SAID = "통신비는 월 40,000원입니다"


def test_a_footnote_of_the_answers_own_is_no_citation() -> None:
    said = f"{SAID} [1]. 반올림했습니다.[^1]\n\n[^1]: 백 원 아래는 버립니다."
    cited = cite(said, [passage(NOW.text, "재택근무 지침")], "계약직 통신비는?")
    assert cited.text == said
    assert len(cited.citations) == 1


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (f"{SAID} **[1]**.", f"{SAID} [1]."),
        (f"{SAID}.[^1]\n\n[^1]: 재택근무 지침", f"{SAID}.[1]"),
        (f"{SAID} [1].\n\n참고:\n[1] 재택근무 지침, 통신비\n[2] before", f"{SAID} [1]."),
        (f"{SAID} [1].\n\n**출처:** [1] 재택근무 지침", f"{SAID} [1]."),
        (f"{SAID} [1].\n\n### 출처\n- [1] 재택근무 지침 (p.1)\n", f"{SAID} [1]."),
        # What is said of it is no list of sources.
        (
            "정리:\n[1] 재택근무 지침의 통신비는 월 40,000원이다.",
            "정리:\n[1] 재택근무 지침의 통신비는 월 40,000원이다.",
        ),
    ],
)
def test_a_list_of_sources_of_the_models_own_gives_way(said, text) -> None:
    cited = cite(said, [passage(NOW.text, "재택근무 지침"), BEFORE], "계약직 통신비는?")
    assert (cited.text, [each.quote for each in cited.citations]) == (text, ["구분: 계약직 | 통신비: 월 40,000원"])
    assert cited.checks == []


BOOK = passage(
    "예약: H016 | 이름: 두리 | 총액(원): 35000\n예약: H018 | 이름: 찹쌀 | 총액(원): 70000",
    "book",
)
PICKUP = passage("픽업은 편도 8,000원, 왕복 15,000원이다.", "pickup")


def test_what_is_worked_out_leads_to_the_row_that_the_sentence_is_about() -> None:
    """Behind the last marker stands what comes out, which is in no row."""
    said = "찹쌀이의 총액 70,000원에 왕복 픽업비 15,000원 [1]을 더해 85,000원을 받으시면 됩니다 [2]."
    _, citations, checks = cite(said, [PICKUP, BOOK], told=["| 총액 |\n| 70000 |"])
    assert "찹쌀" in citations[1].quote
    assert checks == []


MINUTES = passage(
    "주 1회 재택근무를 연구소에서 4월부터 3개월 동안 시험하는 안이다. 표결 결과 찬성 3, 반대 4로 부결되었다. "
    "하반기에 다시 내기로 하였다.",
    "minutes",
)


@pytest.mark.parametrize("marker", [" [1]", ""])
def test_of_a_statement_that_two_sentences_hold_both_are_cited(marker) -> None:
    said = f"재택근무 안(연구소에서 4월부터 3개월간 주 1회)은 표결 결과 찬성 3, 반대 4로 부결되었습니다{marker}."
    _, citations, checks = cite(said, [MINUTES])
    assert [each.quote[:6] for each in citations] == ["주 1회 재", "표결 결과 "]
    assert checks == []


MEETING = passage(
    "- 일시: 2026년 4월 8일(수) 15:00\n- 불참: 교수 길소민(해외 출장)\n"
    "안건 3. 노후한 원심분리기를 교체하기로 하고, 예상 금액은 950만원으로 한다.\n"
    "안건 4. 최종발표일은 제3차 회의에서 정한 대로 한다.",
    "회의록",
)
NIGHT = passage(
    "학부생은 야간 실험을 할 수 없다.\n졸업연구 기간(10월~11월)에는 대학원생이 동행하면 24시까지 할 수 있다.", "규칙"
)
PARTIES = passage("For the Department: Prof. Seo Ha-yun.\nFor the Institute: Dr. Elin Dahlgren.", "agreement")


@pytest.mark.parametrize(
    ("said", "found", "quoted"),
    [
        # What says little beside the rest of the statement holds it, however little that is of it.
        ("길소민 교수는 해외 출장으로 2026년 4월 8일 학과회의에 참석하지 않았습니다 [1].", MEETING, ["일시", "불참"]),
        (
            "학부생은 야간 실험을 할 수 없고, 예외는 졸업연구 기간(10월~11월)에만 적용되기 때문입니다 [1].",
            NIGHT,
            ["졸업", "학부"],
        ),
        ("담당자는 서하윤 교수(Prof. Seo Ha-yun)와 Elin Dahlgren 박사(Dr. Elin Dahlgren)입니다 [1].", PARTIES, None),
        # What has figures of its own tells of something else.
        ("제5차 회의에서 정한 원심분리기 교체 예상 금액은 950만원입니다 [1].", MEETING, ["안건"]),
    ],
)
def test_the_rest_of_a_statement_is_quoted_where_a_sentence_says_it(
    said: str, found: Passage, quoted: list[str] | None
) -> None:
    quotes = [each.quote.lstrip("- ")[:2] for each in cite(said, [found]).citations]
    assert quotes == quoted or (quoted is None and len(quotes) == 2)


def test_what_was_cited_for_the_sentence_before_is_not_cited_again_for_the_rest() -> None:
    said = "주 1회 재택근무를 시험하는 안이다 [1]. 연구소에서 시험하는 재택근무는 부결되었습니다 [1]."
    assert "[2][1]" not in cite(said, [MINUTES]).text


def test_what_comes_out_may_be_told_before_it_is_worked_out() -> None:
    over = passage("제주에서는 숙박 한도에 15,000원을 더한다.", "over")
    limit = passage("차장의 숙박 한도는 115,000원이다.", "limit")
    said = "한도는 130,000원입니다.\n\n- 차장: 115,000원 [1]\n- 제주: 15,000원 [2]\n- 115,000원 + 15,000원 = {}원"
    assert wanting(said.format("130,000"), limit, over) == []
    # What is right in the answer's first line is wrong in its sum.
    assert wanting(said.format("140,000"), limit, over) == [["140,000"]]


def test_a_factor_is_known_where_its_percentage_is() -> None:
    fees = passage("설치비는 350,000원이다. 휴일에는 30%를 더한다.", "fees")
    said = "설치비는 350,000원이고 [1], 따라서 일요일에는 455,000원(350,000원 × {})을 받습니다."
    assert wanting(said.format("1.3"), fees) == []
    assert wanting(said.format("1.4"), fees) != []


@pytest.mark.parametrize(
    ("below", "missing"),
    [
        ("생산은 4,710개 줄었습니다.", []),
        ("불량률은 0.63%p 높아졌습니다.", []),
        ("두 달의 생산은 모두 129,210개입니다.", []),
        ("생산은 4,720개 줄었습니다.", [["4,720"]]),
        ("두 달의 생산은 모두 129,310개입니다.", [["129,310"]]),
    ],
)
def test_what_a_table_of_the_answer_gives_is_known_below_it(below: str, missing: list[list[str]]) -> None:
    table = "| 월 | 생산 | 불량률 |\n| --- | --- | --- |\n| 3월 | 66,960 | 2.35% |\n| 4월 | 62,250 | 2.98% |"
    told = ["| 2026-03 | 66960 | 2.35 |\n| 2026-04 | 62250 | 2.98 |"]
    found = cite(f"월별로는 다음과 같습니다.\n\n{table}\n\n{below}", [], told=told).checks or []
    assert [each["missing"] for each in found] == missing


def test_a_figure_with_places_is_the_exact_product_of_two_of_its_paragraph() -> None:
    late = passage("For each day of delay the Supplier pays 0.4% of the value of the delayed goods, up to 6%.", "late")
    said = "12일 지연이면 배상금은 지연된 물품 가액의 {}%입니다. 계약에서는 하루마다 가액의 0.4%를 내도록 합니다 [1]."
    found = [cite(said.format(each), [late], "12일 늦으면?").checks for each in ("4.8", "4.6")]
    assert [[each["missing"] for each in checks or []] for checks in found] == [[], [["4.6"]]]


LATE = passage("자동 경보는 22:52에 울렸다. 당직자는 23:30에 확인했다. 창고 보관료는 CBM 하루에 2,400원이다.", "사고")


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("경보는 22:52에 울렸고 23:30에 확인했으므로 38분 뒤입니다 [1].", []),
        ("경보는 22:52에 울렸고 23:30에 확인했으므로 48분 뒤입니다 [1].", [["48"]]),
        ("### 1단계: 보관료\n\n보관료는 CBM 하루에 2,400원입니다 [1].", []),
        ("| 기간 | 셈 | 금액 |\n|---|---|---|\n| 모두 | 10 CBM × 29일 × 2,400원 | 696,000 |", []),
        ("| 기간 | 셈 | 금액 |\n|---|---|---|\n| 모두 | 10 CBM × 29일 × 2,400원 | 697,000 |", [["697,000"]]),
        ("| 번호 | 무엇 |\n|---|---|\n| 1 | 자동 경보는 22:52에 울림 [1] |\n| 2 | 당직자는 23:30에 확인 [1] |", []),
        (
            "| 번호 | 무엇 |\n|---|---|\n| 7 | 자동 경보는 22:52에 울림 [1] |\n| 8 | 당직자는 23:30에 확인 [1] |",
            [["7"], ["8"]],
        ),
    ],
)
def test_times_steps_rows_and_sums_in_cells_need_no_source(said: str, missing: list[list[str]]) -> None:
    found = cite(said, [LATE], "10 CBM을 29일 두면?").checks or []
    assert [each["missing"] for each in found] == missing


def test_what_is_said_in_the_words_of_what_was_found_is_no_general_knowledge() -> None:
    said = "보관료는 CBM 하루에 2,400원입니다 [1].\n\n{}"
    plain = cite(said.format("자동 경보가 울렸고 당직자가 확인했습니다."), [LATE]).checks
    strange = cite(said.format("다른 회사들은 겨울마다 소방 훈련을 크게 벌입니다."), [LATE]).checks
    assert (plain, [each["missing"] for each in strange or []]) == ([], [[]])


def test_a_long_figure_may_be_made_with_one_that_stands_further_away() -> None:
    offer = passage("견적은 14,250,000원이고 부가세는 별도이다. 부가세는 10%이다.", "견적")
    said = "견적은 14,250,000원입니다 [1].\n\n부가세 10%를 더하면 {}원이 됩니다."
    found = [cite(said.format(each), [offer]).checks or [] for each in ("15,675,000", "15,775,000")]
    assert [[each["missing"] for each in checks] for checks in found] == [[], [["15,775,000"]]]


def test_what_figures_of_one_unit_add_up_to_or_differ_by_is_known() -> None:
    found = passage("하루의 경비\n- 노르웨이는 330달러로 한다.\n- 싱가포르는 270달러로 한다.", "경비")
    said = "하루 합계로는 노르웨이가 330달러, 싱가포르가 270달러로 노르웨이가 {} 많습니다 [1]."
    assert wanting(said.format("60달러"), found) == []
    assert wanting(said.format("70달러"), found) == [["70"]]


def test_a_section_in_the_passage_is_named_with_what_it_says() -> None:
    found = passage(
        "Late delivery is charged at 0.4% a day.\n5. Quality\nA rejected lot is replaced within 10 days.", "x"
    )
    said = "A rejected lot is replaced within 10 days, clause {}, says the agreement."
    assert wanting(said.format(5), found) == []
    assert wanting(said.format(6), found) == [["clause 6"]]


def test_what_was_worked_out_once_may_be_said_again() -> None:
    found = passage("잘피의 흡수량\n2024년은 377톤이었고 2025년은 412톤이었다.\n추정의 불확실도는 ±14%이다.", "조사")
    said = "흡수량은 2024년 377톤에서 2025년 412톤으로 9.3% 늘었습니다 [1]. 불확실도 14%는 증가 폭 {}%보다 큽니다 [1]."
    assert wanting(said.format("9.3"), found) == []
    assert wanting(said.format("8.3"), found) == [["8.3"]]
