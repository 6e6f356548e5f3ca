"""Gemma 4's notation, and FunctionGemma's."""

import json

import pytest


def write(calls, mark='<|"|>', opening="<|tool_call>", closing="<tool_call|>"):
    return "".join(f"{opening}call:{name}{notation(args, mark)}{closing}" for name, args in calls)


def notation(value, mark):
    if isinstance(value, str):
        return f"{mark}{value}{mark}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{notation(item, mark)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(notation(item, mark) for item in value) + "]"
    return json.dumps(value)


@pytest.mark.parametrize(
    "marks", [('<|"|>', "<|tool_call>", "<tool_call|>"), ("<escape>", "<start_function_call>", "<end_function_call>")]
)
def test_a_written_call_comes_back(parse, assert_round_trip, marks):
    def written(calls):
        # The notation does not quote keys, so objects of any keys cannot be written in it.
        for _, args in calls:
            args.pop("options", None)
            args.pop("items", None)
        return write(calls, *marks)

    assert_round_trip(written)


def test_nested_values(parse):
    args = {"items": [1, "둘", {"셋": [True, None, -0.5]}], "options": {"key with space": {"a": []}}}
    assert parse(write([("record", args)])).tool_calls[0].args == args


def test_at_a_lines_start_without_tags(parse):
    assert parse('call:calculate{expression:<|"|>1<|"|>}').tool_calls[0].args == {"expression": "1"}
    assert parse("call:nobody{a:1}").tool_calls == []


def test_json_in_place_of_the_notation(parse):
    assert parse('<|tool_call>call:calculate{"expression": "a, \\"b\\""}<tool_call|>').tool_calls[0].args == {
        "expression": 'a, "b"'
    }


def test_reasoning(parse):
    parsed = parse("<|channel>thought\n생각\n<channel|>답")
    assert (parsed.thought, parsed.content) == ("생각", "답")


@pytest.mark.parametrize(
    "text",
    ['<|tool_call>call:record{text:<|"|>Paris', "<|tool_call>call:rec", '<|tool_call>call:record{text:<|"|>a<|"|>'],
)
def test_a_call_that_breaks_off_is_not_made(parse, text):
    parsed = parse(text)
    assert parsed.tool_calls == []
    assert parsed.unfinished
    assert parsed.content == ""


@pytest.mark.parametrize(
    "written",
    [
        '{\n  "text": "하나",\n  "title": "C:\\\\"\n}',
        '{"text": "하나" , "title": "C:\\\\" }',
        '{text:"하나",title:"C:\\\\"}',
    ],
)
def test_strings_in_quotes_end_before_white_space_too(parse, written):
    parsed = parse(f"<|tool_call>call:record{written}<tool_call|>")
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("record", {"text": "하나", "title": "C:\\"})]
