"""`<tool_call>name</tool_call><tool_input>…</tool_input>`, the tags of design document 000."""

import json


def write(calls):
    return "\n".join(
        f"<tool_call>{name}</tool_call>\n<tool_input>{json.dumps(args)}</tool_input>" for name, args in calls
    )


def test_a_written_call_comes_back(assert_round_trip):
    assert_round_trip(write)


def test_input_as_plain_text(parse):
    [call] = parse("<tool_call>search_knowledge_base</tool_call><tool_input>휴가 정책</tool_input>").tool_calls
    assert call.args == {"query": "휴가 정책"}


def test_input_that_breaks_off(parse):
    parsed = parse('<tool_call>search_knowledge_base</tool_call><tool_input>{"query": "휴')
    assert parsed.tool_calls == []
    assert parsed.unfinished == "search_knowledge_base"
