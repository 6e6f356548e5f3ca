"""Dialect `schema`."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.dialects import DIALECTS
from dure.dialects.schema import response_format
from dure.messages import Delta

SCHEMA = DIALECTS["schema"]


def fed(tools, text, size=3, **options):
    reader = SCHEMA.reader(tools, **options)
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(Delta(text[at : at + size]))]
    reply = reader.finish()
    return reply, pieces + reply.rest


def shown(pieces):
    return "".join(piece.text for piece in pieces if piece.kind == "text")


def test_the_schema_allows_calls_and_answers_and_nothing_else(tools):
    schema = response_format(tools)["json_schema"]["schema"]
    for good in ({"answer": "x"}, {"tool": "calculate", "args": {"expression": "1"}}, {"tool": "now", "args": {}}):
        jsonschema.validate(good, schema)
    for bad in (
        {"answer": 1},
        {"tool": "nobody", "args": {}},
        {"tool": "calculate", "args": {}},
        {},
        {"answer": "x", "tool": "now"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)


def test_references_inside_a_tools_schema_still_point_to_it():
    point = {
        "type": "object",
        "properties": {"x": {"type": "number"}, "next": {"$ref": "#/$defs/Point"}},
        "required": ["x"],
    }
    parameters = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/Point"}},
        "required": ["at"],
        "$defs": {"Point": point},
    }
    two = [{"type": "function", "function": {"name": name, "parameters": parameters}} for name in ("go", "stay")]
    schema = response_format(two)["json_schema"]["schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"tool": "go", "args": {"at": {"x": 1, "next": {"x": 2}}}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"tool": "stay", "args": {"at": {"x": 1, "next": {"y": 2}}}}, schema)
    assert parameters["properties"]["at"] == {"$ref": "#/$defs/Point"}


def test_the_request(tools):
    talk = [
        {"role": "system", "content": "너는 비서다."},
        {"role": "user", "content": "둘 더하기 둘?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "calculate", "arguments": '{"expression": "2+2"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "name": "calculate", "content": "4"},
        {"role": "assistant", "content": "4입니다."},
        {"role": "user", "content": "고마워"},
    ]
    body = SCHEMA.request(talk, tools)
    system, *turns = body["messages"]
    assert [turn["content"] for turn in turns] == [
        "둘 더하기 둘?",
        '{"tool": "calculate", "args": {"expression": "2+2"}}',
        "calculate의 결과:\n4",
        '{"answer": "4입니다."}',
        turns[-1]["content"],
    ]
    assert turns[-1]["content"].startswith("고마워\n\n(")
    assert "calculate, rag_agent, now" in turns[-1]["content"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user", "assistant", "user"]
    assert '{"answer": "답 전체"}' in system["content"]
    assert body["response_format"]["type"] == "json_schema"
    assert "response_format" not in SCHEMA.request(talk, [])


def test_the_reminder_stands_behind_the_users_question_alone(tools):
    asked = [{"role": "user", "content": "둘 더하기 둘?"}]
    called = [{"id": "1", "type": "function", "function": {"name": "calculate", "arguments": "{}"}}]
    told = [{"role": "tool", "tool_call_id": "1", "name": "calculate", "content": "4"}]
    after = SCHEMA.request([*asked, {"role": "assistant", "content": None, "tool_calls": called}, *told], tools)
    assert after["messages"][1]["content"] == "둘 더하기 둘?"
    assert after["messages"][-1]["content"] == "calculate의 결과:\n4"
    assert SCHEMA.request(asked, [])["messages"] == asked


@given(st.text(st.characters(exclude_categories=("Cs",))), st.booleans(), st.integers(1, 7))
def test_the_answers_text_flows(tools, text, ascii_only, size):
    reply, pieces = fed(tools, json.dumps({"answer": text}, ensure_ascii=ascii_only), size)
    assert reply.content == text.strip()
    assert shown(pieces) == text.strip()
    assert reply.tool_calls == []


def test_an_answer_flows_before_its_end(tools):
    reader = SCHEMA.reader(tools)
    assert [piece.text for piece in reader.feed(Delta('{"answer": "안녕'))] == ["안녕"]
    assert [piece.text for piece in reader.feed(Delta("\\n하세요"))] == ["\n하세요"]


def test_a_call(tools):
    reply, pieces = fed(tools, '{"tool": "calculate", "args": {"expression": "1"}}')
    assert [(call.name, call.args, call.error) for call in reply.tool_calls] == [
        ("calculate", {"expression": "1"}, None)
    ]
    assert [(piece.kind, piece.text) for piece in pieces] == [("call", "calculate")]
    assert (reply.content, reply.final_answer, reply.repaired) == ("", None, False)


def test_an_unknown_tool_and_one_cut_short(tools):
    reply, _ = fed(tools, '{"tool": "calcualte", "args": {}}')
    assert "calculate" in reply.tool_calls[0].error
    reply, _ = fed(tools, '{"tool": "record", "args": {"text": "rm -rf /')
    assert reply.tool_calls[0].error


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "now", "arguments": {}}</tool_call>',
        "Thought: x\nAction: now\nAction Input: {}",
        '{"name": "now", "arguments": {}}',
        '```json\n{"tool": "now", "args": {}}\n```',
        '<think>생각</think>{"tool": "now", "args": {}}',
    ],
)
def test_a_server_that_does_not_hold_to_the_schema(tools, text):
    reply, pieces = fed(tools, text)
    assert [call.name for call in reply.tool_calls] == ["now"]
    assert shown(pieces) == reply.content == ""


def test_an_answer_without_its_wrapper(tools):
    reply, pieces = fed(tools, "안녕하세요! {a}")
    assert reply.content == shown(pieces) == reply.final_answer == "안녕하세요! {a}"


def test_other_json_is_an_answer(tools):
    text = '{"이름": "홍길동"}'
    reply, pieces = fed(tools, text)
    assert reply.content == shown(pieces) == text


def test_an_answer_that_breaks_off_is_what_there_is(tools):
    reply, pieces = fed(tools, '{"answer": "연차는 15')
    assert reply.content == shown(pieces) == "연차는 15"


@pytest.mark.parametrize("deep", [900, 3000])
def test_json_nested_too_deep_is_an_answer(tools, deep):
    text = '{"a":' * deep + "1" + "}" * deep
    reply, _ = fed(tools, text, 5000)
    assert reply.content == text


@pytest.mark.parametrize("size", [1, 500])
def test_an_answer_behind_reasoning_comes_out_of_its_wrapper(tools, size):
    reply, pieces = fed(tools, '<think>연차다.</think>{"answer": "연차는 15일"}', size)
    assert reply.content == shown(pieces) == reply.final_answer == "연차는 15일"
    assert reply.reasoning == "연차다."
