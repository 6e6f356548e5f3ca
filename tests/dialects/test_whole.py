"""A dialect that reads replies whole: names and arguments are checked as in every other."""

import re

from hypothesis import given
from hypothesis import strategies as st

from dure.dialects import Call, Whole
from dure.messages import Delta, Usage

TOOL = {
    "type": "function",
    "function": {"name": "find", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
}
LINE = re.compile(r"^@(\w+) (.*)$", re.MULTILINE)


def calls_in(text):
    return LINE.sub("", text).strip(), [Call(*found) for found in LINE.findall(text)]


def reply(*texts, repair=True, **last):
    reader = Whole([TOOL], calls_in, repair=repair)
    assert [piece for text in texts for piece in reader.feed(Delta(text))] == []
    reader.feed(Delta("", **last))
    return reader.finish()


@given(st.lists(st.text(alphabet='@find {"query": 휴}\n', max_size=12)))
def test_any_cutting_gives_the_same(texts):
    whole, cut = reply("".join(texts)), reply(*texts)
    assert [(c.name, c.args, c.error) for c in cut.tool_calls] == [(c.name, c.args, c.error) for c in whole.tool_calls]
    assert (cut.content, cut.rest) == (whole.content, whole.rest)
    assert "".join(piece.text for piece in cut.rest if piece.kind == "text") == cut.content


def test_an_answer():
    read = reply("<think>hm", "m</think>15일", "입니다.", usage=Usage(1, 2, 3), finish_reason="stop")
    assert (read.content, read.final_answer, read.reasoning) == ("15일입니다.", "15일입니다.", "hmm")
    assert (read.usage, read.finish_reason, read.tool_calls) == (Usage(1, 2, 3), "stop", [])


def test_a_call_and_what_was_said_beside_it():
    read = reply('잠시만요.\n@find {"query": "휴가"}')
    assert [(call.name, call.args, call.error) for call in read.tool_calls] == [("find", {"query": "휴가"}, None)]
    assert (read.content, read.final_answer) == ("잠시만요.", None)
    assert [(piece.kind, piece.text) for piece in read.rest] == [("text", "잠시만요."), ("call", "find")]


def test_what_cannot_run_is_told_to_the_model():
    (unknown,) = reply('@fnd {"query": "휴가"}').tool_calls
    assert "Did you mean 'find'?" in unknown.error
    (torn,) = reply('@find {"query": "휴가",}', repair=False).tool_calls
    assert "malformed" in torn.error
    mended = reply('@find {"query": "휴가",}')
    assert (mended.tool_calls[0].args, mended.repairs) == ({"query": "휴가"}, ["a trailing comma"])
