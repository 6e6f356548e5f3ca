"""DeepSeek V3, R1, V3.1, and Step 3 with the same tokens."""

import json

import pytest

BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"


def v3(calls):
    inner = "\n".join(
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{json.dumps(args)}\n```<｜tool▁call▁end｜>"
        for name, args in calls
    )
    return BEGIN + inner + END


def v31(calls):
    inner = "".join(
        f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{json.dumps(args, ensure_ascii=False)}<｜tool▁call▁end｜>"
        for name, args in calls
    )
    return BEGIN + inner + END


def without_section(calls):
    return v3(calls).removeprefix(BEGIN).removesuffix(END)


@pytest.mark.parametrize("write", [v3, v31, without_section])
def test_a_written_call_comes_back(assert_round_trip, write):
    assert_round_trip(write)


def step3(calls):
    return "<｜tool_calls_begin｜>" + "".join(map(one_of_step3, calls)) + "<｜tool_calls_end｜>"


def one_of_step3(call):
    name, args = call
    parameters = "".join(f'<steptml:parameter name="{key}">{value}</steptml:parameter>' for key, value in args.items())
    inner = f'<steptml:invoke name="{name}">{parameters}</steptml:invoke>'
    return f"<｜tool_call_begin｜>function<｜tool_sep｜>{inner}<｜tool_call_end｜>"


def test_a_call_written_by_step_3_comes_back(assert_round_trip):
    assert_round_trip(step3, raw=True, without=("<",))


def test_text_around_and_plain_spellings_of_the_tokens(parse):
    call = "<｜tool_call_begin｜>now<｜tool_sep｜>{}<｜tool_call_end｜>"
    text = f"봅시다.<｜tool_calls_begin｜>{call}<｜tool_calls_end｜>끝."
    parsed = parse(text)
    assert [call.name for call in parsed.tool_calls] == ["now"]
    assert parsed.content == "봅시다.끝."


def test_a_call_that_breaks_off_is_not_made(parse):
    parsed = parse(v31([("record", {"text": "서울"})])[:60])
    assert parsed.tool_calls == []
    assert parsed.content == ""


def test_a_second_call_whose_head_breaks_off_is_not_shown(parse):
    for text in (
        v31([("now", {})]).removesuffix("<｜tool▁calls▁end｜>") + "<｜tool▁call▁begin｜>calc",
        step3([("now", {})]).removesuffix("<｜tool_calls_end｜>")
        + "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:inv",
    ):
        parsed = parse(text)
        assert [call.name for call in parsed.tool_calls] == ["now"]
        assert (parsed.unfinished, parsed.content) == ("?", "")


def test_step_3_without_the_word_function(parse):
    call = '<｜tool_call_begin｜><steptml:invoke name="now"></steptml:invoke><｜tool_call_end｜>'
    parsed = parse(f"<｜tool_calls_begin｜>{call}<｜tool_sep｜>{call}<｜tool_calls_end｜>")
    assert ([call.name for call in parsed.tool_calls], parsed.content) == (["now", "now"], "")


def test_a_section_of_which_nothing_was_read_is_written_again(parse):
    parsed = parse("<｜tool▁calls▁begin｜>function<｜tool▁sep｜>now<｜tool▁calls▁end｜>")
    assert (parsed.tool_calls, parsed.content, parsed.unfinished) == ([], "", "?")
