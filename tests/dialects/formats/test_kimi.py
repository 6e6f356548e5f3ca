"""Kimi K2: the name inside the call's id."""

import json

SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"


def write(calls):
    return SECTION + without_section(calls) + SECTION_END


def without_section(calls):
    return "".join(
        f"<|tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>{json.dumps(args)}<|tool_call_end|>"
        for index, (name, args) in enumerate(calls)
    )


def test_a_written_call_comes_back(assert_round_trip):
    assert_round_trip(write)
    assert_round_trip(without_section)


def test_noise_in_the_section_is_dropped(parse):
    parsed = parse(f"말.{SECTION} noise {without_section([('now', {})])} more {SECTION_END}끝.")
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == "말.끝."


def test_an_empty_section(parse):
    assert parse(f"말. {SECTION}{SECTION_END}").content == "말."


def test_an_id_without_prefix_or_number(parse):
    text = write([("now", {})]).replace("functions.now:0", "now")
    assert [call.name for call in parse(text).tool_calls] == ["now"]


def test_without_tokens(parse):
    assert parse('functions.calculate:0{"expression": "1"}').tool_calls[0].args == {"expression": "1"}


def test_a_call_that_breaks_off_is_not_made(parse):
    parsed = parse(write([("record", {"text": "하나"})])[:-60])
    assert parsed.tool_calls == []
    assert parsed.unfinished
