"""gpt-oss: channels, recipients, and the same with special tokens stripped."""

import json

import pytest


def in_channel(calls):
    return "<|call|><|start|>assistant".join(
        f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{json.dumps(args)}"
        for name, args in calls
    )


def in_role(calls):
    return "<|channel|>analysis<|message|>plan<|end|>" + "<|call|>".join(
        f"<|start|>assistant to=functions.{name}<|channel|>commentary json<|message|>{json.dumps(args)}"
        for name, args in calls
    )


def stripped(calls):
    return "analysisplan" + "".join(
        f"assistantcommentary to=functions.{name} json{json.dumps(args)}" for name, args in calls
    )


@pytest.mark.parametrize("write", [in_channel, in_role, stripped])
def test_a_written_call_comes_back(assert_round_trip, write):
    assert_round_trip(write)


def test_channels(parse):
    text = (
        "<|channel|>analysis<|message|>생각<|end|><|start|>assistant<|channel|>commentary<|message|>찾아볼게요.<|end|>"
        "<|start|>assistant<|channel|>final<|message|>답입니다.<|return|>"
    )
    parsed = parse(text)
    assert parsed.thought == "생각"
    assert parsed.content == "찾아볼게요.답입니다."


def test_the_final_channel_is_the_answer_whatever_it_looks_like(parse):
    call = '{"name": "now", "arguments": {}}'
    parsed = parse(f"<|channel|>final<|message|>{call}")
    assert parsed.tool_calls == []
    assert parsed.content == call


def test_stripped_tokens_around_an_answer(parse):
    parsed = parse("analysisThe user greets.assistantfinal안녕하세요!")
    assert (parsed.thought, parsed.content) == ("The user greets.", "안녕하세요!")


def test_a_reply_that_only_begins_with_the_word(parse):
    assert parse("analysis of the data shows growth").content == "analysis of the data shows growth"
    assert parse("final answers follow").content == "final answers follow"


def test_a_reply_that_begins_with_its_recipient(parse):
    text = ' to=functions.calculate<|channel|>commentary <|constrain|>json<|message|>{"expression": "1"}'
    assert parse(text).tool_calls[0].args == {"expression": "1"}


@pytest.mark.parametrize(
    "text",
    [
        'commentary to=functions.calculate <|constrain|>json<|message|>{"expression": "1"}',
        '<|channel|>commentary to=functions.calculate<|channel|>commentary json<|message|>{"expression": "1"}',
        '<|channel|>commentary to=calculate<|message|>{"expression": "1"}<|call|>',
        'to=functions.calculate {"expression": "1"}',
    ],
)
def test_headers_that_lost_a_token(parse, text):
    parsed = parse(text)
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("calculate", {"expression": "1"})]
    assert parsed.content == ""


def test_a_header_without_its_message_is_garbage(parse):
    parsed = parse("<|channel|>??<|end|><|start|>assistant<|channel|>final<|message|>답")
    assert parsed.tool_calls == []
    assert parsed.content == "답"


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>commentary to=python <|constrain|>code<|message|>print(1)",
        '<|channel|>commentary to=functions.python<|message|>{"a": 1}',
    ],
)
def test_a_tool_that_is_not_on_offer_is_told(parse, text):
    [call] = parse(text).tool_calls
    assert "no tool named 'python'" in call.error


def test_a_call_that_breaks_off_is_not_made(parse):
    parsed = parse('<|channel|>commentary to=functions.record <|constrain|>json<|message|>{"text": "하')
    assert parsed.tool_calls == []
    assert parsed.unfinished == "record"


def test_many_lines_that_begin_with_analysis_are_text(parse):
    text = "word " * 60 + ("\nanalysis of the next point follows here." + " word" * 60) * 80
    parsed = parse(text + '\n<tool_call>{"name": "now", "arguments": {}}</tool_call>')
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == text
