"""Chunks as servers really send them."""

import math

import pytest

from dure.errors import ModelError
from dure.messages import Usage
from dure.models.deltas import Chunks, error_of, load, shown


def chunk(**delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def part(index=None, call_id=None, name=None, arguments=None):
    call = {"id": call_id, "function": {"name": name, "arguments": arguments}}
    return chunk(tool_calls=[call if index is None else {**call, "index": index}])


def assembled(*parts):
    chunks, found = Chunks(), {}
    for each in parts:
        for call in chunks.read(each).tool_calls:
            entry = found.setdefault(call.index, ["", ""])
            entry[0] += call.name
            entry[1] += call.arguments
    return [tuple(found[index]) for index in sorted(found)]


TWO = [("a", "{}"), ("b", '{"x":1}')]


@pytest.mark.parametrize(
    "parts",
    [
        [part(0, "1", "a", ""), part(0, None, None, "{}"), part(1, "2", "b", '{"x"'), part(1, None, None, ":1}")],
        [part(None, "1", "a", "{}"), part(None, "2", "b", '{"x":'), part(None, None, None, "1}")],
        [part(0, "1", "a", "{}"), part(0, "2", "b", '{"x":'), part(0, None, None, "1}")],
        [part(None, None, "a", {}), part(None, None, "b", {"x": 1})],
    ],
    ids=["by the book", "no index", "every index 0", "arguments as objects"],
)
def test_calls_are_told_apart(parts):
    assert assembled(*parts) == TWO


def test_an_id_repeated_in_every_fragment_is_one_call():
    assert assembled(part(0, "1", "a", "{"), part(0, "1", None, "}")) == [("a", "{}")]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_by_either_name(key):
    delta = Chunks().read(chunk(**{key: "hm"}))
    assert (delta.text, delta.reasoning) == ("", "hm")


def test_what_came_at_once_is_read_at_once_in_its_order():
    came = [chunk(reasoning="h"), chunk(reasoning="m"), chunk(content="a"), part(0, "1", "f", "{"), chunk(content="b")]
    last = {"choices": [{"delta": {"content": "c"}, "finish_reason": "stop"}]}
    first, second = Chunks().joined([*came, part(0, None, None, "}"), chunk(reasoning="!"), chunk(), last])
    assert (first.reasoning, first.text, first.finish_reason) == ("hm", "ab", None)
    assert "".join(each.arguments for each in first.tool_calls) == "{}"
    # Thinking that comes after words is told after them.
    assert (second.reasoning, second.text, second.finish_reason) == ("!", "c", "stop")


def test_content_in_parts():
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]
    delta = Chunks().read(chunk(content=parts))
    assert (delta.text, delta.reasoning) == ("yes", "hm")


@pytest.mark.parametrize(
    ("told", "tokens"),
    [
        ({"content": [{"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -4.0}]}, [("a", -0.1), ("b", -4.0)]),
        ({"content": [{"token": "a", "logprob": None}, {"token": "b"}, {"token": "c", "logprob": 0.2}]}, [("c", 0.0)]),
        ({"content": []}, []),
        (None, []),
    ],
)
def test_how_probable_its_tokens_were(told, tokens):
    read = chunk(content="ab")
    read["choices"][0]["logprobs"] = told
    assert Chunks().read(read).tokens == [(text, pytest.approx(math.exp(logprob))) for text, logprob in tokens]


def test_chunks_that_add_nothing():
    chunks = Chunks()
    assert chunks.read(chunk(role="assistant", content="")) is None
    assert chunks.read({"choices": []}) is None


def test_the_last_usage_counts():
    chunks = Chunks()
    chunks.read({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}})
    chunks.read({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})
    chunks.read({"choices": [], "usage": None})
    assert chunks.usage == Usage(1, 5, 2)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"error": {"message": "no", "code": 500}}, "no"),
        ({"error": "no"}, "no"),
        ({"object": "error", "message": "no", "code": 400}, "no"),
        ({"detail": "no"}, "no"),
        ({"error": {"type": "x"}}, '{"type":"x"}'),
    ],
)
def test_errors_in_their_many_shapes(value, reason):
    assert error_of(value).details["reason"] == reason
    with pytest.raises(ModelError):
        Chunks().read(value)


def test_a_reply_is_no_error():
    assert error_of({"choices": [], "error": None}) is None


def test_half_a_character_becomes_a_replacement():
    assert load(b'{"a": ["x\\ud83d"]}') == {"a": ["x\ufffd"]}


def test_what_is_no_json():
    with pytest.raises(ModelError, match="not JSON"):
        load(b"{]")


@pytest.mark.parametrize(
    "malformed",
    [{"choices": {"0": 1}}, {"choices": ["text"]}, {"choices": [{"delta": ["a"]}]}, part(0) | {"choices": [[]]}],
)
def test_a_chunk_of_another_shape_is_the_servers_error(malformed):
    with pytest.raises(ModelError):
        Chunks().read(malformed)


@pytest.mark.parametrize(
    ("told", "prompt", "completion"),
    [
        ("none", 0, 0),
        ([1, 2], 0, 0),
        ({"prompt_tokens": "12", "completion_tokens": 3.7}, 12, 3),
        ({"prompt_tokens": -4, "completion_tokens": 10**20}, 0, 0),
        ({"prompt_tokens": {}, "prompt_tokens_details": [], "completion_tokens": 5}, 0, 5),
    ],
)
def test_a_usage_that_is_none_harms_no_reply(told, prompt, completion):
    chunks = Chunks()
    assert chunks.read({**chunk(content="a"), "usage": told}).text == "a"
    used = chunks.usage or Usage()
    assert (used.prompt_tokens, used.completion_tokens) == (prompt, completion)


def test_of_a_web_page_its_title_is_shown():
    assert shown(b"<html>\r\n<head><title>502 Bad Gateway</title></head><body>nginx</body>") == "'502 Bad Gateway'"
    assert shown(b"<p>no title") == "'<p>no title'"
