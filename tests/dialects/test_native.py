"""Dialect `native`."""

import json

import pytest

from dure.dialects import DIALECTS
from dure.messages import Delta, ToolCallDelta, Usage

NATIVE = DIALECTS["native"]


def fed(tools, *deltas, **options):
    reader = NATIVE.reader(tools, **options)
    pieces = [piece for delta in deltas for piece in reader.feed(delta)]
    reply = reader.finish()
    return reply, pieces + reply.rest


def called(*fragments, index=0):
    return [Delta(tool_calls=[ToolCallDelta(index, *fragment)]) for fragment in fragments]


def test_the_request(tools):
    messages = [{"role": "user", "content": "x"}]
    assert NATIVE.request(messages, tools) == {"messages": messages, "tools": tools}
    assert NATIVE.request(messages, []) == {"messages": messages}


def test_fragments_of_calls(tools):
    deltas = [
        Delta("찾아보겠습니다."),
        *called(("id1", "calculate", ""), ("", "", '{"expr'), ("", "", 'ession": "1"}')),
        *called(("id2", "now", ""), index=1),
        Delta(finish_reason="tool_calls", usage=Usage(1, 10, 5)),
    ]
    reply, pieces = fed(tools, *deltas)
    assert [(call.id, call.name, call.args) for call in reply.tool_calls] == [
        ("id1", "calculate", {"expression": "1"}),
        ("id2", "now", {}),
    ]
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("text", "찾아보겠습니다."),
        ("call", "calculate"),
        ("call", "now"),
    ]
    assert reply.content == "찾아보겠습니다."
    assert reply.final_answer is None
    assert (reply.finish_reason, reply.usage.completion_tokens, reply.repaired) == ("tool_calls", 5, False)


@pytest.mark.parametrize(
    "arguments", ["{'expression': '1',}", '{"expression": "1"}}', json.dumps('{"expression": "1"}'), "1"]
)
def test_malformed_arguments_are_mended(tools, arguments):
    reply, _ = fed(tools, *called(("a", "calculate", arguments)))
    [call] = reply.tool_calls
    assert (call.args, call.error) == ({"expression": "1"}, None)
    assert reply.repaired
    reply, _ = fed(tools, *called(("a", "calculate", arguments)), repair=False)
    assert reply.tool_calls[0].error
    assert not reply.repaired


@pytest.mark.parametrize("arguments", ["", "{}", "null"])
def test_no_arguments(tools, arguments):
    reply, _ = fed(tools, *called(("a", "now", arguments)))
    assert (reply.tool_calls[0].args, reply.tool_calls[0].error, reply.repaired) == ({}, None, False)


def test_arguments_that_break_off_do_not_run(tools):
    reply, _ = fed(tools, *called(("a", "record", '{"text": "rm -rf /')), Delta(finish_reason="length"))
    assert reply.tool_calls[0].error


def test_an_unknown_tool(tools):
    reply, _ = fed(tools, *called(("a", "calcualte", "{}")))
    assert "calculate" in reply.tool_calls[0].error
    assert reply.tool_calls[0].id == "a"


def test_calls_leaked_as_text_are_read(tools):
    reply, pieces = fed(tools, Delta('네.\n<tool_call>{"name": "now", "arguments": {}}</tool_call>'))
    assert [call.name for call in reply.tool_calls] == ["now"]
    assert reply.content == "네."
    assert "".join(piece.text for piece in pieces if piece.kind == "text") == "네."


def test_markup_beside_native_calls_is_not_called_again(tools):
    text = Delta('<tool_call>{"name": "now", "arguments": {}}</tool_call>')
    reply, _ = fed(tools, text, *called(("a", "now", "{}")))
    assert [(call.id, call.name) for call in reply.tool_calls] == [("a", "now")]
    assert reply.content == ""


def test_a_call_written_as_text_that_ends_at_the_length_limit_does_not_run(tools):
    text = Delta('Action: record\nAction Input: {"text": "rm -rf /')
    reply, _ = fed(tools, text, Delta(finish_reason="length"))
    assert [call.error is None for call in reply.tool_calls] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "Action: record",
        "Action: record\nAction In",
        "Action: record\nAction Input:",
        "Action: rag_agent\nAction Input: 연차 규정을 찾아서",
        "Delegate: rag_agent\nTask: 연차 규정을 찾아서",
    ],
)
def test_a_call_that_goes_on_to_the_length_limit_does_not_run(tools, text):
    reply, _ = fed(tools, Delta(f"Thought: 찾자.\n{text}"), Delta(finish_reason="length"))
    assert ["cut off" in call.error for call in reply.tool_calls] == [True]
    reply, _ = fed(tools, Delta(f"Thought: 찾자.\n{text}"), Delta(finish_reason="stop"))
    assert [call.error for call in reply.tool_calls] == [None]
