"""`<tool_call>` with JSON inside."""

import json

import pytest


def write(calls):
    return "\n".join(f"<tool_call>\n{one(name, args)}\n</tool_call>" for name, args in calls)


def one(name, args):
    return json.dumps({"name": name, "arguments": args}, ensure_ascii=False)


def test_a_written_call_comes_back(assert_round_trip):
    assert_round_trip(write)


def test_text_before_and_after_is_for_the_reader(parse):
    parsed = parse('네.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n기다려 주세요.')
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == "네.\n\n기다려 주세요."


def test_a_lost_closing_tag(parse):
    parsed = parse('<tool_call>\n{"name": "now", "arguments": {}}\n<tool_call>\n{"name": "now", "arguments": {}}')
    assert [call.name for call in parsed.tool_calls] == ["now", "now"]
    assert parsed.content == ""
    assert parsed.repaired


def test_a_lost_opening_tag(parse):
    parsed = parse('{"name": "now", "arguments": {}}\n</tool_call>')
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == ""


def test_a_fence_inside(parse):
    text = '<tool_call>\n```json\n{"name": "calculate", "arguments": {"expression": "1"}}\n```\n</tool_call>'
    parsed = parse(text)
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("calculate", {"expression": "1"})]
    assert parsed.content == ""


def test_several_calls_in_one_tag(parse):
    parsed = parse('<tool_calls>\n{"name": "now", "arguments": {}}\n{"name": "now", "arguments": {}}\n</tool_calls>')
    assert len(parsed.tool_calls) == 2


@pytest.mark.parametrize(
    "inner",
    [
        '{"name": "calculate", "arguments": {"expression": "1"}',
        '{"name": "calculate", "arguments": {"expression": "1"}}}',
        '{"name": "calculate", "expression": "1"}',
        'calculate\n{"expression": "1"}',
        'calculate{"expression": "1"}',
        '{"arguments": {"expression": "1"}, "name": "calculate"}',
        '{"name": "calculate", "parameters": {"expression": "1"}}',
        "{'name': 'calculate', 'arguments': {'expression': '1'}}",
    ],
)
def test_what_models_put_inside(parse, inner):
    parsed = parse(f"네.<tool_call>\n{inner}\n</tool_call>")
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("calculate", {"expression": "1"})]
    assert parsed.content == "네."


def test_the_name_as_a_key(parse):
    parsed = parse('<tool_call>{"calculate": {"expression": "1"}}</tool_call>')
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("calculate", {"expression": "1"})]


def test_the_names_of_the_tags_vary(parse):
    for tag in ("TOOLCALL", "tool_calls", "function_call", "longcat_tool_call"):
        parsed = parse(f'<{tag}>[{{"name": "now", "arguments": {{}}}}]</{tag}>')
        assert [call.name for call in parsed.tool_calls] == ["now"]
        assert parsed.content == ""


def test_granite_and_phi_without_a_closing_tag(parse):
    parsed = parse('<|tool_call|>[{"name": "now", "arguments": {}}]')
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert not parsed.repaired


def test_a_call_that_breaks_off_is_not_made(parse):
    parsed = parse('확인합니다.\n<tool_call>\n{"name": "search_knowledge_base", "arguments": {"query": "휴')
    assert parsed.tool_calls == []
    assert parsed.unfinished == "search_knowledge_base"
    assert parsed.content == "확인합니다."


def test_a_tag_at_the_end_is_not_shown(parse):
    parsed = parse("확인합니다.\n<tool_call>")
    assert parsed.tool_calls == []
    assert parsed.content == "확인합니다."


def test_what_is_no_json_stays_text(parse):
    assert parse("<tool_call>not valid json</tool_call>").tool_calls == []


def test_a_tag_that_is_spoken_of_is_no_call(parse):
    parsed = parse("The tag <tool_call> opens a call.")
    assert parsed.tool_calls == []
    assert parsed.content == "The tag <tool_call> opens a call."


@pytest.mark.parametrize("arguments", ['["1+1"]', "3", "true"])
def test_arguments_that_are_no_object_go_back_to_the_model(parse, arguments):
    parsed = parse(f'<tool_call>{{"name": "calculate", "arguments": {arguments}}}</tool_call>')
    [call] = parsed.tool_calls
    assert "JSON object" in call.error
    assert parsed.content == ""


@pytest.mark.parametrize("arguments", ["null", "[]", '""', '"{}"', "{}"])
def test_arguments_that_say_nothing(parse, arguments):
    [call] = parse(f'<tool_call>{{"name": "now", "arguments": {arguments}}}</tool_call>').tool_calls
    assert (call.args, call.error) == ({}, None)


def test_keys_of_no_meaning_beside_the_arguments_are_told(parse):
    parsed = parse('<tool_call>{"name": "now", "arguments": {}, "reason": "왜"}</tool_call>')
    [call] = parsed.tool_calls
    assert "reason" in call.error
    assert parsed.content == ""


def test_a_thought_beside_the_arguments_is_no_argument(parse):
    parsed = parse('<tool_call>{"name": "now", "arguments": {}, "thought": "왜"}</tool_call>')
    assert [(call.name, call.args, call.error) for call in parsed.tool_calls] == [("now", {}, None)]


def test_what_follows_broken_json_in_a_tag_is_read(parse):
    broken = '<tool_call>{"query": "x"</tool_call>\n'
    parsed = parse(broken + '<tool_call>{"name": "now", "arguments": {}}</tool_call>\n끝')
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == "끝"
