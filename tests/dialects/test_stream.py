"""Reading a reply as it comes gives the same as reading it whole, and shows nothing but the answer."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dure.dialects import DIALECTS, ToolCallParser
from dure.dialects.offered import Offered
from dure.messages import Delta

BLOCKS = [
    "네, 확인하겠습니다.",
    "\n\n",
    "\n",
    " ",
    "`code` [1] {x} <b>굵게</b>",
    "목록:\n- 하나\n- 둘: 셋\n1. 넷",
    "```python\nprint({'a': 1})\n```",
    "a < b [그리고] {c: d}",
    '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    "<tool_call>record<arg_key>text</arg_key><arg_value>하나</arg_value></tool_call>",
    "<function=record>\n<parameter=text>\n하나\n</parameter>\n</function>",
    '[TOOL_CALLS]record[ARGS]{"text": "하나"}',
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    '<|tool_call>call:record{text:<|"|>하나<|"|>}<tool_call|>',
    "<think>생각</think>",
    "Thought: 생각\n",
    '\nAction: record\nAction Input: {"text": "하나"}\n',
    "\nFinal Answer: 답입니다.",
    "\nObservation: 15\n",
    '{"name": "now", "arguments": {}}',
    '{"이름": "값", "배열": [1, {"name": "x"}]}',
    '\n```json\n{"name": "now", "arguments": {}}\n```\n',
    "<|im_end|>",
    "<tool_call>",
    '<tool_call>{"name": "record", "argu',
]

FENCE_AFTER_TEXT = "".join(BLOCKS[each] for each in (0, 6, 0, 9, 8))
"""What closes the code would open another, on a line of more than a hundred characters."""


@given(st.lists(st.sampled_from(BLOCKS), max_size=5).map("".join), st.lists(st.integers(1, 25), min_size=1, max_size=9))
@example(FENCE_AFTER_TEXT, [1])
def test_any_cutting_gives_the_same(tools, text, sizes):
    whole = ToolCallParser(tools).parse(text)
    reader = DIALECTS["text"].reader(tools)
    pieces, at, turn = [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        pieces += reader.feed(Delta(text[at : at + size]))
        at, turn = at + size, turn + 1
    reply = reader.finish()
    pieces += reply.rest
    assert [(call.name, call.args, call.error) for call in reply.tool_calls] == [
        (call.name, call.args, call.error) for call in whole.tool_calls
    ]
    assert (reply.content, reply.final_answer, reply.repairs) == (whole.content, whole.final_answer, whole.repairs)
    assert "".join(piece.text for piece in pieces if piece.kind == "text") == reply.content
    names = [piece.text for piece in pieces if piece.kind == "call"]
    made = [call.name for call in reply.tool_calls]
    assert names in (made, [*made, reply.unfinished])


def test_answer_text_flows_at_once(tools):
    reader = DIALECTS["text"].reader(tools)
    shown = []
    for char in "연차는 15일입니다. a < b":
        shown.append("".join(piece.text for piece in reader.feed(Delta(char))))
    assert shown[0] == "연"
    assert "".join(shown[:10]) == "연차는 15일입니다"
    assert "".join(shown).startswith("연차는 15일입니다. a <")


def test_only_what_may_begin_a_marker_is_held_back(tools):
    reader = DIALECTS["text"].reader(tools)
    assert [piece.text for piece in reader.feed(Delta("값은 <tool_c"))] == ["값은"]
    assert [piece.text for piece in reader.feed(Delta("olor>"))] == [" <tool_color>"]


def test_a_call_is_announced_once_its_name_is_certain(tools):
    reader = DIALECTS["text"].reader(tools)
    fragments = [
        "<tool_call>\n",
        '{"name": "rec',
        'ord", "arguments": {"text": "',
        "하나",
        '"}}',
        "\n</tool_call>",
        "\n끝",
    ]
    announced = [[piece.text for piece in reader.feed(Delta(each)) if piece.kind == "call"] for each in fragments]
    reply = reader.finish()
    announced.append([piece.text for piece in reply.rest if piece.kind == "call"])
    assert [name for names in announced for name in names] == ["record"]
    assert announced[0] == announced[1] == []


@pytest.mark.parametrize("label", ["\nAction: ", "\nDelegate: "])
def test_react_calls_are_announced_before_their_input_ends(tools, label):
    reader = DIALECTS["text"].reader(tools)
    pieces = reader.feed(
        Delta(f"Thought: x{label}rag_agent\n" + ("Action Input: {" if "Action" in label else "Task: 긴"))
    )
    assert [piece.text for piece in pieces if piece.kind == "call"] == ["rag_agent"]


def test_reasoning_has_pieces_of_its_own(tools):
    reader = DIALECTS["native"].reader(tools)
    pieces = reader.feed(Delta("", reasoning="먼저 ")) + reader.feed(Delta("<think>생각</think>답"))
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("reasoning", "먼저 "),
        ("reasoning", "생각"),
        ("text", "답"),
    ]
    reply = reader.finish()
    assert (reply.reasoning, reply.content) == ("먼저\n생각", "답")


def test_a_reply_that_begins_in_reasoning(tools):
    text = "생각을 길게</think>답입니다."
    reader = DIALECTS["text"].reader(tools)
    for char in text:
        reader.feed(Delta(char))
    reply = reader.finish()
    assert reply.prefilled
    assert (reply.reasoning, reply.content) == ("생각을 길게", "답입니다.")
    reader = DIALECTS["text"].reader(tools, reasoning=reply.prefilled)
    pieces = [piece for char in text for piece in reader.feed(Delta(char))]
    assert "".join(piece.text for piece in pieces if piece.kind == "text") == "답입니다."
    assert "".join(piece.text for piece in pieces if piece.kind == "reasoning") == "생각을 길게"


@pytest.mark.parametrize("closing", ["</think>", "<|close|>think<|sep|>"])
def test_an_answer_behind_reasoning_that_the_prompt_opened(tools, closing):
    reader = DIALECTS["text"].reader(tools, reasoning=True)
    pieces = reader.feed(Delta(f"음{closing}네.")) + reader.finish().rest
    assert [(piece.kind, piece.text) for piece in pieces] == [("reasoning", "음"), ("text", "네.")]


@pytest.mark.parametrize("size", [1, 3, 400])
@pytest.mark.parametrize("between", [";\n", ", ", ",", "\n;\n", "\n---\n", "\n\n===\n\n"])
def test_what_separates_calls_is_not_shown(tools, between, size):
    call = '<tool_call>{"name": "record", "arguments": {"text": "x"}}</tool_call>'
    for text, shown in ((call + between + call, ""), (call + between + "and so on", f"{between}and so on".strip())):
        reader = DIALECTS["text"].reader(tools)
        pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(Delta(text[at : at + size]))]
        reply = reader.finish()
        assert "".join(piece.text for piece in pieces + reply.rest if piece.kind == "text") == shown == reply.content


def test_text_behind_reasoning_that_came_apart_is_no_reasoning(tools):
    reader = DIALECTS["native"].reader(tools, reasoning=True)
    reader.feed(Delta("", reasoning="먼저"))
    assert [(piece.kind, piece.text) for piece in reader.feed(Delta("답입니다."))] == [("text", "답입니다.")]
    assert reader.finish().reasoning == "먼저"


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_a_call_amid_reasoning_that_the_prompt_opened(tools, finish_reason):
    reader = DIALECTS["text"].reader(tools, reasoning=True)
    reader.feed(Delta('먼저 적자.\n<tool_call>{"name": "record", "arguments": {"text": "x"}}</tool_call>'))
    reader.feed(Delta("", finish_reason=finish_reason))
    reply = reader.finish()
    assert [(call.args, call.error) for call in reply.tool_calls] == [({"text": "x"}, None)]
    assert (reply.content, reply.reasoning) == ("", "먼저 적자.")


def test_a_reply_without_the_reasoning_that_was_expected(tools):
    reader = DIALECTS["text"].reader(tools, reasoning=True)
    reader.feed(Delta("답입니다."))
    reply = reader.finish()
    assert reply.content == "답입니다."
    assert [(piece.kind, piece.text) for piece in reply.rest if piece.kind == "text"] == [("text", "답입니다.")]


def test_small_fragments_of_a_long_call_cost_no_more_than_their_number(tools):
    body = "가나다라 " * 20_000
    text = f'<tool_call>{{"name": "record", "arguments": {{"text": "{body}"}}}}</tool_call>'
    reader = DIALECTS["text"].reader(tools)
    for at in range(0, len(text), 4):
        reader.feed(Delta(text[at : at + 4]))
    assert reader.finish().tool_calls[0].args == {"text": body}


@pytest.mark.parametrize("call", ["Action: now\nAction Input: {}\n", '{"name": "now", "arguments": {}}\n'])
def test_names_are_looked_up_once_however_many_fragments_follow(tools, call, monkeypatch):
    looked_up = []
    resolve = Offered.resolve
    monkeypatch.setattr(Offered, "resolve", lambda self, name: looked_up.append(name) or resolve(self, name))
    reader = DIALECTS["text"].reader(tools)
    for char in call * 100:
        reader.feed(Delta(char))
    assert len(reader.finish().tool_calls) == 100
    assert len(looked_up) < 100 * 200


@pytest.mark.parametrize("end", ["[1]", " 끝", "끝\n다음"])
def test_what_follows_the_end_of_a_fence_on_its_line_is_shown_once(tools, end):
    text = f"코드:\n\n```python\nprint(1)\n```{end}"
    for cut in range(1, len(text)):
        reader = DIALECTS["text"].reader(tools)
        pieces = reader.feed(Delta(text[:cut])) + reader.feed(Delta(text[cut:]))
        reply = reader.finish()
        assert "".join(piece.text for piece in pieces + reply.rest if piece.kind == "text") == reply.content == text


@pytest.mark.parametrize("text", ["Delegate: rag_a1. x\n", "Delegate: ra\n\n끝"])
def test_a_delegate_that_turns_out_to_be_prose_is_not_announced(tools, text):
    reader = DIALECTS["text"].reader(tools)
    pieces = [piece for char in text for piece in reader.feed(Delta(char))] + reader.finish().rest
    assert [piece.kind for piece in pieces if piece.kind == "call"] == []


@pytest.mark.parametrize("size", [1, 2, 5, 200])
def test_the_end_of_an_mcp_call_leaves_nothing_behind(tools, size):
    text = "네.<use_mcp_tool>\n<tool_name>now</tool_name>\n<arguments>\n{}\n</arguments>\n</use_mcp_tool>끝"
    reader = DIALECTS["text"].reader(tools)
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(Delta(text[at : at + size]))]
    reply = reader.finish()
    assert "".join(piece.text for piece in pieces + reply.rest if piece.kind == "text") == reply.content == "네.끝"


@pytest.mark.parametrize("name", ["functions.now", "tools.now", "now"])
def test_a_named_call_with_a_prefix_is_not_shown_while_it_comes(tools, name):
    reader = DIALECTS["text"].reader(tools)
    pieces = [piece for char in f"{name}({{}})" for piece in reader.feed(Delta(char))]
    reply = reader.finish()
    assert [call.name for call in reply.tool_calls] == ["now"]
    assert [piece.text for piece in pieces + reply.rest if piece.kind == "text"] == []


@pytest.mark.parametrize("size", [1, 3, 7])
def test_what_follows_a_call_that_cannot_be_read_is_not_shown_of_a_streamed_reply_either(tools, size):
    text = "<tool_call>now{er=code>\n    print(1)\n</parameter>\n</function>\n</tool_call>"
    parsed = ToolCallParser(tools).parse(text)
    assert (parsed.tool_calls, parsed.unfinished, parsed.content) == ([], "now", "")
    reader = DIALECTS["text"].reader(tools)
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(Delta(text[at : at + size]))]
    assert [piece for piece in pieces + reader.finish().rest if piece.kind == "text"] == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"name": f"이름 {n}", "count": n} for n in range(300)], ensure_ascii=False),
        json.dumps({"name": "표", "rows": list(range(2000))}, ensure_ascii=False),
        "| name | n |\n|---|---|\n" + "| a | 1 |\n" * 400,
    ],
    ids=["array", "object", "table"],
)
@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```"])
def test_what_cannot_become_a_call_any_more_is_shown(text, frame, tools):
    text = frame.format(text)
    reader, shown, most = DIALECTS["text"].reader(tools), 0, 0
    for at in range(0, len(text), 8):
        shown += sum(len(piece.text) for piece in reader.feed(Delta(text[at : at + 8])) if piece.kind == "text")
        most = max(most, at + 8 - shown)
    assert most < 300
    assert reader.finish().content == text.strip()
