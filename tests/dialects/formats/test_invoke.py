"""`<invoke name>` with `<parameter name>`: MiniMax, Anthropic's style, Claude 2's."""

import pytest


def one(name, args, prefix=""):
    parameters = "".join(
        f'<{prefix}parameter name="{key}">{value}</{prefix}parameter>\n' for key, value in args.items()
    )
    return f'<{prefix}invoke name="{name}">\n{parameters}</{prefix}invoke>'


def minimax(calls):
    return "<minimax:tool_call>\n" + "\n".join(one(*call) for call in calls) + "\n</minimax:tool_call>"


def anthropic(calls):
    return "<function_calls>\n" + "\n".join(one(*call) for call in calls) + "\n</function_calls>"


def prefixed(calls):
    return "<atem:function_calls>\n" + "\n".join(one(*call, "atem:") for call in calls) + "\n</atem:function_calls>"


def bare(calls):
    return "\n".join(one(*call) for call in calls)


@pytest.mark.parametrize("write", [minimax, anthropic, prefixed, bare])
def test_a_written_call_comes_back(assert_round_trip, write):
    assert_round_trip(write, raw=True, without=("</", "<"))


def test_a_closing_tag_as_text_in_a_value(parse):
    value = 'Write </parameter> or <invoke name="x"> as text.'
    [call] = parse(minimax([("record", {"text": value})])).tool_calls
    assert call.args == {"text": value}


def test_claude_2(parse):
    text = (
        "<function_calls>\n<invoke>\n<tool_name>record</tool_name>\n<parameters>\n<text>하나</text>\n<count>3</count>\n"
        "</parameters>\n</invoke>\n</function_calls>"
    )
    assert parse(text).tool_calls[0].args == {"text": "하나", "count": 3}


def test_a_call_that_breaks_off_is_not_made(parse):
    parsed = parse('<minimax:tool_call>\n<invoke name="record">\n<parameter name="text">rm -rf /')
    assert parsed.tool_calls == []
    assert parsed.unfinished == "record"
