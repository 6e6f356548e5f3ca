"""`[TOOL_CALLS]`: an array, or names with arguments."""

import json

import pytest


def array(calls):
    return "[TOOL_CALLS]" + json.dumps([{"name": name, "arguments": args} for name, args in calls], ensure_ascii=False)


def named(calls):
    return "".join(f"[TOOL_CALLS]{name}[ARGS]{json.dumps(args, ensure_ascii=False)}" for name, args in calls)


def with_ids(calls):
    return "".join(f"[TOOL_CALLS]{name}[CALL_ID]abcDEF123[ARGS]{json.dumps(args)}" for name, args in calls)


def plain(calls):
    return "[TOOL_CALLS]" + "".join(f"{name}{json.dumps(args)}" for name, args in calls)


@pytest.mark.parametrize("write", [array, named, with_ids, plain])
def test_a_written_call_comes_back(assert_round_trip, write):
    assert_round_trip(write)


def test_without_the_token(parse):
    assert parse('calculate[ARGS]{"expression": "1"}').tool_calls[0].args == {"expression": "1"}


def test_text_before(parse):
    assert parse("네." + named([("now", {})])).content == "네."


def test_what_is_no_call(parse):
    for text in (
        "[TOOL_CALLS] not json at all",
        "[TOOL_CALLS]",
        "[TOOL_CALLS]record",
        '[TOOL_CALLS]record[ARGS]{"text": "rm',
    ):
        assert parse(text).tool_calls == []
        assert "[TOOL_CALLS]" not in parse(text).content


def test_reasoning(parse):
    parsed = parse("[THINK][TOOL_CALLS] is only text here.[/THINK]답")
    assert (parsed.thought, parsed.content) == ("[TOOL_CALLS] is only text here.", "답")
