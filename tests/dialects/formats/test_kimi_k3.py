"""Kimi K3's elements."""

import html
import json


def element(name, body, **attributes):
    given = "".join(f' {key}="{html.escape(str(value))}"' for key, value in attributes.items())
    return f"<|open|>{name}{given}<|sep|>{body}<|close|>{name}<|sep|>"


def write(calls, answer=""):
    inner = "".join(
        element("call", "".join(argument(key, value) for key, value in args.items()), tool=name, index=index)
        for index, (name, args) in enumerate(calls, 1)
    )
    return element("response", answer) + element("tools", inner) + "<|close|>message<|sep|>"


def argument(key, value):
    kind = {str: "string", bool: "boolean", dict: "object", list: "array", type(None): "null"}.get(
        type(value), "number"
    )
    return element("argument", value if kind == "string" else json.dumps(value, ensure_ascii=False), key=key, type=kind)


def test_a_written_call_comes_back(assert_round_trip):
    assert_round_trip(write)


def test_reasoning_and_answer(parse):
    parsed = parse("생각<|close|>think<|sep|>" + element("response", "답입니다.") + "<|close|>message<|sep|>")
    assert parsed.thought == "생각"
    assert parsed.content == parsed.final_answer == "답입니다."


def test_escaped_keys(parse):
    [call] = parse(write([("anything", {"q&a": "x"})]), None).tool_calls
    assert call.args == {"q&a": "x"}


def test_a_closing_tag_as_text_in_a_value(parse):
    value = "<|close|>argument<|sep|> is how it ends"
    assert parse(write([("record", {"text": value})])).tool_calls[0].args == {"text": value}


def test_a_call_that_breaks_off_is_not_made(parse):
    parsed = parse(write([("record", {"text": "하나"})], "말.").split("하나")[0])
    assert parsed.tool_calls == []
    assert parsed.unfinished == "record"
    assert parsed.content == "말."
