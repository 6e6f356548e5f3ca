import json
import unicodedata

import pytest

from dure.messages import (
    ToolCall,
    ToolCallDelta,
    Usage,
    assistant,
    json_bytes,
    language_of,
    named,
    system,
    tool_result,
    user,
    wire_call,
)


def test_messages_have_openais_shape():
    call = wire_call(ToolCall("add", {"a": 1}, id="c1"))
    assert system("s") == {"role": "system", "content": "s"}
    assert user("u") == {"role": "user", "content": "u"}
    assert assistant("a") == {"role": "assistant", "content": "a"}
    assert assistant(None, [call]) == {"role": "assistant", "content": None, "tool_calls": [call]}
    assert tool_result("c1", "add", "2") == {"role": "tool", "tool_call_id": "c1", "name": "add", "content": "2"}


def test_langchain_reads_them():
    from langchain_core.messages import convert_to_messages

    call = wire_call(ToolCall("add", {"a": "가"}, id="c1"))
    given = [system("s"), user("u"), assistant(None, [call]), tool_result("c1", "add", "2")]
    found = convert_to_messages(given)
    assert [each.type for each in found] == ["system", "human", "ai", "tool"]
    assert found[2].tool_calls[0]["args"] == {"a": "가"}


@pytest.mark.parametrize("args", [{}, {"a": [1, {"b": None}]}, {"말": "가"}, {"n": 2**80}, {"s": "\ud800"}])
def test_wire_calls_keep_their_arguments(args):
    call = wire_call(ToolCall("t", args, id="c"))
    assert (call["id"], call["type"], call["function"]["name"]) == ("c", "function", "t")
    assert json.loads(call["function"]["arguments"]) == args


def test_usage_adds_up():
    usage = Usage(1, 10, 2)
    usage.add(Usage(2, 5, 3))
    assert usage.as_dict() == {"model_calls": 3, "prompt_tokens": 15, "completion_tokens": 5}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("휴가 정책", "ko"),
        ("vacation 정책", "ko"),
        ("ㅋㅋ", "ko"),
        (unicodedata.normalize("NFD", "휴가"), "ko"),
        ("vacation policy", "en"),
        ("休暇", "en"),
        ("", "en"),
    ],
)
def test_language_of(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"a": [1, "가", None, 1.5, True]}, {"a": [1, "가", None, 1.5, True]}),
        ({"n": [2**63, -(2**63), 2**64 - 1]}, {"n": [2**63, -(2**63), 2**64 - 1]}),
        ({"n": 2**64, -(2**80): -(2**80)}, {"n": str(2**64), str(-(2**80)): str(-(2**80))}),
        ({"a\ud83d": ("b\ud83d", "\U0001f600")}, {"a\ufffd": ["b\ufffd", "\U0001f600"]}),
        (ToolCallDelta(2**70, "a"), {"index": str(2**70), "id": "a", "name": "", "arguments": ""}),
        ([object, 2**70], [str(object), str(2**70)]),
    ],
)
def test_json_is_written_whatever_the_value(value, written):
    assert json.loads(json_bytes(value)) == written


def test_json_is_written_however_deep():
    deep = []
    for _ in range(600):
        deep = [deep]
    assert json.loads(json_bytes({"x": deep}))["x"][0][0][0]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("여름 행사의 바람이 초속 12m를 넘으면 어떻게 하나요", "여름 행사의 바람이…"),
        ("a short\n name ", "a short name"),
        ("One, two, three, four", "One, two…"),
        ("가" * 30, "가" * 11 + "…"),
        ("12345678901 3", "12345678901…"),
        ("", ""),
    ],
)
def test_a_name_ends_with_a_word(text, made):
    assert named(text, 12) == made
    assert len(made) <= 12
