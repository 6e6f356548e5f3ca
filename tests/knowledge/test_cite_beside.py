"""What stands beside a statement: the marker behind the next one, the figures of its paragraph, what tools gave."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.sources import Passage


def checks(answer: str, *found: Passage, asked: str = "", told: tuple[str, ...] = ()) -> list[list[str]]:
    return [each["missing"] for each in cite(answer, found, asked, told=told).checks or []]


VPN = passage("1. 신청: 온길 > IT 신청 > 원격 접속.\n2. 팀장 승인 뒤 1영업일 안에 열린다.", "IT")
PLAN = passage("압축기 납기: 8주에서 11주로 늘 수 있어 첫 물량 60대분을 6월에 미리 주문한다.", "계획")
MAIL = passage("NVK-R32-28의 납기는 8주에서 11주로 늘어난다. Tromdal의 권선 공장을 새 건물로 옮기기 때문이다.", "메일")
LIMITS = passage("과장 이하의 숙박 한도는 1박 70,000원이다.", "여비")
PRINTERS = passage("위치: 본사 3층 | 이름: PRN-301 | 색: 컬러\n위치: 음성 B동 | 이름: PRN-E21 | 색: 컬러", "프린터")
PRICES = passage(
    "Part: NVK-R32-14 | Description: Compressor for DH-120 | Price: 318\n"
    "Part: NVK-R32-28 | Description: Compressor for DH-240 | Price: 486",
    "prices",
)
RENT = passage("월 차임은 2,650,000원이다. 월 차임은 매월 5일에 낸다. 차임의 인상은 5%를 넘지 아니한다.", "임대차")


def test_a_marker_behind_the_next_sentence_stands_for_this_one_too() -> None:
    text, citations, found = cite("VPN은 온길 > IT 신청 > 원격 접속에서 신청합니다. 1영업일 안에 열립니다 [1].", [VPN])
    assert citations[0].quote == "1. 신청: 온길 > IT 신청 > 원격 접속."
    assert text.startswith("VPN은 온길 > IT 신청 > 원격 접속에서 신청합니다 [1]. ")
    assert found == []


def test_what_the_next_marker_names_is_cited_before_what_says_nearly_the_same() -> None:
    said = "NVK-R32-28의 납기는 8주에서 11주로 늘어납니다. 권선 공장을 새 건물로 옮기기 때문입니다 [2]."
    assert {each.document_id for each in cite(said, [PLAN, MAIL]).citations} == {"메일"}


def test_the_question_denied_is_no_general_knowledge_and_has_no_source() -> None:
    asked = "What does Norvik charge for the NVK-R32-40 compressor?"
    said = "The documents give no price of Norvik for the NVK-R32-40 compressor. The NVK-R32-28 is 486 [1]."
    text, citations, found = cite(said, [PRICES], asked)
    assert text.endswith("[1].")
    assert [each.quote[:16] for each in citations] == ["Part: NVK-R32-28"]
    assert found == []


def test_what_only_the_question_names_is_no_source_of_a_row_of_others() -> None:
    said = "Description: Compressor for the NVK-R32-40 of DH-120 has the price 318."
    assert cite(said, [PRICES], "NVK-R32-40?").citations == []


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("한도는 1박 70,000원이므로 [1], 2박이면 140,000원입니다.", []),
        ("한도는 1박 70,000원입니다 [1]. 따라서 2박이면 모두 140,000원입니다.", []),
        ("한도는 1박 70,000원입니다 [1]. 따라서 2박이면 모두 150,000원입니다.", [["150,000"]]),
        ("한도는 1박 70,000원입니다 [1].\n\n따라서 모두 140,000원입니다.", [["140,000"]]),
        ("모두 140,000원입니다.\n\n- 한도: 70,000원 [1]\n- 밤: 2박", []),
        ("한도 70,000원 [1]에 2박이면 140,000원이다. 2명이면 모두 280,000원이다.", []),
        ("한도 70,000원에서 10%를 빼면 [1] 63,000원입니다.", []),
        ("한도 70,000원에서 10%를 빼면 [1] 64,000원입니다.", [["64,000"]]),
    ],
)
def test_figures_that_are_worked_out_of_the_paragraph(said: str, missing: list[list[str]]) -> None:
    assert checks(said, LIMITS, asked="2박이면? 10% 빼면? 2명이면?") == missing


@pytest.mark.parametrize("told", ["| 공장 | 합계_천원 |\n| 음성 | 731000 |", "합계 (단위: 천 원)\n음성: 731,000"])
@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("731,000천 원", []),
        ("7억 3,100만 원", []),
        ("731,000만 원", [["731,000만"]]),
        ("732,000천 원", [["732,000천"]]),
    ],
)
def test_figures_in_the_size_that_a_column_or_note_tells(told: str, said: str, missing: list[list[str]]) -> None:
    assert checks(f"합계는 {said} 원입니다.", LIMITS, told=(told,)) == missing


def test_a_unit_ends_with_its_line() -> None:
    """The first letter of the next text is none."""
    assert checks("1년치는 31,800,000원입니다.", RENT, asked="1년치는?", told=("2650000 * 12 = 31800000", "부산")) == []


def test_percents_are_a_unit() -> None:
    assert checks("매월 5일에 냅니다 [1].", passage("인상은 5%를 넘지 아니한다.")) == [["5일"]]
    assert checks("인상은 5퍼센트까지입니다 [1].", passage("인상은 5%를 넘지 아니한다.")) == []


def test_a_rows_figure_is_found_however_its_thousands_are_parted() -> None:
    prices = passage("품번: FR-24 | 소비자가: 35000 | 최소: 1개\n품번: FT-24 | 소비자가: 68000 | 최소: 2개")
    (cited,) = cite("개당 68,000원이며 1년에 3번 바꿉니다 [1].", [prices], "1년에 3번 바꾸면?").citations
    assert "FT-24" in cited.quote


def test_particles_are_no_unit() -> None:
    shown = passage("Recall@5가 88.3이고 실험은 5도에서 했다.")
    assert checks("Recall@5는 88.3입니다 [1].", shown) == []
    assert checks("실험은 5명이 했고 Recall@5를 쟀습니다 [1].", passage("실험은 5일에 했고 Recall을 쟀다.")) == [
        ["5명"]
    ]


def test_of_several_things_each_has_its_row() -> None:
    _, citations, found = cite("컬러 프린터는 본사의 PRN-301과 음성의 PRN-E21입니다 [1].", [PRINTERS])
    assert {each.quote.split(" | ")[1] for each in citations} == {"이름: PRN-301", "이름: PRN-E21"}
    assert found == []
    assert checks("컬러 프린터는 PRN-301과 PRN-E99입니다 [1].", PRINTERS) == [["PRN-E99"]]
    assert checks("흑백 3대는 PRN-301과 PRN-E21입니다 [1].", PRINTERS) != []


STAFF = passage(
    "부서: 총무팀 | 이름: 배수현 | 직급: 부장\n부서: 영업팀 | 이름: 봉재성 | 직급: 부장\n"
    "부서: 영업팀 | 이름: 김민수 | 직급: 과장",
    "조직도",
)
LEAVE = passage("연차휴가: 15일을 준다.\n병가: 진단서를 낸다.\n공가: 훈련이면 쓴다.", "휴가")


@pytest.mark.parametrize(
    ("said", "found", "quoted"),
    [
        ("부장은 배수현과 봉재성입니다 [1].", STAFF, {"배수현", "봉재성"}),
        ("영업팀에는 봉재성 부장과 김민수 과장이 있습니다 [1].", STAFF, {"봉재성", "김민수"}),
        ("영업팀의 부장은 봉재성입니다 [1].", STAFF, {"봉재성"}),
        ("| 이름 | 직급 |\n|---|---|\n| 배수현 | 총무팀 부장(전임 봉재성) [1] |", STAFF, {"배수현"}),
        ("휴가에는 연차휴가와 공가가 있습니다 [1].", LEAVE, {"연차휴가", "공가"}),
    ],
)
def test_of_several_things_that_are_named_each_has_its_row(said: str, found: Passage, quoted: set[str]) -> None:
    named = {"배수현", "봉재성", "김민수", "연차휴가", "병가", "공가"}
    assert {name for each in cite(said, [found]).citations for name in named if name in each.quote} == quoted


BUDGET = passage(
    "부서별 예산은 이사회의 승인을 받아 다음 해로 넘길 수 있다.\n부서: 영업 | 예산(천원): 272,000\n"
    "부서: 인사 | 예산(천원): 98,000",
    "예산서",
)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("부서별 예산은 다음과 같습니다: [1]\n\n| 부서 | 예산 |\n|---|---|\n| 영업 | 272,000 |", "부서: 영업"),
        ("부서별 예산은 다음과 같습니다 [1].\n- 영업은 272,000천원입니다 [1].", "부서: 영업"),
        ("The budgets are as follows [1]:\n\n- 영업: 272,000천원 [1]", "부서: 영업"),
        ("예산은 이사회가 승인하면 다음 해로 넘길 수 있습니다 [1].\n- 영업은 272,000천원입니다.", "부서별 예산"),
        ("예산은 이사회가 정했습니다 [1]. 영업은 272,000천원입니다.", "부서별 예산"),
    ],
)
def test_what_leads_to_a_list_quotes_its_first_line(said: str, quoted: str) -> None:
    assert cite(said, [BUDGET]).citations[0].quote.startswith(quoted)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("문서에서 황보석 부장의 전화번호를 찾을 수 없습니다 [1].", []),
        ("사내 대출에 관한 규정은 어디에도 없습니다 [1].", []),
        # What denies the same, or is spoken of, is quoted.
        ("공가는 훈련이 아니면 쓸 수 없습니다 [1].", ["공가: 훈련이면 쓴다."]),
        ("사내 대출은 하지 않습니다 [2].", ["회사는 대출을 하지 않는다."]),
    ],
)
def test_what_is_not_there_quotes_no_other_sentence(said: str, quoted: list[str]) -> None:
    loans = passage("회사는 대출을 하지 않는다.", "대출")
    cited = cite(said, [LEAVE, loans], "황보석 부장의 전화번호는? 사내 대출 규정도 있나? 공가는?")
    assert ([each.quote for each in cited.citations], cited.checks) == (quoted, [])
    assert cited.text == (said if quoted else said.replace(" [1]", "")).replace("[2]", "[1]")


def test_beside_what_is_not_there_the_rest_is_still_marked() -> None:
    invented = "점심시간에는 누구나 산책을 다녀옵니다."
    said = "사내 대출에 관한 규정은 어디에도 없습니다 [1]."
    assert checks(f"{said} {invented}", LEAVE, asked="사내 대출 규정은?") == [[]]
    # What nobody asked for may be made up.
    assert checks(f"{said} {invented}", LEAVE, asked="공가는?") == [[], []]


SCHOLARS = passage(
    "# 환경공학과 장학금 지급 규정\n학부생은 평점 3.3 이상이어야 한다.\n휴학생은 신청할 수 없다.\n"
    "다만, 복학 신청을 마친 경우 신청할 수 있다.",
    "장학금",
)
TRADE = passage("이 협정은 환경공학과와 연구소가 맺는다. 환경공학과의 실험실은 학생들이 늘 함께 쓴다.", "협정")


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        # Neither a heading nor what it says the other way about is a source.
        ("환경공학과의 장학금 지급 규정입니다. {}", ["학부생은"]),
        ("네, 신청할 수 있습니다. {}", ["학부생은"]),
        ("휴학생은 신청할 수 없습니다. {}", ["휴학생은", "학부생은"]),
        # What tells nothing has none.
        ("휴학생은 신청할 수 없습니까? {}", ["학부생은"]),
        ("**휴학생은 신청할 수 없다**\n\n{}", ["학부생은"]),
        ("{}\n\n장학금 신청 휴학생 신청할 수 없다", ["학부생은"]),
        # By words alone nothing of a document that nothing else of the answer cites.
        ("환경공학과의 실험실은 학생들이 늘 함께 씁니다.\n\n{}", ["학부생은"]),
        ("환경공학과의 실험실은 학생들이 늘 함께 씁니다.", ["환경공학"]),
    ],
)
def test_without_a_marker_only_what_is_nearly_sure_gets_one(said: str, quoted: list[str]) -> None:
    cited = cite(said.format("학부생은 평점 3.3 이상이어야 합니다 [1]."), [SCHOLARS, TRADE])
    assert [each.quote[:4] for each in cited.citations] == quoted


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("휴학생은 신청할 수 없습니다. 평점은 3.3 이상이며 [1] 끝.", "휴학생은 신청할 수 없습니다 [1]. 평점은"),
        ("휴학생은 신청할 수 없습니다. 평점은 3.3 이상이다. [1]", "휴학생은 신청할 수 없습니다. [1] 평점은"),
        ("**휴학생은 신청할 수 없습니다.** 평점은 3.3 이상이다 [1].", "**휴학생은 신청할 수 없습니다.** 평점은"),
        ("**휴학생은 신청할 수 없습니다.**\n평점은 3.3 이상이다 [1].", "**휴학생은 신청할 수 없습니다.**\n평점은"),
        ("**휴학생은 신청할 수 없습니다. 신청 금지** 평점은 3.3 이상이다 [1].", "신청 금지** [1] 평점은"),
    ],
)
def test_an_added_marker_stands_as_the_answers_own_do_and_in_nothing_bold(said: str, text: str) -> None:
    assert text in cite(said, [SCHOLARS]).text


def test_what_is_not_there_gets_no_marker_of_what_is() -> None:
    list_of = passage("관리번호: ENV-002 | 장비명: 크로마토그래프 | 구입일: 2019-11-03", "장비")
    said = "문서에는 크로마토그래프(ENV-002)의 보증 기간이 나와 있지 않습니다. 구입일은 2019-11-03입니다 [1]."
    assert cite(said, [list_of]).text == said


TRAINING = passage("대학원생의 교육은 12시간으로 한다.\n신규교육은 2시간을 따로 받는다.\n보관은 15일이다.", "교육")
HIRED = passage("이 규칙은 14일과 15일에 알린다.", "알림")


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("모두 14시간을 듣습니다. 교육 12시간과 [1] 신규교육 2시간을 [1] 더한 시간입니다.", []),
        ("교육 12시간과 [1] 신규교육 2시간이 [1] 있습니다. 그래서 모두 14시간을 듣습니다.", []),
        ("모두 15시간을 듣습니다. 교육 12시간과 [1] 신규교육 2시간을 [1] 더한 시간입니다.", [["15시간"]]),
        # What the sum is of has to be known itself, and of the same kind.
        ("모두 15시간을 듣습니다. 교육 12시간과 [1] 신규교육 3시간을 [1] 더한 시간입니다.", [["15시간"], ["3"]]),
        ("모두 14명이 듣습니다. 교육 12시간과 [1] 신규교육 2시간을 [1] 더한 것입니다.", [["14명"]]),
    ],
)
def test_a_sum_may_be_told_beside_what_it_is_of(said: str, missing: list[list[str]]) -> None:
    assert checks(said, TRAINING, HIRED) == missing


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("- 참가 인원: 40명 [1] → 35명 [2]", []),
        ("- 참가 인원: 40명 [1] → 37명 [2]", [["37"]]),
        ("- 참가 인원: 45명 [1] → 35명 [2]", [["45"]]),
    ],
)
def test_a_figure_with_a_marker_of_its_own_is_not_looked_for_behind_the_next(said: str, missing) -> None:
    before, after = passage("참가 인원은 40명으로 한다.", "전"), passage("참가 인원은 35명으로 한다.", "후")
    assert checks(said, before, after) == missing


COURSES = passage("과목: 자원화 | 정원: 40 | 신청: 18\n과목: 모델링 | 정원: 20 | 신청: 9", "과목")


@pytest.mark.parametrize(("last", "missing"), [("9명", []), ("7명", [["7"]])])
def test_commas_in_brackets_part_no_sentence(last: str, missing: list[list[str]]) -> None:
    said = f"가장 낮은 과목은 자원화(정원 40명, 신청 18명)와 모델링(정원 20명, 신청 {last})입니다 [1]."
    assert checks(said, COURSES) == missing


@pytest.mark.parametrize(
    ("said", "missing"), [("3월 1일", []), ("5월 1일", [["2026년 5월 1일"]]), ("3월 2일", [["2026년 3월 2일"]])]
)
def test_a_month_by_its_name_has_a_unit(said: str, missing: list[list[str]]) -> None:
    term = passage("This Agreement enters into force on 1 March 2026 and lasts 3 years.", "agreement")
    assert checks(f"협정은 2026년 {said}부터 유효합니다 [1].", term) == missing


TRIPS = passage("출장비는 출장이 끝난 날부터 3일 이내에 신청한다. 경비는 5일마다 마감한다.", "출장")
GIFTS = passage("경조금은 사유가 생긴 날부터 5일 이내에 신청한다. 경조 휴가는 7일이다.", "경조")


@pytest.mark.parametrize(
    ("said", "last", "missing"),
    [
        ("출장비는 3일 이내 [1], 경조금은 5일 이내에 신청합니다 [2].", "경조금은", []),
        ("출장비는 3일 이내, 경조금은 5일 이내에 신청합니다 [1][2].", "경조금은", []),
        ("출장비와 경조금의 신청 기한은 각각 3일과 5일입니다 [1][2].", "경조금은", []),
        ("출장비의 신청 기한 3일과 경조 휴가 7일이 있습니다 [1][2].", "경조 휴가는", []),
        ("출장비와 경조금의 신청 기한은 각각 3일과 9일입니다 [1][2].", "경조금은", [["9"]]),
    ],
)
def test_the_quotes_of_several_markers_hold_a_sentence_together(said: str, last: str, missing: list[list[str]]) -> None:
    _, citations, _ = cite(said, [TRIPS, GIFTS])
    assert [each.quote[: len(last)] for each in citations][1:] == [last]
    assert checks(said, TRIPS, GIFTS) == missing


def test_a_figure_of_another_name_makes_no_sentence_whole() -> None:
    first, second = passage("모델: DH-240 | 소음: 62 dB", "a"), passage("모델: DH-120 | 소음: 55 dB", "b")
    assert checks("소음은 DH-240이 62 dB, DH-120이 55 dB입니다 [1][2].", first, second) == []
    assert checks("DH-240의 소음은 55 dB입니다 [1][2].", first, second) == [["55"]]


def test_what_a_tool_gave_is_no_general_knowledge() -> None:
    told = ("| 방 | 총액 |\n| 중형견실 | 283500 |",)
    said = "월 차임은 2,650,000원입니다 [1].\n\n호텔의 중형견실 방은 총액이 모두 283,500원이라고 합니다."
    assert checks(said, RENT, told=told) == []
    assert checks(said.replace("은 총액이 모두 283,500원", "이 요즘 가장 많이 쓰이는 방"), RENT, told=told) == [[]]


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("103동 승강기 2호기의 고장 기록은 다음 3건입니다.", []),
        # What it holds beside the question's is of it.
        ("103동 승강기 2호기의 제어반 교체 비용은 14,500,000원이고 고장은 3건입니다.", ["103동"]),
        ("103동 승강기 2호기의 제어반을 교체하기로 했습니다.", ["103동"]),
    ],
)
def test_of_what_tools_counted_the_questions_own_figures_are_no_source(said: str, quoted: list[str]) -> None:
    found = passage("103동 승강기 2호기의 제어반을 교체하며 비용은 14,500,000원 이내로 한다.", "회의록")
    told = ("| 접수번호 | 동 |\n| R-02 | 103동 |\n(3건)",)
    asked = "103동 2호기의 고장 기록을 보여줘"
    assert [each.quote[:4] for each in cite(said, [found], asked, told=told).citations] == quoted


def test_a_figure_that_other_passages_have_in_other_words_is_no_source() -> None:
    day, share = (
        passage("고친 날: 2026년 8월 3일.", "FAQ"),
        passage("비목: 활동비 | 합계: 123000 | 비율(%): 9.3", "예산"),
    )
    asked = "2026년 8월 20일에 쓴 증빙을 8월 28일에 올렸어"
    assert cite("8월 28일에 올렸다면 3일 늦었습니다.", [day], asked).citations == []
    report = passage("추정의 불확실도는 ±14%이다.", "보고서")
    cited = cite("추정의 불확실도가 ±14%로, 증가 폭(9.3%)보다 큽니다 [1].", [report, share]).citations
    assert [each.title for each in cited] == ["보고서"]
    # A row has no words but those over its columns.
    table = passage("신고 기한을 넘긴 날: 21~50일 | 비율: 1.0%", "점검표")
    assert [each.title for each in cite("| 21–50 days | 1.0% |", [table]).citations] == ["점검표"]


def test_a_letter_that_was_written_without_markers_has_none() -> None:
    letter = "직원 여러분께,\n\n월 차임은 2,650,000원입니다. 월 차임은 매월 5일에 내 주십시오.\n\nK-22 총무팀 일동 드림"
    text, citations, found = cite(letter, [RENT], "K-22")
    assert (text, citations, found) == (letter, [], [])
    assert checks(letter.replace("5일에", "7일에"), RENT, asked="K-22") == [["7"]]
    # Nor is who signs it general knowledge, where others are cited.
    _, citations, found = cite(f"월 차임은 2,650,000원입니다 [1].\n\n---\n{letter}", [RENT], "K-22")
    assert (len(citations), found) == (1, [])


SAFETY = passage(
    "NMP를 흘렸을 때\n1 L부터는 방을 나와 내선 4100에 알리고 2시간 안에 보고한다. 흡착제는 창고 B에 있다.", "안전"
)
SPILL = passage(
    "Spills\nLeave the room and call number 4100. A report is due within 2 hours. Masks are in room 25.", "spill"
)
OTHER = passage("드럼은 7개월 안에 쓴다. 창고는 25곳이다.", "other")


@pytest.mark.parametrize("lead", ["흘렸을 때는 다음과 같이 합니다 [1].\n\n", "- **흘렸을 때** [1]:\n  "])
@pytest.mark.parametrize(
    ("found", "item", "quoted"),
    [
        (SAFETY, "- 내선 4100에 알리고 2시간 안에 보고합니다.", "1 L부터는"),
        (SPILL, "- 내선 4100에 전화합니다.", "Leave the room"),
    ],
)
def test_an_item_is_of_what_the_line_that_leads_to_it_cites(lead: str, found: Passage, item: str, quoted: str) -> None:
    said = cite(f"{lead}{item}", [found, OTHER], "흘렸을 때 어떻게 해?")
    assert said.text.endswith("].")
    assert said.citations[-1].quote.startswith(quoted)
    # What another passage has instead is wanting.
    wrong = cite(f"{lead}- 사무실로 7시간 안에 보고합니다.", [found, OTHER], "흘렸을 때 어떻게 해?").checks or []
    assert [each["missing"] for each in wrong] == [["7"]]


def test_what_leads_to_a_list_gets_no_source_of_its_own_for_what_was_asked_about() -> None:
    items = "\n\n- 내선 4100에 알리고 2시간 안에 보고합니다 [1]."
    text, citations, _ = cite(f"1 L를 흘렸을 때는 다음과 같습니다.{items}", [SAFETY], "1 L를 흘렸을 때는?")
    assert text.startswith("1 L를 흘렸을 때는 다음과 같습니다.\n")
    assert len(citations) == 1
    # What else it says has one.
    said = cite(f"1 L부터는 내선 4100에 알립니다.{items}", [SAFETY], "흘렸을 때는?").text
    assert said.startswith("1 L부터는 내선 4100에 알립니다 [1].")


def test_an_item_below_another_one_is_not_led_to_by_it() -> None:
    said = "- 내선 4100에 알리고 2시간 안에 보고합니다 [1].\n- 드럼은 7개월 안에 씁니다."
    assert cite(said, [SAFETY, OTHER]).text.endswith("7개월 안에 씁니다 [2].")


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("The battery lasts 540 minutes (9 hours) [1].", []),
        ("The battery lasts 540 minutes (8 hours) [1].", [["8"]]),
        ("배터리는 540분(9시간) 갑니다 [1].", []),
        ("배터리는 540분(9일) 갑니다 [1].", [["9"]]),
        ("무게는 0.75 kg(750 g)입니다 [1].", []),
        ("무게는 0.75 kg(700 g)입니다 [1].", [["700"]]),
        ("The screen is 320 mm (32 cm) wide [1].", []),
        ("The screen is 320 mm (3.2 cm) wide [1].", [["3.2"]]),
    ],
)
def test_a_figure_may_be_told_in_another_unit_too(said: str, missing: list[list[str]]) -> None:
    found = passage("The battery lasts 540 minutes.\nIt weighs 0.75 kg.\nThe screen is 320 mm wide.", "Tablet")
    assert checks(said, found) == missing


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("방문자는 1월 350명, 2월 420명으로 70명(20.0%) 늘었습니다 [1].", []),
        ("방문자는 1월 350명, 2월 420명입니다 [1]. 한 달 사이 20.0% 늘었습니다 [1].", []),
        ("방문자는 1월 350명, 2월 420명입니다 [1]. 한 달 사이 22.0% 늘었습니다 [1].", [["22.0"]]),
        ("| 월 | 재방문 |\n|---|---|\n| 1월 | 31.5% |\n| 2월 | 38.2% |\n\n재방문은 6.7%p 높아졌습니다 [1].", []),
        ("| 월 | 재방문 |\n|---|---|\n| 1월 | 31.5% |\n| 2월 | 38.2% |\n\n재방문은 7.6%p 높아졌습니다 [1].", [["7.6"]]),
        ("수온은 1월에 -3℃였습니다 [1]. 2월은 1℃로 4℃ 높습니다 [1].", []),
        ("수온은 1월에 -3℃였습니다 [1]. 2월은 1℃로 8℃ 높습니다 [1].", [["8"]]),
        ("문은 오후 9시에 닫고 오전 5시에 열므로 8시간 닫혀 있습니다 [1].", []),
        ("The door is closed from 9 p.m. to 5 a.m. (8 hours) [1].", []),
        ("The door is closed from 9 p.m. to 5 a.m. (7 hours) [1].", [["7"]]),
    ],
)
def test_shares_and_differences_by_their_units(said: str, missing: list[list[str]]) -> None:
    found = passage(
        "방문자는 1월 350명, 2월 420명이다.\n재방문은 1월 31.5%, 2월 38.2%이다.\n수온은 1월 -3℃, 2월 1℃였다.\n"
        "문은 오후 9시에 닫고 오전 5시에 연다.",
        "2월 보고",
    )
    assert checks(said, found) == missing


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("아니요, **미루어서는 안 됩니다.**\n\n{} [1].", []),
        ("Yes, **you had better.**\n\n- {} [1].", []),
        ("그렇지 않습니다.\n\n{} [1].", []),
        # Nothing behind it has a source; it tells more than a verdict; it is none; it names something.
        ("아니요, **미루어서는 안 됩니다.**\n\n아침마다 모여서 체조하면 훨씬 상쾌해집니다.\n\n{} [1].", [[], []]),
        ("충분한 휴식은 대체로 집중력과 기분을 꾸준히 높여 준다고 널리 알려져 있습니다.\n\n{} [1].", [[]]),
        ("{} [1].\n\n아침마다 모여서 체조합니다.", [[]]),
    ],
)
def test_the_verdict_before_its_reasons_has_their_sources(said: str, missing: list[list[str]]) -> None:
    assert checks(said.format("월 차임은 2,650,000원입니다"), RENT) == missing
