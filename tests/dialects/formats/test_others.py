"""The families with a pair of tokens of their own around JSON, and a few small ones."""

import json

import pytest


def objects(calls, name="name", args="arguments"):
    return json.dumps([{name: call[0], args: call[1]} for call in calls], ensure_ascii=False)


WRITERS = {
    "cohere": lambda calls: f"<|START_ACTION|>{objects(calls, 'tool_name', 'parameters')}<|END_ACTION|>",
    "internlm": lambda calls: f"<|action_start|><|plugin|>\n{objects(calls, args='parameters')}<|action_end|>",
    "phi": lambda calls: f"functools{objects(calls)}",
    "fire": lambda calls: f" functools{objects(calls)}",
    "nemotron": lambda calls: f"<TOOLCALL>{objects(calls)}</TOOLCALL>",
    "jamba": lambda calls: f"<tool_calls>{objects(calls)}</tool_calls>",
    "hyperclova": lambda calls: f"<|im_start|>assistant -> tool/function_call\n{objects(calls)}<|im_end|>",
    "apertus": lambda calls: (
        "<|tools_prefix|>" + json.dumps([{name: args} for name, args in calls]) + "<|tools_suffix|>"
    ),
    "solar": lambda calls: (
        "<|tool_calls|>"
        + "".join(
            f"<|tool_call:begin|>c{at}<|tool_call:name|>{name}<|tool_call:args|>{json.dumps(args)}<|tool_call:end|>"
            for at, (name, args) in enumerate(calls)
        )
        + "<|calls|>"
    ),
    "functionary": lambda calls: "\n".join(f">>>{name}\n{json.dumps(args)}" for name, args in calls),
    "mcp": lambda calls: "\n".join(
        f"<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>{name}</tool_name>\n"
        f"<arguments>\n{json.dumps(args)}\n</arguments>\n</use_mcp_tool>"
        for name, args in calls
    ),
}


@pytest.mark.parametrize("family", WRITERS)
def test_a_written_call_comes_back(assert_round_trip, family):
    assert_round_trip(WRITERS[family])


def solar_2(calls):
    return "\n".join(
        f"<|tool_call:start|>{name}\n"
        + "".join(f"<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n" for key, value in args.items())
        + "<|tool_call:end|>"
        for name, args in calls
    )


def test_a_call_written_by_solar_open_2_comes_back(assert_round_trip):
    assert_round_trip(solar_2, raw=True)


@pytest.mark.parametrize("family", sorted(WRITERS.keys() - {"functionary"}))
def test_a_call_that_breaks_off_is_not_made(parse, family):
    text = WRITERS[family]([("record", {"text": "rm -rf /tmp/build"})])
    parsed = parse(text[: text.index("/tmp") + 1])
    assert parsed.tool_calls == []
    assert parsed.unfinished
    assert parsed.content == ""


def test_hyperclovas_reasoning(parse):
    parsed = parse("<|im_start|>assistant/think\n생각<|im_end|>\n<|im_start|>assistant\n답")
    assert (parsed.thought, parsed.content) == ("생각", "답")


def test_solars_reasoning(parse):
    parsed = parse("<|think|>생각<|end|><|begin|>assistant<|content|>답<|end|>")
    assert (parsed.thought, parsed.content) == ("생각", "답")


def test_functionarys_word_to_the_user(parse):
    assert parse(">>>all\n안녕하세요").content == "안녕하세요"


def test_gemma_3_in_a_fence(parse):
    for text in ('```tool_code\nprint(calculate(expression="1"))\n```', '```tool_code\ncalculate(expression="1")\n```'):
        parsed = parse(text)
        assert [(call.name, call.args) for call in parsed.tool_calls] == [("calculate", {"expression": "1"})]
        assert parsed.content == ""


@pytest.mark.parametrize(
    "text",
    [
        '<|tool_call>call:record no brace<tool_call|><|tool_call>call:record{text:<|"|>a<|"|>}<tool_call|>',
        "<|tool_calls_section_begin|><|tool_call_begin|>oops<|tool_call_end|><|tool_call_begin|>functions.record:1"
        '<|tool_call_argument_begin|>{"text": "a"}<|tool_call_end|><|tool_calls_section_end|>',
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.record:0<|tool_call_argument_begin|>"
        '{"text": "b"}<|tool_call_end|><|tool_call_begin|>oops<|tool_call_end|><|tool_call_begin|>functions.record:1'
        '<|tool_call_argument_begin|>{"text": "a"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
)
def test_a_call_behind_one_that_nobody_can_read_is_made(parse, text):
    parsed = parse(text)
    *_, lost, made = parsed.tool_calls
    assert "Not understood" in lost.error
    assert (made.name, made.args, made.error) == ("record", {"text": "a"}, None)
    assert (parsed.content, parsed.unfinished) == ("", "")
