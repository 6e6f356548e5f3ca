"""Reasoning in tags: apart from the answer, and never a call."""

import pytest

CALL = '<tool_call>{"name": "now", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("<think>", "</think>"), ("<thought>", "</thought>"), ("<seed:think>", "</seed:think>"), ("[THINK]", "[/THINK]")],
)
def test_reasoning_goes_apart(parse, opening, closing):
    parsed = parse(f"{opening}\n먼저 {CALL} 를 생각\n{closing}\n\n답입니다.")
    assert parsed.tool_calls == []
    assert parsed.thought == f"먼저 {CALL} 를 생각"
    assert parsed.content == parsed.final_answer == "답입니다."


@pytest.mark.parametrize(
    "draft", [CALL, "Action: now\nAction Input: {}", '{"name": "now", "arguments": {}}', "답변: 아마"]
)
def test_a_draft_before_a_closing_tag_alone(parse, draft):
    parsed = parse(f"생각 중\n{draft}\n</think>\n\n답입니다.")
    assert parsed.tool_calls == []
    assert parsed.content == parsed.final_answer == "답입니다."
    assert parsed.thought.startswith("생각 중")


def test_a_call_after_the_reasoning(parse):
    parsed = parse(f"생각</think>{CALL}")
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == ""


def test_reasoning_without_its_end(parse):
    parsed = parse("<think>\n생각만 하다가")
    assert (parsed.thought, parsed.content, parsed.final_answer) == ("생각만 하다가", "", None)


def test_a_reply_that_stops_at_a_call_without_ending_its_reasoning(parse):
    parsed = parse(f"<think>\n찾아야 한다.\n{CALL}")
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.thought == "찾아야 한다."


def test_a_draft_in_reasoning_that_goes_on_after_it(parse):
    assert parse(f"<think>\n{CALL} 를 부를까? 아니다").tool_calls == []


def test_a_tag_in_an_argument_is_text(parse):
    parsed = parse('<tool_call>{"name": "calculate", "arguments": {"expression": "</think>"}}</tool_call>')
    assert parsed.tool_calls[0].args == {"expression": "</think>"}
    assert parsed.thought == ""


def test_apriel_ends_its_reasoning_with_the_beginning_of_its_answer(parse):
    parsed = parse("생각\n[BEGIN FINAL RESPONSE]\n답\n[END FINAL RESPONSE]")
    assert (parsed.thought, parsed.content) == ("생각", "답")
