"""`ToolCallParser`: the contract, whatever the format."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.tools import tool as langchain_tool

from dure import tool
from dure.dialects import ToolCallParser
from dure.dialects.formats.base import FACTOR


@langchain_tool
def weather(city: str, days: int = 1) -> str:
    """The weather of a city."""
    return city


@tool
def currency(code: str) -> str:
    """Today's rate."""
    return code


CALL = '<tool_call>{"name": "%s", "arguments": {"%s": "x"}}</tool_call>'


@pytest.mark.parametrize(
    ("given_tool", "name", "key"),
    [
        (weather, "weather", "city"),
        (currency, "currency", "code"),
        ({"type": "function", "function": {"name": "plain"}}, "plain", "a"),
        ({"name": "flat", "parameters": {}}, "flat", "a"),
    ],
)
def test_tools_of_any_kind(given_tool, name, key):
    parsed = ToolCallParser([given_tool]).parse(CALL % (name, key))
    assert [(call.name, call.args, call.error) for call in parsed.tool_calls] == [(name, {key: "x"}, None)]
    assert parsed.tool_calls[0].id


def test_what_is_no_tool_is_refused():
    with pytest.raises(TypeError):
        ToolCallParser(["search"])


def test_without_tools_any_name_is_known(parse):
    assert parse(CALL % ("anything", "a"), None).tool_calls[0].error is None
    assert parse("Action: whatever\nAction Input: x", None).tool_calls[0].args == {"input": "x"}


def test_with_no_tools_on_offer_every_name_is_unknown(parse):
    [call] = parse(CALL % ("anything", "a"), []).tool_calls
    assert call.error


def test_raw_values_get_the_types_of_a_langchain_tool():
    text = "<function=weather>\n<parameter=city>\n3\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>"
    assert ToolCallParser([weather]).parse(text).tool_calls[0].args == {"city": "3", "days": 3}


def test_an_unknown_name_is_an_error_with_the_nearest_name(parse):
    [call] = parse(CALL % ("calcualte", "expression")).tool_calls
    assert call.name == "calcualte"
    assert "'calculate'" in call.error


@pytest.mark.parametrize("name", ["functions.calculate", "Calculate", " calculate ", "`calculate`", "calculate (note)"])
def test_a_name_written_otherwise_is_mended(parse, name):
    parsed = parse(CALL % (name, "expression"))
    assert [call.name for call in parsed.tool_calls] == ["calculate"]
    assert parsed.tool_calls[0].error is None


def test_arguments_encoded_twice(parse):
    parsed = parse('{"name": "calculate", "arguments": "{\\"expression\\": \\"1\\"}"}')
    assert parsed.tool_calls[0].args == {"expression": "1"}
    assert parsed.repaired
    once = '{"type": "function", "function": {"name": "calculate", "arguments": "{\\"expression\\": \\"1\\"}"}}'
    assert not parse(once).repaired


def test_arguments_that_cannot_be_used(parse):
    text = '<tool_call>{"name": "record", "arguments": "just text"}</tool_call>'
    [call] = parse(text).tool_calls
    assert call.error is None or "JSON" in call.error
    [call] = parse("Action: now\nAction Input: text that fits nowhere").tool_calls
    assert "JSON object" in call.error


MALFORMED = {
    "a trailing comma": '{"query": "휴가",}',
    "single quotes": "{'query': '휴가'}",
    "smart quotes": "{“query”: “휴가”}",
    "full-width quotes": "{＂query＂: ＂휴가＂}",
    "full-width braces": '｛"query"："휴가"｝',
    "an unquoted key": '{query: "휴가"}',
    "a comment": '{"query": "휴가" // what\n}',
    "truncation": '{"query": "휴가"',
    "truncation in a string": '{"query": "휴가',
    "an extra brace": '{"query": "휴가"}}',
    "a fence": '```json\n{"query": "휴가"}\n```',
    "encoded twice": '"{\\"query\\": \\"휴가\\"}"',
    "plain text": "휴가",
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_input_is_read_and_marked(parse, what):
    text = f"Thought: 찾자.\nAction: search_knowledge_base\nAction Input: {MALFORMED[what]}"
    parsed = parse(text)
    assert [(call.name, call.args, call.error) for call in parsed.tool_calls] == [
        ("search_knowledge_base", {"query": "휴가"}, None)
    ]
    assert parsed.repaired
    assert parsed.repairs
    assert parsed.content == ""
    strict = parse(text, repair=False)
    assert all(call.error for call in strict.tool_calls)
    assert not strict.repaired


VALUES = {
    "True and None": ("{'flag': True, 'text': None}", {"flag": True, "text": None}),
    "a raw newline": ('{"text": "하나\n둘"}', {"text": "하나\n둘"}),
    "inner quotes": ('{"text": "그는 "네" 했다"}', {"text": '그는 "네" 했다'}),
    "a bad escape": ('{"text": "\\d+"}', {"text": "\\d+"}),
}


@pytest.mark.parametrize("what", VALUES)
def test_malformed_json_in_a_tag_is_read_and_marked(parse, what):
    written, args = VALUES[what]
    parsed = parse(f'<tool_call>{{"name": "record", "arguments": {written}}}</tool_call>')
    assert parsed.tool_calls[0].args == args
    assert parsed.repaired
    assert parsed.content == ""


def test_markers_and_braces_in_strings_are_text(parse):
    value = 'a } b { "c" </tool_call> <tool_call> Action: x ``` [TOOL_CALLS]'
    parsed = parse(f"<tool_call>{json.dumps({'name': 'record', 'arguments': {'text': value}})}</tool_call>")
    assert parsed.tool_calls[0].args == {"text": value}
    assert not parsed.repaired


def test_a_call_cut_short_does_not_become_a_shorter_one(parse):
    for text in (
        '<tool_call>{"name": "record", "arguments": {"text": "rm -rf /',
        "<function=record>\n<parameter=text>\nrm -rf /",
        '[TOOL_CALLS]record[ARGS]{"text": "rm -rf /',
        '{"name": "record", "arguments": {"text": "rm -rf /',
        '[record(text="rm -rf /',
    ):
        parsed = parse(text)
        assert parsed.tool_calls == []
        assert parsed.unfinished == "record"


PARTS = [
    "<tool_call>", "</tool_call>", '{"name": "calculate", "arguments": {"expression": "1"}}',
    "\nAction: calculate", "\nAction Input: ", "\nThought: ", "\nFinal Answer: ", "\nObservation: ", "\n답변: ",
    "<think>", "</think>", "```", "\n```json\n", "`", "[TOOL_CALLS]", "calculate[ARGS]", "<|channel|>",
    "<|message|>", "<|end|>", "<|start|>assistant", "<function=calculate>", "<parameter=expression>",
    "</parameter>", "</function>", "<arg_key>expression</arg_key>", "<arg_value>", '<invoke name="calculate">',
    '<parameter name="expression">', "</invoke>", "<|tool_call>call:calculate{", '<|"|>', "}", "{", "[", "]",
    "(", ")", '"', "'", "\\", "\n", " ", "휴가", "a", "1", ":", ",", "[calculate(expression=",
    "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", '<｜DSML｜invoke name="now">', "<|open|>",
    "<|sep|>", "<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>",
    "analysis", "assistantfinal", "\nDelegate: rag_agent", "\nTask: ", "\n calculate {", "<|python_tag|>",
    ">>>", "\ud83d", "\x00", "😀",
]  # fmt: skip
texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=4), max_size=14).map("".join)


@given(texts)
@example("")
@example("\n" * 50)
def test_no_text_raises(tools, text):
    known = {each["function"]["name"] for each in tools}
    for given_tools in (tools, None, []):
        parsed = ToolCallParser(given_tools).parse(text)
        parsed.content.encode("utf-8", "surrogatepass")
        for call in parsed.tool_calls:
            assert isinstance(call.args, dict)
            assert call.error or given_tools is None or (given_tools and call.name in known)


HOSTILE = [
    "<tool_call>", "{", "[", '{"name":', '{"name": "', '{"name": "\\', "\nAction: calculate\nAction Input: ",
    '\nAction: calculate\nAction Input: {"a": ', '\n```json\n{"name": ', "`", "</think>", "<think>", "\n", " ",
    "<function=calculate><parameter=expression>", "<parameter=expression></parameter> x ", '<invoke name="now">',
    "<｜tool▁call▁begin｜>", "<｜tool▁calls▁begin｜>", "[TOOL_CALLS][", "[TOOL_CALLS]calculate",
    "<|tool_call>call:calculate{a:", "<|channel|>commentary to=functions.now <|message|>", "\ncalculate {",
    '[calculate(expression="', "<tool_call>calculate<arg_key>a</arg_key><arg_value>", "<｜DSML｜invoke name=\"now\">",
    "<|open|>call tool=\"now\"<|sep|>", "\n- **Action", "<|tool_call:begin|>", "<use_mcp_tool>", "\nanalysis",
    '<tool_call>{"name": "calculate", "arguments": {"expression": "', "\nThought: ", "\nDelegate: rag_agent\nTask: ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length(unit, work):
    """Counts what is looked at, not time: twice the text is at most about twice the work."""
    short, long = (work((unit * (size // len(unit) + 1))[:size]) for size in (20_000, 40_000))
    assert long <= 2.2 * short + 30_000
    assert long <= (FACTOR + 1) * 40_000 + 40_000


BEFORE_SPACES = [
    "Action", "Thought", "- ", "Action: now", "Delegate", "Action: record\nAction Input: a", "now", "```", "```a",
    '<tool_call>{"name": "now", "arguments": {}}', "<tool_call>now{}", "<tool_call>record<arg_key>",
    "<|python_tag|>", "<tool_calls>", "[TOOL_CALLS]now", "[TOOL_CALLS]now[CALL_ID]a", "to=functions.now",
    "assistantcommentary to=now", '<invoke name="now"><parameter name=', '<invoke name="now"><parameter name="a"',
    "<invoke><tool_name>", "<use_mcp_tool><server_name>", "<use_mcp_tool><tool_name>", "<function=",
    "<|tool_call:begin|>1<|tool_call:name|>", "<|tool_call:start|>", '{"name": "now", "arguments": {}}', "{",
    "[{", "<｜tool▁call▁begin｜>", '<｜DSML｜invoke name="now"><｜DSML｜parameter name=', "<|tool_call>call:now{a",
]  # fmt: skip


@pytest.mark.parametrize("before", BEFORE_SPACES)
@pytest.mark.parametrize("space", [" ", "\n"])
def test_runs_of_white_space_are_passed_over_once(parse, before, space, assert_linear):
    """Small models fall into them. Two patterns for white space beside each other are enough to take hours."""
    for after in ("x", "name x"):
        assert_linear(parse, lambda n, after=after: before + space * n + after, 100_000)


@pytest.mark.parametrize("unit", ['{"a": /*, ', '\n{"name": /*'])
def test_comments_without_an_end_cost_little(parse, unit, assert_linear):
    assert_linear(parse, lambda n: "Action: record\nAction Input: " + unit * n, 2_000)


def test_a_name_that_is_none_on_offer_is_not_the_name_of_a_call_cut_short(parse):
    parsed = parse('네.\n<tool_call>{"name": "record\n' + "가나다 " * 1000)
    assert (parsed.unfinished, parsed.final_answer, parsed.content) == ("?", None, "네.")
    assert parse('네.\n<tool_call>{"name": "record", "argu').unfinished == "record"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: https://a.b/c", "https://a.b/c"),
        ("Answer: 2026-11-22 09:30에 시작합니다.", "2026-11-22 09:30에 시작합니다."),
        ("Thought: ok\n답변: 15일: 설명", "15일: 설명"),
        ("<think>x</think><final_answer>15일</final_answer>", "15일"),
        ("Thought: x\nAction: None (이유)\nFinal Answer: 15일", "15일"),
    ],
)
def test_an_answer_is_whole_and_without_its_label(parse, text, answer):
    parsed = parse(text)
    assert (parsed.final_answer, parsed.tool_calls) == (answer, [])


def test_a_reply_that_loops_in_calls_ends_at_a_hundred(parse):
    parsed = parse("Action: calculate\nAction Input: 1+1\n" * 3000)
    assert len(parsed.tool_calls) == 100
    assert "more than 100 calls, the rest dropped" in parsed.repairs
