"""Calls as plain JSON, and JSON that is an answer."""

import json

import pytest

SHAPES = {
    "name/arguments": lambda name, args: {"name": name, "arguments": args},
    "name/parameters": lambda name, args: {"name": name, "parameters": args},
    "tool/args": lambda name, args: {"tool": name, "args": args},
    "tool_name/tool_input": lambda name, args: {"tool_name": name, "tool_input": args},
    "action/action_input": lambda name, args: {"action": name, "action_input": args},
    "function/arguments": lambda name, args: {"function": name, "arguments": args},
    "typed": lambda name, args: {"type": "function", "name": name, "parameters": args},
    "openai": lambda name, args: {
        "id": "call_1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(args)},
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_written_call_comes_back(assert_round_trip, shape):
    make = SHAPES[shape]
    assert_round_trip(lambda calls: "\n".join(json.dumps(make(*call), ensure_ascii=False) for call in calls))


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_comes_back(assert_round_trip, indent):
    make = SHAPES["name/arguments"]
    assert_round_trip(lambda calls: json.dumps([make(*call) for call in calls], indent=indent))


def test_semicolons(assert_round_trip):
    make = SHAPES["name/parameters"]
    assert_round_trip(lambda calls: "; ".join(json.dumps(make(*call)) for call in calls))


@pytest.mark.parametrize("key", ["function_call", "tool_call"])
def test_a_call_under_a_key_that_says_so(parse, key):
    text = json.dumps({key: {"name": "record", "arguments": {"text": "x"}}})
    assert [(call.name, call.args) for call in parse(text).tool_calls] == [("record", {"text": "x"})]


def test_openais_wrapper(assert_round_trip):
    make = SHAPES["openai"]
    assert_round_trip(lambda calls: json.dumps({"tool_calls": [make(*call) for call in calls]}))


@pytest.mark.parametrize("info", ["json", "", "tool_call"])
def test_a_fence(assert_round_trip, info):
    make = SHAPES["name/arguments"]
    assert_round_trip(lambda calls: f"```{info}\n{json.dumps(make(*calls[0]), indent=1)}\n```", most=1)


def test_text_before_a_fence_is_for_the_reader(parse):
    parsed = parse('찾아보겠습니다.\n\n```json\n{"name": "now", "arguments": {}}\n```')
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == "찾아보겠습니다."


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "홍길동", "age": 31}',
        '{"name": "홍길동"}',
        '{"parameters": {}}',
        "{}",
        '{"a": 1} is a dict',
        '[{"name": "now", "count": 3}]',
        '{"answer": "x", "calls": "now"}',
        '{"plan": [{"name": "now", "arguments": {}}]}',
        '{"plan":\n  {"name": "now", "arguments": {}}}',
        '예:\n```json\n{"name": "now", "arguments": {}}\n```\n이렇게 씁니다.',
        '로그에 `{"name": "now", "arguments": {}}` 라고 있습니다.',
        '로그에 "{"name": "now", "arguments": {}}" 라고 있습니다.',
        'Send {"name": "now", "arguments": {}} to the server, then wait.',
        'Final Answer: {"name": "now", "arguments": {}}',
    ],
)
def test_json_that_is_an_answer_stays_an_answer(parse, text):
    parsed = parse(text)
    assert parsed.tool_calls == []
    assert parsed.content == text.removeprefix("Final Answer: ")


def test_an_unknown_name_in_the_shape_of_a_call(parse):
    [call] = parse('{"name": "serch_knowledge_base", "arguments": {"query": "x"}}').tool_calls
    assert "search_knowledge_base" in call.error


def test_any_name_is_known_without_tools(parse):
    assert parse('{"name": "anything", "arguments": {"a": 1}}', None).tool_calls[0].args == {"a": 1}
    assert parse('{"name": "홍길동"}', None).tool_calls == []
