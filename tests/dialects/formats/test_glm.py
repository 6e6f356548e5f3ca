"""`<arg_key>` and `<arg_value>`, with and without newlines, with suffixes, and Hunyuan's fence."""

import pytest


def spread(calls):
    return "\n".join(f"<tool_call>{name}\n{pairs(args, chr(10))}</tool_call>" for name, args in calls)


def compact(calls):
    return "".join(f"<tool_call>{name}{pairs(args, '')}</tool_call>" for name, args in calls)


def pairs(args, gap):
    return "".join(f"<arg_key>{key}</arg_key>{gap}<arg_value>{value}</arg_value>{gap}" for key, value in args.items())


def suffixed(calls):
    [(name, args)] = calls
    inner = "".join(
        f"<arg_key:opensource>{key}</arg_key:opensource>\n<arg_value:opensource>{value}</arg_value:opensource>\n"
        for key, value in args.items()
    )
    call = f"<tool_call:opensource>{name}<tool_sep:opensource>\n{inner}</tool_call:opensource>"
    return f"<tool_calls:opensource>\n{call}\n</tool_calls:opensource>"


@pytest.mark.parametrize("write", [spread, compact])
def test_a_written_call_comes_back(assert_round_trip, write):
    assert_round_trip(write, raw=True, without=("</", "<arg", "<tool"))


def test_a_written_call_with_suffixes_comes_back(assert_round_trip):
    assert_round_trip(suffixed, raw=True, most=1, without=("</", "<arg", "<tool"))


def test_tags_as_text_in_a_value(parse):
    value = "Wrap each call in <tool_call> and </tool_call>; keys go in <arg_key>."
    [call] = parse(compact([("record", {"text": value})])).tool_calls
    assert call.args == {"text": value}


def test_a_lost_closing_tag_of_a_value(parse):
    text = "<tool_call>record<arg_key>text</arg_key><arg_value>하나</tool_call>"
    assert parse(text).tool_calls[0].args == {"text": "하나"}


def test_no_arguments(parse):
    assert [call.name for call in parse("<tool_call>now</tool_call>").tool_calls] == ["now"]


def test_a_call_without_its_end_is_not_made(parse):
    parsed = parse("<tool_call>record<arg_key>text</arg_key><arg_value>하나</arg_value>")
    assert parsed.tool_calls == []
    assert parsed.unfinished == "record"


def test_arguments_in_a_fence(parse):
    text = '<tool_calls><tool_call>calculate\n```json\n{"expression": "1"}\n```</tool_call></tool_calls>'
    parsed = parse(text)
    assert parsed.tool_calls[0].args == {"expression": "1"}
    assert parsed.content == ""
