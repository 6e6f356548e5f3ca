"""Calls in formats that nobody listed, read by the names and keys on offer."""

import pytest

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}


@pytest.mark.parametrize(
    "text",
    [
        "<foo>get_weather<k>city</k><v>Paris</v><k>days</k><v>3</v></foo>",
        '<call tool="get_weather"><arg name="city">Paris</arg><arg name="days">3</arg></call>',
        "[CALL]get_weather[PARAM]city[VALUE]Paris[PARAM]days[VALUE]3[END]",
        '<|fn|>get_weather<|args|>{"city": "Paris", "days": 3}<|end|>',
        "<get_weather><city>Paris</city><days>3</days></get_weather>",
        '<invoke name="get_weather"><city>Paris</city><days>3</days></invoke>',
        '<run>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}</run> ',
    ],
)
def test_a_call_in_a_format_of_its_own_is_read(parse, text):
    for before in ("", "잠시만요.\n\n"):
        parsed = parse(before + text, [TOOL])
        [call] = parsed.tool_calls
        assert (call.name, call.args, call.error) == ("get_weather", {"city": "Paris", "days": 3}, None)
        assert parsed.content == before.strip()


@pytest.mark.parametrize(
    "text",
    [
        "I would use <b>get_weather</b> with the city Paris.",
        "<foo>get_weather<k>city</k><v>Paris</v> and so on</foo>",
        "<foo>get_weather<k>town</k><v>Paris</v></foo>",
        "<foo>get_weather<k>city</k><v>Paris",
        "```\n<foo>get_weather<k>city</k><v>Paris</v></foo>\n```",
        "> <foo>get_weather<k>city</k><v>Paris</v></foo>",
        "<foo>get_weather</foo>",
    ],
)
def test_nothing_is_skipped_to_make_a_call(parse, text):
    assert [call for call in parse(text, [TOOL]).tool_calls if call.error is None] == []
