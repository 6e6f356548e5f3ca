"""The short way of small models: passages first, one model call, and who may do the searching."""

from datetime import date

import pytest
from fixtures.chances import with_chance

from dure import Agent, Team, tool
from dure.agents.grounded import asked_of, undated
from dure.agents.prompts import QUOTED
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer, call, say
from dure.tooling import ToolResult

YEAR = date.today().year
LEAVE = "경조휴가는 본인 결혼 5일, 자녀 결혼 2일이다."

STATED = say("yes")


def passage() -> Passage:
    return Passage("d", "취업규칙", 1, 0, len(LEAVE), LEAVE, score=0.9)


@tool
def with_evidence(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [passage()], data={"evidence": 0.8})


@tool
def without_evidence(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [passage()])


@tool
def little_evidence(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [passage()], data={"evidence": 0.0})


@tool
def nothing_found(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", data={"evidence": 0.0})


@tool
def in_words(queries: list[str]) -> str:
    """Find something."""
    return LEAVE


@tool
def with_one_query(query: str) -> str:
    """Find something."""
    return LEAVE


@tool(effect="external")
def with_effects(queries: list[str]) -> ToolResult:
    """Find passages, for money."""
    raise AssertionError("nobody was asked")


ROWS = """\
직급: 부장 | 항목: 숙박 | 한도: 115,000
직급: 과장 | 항목: 숙박 | 한도: 95,000
DH-240의 소음은 62 dB이다.
DH-300의 소음은 58 dB이다."""


@tool
def of_a_table(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [Passage("d", "여비규정", 1, 0, len(ROWS), ROWS, score=0.9)], data={"evidence": 0.8})


async def asked(opened, find, server, message="본인 결혼 휴가는 며칠인가요?"):
    agent = Agent(name="rules", description="x", tools=[find], search=find.name)
    model = Model(ChatClient(server.url, "scripted"), dialect="native", small=True)
    dure = await opened(model=model, teams=[Team(name="desk", kind="solo", description="x", agents=[agent])])
    answer = await dure.chat(message, team="desk")
    await model.close()
    return answer


@pytest.mark.parametrize("find", [with_evidence, without_evidence], ids=lambda each: each.name)
async def test_a_search_tool_of_ones_own_finds_the_passages(opened, find) -> None:
    async with ScriptedServer(STATED, say("본인 결혼은 5일이다.")) as server:
        answer = await asked(opened, find, server)
        assert LEAVE in server.requests[0]["messages"][-1]["content"]
    assert "5일" in answer.response
    assert [c["title"] for c in answer.citations] == ["취업규칙"]
    assert [each["name"] for each in answer.tool_calls] == [find.name]


async def test_what_the_tool_judges_to_be_no_evidence_is_not_found(opened) -> None:
    async with ScriptedServer() as server:
        answer = await asked(opened, nothing_found, server)
    assert answer.response.startswith("문서에서 관련 내용을 찾지 못했습니다")


@pytest.mark.parametrize(
    ("message", "told"), [("숙박 한도 합계는 얼마야?", False), ("부장 숙박 한도 합계는 얼마야?", True)]
)
async def test_no_one_row_is_the_total_of_several(opened, message: str, told: bool) -> None:
    replies = iter([STATED, say("115,000")])
    async with ScriptedServer(respond=lambda body: next(replies)) as server:
        answer = await asked(opened, of_a_table, server, message)
    assert ("115,000" in answer.response) == told


@pytest.mark.parametrize(("stated", "said"), [("yes", "5일"), ("no", "문서에서 관련 내용을 찾지 못했습니다")])
async def test_whether_other_words_than_the_documents_find_an_answer_is_asked(opened, stated, said) -> None:
    async with ScriptedServer(say(stated), *[say("본인 결혼은 5일이다.")] * (stated == "yes")) as server:
        answer = await asked(opened, little_evidence, server, "장가가면 며칠이나 쉬게 해줘?")
        assert LEAVE in server.requests[0]["messages"][-1]["content"]
    assert said in answer.response
    # Where nothing is stated, what happens to be nearest is no place to look.
    assert "취업규칙" not in answer.response


@pytest.mark.parametrize("find", [in_words, with_one_query], ids=lambda each: each.name)
async def test_where_it_finds_no_passages_the_loop_goes_on(opened, find) -> None:
    async with ScriptedServer(say("5일입니다.")) as server:
        answer = await asked(opened, find, server)
        assert server.requests[0]["tools"]
    assert answer.response == "5일입니다."


async def test_a_search_with_effects_is_asked_for(opened) -> None:
    async with ScriptedServer(call("with_effects", queries=["결혼 휴가"])) as server:
        answer = await asked(opened, with_effects, server)
    assert answer.status == "waiting"
    assert [each["tool"] for each in answer.approvals] == ["with_effects"]


async def test_the_figure_of_another_row_is_replaced_by_the_row_that_was_asked_for(opened) -> None:
    async with ScriptedServer(STATED, say("115,000원입니다.")) as server:
        answer = await asked(opened, of_a_table, server, "과장 숙박 한도는 얼마야?")
    assert answer.response == "직급: 과장 | 항목: 숙박 | 한도: 95,000 [1]"
    assert [c["quote"] for c in answer.citations] == ["직급: 과장 | 항목: 숙박 | 한도: 95,000"]


async def test_a_sentence_with_a_figure_that_stands_nowhere_is_left_out_and_that_is_told(opened) -> None:
    async with ScriptedServer(STATED, say("과장의 숙박 한도는 95,000원입니다. 식비는 30,000원입니다.")) as server:
        answer = await asked(opened, of_a_table, server, "과장 숙박 한도는 얼마야?")
    told, note = answer.response.split("\n\n")
    assert told == "과장의 숙박 한도는 95,000원입니다. [1]"
    assert "뺐습니다" in note


async def test_a_figure_of_another_unit_stands_nowhere(opened) -> None:
    async with ScriptedServer(STATED, say("1. 경조휴가는 3일이다.\n2. 병가는 직원에게 90년을 부여한다.")) as server:
        answer = await asked(opened, on_a_page, server, "회사 휴가 정책 알려줘")
    assert "3일" in answer.response
    assert "90년" not in answer.response


async def test_a_name_that_stands_nowhere_is_refused_without_asking_the_model(opened) -> None:
    async with ScriptedServer() as server:
        answer = await asked(opened, of_a_table, server, "DH-360의 소음은 얼마야?")
    assert answer.response == "문서에서 DH-360에 관한 내용을 찾지 못했습니다."
    assert answer.citations == ()


async def test_a_statement_about_a_named_thing_needs_a_source_that_names_it(opened) -> None:
    """The figure is another thing's, and the name may be said again only because it was asked about."""
    async with ScriptedServer(STATED, say("DH-240의 소음은 58 dB이다.")) as server:
        answer = await asked(opened, of_a_table, server, "DH-240의 소음은 얼마인가요?")
    assert "58" not in answer.response
    assert "62 dB" in answer.response


DAYS = """이 장은 회사의 휴가 정책을 정한다.
출산하는 직원에게는 90일의 출산휴가를 부여한다.
조부모가 사망하면 3일의 경조휴가를 부여한다."""


@tool
def on_a_page(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [Passage("d", "인사규정", 3, 0, len(DAYS), DAYS, score=0.9)], data={"evidence": 0.8})


async def test_the_number_of_a_page_supports_no_figure(opened) -> None:
    async with ScriptedServer(STATED, say("조부모가 사망하면 3일의 경조휴가를 부여한다.")) as server:
        answer = await asked(opened, on_a_page, server, "회사 휴가 정책 알려줘")
    assert [c["quote"] for c in answer.citations] == ["조부모가 사망하면 3일의 경조휴가를 부여한다."]


async def test_a_name_before_a_statement_that_its_source_has_not_is_left_out(opened) -> None:
    told = "1. 병가: 출산하는 직원에게는 90일의 출산휴가를 부여한다.\n2. 경조휴가: 조부모가 사망하면 3일이다."
    async with ScriptedServer(STATED, say(told)) as server:
        answer = await asked(opened, on_a_page, server, "회사 휴가 정책 알려줘")
    assert answer.response.splitlines() == [
        "1. 출산하는 직원에게는 90일의 출산휴가를 부여한다. [1]",
        "2. 경조휴가: 조부모가 사망하면 3일이다. [2]",
    ]


LEAVES = """회사의 휴가 정책을 정한다.
연차휴가는 근속년수에 따라 차등 부여한다.
출산하는 직원에게는 90일을 부여한다."""


@tool
def under_headings(queries: list[str]) -> ToolResult:
    """Find passages."""
    under = "제3장 병가와 가족 휴가 › 제18조 (출산휴가)"
    found = Passage("d", "인사규정", 3, 0, len(LEAVES), LEAVES, score=0.9, context=under)
    return ToolResult("", [found], data={"evidence": 0.8})


async def test_a_statement_is_held_against_what_says_it_rather_than_what_was_asked(opened) -> None:
    told = (
        "회사 휴가 정책은 다음과 같습니다:\n1. 연차휴가: 근속년수에 따라 차등 부여한다.\n2. 가족 휴가: 90일을 부여한다."
    )
    async with ScriptedServer(STATED, say(told)) as server:
        answer = await asked(opened, under_headings, server, "회사 휴가 정책 알려줘")
    assert answer.response.splitlines() == [
        "회사 휴가 정책은 다음과 같습니다:",
        "1. 연차휴가는 근속년수에 따라 차등 부여한다. [1]",
        "2. 90일을 부여한다. [2]",
    ]
    assert [c["quote"] for c in answer.citations] == LEAVES.splitlines()[1:]


async def test_what_leads_to_a_list_of_which_nothing_holds_is_left_out_too(opened) -> None:
    async with ScriptedServer(
        STATED, say("출산휴가는 다음과 같습니다:\n- 출산하는 직원에게는 120일을 부여한다.")
    ) as server:
        answer = await asked(opened, under_headings, server, "출산휴가는 며칠인가요?")
    assert "다음과 같습니다" not in answer.response
    assert "120" not in answer.response
    assert "출산하는 직원에게는 90일을 부여한다. [" in answer.response


@pytest.mark.parametrize(
    "told", ["출샨하는 직원에게는 90일을 부여한다.", "출산하는 직원은 총무팀 안내에서 90일을 신청해야 한다."]
)
async def test_a_copy_with_a_slip_and_words_of_its_own_beside_a_figure_give_way_to_the_source(opened, told) -> None:
    async with ScriptedServer(STATED, say(told)) as server:
        answer = await asked(opened, under_headings, server, "출산휴가는 며칠인가요?")
    assert answer.response == "출산하는 직원에게는 90일을 부여한다. [1]"


PRICES = "모델: DH-240S | 규격: 240 L | 소비자가: 6950000 | 대리점가 10대 이상: 5282000"

ASKED = "모델: DH-240S | 대리점가 10대 이상: 5282000"


@tool
def of_prices(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [Passage("d", "가격표", 1, 0, len(PRICES), PRICES, score=0.9)], data={"evidence": 0.8})


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("DH-240S의 소비자가는 6,950,000원입니다.", ASKED),
        ("5282000", ASKED),
        # The source that is shown below has no figure of a column that is not told of.
        (
            "대리점가는 10대 이상이면 5,282,000원",
            "대리점가는 10대 이상이면 5,282,000원 [1]\n> 모델: DH-240S | 규격: 240 L | 대리점가 10대 이상: 5282000",
        ),
    ],
)
async def test_a_figure_of_another_column_and_one_alone_are_told_with_their_row(opened, told, wanted) -> None:
    async with ScriptedServer(STATED, say(told)) as server:
        answer = await asked(opened, of_prices, server, "DH-240S 대리점가 10대 이상 사면 얼마예요?")
    assert answer.response == f"{wanted} [1]"


async def test_headings_and_questions_said_after_the_passages_are_no_answer(opened) -> None:
    told = "# 인사규정 › 제18조 (출산휴가)\n출산휴가는 며칠인가요?\n출산하는 직원에게는 90일을 부여한다."
    async with ScriptedServer(STATED, say(told)) as server:
        answer = await asked(opened, under_headings, server, "출산휴가는 며칠인가요?")
    assert answer.response == "출산하는 직원에게는 90일을 부여한다. [1]"


async def test_what_the_passages_do_not_state_is_not_answered_but_shown(opened) -> None:
    async with ScriptedServer(say("no")) as server:
        answer = await asked(opened, under_headings, server, "출산휴가를 나누어 쓸 수 있나요?")
    assert answer.response == "문서에서 이 질문의 답은 찾지 못했습니다. 가장 가까운 곳: 인사규정, 3쪽 [1]"
    assert [each.page for each in answer.citations] == [3]
    # It states nothing that a source could have.
    assert "checks" not in answer.metadata
    assert len(server.requests) == 1


@tool
def of_a_notice(queries: list[str]) -> ToolResult:
    """Find passages."""
    text = (
        "어지러우면 보건관리자 성다온(내선 3480)에게 알린다.\n단계: 경고 | 체감온도: 33도 이상 | 휴식: 1시간마다 15분"
    )
    return ToolResult("", [Passage("d", "지침", 1, 0, len(text), text, score=0.9)], data={"evidence": 0.8})


@pytest.mark.parametrize(
    ("message", "told", "wanted"),
    [
        # Said in the words of the question alone, which the source has not.
        (
            "더위 먹으면 누구한테 연락하나요? 내선번호도요",
            "내선번호는 3480입니다.",
            "내선번호는 3480입니다. [1]\n> 어지러우면 보건관리자 성다온(내선 3480)에게 알린다. [1]",
        ),
        # The column that the question gives a figure of is not the one that it asks for.
        (
            "체감온도 33도 넘으면 몇 분 쉬어야 해?",
            "1시간마다 15분",
            "단계: 경고 | 체감온도: 33도 이상 | 휴식: 1시간마다 15분 [1]",
        ),
    ],
)
async def test_a_statement_shorter_than_its_source_is_shown_with_it(opened, message, told, wanted) -> None:
    async with ScriptedServer(STATED, say(told)) as server:
        answer = await asked(opened, of_a_notice, server, message)
    assert answer.response == wanted


MANUAL = "The high pressure switch opens at 4.15 MPa and closes again at 3.2 MPa."


@tool
def in_english(queries: list[str]) -> ToolResult:
    """Find passages."""
    found = Passage("d", "Service Manual", 1, 0, len(MANUAL), MANUAL, score=0.9)
    return ToolResult("", [found], data={"evidence": 0.8 if len(queries) > 1 else 0.1})


async def test_documents_in_the_other_language_are_searched_with_a_translation(opened) -> None:
    said = say("At what MPa does the high pressure switch open?"), STATED, say("4.15 MPa에서 열립니다.")
    async with ScriptedServer(*said) as server:
        answer = await asked(opened, in_english, server, "고압 스위치가 몇 MPa에서 열리지?")
        assert "high pressure switch open?" in server.requests[-1]["messages"][-1]["content"].splitlines()[-2]
    assert answer.response.startswith("4.15 MPa에서 열립니다. [1]")


async def test_what_is_said_in_another_language_than_the_questions_counts_as_a_quotation_alone(opened) -> None:
    own = "Yes, the pressure switch opens safely at 4.15 MPa."
    said = say("At what MPa does the high pressure switch open?"), STATED, say(f"{own}\n{MANUAL}")
    async with ScriptedServer(*said) as server:
        answer = await asked(opened, in_english, server, "고압 스위치가 몇 MPa에서 열리지?")
    assert answer.response == f"{MANUAL} [1]"


async def test_a_translation_without_a_name_of_the_question_is_none(opened) -> None:
    async with ScriptedServer(say("At what pressure does the switch of the E7 open?")) as server:
        answer = await asked(opened, in_english, server, "DH-240 고압 스위치가 몇 MPa에서 열리지?")
    assert answer.response == "문서에서 DH-240에 관한 내용을 찾지 못했습니다."


RULE = "출장자는 복귀일부터 10일 이내에 정산한다."
CHANGE = "다. 제9조 가운데 “10일 이내”를 “7일 이내”로 한다."


@tool
def of_versions(queries: list[str]) -> ToolResult:
    """Find passages."""
    old = Passage("d", "여비규정_2025-07-01", None, 0, len(RULE), RULE, score=0.9, context="제9조(정산)")
    new = Passage("e", "여비규정_일부개정_2026-02-01", None, 0, len(CHANGE), CHANGE)
    return ToolResult("", [old, new], data={"evidence": 0.8})


async def test_what_a_later_version_changes_gives_way_to_it(opened) -> None:
    async with ScriptedServer(STATED, say("복귀일부터 10일 이내에 정산한다.")) as server:
        answer = await asked(opened, of_versions, server, "출장 뒤 며칠 안에 정산해야 하나요?")
    now = RULE.replace("10일", "7일")
    assert answer.response == f"{now} [1] (여비규정_2025-07-01의 내용을 고친 것입니다.)"
    assert answer.citations[0].quote == CHANGE


async def test_a_question_that_names_a_date_is_told_what_stands_there(opened) -> None:
    async with ScriptedServer(STATED, say("복귀일부터 10일 이내에 정산한다.")) as server:
        answer = await asked(opened, of_versions, server, "2025년 8월 출장은 며칠 안에 정산해야 했나요?")
    left = "(물어본 날짜보다 뒤의 판은 따르지 않았습니다: 여비규정_일부개정_2026-02-01)"
    assert answer.response == f"{RULE} [1]\n\n{left}"


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("1월 29일에 출발해서 2월 3일에 돌아왔어요", (YEAR, 1, 29)),
        ("작년 2월 출장", (YEAR - 1, 2, 31)),
        ("travel in 2025", (2025, 12, 31)),
        ("출장비 정산 기한", ()),
        ("2024년과 2026년 일비의 차이", ()),
    ],
)
def test_the_day_that_a_question_asks_of(question: str, day: tuple[int, ...]) -> None:
    assert asked_of(question) == day
    assert asked_of(undated(question)) == ()


def test_a_question_without_its_dates() -> None:
    assert undated("1월 29일에 출발해서 2월 3일에 온 출장") == "에 출발해서 에 온 출장"
    assert undated("정산 기한") == "정산 기한"
    # The year is a date within a date.
    assert undated("the limit in March 2024 for managers") == "the limit in  for managers"


PRINTERS = "위치: 본사 2층 | 이름: PRN-201\n위치: 본사 4층 | 이름: PRN-402"


@tool
def of_floors(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [Passage("d", "안내", None, 0, len(PRINTERS), PRINTERS, score=0.9)], data={"evidence": 0.9})


async def test_a_number_beyond_those_that_the_documents_tell_of_is_not_asked_about(opened) -> None:
    async with ScriptedServer() as server:
        answer = await asked(opened, of_floors, server, "본사 5층 프린터 이름이 뭐야?")
    assert answer.response == "문서에서 5층에 관한 내용을 찾지 못했습니다."


@tool
def of_two_models(queries: list[str]) -> ToolResult:
    """Find passages."""
    texts = {"d": "The winding resistance is 1.34 ohms.", "e": "The DH-120 weighs 48 kg."}
    found = [Passage(id, "Manual", None, 0, len(text), text, score=0.9) for id, text in texts.items()]
    return ToolResult("", found, data={"evidence": 0.8})


async def test_where_the_nearest_tells_of_something_else_its_neighbours_are_not_shown(opened) -> None:
    async with ScriptedServer(STATED, say("The winding resistance is 1.34 ohms.")) as server:
        answer = await asked(opened, of_two_models, server, "What is the winding resistance of the DH-120?")
    assert "1.34" not in answer.response
    assert "48 kg" not in answer.response


SENSORS = "\n".join(f"Temperature: {n} | Coil (kΩ): {n + 1}.5 | Air (kΩ): {n + 2}.5" for n in (10, 20, 30))


@tool
def of_sensors(queries: list[str]) -> ToolResult:
    """Find passages."""
    return ToolResult("", [Passage("d", "Manual", 2, 0, len(SENSORS), SENSORS, score=0.9)], data={"evidence": 0.9})


async def test_of_a_table_that_is_quoted_stand_the_row_and_column_that_were_asked_for(opened) -> None:
    async with ScriptedServer(say("77 kilohm thermistors")) as server:
        answer = await asked(opened, of_sensors, server, "Coil resistance at temperature 20?")
    assert "21.5" in answer.response
    assert not any(other in answer.response for other in ("22.5", "11.5", "31.5"))


RULES = [f"제{n}조에 따라 직원은 {kind} 휴가를 {n}일 쓸 수 있다." for n, kind in enumerate("가나다라마바사아자차", 1)]


@tool
def of_many_rules(queries: list[str]) -> ToolResult:
    """Find passages."""
    text = "\n".join(RULES)
    return ToolResult("", [Passage("d", "휴가규정", 1, 0, len(text), text, score=0.9)], data={"evidence": 0.95})


@pytest.mark.parametrize(("chance", "shown"), [(0.4, False), (0.8, True)])
async def test_the_nearest_is_shown_where_the_model_is_sure_that_it_states_the_answer(opened, chance, shown) -> None:
    async with ScriptedServer(with_chance("yes", chance), say("60일입니다.")) as server:
        answer = await asked(opened, of_versions, server, "출장 뒤 며칠 안에 정산해야 하나요?")
    assert answer.response.startswith(QUOTED["ko"]) == shown
    assert ("10일" in answer.response) == shown
    assert "checks" not in answer.metadata


@pytest.mark.parametrize(("chance", "wide"), [(0.73, True), (0.95, False)])
async def test_who_is_not_sure_what_is_asked_for_tells_all(opened, chance: float, wide: bool) -> None:
    async with ScriptedServer(with_chance('{"asks": "one"}', chance), say(RULES[0])) as server:
        await asked(opened, of_many_rules, server, "휴가 규정 찾아줘")
        assert server.requests[1]["messages"][-1]["content"].endswith("\n-") == wide


@pytest.mark.parametrize("asks", ["all", "one"])
async def test_all_there_is_is_asked_for_line_by_line(opened, asks: str) -> None:
    """And what the length limit cut off in the middle is left out."""
    said = "\n".join(f"- {rule}" for rule in RULES[:4]) + "\n- 제5조에 따라 직원은"
    cut = say(said).ending("length")
    async with ScriptedServer(say(f'{{"asks": "{asks}"}}'), cut) as server:
        answer = await asked(opened, of_many_rules, server, "휴가 규정 알려줘")
        request = server.requests[1]
    assert request["messages"][-1]["content"].endswith("\n-") == (asks == "all")
    assert [line.rpartition(" [")[0] for line in answer.response.splitlines()] == [f"- {rule}" for rule in RULES[:4]]
