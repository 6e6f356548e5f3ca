"""`<|python_tag|>` and the tags around Python-like calls."""

import json

import pytest


def python_tag(calls):
    return "<|python_tag|>" + "; ".join(json.dumps({"name": name, "parameters": args}) for name, args in calls)


@pytest.mark.parametrize("end", ["", "<|eom_id|>"])
def test_a_written_call_comes_back(assert_round_trip, end):
    assert_round_trip(lambda calls: python_tag(calls) + end)


@pytest.mark.parametrize(
    "text",
    [
        '<|python_start|>[calculate(expression="1")]<|python_end|>',
        '<|tool_call_start|>[calculate(expression="1")]<|tool_call_end|>',
        "<function_calls>\ncalculate(expression='1')\n</function_calls>",
        '<tool_code>print(calculate(expression="1"))</tool_code>',
        '<tool_call>calculate(expression="1")</tool_call>',
        '<|python_tag|>calculate.call(expression="1")',
    ],
)
def test_calls_like_python_in_tags(parse, text):
    parsed = parse(text)
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("calculate", {"expression": "1"})]
    assert parsed.content == ""


def test_one_call_a_line(parse):
    parsed = parse("<function_calls>\nnow()\ncalculate(expression='1')\n</function_calls>")
    assert [call.name for call in parsed.tool_calls] == ["now", "calculate"]


def test_a_call_of_an_unknown_tool_in_tags_comes_back_with_an_error(parse):
    [call] = parse("<|python_start|>[nowhere(a=1)]<|python_end|>").tool_calls
    assert call.error


def test_a_list_of_calls_that_breaks_off_is_not_shown(parse):
    parsed = parse('<|python_start|>[record(text="서울')
    assert (parsed.tool_calls, parsed.unfinished, parsed.content) == ([], "record", "")
    parsed = parse("<|python_start|>[record(text='서울', ti")
    assert (parsed.tool_calls, parsed.unfinished, parsed.content) == ([], "record", "")
