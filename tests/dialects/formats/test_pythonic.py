"""`[f(a=1)]`: parsed, never evaluated."""

import pytest


def write(calls):
    return "[" + ", ".join(f"{name}({keywords(args)})" for name, args in calls) + "]"


def keywords(args):
    return ", ".join(f"{key}={value!r}" for key, value in args.items())


def test_a_written_call_comes_back(assert_round_trip):
    assert_round_trip(write)


def test_json_literals_and_missing_escapes(parse):
    [call] = parse("[record(text='it's fine', flag=true, options={'a': null})]").tool_calls
    assert call.args == {"text": "it's fine", "flag": True, "options": {"a": None}}


def test_arguments_by_place(parse):
    parsed = parse('[calculate("1+1")]')
    assert parsed.tool_calls[0].args == {"expression": "1+1"}
    assert parsed.repaired


def test_at_a_lines_start(parse):
    assert parse('calculate(expression="1")').tool_calls[0].args == {"expression": "1"}
    assert parse('calculate({"expression": "1"})').tool_calls[0].args == {"expression": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "[record(text=open('/etc/passwd').read())]",
        "[record(text=__import__('os').system('x'))]",
        "[record(count=1+1)]",
        "[nobody(a=1)]",
        "[1, 2, 3]",
        "[link](https://example.org)",
        '[record(text="a"), record(text="b',
        "calculate(expression) rechnet.",
    ],
)
def test_what_is_no_call(parse, text):
    parsed = parse(text)
    assert parsed.tool_calls == []
    assert parsed.unfinished or parsed.content == text


def test_an_answer_that_mentions_a_call(parse):
    assert parse('Use it so:\ncalculate(expression="1")\nThat gives 1.').tool_calls == []


def test_escapes_are_those_of_python_in_long_strings_too(parse):
    [call] = parse(r'[record(text="\ud83d\ude00 \x41", title="""\x42 "b" \n""")]').tool_calls
    assert call.args == {"text": "😀 A", "title": 'B "b" \n'}
