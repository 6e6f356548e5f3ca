"""Thought / Action / Action Input: as in the textbook, and as models vary it."""

import json

import pytest

from dure.dialects import DIALECTS
from dure.messages import Delta

ASK = '{"query": "휴가 정책"}'
WANT = [("search_knowledge_base", {"query": "휴가 정책"})]


def got(parsed):
    return [(call.name, call.args) for call in parsed.tool_calls if call.error is None]


def write(calls):
    return "\n".join(f"Thought: 찾는다.\nAction: {name}\nAction Input: {json.dumps(args)}" for name, args in calls)


def test_a_written_call_comes_back(assert_round_trip):
    assert_round_trip(write)


def test_the_textbook(parse):
    parsed = parse(f"Thought: 문서를 찾아야 합니다.\nAction: search_knowledge_base\nAction Input: {ASK}")
    assert got(parsed) == WANT
    assert parsed.thought == "문서를 찾아야 합니다."
    assert (parsed.content, parsed.final_answer, parsed.repaired) == ("", None, False)


def test_the_answer_is_the_whole_answer(parse):
    answer = "연차휴가 정책은 다음과 같습니다:\n\n- **1년 미만**: 월 1일\n- **3년 이상**: 연 20일\n\n출처: 인사규정.pdf"
    parsed = parse(f"Thought: 정리합니다.\nFinal Answer: {answer}")
    assert parsed.final_answer == parsed.content == answer
    assert parsed.thought == "정리합니다."
    assert parsed.tool_calls == []


@pytest.mark.parametrize(
    "text",
    [
        f"**Thought:** 찾자.\n**Action:** search_knowledge_base\n**Action Input:** {ASK}",
        f"**Thought**: 찾자.\n**Action**: **search_knowledge_base**\n**Action Input**: {ASK}",
        f"thought: 찾자.\naction: search_knowledge_base\naction input: {ASK}",
        f"1. Thought: 찾자.\n2. Action: search_knowledge_base\n3. Action Input: {ASK}",
        f"- Thought: 찾자.\n- Action: search_knowledge_base\n- Action Input: {ASK}",
        f"### Thought: 찾자.\n### Action: search_knowledge_base\n### Action Input: {ASK}",
        f"Thought 1: 찾자.\nAction 1: search_knowledge_base\nAction Input 1: {ASK}",
        f"Thought：찾자.\nAction：search_knowledge_base\nAction Input：{ASK}",
        f"Ｔｈｏｕｇｈｔ：찾자.\nＡｃｔｉｏｎ：search_knowledge_base\nＡｃｔｉｏｎ Ｉｎｐｕｔ：{ASK}",
        f"생각: 찾자.\n행동: search_knowledge_base\n행동 입력: {ASK}",
        f"생각: 찾자.\n도구: search_knowledge_base\n입력: {ASK}",
        f"[Thought]: 찾자.\n[Action]: search_knowledge_base\n[Action Input]: {ASK}",
        f"Thought: 찾자.\nAction: search_knowledge_base\nAction_Input: {ASK}",
        f"Thought: 찾자.\nTool: search_knowledge_base\nTool Input: {ASK}",
        f"Thought: 찾자.\nAction: `search_knowledge_base`\nAction Input: {ASK}",
        f"Thought: 찾자.\nAction: [search_knowledge_base]\nAction Input: {ASK}",
        f'Thought: 찾자.\nAction: "search_knowledge_base"\nAction Input: {ASK}',
        f"Thought: 찾자.\nAction: search_knowledge_base (사내 문서 검색)\nAction Input: {ASK}",
        "Thought: 찾자.\nAction: search_knowledge_base[휴가 정책]",
        f"Thought: 찾자.\nAction: search_knowledge_base {ASK}",
        f"Thought: 찾자.\nAction: search_knowledge_base, Action Input: {ASK}",
        "Thought: 찾자.\nAction: search_knowledge_base\nAction Input: 휴가 정책",
        'Thought: 찾자.\nAction: search_knowledge_base\nAction Input: "휴가 정책"',
        f"Thought: 찾자.\nAction: search_knowledge_base\nAction Input: ```json\n{ASK}\n```",
        f"Thought: 찾자.\nAction: search_knowledge_base\nAction Input:\n```\n{ASK}\n```",
        f"Thought: 찾자.\nAction: Search_Knowledge_Base\nAction Input: {ASK}",
        f'Thought: 찾자.\nAction: {{"name": "search_knowledge_base", "arguments": {ASK}}}',
    ],
)
def test_labels_and_names_as_models_write_them(parse, text):
    parsed = parse(text)
    assert got(parsed) == WANT
    assert parsed.repaired
    assert parsed.content == ""
    assert parsed.thought == "찾자."


@pytest.mark.parametrize(
    "text",
    [
        "Thought: 찾자. Action: search_knowledge_base\nAction Input: " + ASK,
        "Action: search_knowledge_base\nAction Input: query=휴가 정책",
        'Action: search_knowledge_base\nAction Input: query: "휴가 정책"',
        "Action: Use search_knowledge_base to look it up\nAction Input: " + ASK,
        "**Action**\nsearch_knowledge_base\n**Action Input**\n" + ASK,
        "도구 호출: search_knowledge_base\n인자: " + ASK,
        'Tool Call: search_knowledge_base(query="휴가 정책")',
        'Action: search_knowledge_base\nAction Input: {"query": "휴가 정책"\nObservation: 15일',
    ],
)
def test_more_ways_to_write_one(parse, text):
    assert got(parse(text)) == WANT


def test_headings_as_labels(parse):
    assert parse("### Final Answer\n15일입니다.").final_answer == "15일입니다."
    assert parse("**최종 답변**\n15일입니다.").final_answer == "15일입니다."
    for text in ("Action\n\n영화의 한 장르.", "## Action Items\n- 하나", "Tool\n----\nsearch_knowledge_base"):
        parsed = parse(text)
        assert (parsed.tool_calls, parsed.content) == ([], text)


def test_langchains_final_answer(parse):
    for text in (
        '{"action": "Final Answer", "action_input": "15일"}',
        '```json\n{"action": "Final Answer", "action_input": "15일"}\n```',
        'Action:\n```\n{"action": "Final Answer", "action_input": "15일"}\n```',
    ):
        parsed = parse(text)
        assert (parsed.tool_calls, parsed.final_answer, parsed.content) == ([], "15일", "15일")


def test_with_any_name_known(parse):
    assert got(parse("Action: look_up(word='휴가')", None)) == [("look_up", {"word": "휴가"})]
    assert got(parse("Thought: x\nAction: look_up\nAction Input: 휴가", None)) == [("look_up", {"input": "휴가"})]


def test_a_call_like_python(parse):
    assert got(parse('Action: search_knowledge_base(query="휴가 정책")')) == WANT
    assert got(parse("Action: search_knowledge_base('휴가 정책')")) == WANT


def test_a_fence_around_all(parse):
    parsed = parse(f"```\nThought: 찾자.\nAction: search_knowledge_base\nAction Input: {ASK}\n```")
    assert got(parsed) == WANT


def test_commands_json_in_a_fence(parse):
    parsed = parse(f'Action: ```json\n[{{"tool_name": "search_knowledge_base", "parameters": {ASK}}}]\n```')
    assert got(parsed) == WANT


def test_a_missing_input(parse):
    parsed = parse("Action: now")
    assert got(parsed) == [("now", {})]
    assert parsed.repaired


@pytest.mark.parametrize("name", ["mcp_save-note.v2", "docs/search", "a.b-c"])
def test_names_of_mcp_tools(parse, name):
    tools = [{"type": "function", "function": {"name": name, "parameters": {}}}]
    assert got(parse(f'Action: {name}\nAction Input: {{"x": 1}}', tools)) == [(name, {"x": 1})]


def test_several_actions(parse):
    parsed = parse(
        f'Action: search_knowledge_base\nAction Input: {ASK}\nAction: calculate\nAction Input: {{"expression": "1"}}'
    )
    assert got(parsed) == [*WANT, ("calculate", {"expression": "1"})]


def test_a_thought_after_the_action(parse):
    parsed = parse(f"Action: search_knowledge_base\nAction Input: {ASK}\nThought: 결과를 기다린다.")
    assert got(parsed) == WANT
    assert parsed.thought == "결과를 기다린다."


def test_an_invented_observation_and_what_follows_are_dropped(parse):
    parsed = parse(
        f"Action: search_knowledge_base\nAction Input: {ASK}\nObservation: 15일\nThought: 알았다.\n"
        'Action: calculate\nAction Input: {"expression": "1"}\nFinal Answer: 15일입니다.'
    )
    assert got(parsed) == WANT
    assert (parsed.content, parsed.final_answer) == ("", None)
    assert parsed.repaired


@pytest.mark.parametrize(
    "text",
    [
        f"Thought: 찾자.\nAction: search_knowledge_base\nAction Input: {ASK}\nFinal Answer: 15일입니다.",
        f"Final Answer: 15일입니다.\nAction: search_knowledge_base\nAction Input: {ASK}",
    ],
)
def test_an_action_beside_an_answer_wins(parse, text):
    parsed = parse(text)
    assert got(parsed) == WANT
    assert parsed.final_answer is None
    assert parsed.repaired


@pytest.mark.parametrize(
    "answer",
    [
        f"이렇게 씁니다:\n```\nAction: search_knowledge_base\nAction Input: {ASK}\n```\n끝.",
        "`Action: search_knowledge_base` 라고 씁니다.",
        f"> Action: search_knowledge_base\n> Action Input: {ASK}",
        f'"Action: search_knowledge_base" 다음 줄에 Action Input: {ASK} 를 씁니다.',
        "먼저 Action: search_knowledge_base 를 쓰고 기다립니다.",
        "Action: 인사팀에 문의하세요.\n그 다음 기다리세요.",
    ],
)
@pytest.mark.parametrize("label", ["", "Final Answer: ", "Thought: 설명하자.\nFinal Answer: "])
def test_an_answer_that_quotes_an_action(parse, label, answer):
    parsed = parse(label + answer)
    assert parsed.tool_calls == []
    assert parsed.content == parsed.final_answer == answer


def test_labels_of_answers_count_at_a_lines_start_outside_thoughts(parse):
    assert parse("답변: 15일입니다.").final_answer == "15일입니다."
    assert parse("Thought: 안다.\n답변: 15일입니다.").final_answer == "15일입니다."
    assert parse("Thought: 답변: 형식으로 쓰자.\nFinal Answer: 15일").final_answer == "15일"
    parsed = parse(f"Thought: 어떻게 답할까?\n답변: 아직 모른다.\nAction: search_knowledge_base\nAction Input: {ASK}")
    assert got(parsed) == WANT
    parsed = parse("Thought: 계산하자.\nAnswer: 41?\nFinal Answer: 42")
    assert parsed.final_answer == parsed.content == "42"


def test_questions_and_answers_in_an_answer_stay(parse):
    text = "Final Answer: 질문: 휴가는?\n답변: 15일\n질문: 병가는?\n답변: 30일"
    assert parse(text).final_answer == text.removeprefix("Final Answer: ")


def test_text_before_the_label_of_an_answer(parse):
    parsed = parse("에이전트가 정보를 찾았습니다.\n\nFinal Answer: 15일입니다.\n\n출처: 인사규정.pdf")
    assert parsed.final_answer == "15일입니다.\n\n출처: 인사규정.pdf"


def test_an_action_that_is_the_answer(parse):
    assert parse("Thought: 안다.\nAction: Final Answer\nAction Input: 15일입니다.").final_answer == "15일입니다."
    parsed = parse("Thought: 안다.\nAction: None\nFinal Answer: 15일입니다.")
    assert (parsed.tool_calls, parsed.final_answer) == ([], "15일입니다.")


def test_a_thought_that_is_all_there_is_goes_to_the_reader(parse):
    assert parse("Thought: 연차는 15일입니다.").final_answer == "연차는 15일입니다."


def test_an_unknown_tool_comes_back_with_the_nearest_name(parse):
    [call] = parse(f"Thought: x\nAction: serch_knowledge\nAction Input: {ASK}").tool_calls
    assert call.name == "serch_knowledge"
    assert "search_knowledge_base" in call.error


def test_a_name_with_the_next_line_as_input(parse):
    assert got(parse(f"search_knowledge_base\n{ASK}")) == WANT
    assert got(parse(f"search_knowledge_base: {ASK}")) == WANT


@pytest.mark.parametrize(
    "text",
    [
        "Delegate: rag_agent\nTask: 휴가 정책을 찾는다.",
        "회사 휴가 정책은 문서 검색이 필요합니다.\n\nDelegate: rag_agent\nTask: 휴가 정책을 찾는다.",
        "Delegate: [rag_agent]\nTask: 휴가 정책을 찾는다.",
        "Delegate: **rag_agent**\nTask: 휴가 정책을 찾는다.",
        "**Delegate:** rag-agent\n**Task:** 휴가 정책을 찾는다.",
        "위임: rag_agent\n작업: 휴가 정책을 찾는다.",
    ],
)
def test_delegating(parse, text):
    assert got(parse(text)) == [("rag_agent", {"task": "휴가 정책을 찾는다."})]


def test_delegating_to_several_and_to_nobody(parse):
    parsed = parse("Delegate: rag_agent\nTask: 하나\nDelegate: rag_agent\nTask: 둘\n셋")
    assert [call.args for call in parsed.tool_calls] == [{"task": "하나"}, {"task": "둘\n셋"}]
    [call] = parse("Delegate: law_agent\nTask: x").tool_calls
    assert "rag_agent" in call.error


def test_repair_switched_off(parse):
    [call] = parse("Action: search_knowledge_base\nAction Input: {query: '휴가'}", repair=False).tool_calls
    assert call.error
    [call] = parse(f"Action: search_knowledge_base\nAction Input: {ASK}", repair=False).tool_calls
    assert call.error is None


def test_words_before_thought_and_answer_keep_their_line(parse):
    parsed = parse("확인했습니다.\nThought: 안다.\nFinal Answer: 15일입니다.")
    assert (parsed.content, parsed.final_answer) == ("확인했습니다.\n15일입니다.", "15일입니다.")


@pytest.mark.parametrize("text", ["Thought: 찾자.\nAction:", "Thought: 찾자.\nAction: \n"])
def test_a_label_without_a_name_at_the_end_is_a_call_cut_short(parse, text):
    parsed = parse(text)
    assert (parsed.unfinished, parsed.content, parsed.final_answer, parsed.thought) == ("?", "", None, "찾자.")


@pytest.mark.parametrize(
    "text",
    [
        "로그에 남은 줄입니다:\nAction: now 는 시각을 뜻합니다.",
        "The log begins with\nAction: now, which asks for the time.",
        "Action: now is what the log says",
    ],
)
def test_a_sentence_about_an_action_is_no_call(parse, text):
    parsed = parse(text)
    assert (parsed.tool_calls, parsed.content) == ([], text)


def test_words_beside_an_actions_name_are_not_dropped(parse):
    [call] = parse("Thought: 시각을 본다.\nAction: now in Seoul").tool_calls
    assert "now in Seoul" in call.error
    [call] = parse("Thought: 시각을 본다.\nAction: **now** (지금)").tool_calls
    assert call.error is None


@pytest.mark.parametrize("bold", [("", ""), ("**", "**"), ("**", ":**")])
@pytest.mark.parametrize("value", ["*.tmp", "**/a.md", "__init__.py", "*"])
def test_marks_that_are_no_decoration_stay_in_the_input(tools, parse, bold, value):
    colon = "" if ":" in bold[1] else ":"
    text = f"Thought: x\n{bold[0]}Action{bold[1]}{colon} record\n{bold[0]}Action Input{bold[1]}{colon} {value}"
    assert [call.args for call in parse(text).tool_calls] == [{"text": value}]
    reader = DIALECTS["text"].reader(tools)
    pieces = [piece for char in f"Answer: {value} is it" for piece in reader.feed(Delta(char))] + reader.finish().rest
    assert "".join(piece.text for piece in pieces) == f"{value} is it"
