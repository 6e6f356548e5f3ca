"""What no rule has read of a call is an error of that call, and never an empty argument."""

import random

import pytest
from canitoolcall.fixtures import load_fixtures
from parsing_cases import broken, lost

from dure.dialects import DIALECTS, ToolCallParser
from dure.messages import Delta, ToolCallDelta

RECORDED = [case for case in load_fixtures() if case.expected and case.expected.tool_calls]
DELETE = [
    {
        "type": "function",
        "function": {
            "name": "delete_files",
            "parameters": {"type": "object", "properties": {"pattern": {"type": "string"}}},
        },
    }
]


@pytest.mark.parametrize(
    "text",
    [
        '<function name="delete_files"><param name="pattern">*.tmp</param></function>',
        '<invoke name="delete_files"><pattern>*.tmp</pattern></invoke>',
        '<｜DSML｜invoke name="delete_files">{"pattern": "*.tmp"}</｜DSML｜invoke>',
        'Thought: clean up\nAction: delete_files\nAction Inputs: {"pattern": "*.tmp"}',
        "Action: delete_files(*.tmp)",
        "Thought: clean up\nAction: `delete_files`(pattern=*.tmp)",
        'Action: delete_files\nWith Input: {"pattern": "*.tmp"}',
        'Action: delete_files\nAction Input: {"path": "a"}, "pattern": "*.tmp"}',
        '<tool_call>{"name": "delete_files", "arguments": {}, "pattern": "*.tmp"}</tool_call>',
        '<tool_call>{"name": "delete_files", "arguments": {}} "pattern": "*.tmp"}</tool_call>',
        '<tool_call>{"name": "delete_files", "arguments": {"pattern": "a", "pattern": "*.tmp"}}</tool_call>',
        "<function=delete_files><parameter=pattern>a</parameter><parameter=pattern>*.tmp</parameter></function>",
    ],
)
def test_what_was_not_read_is_told_and_the_call_does_not_run(text):
    calls = ToolCallParser(DELETE).parse(text).tool_calls
    wholly = [call for call in calls if call.error is None and call.args == {"pattern": "*.tmp"}]
    assert wholly or ([call.name for call in calls] == ["delete_files"] and calls[0].error), calls


def test_a_call_behind_the_label_of_another_format_is_read():
    text = 'Action: <tool_call>{"name": "delete_files", "arguments": {"pattern": "*.tmp"}}</tool_call>'
    [call] = ToolCallParser(DELETE).parse(text).tool_calls
    assert (call.args, call.error) == ({"pattern": "*.tmp"}, None)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "delete_files", "arguments": {"pattern": "*.tmp"}',
        '<tool_call>{"name": "delete_files", "arguments": {"pattern": "*.tmp"</tool_call>',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>delete_files\n```json\n"
        '{"pattern": "*.tmp"\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
)
def test_arguments_that_are_not_closed_do_not_run(text):
    [call] = ToolCallParser(DELETE).parse(text).tool_calls
    assert "not closed" in call.error


def test_an_input_under_a_label_has_no_closing_mark():
    [call] = ToolCallParser(DELETE).parse('Action: delete_files\nAction Input: {"pattern": "*.tmp"').tool_calls
    assert (call.args, call.error) == ({"pattern": "*.tmp"}, None)


def test_native_arguments_that_are_not_closed_do_not_run():
    reader = DIALECTS["native"].reader(DELETE)
    reader.feed(Delta(tool_calls=[ToolCallDelta(0, "1", "delete_files", '{"pattern": "*.tmp"')]))
    [call] = reader.finish().tool_calls
    assert "not closed" in call.error


def test_text_behind_native_arguments_is_told():
    reader = DIALECTS["native"].reader(DELETE)
    reader.feed(Delta(tool_calls=[ToolCallDelta(0, "1", "delete_files", '{"path": "a"} and *.tmp')]))
    [call] = reader.finish().tool_calls
    assert call.error is not None
    assert "and *.tmp" in call.error


@pytest.mark.parametrize("family", sorted({case.family for case in RECORDED}))
def test_no_argument_is_lost_silently(family):
    chance = random.Random(family)
    for case in (each for each in RECORDED if each.family == family):
        parser = ToolCallParser(case.tools)
        had = [(call.name, call.args) for call in parser.parse(case.raw_output).tool_calls if call.error is None]
        for text in broken(case.raw_output, chance.randrange(1000), 12):
            calls = parser.parse(text).tool_calls
            assert lost(text, calls, case.raw_output, had) == [], (case.id, text, calls)


def test_what_was_not_read_of_a_call_in_a_list_is_told_too():
    text = '<tool_call>[{"name": "delete_files", "arguments": {}, "only": "*.tmp"}]</tool_call>'
    [call] = ToolCallParser(DELETE).parse(text).tool_calls
    assert "only" in call.error


def test_arguments_that_are_no_object_are_told():
    text = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>delete_files\n```json\n["*.tmp"]\n```<｜tool▁call▁end｜>'
    [call] = ToolCallParser(DELETE).parse(text).tool_calls
    assert call.error is not None


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ('<function name="delete_files"><param name="arguments">{"pattern": "a"}</param></function>', {"pattern": "a"}),
        ('<tool_call>{"name": "delete_files", "arguments": {"input": {"pattern": "a"}}}</tool_call>', {"pattern": "a"}),
        ('<tool_call>{"name": "delete_files", "arguments": {"input": {"b": "a"}}}</tool_call>', {"input": {"b": "a"}}),
    ],
)
def test_arguments_in_one_more_argument(text, args):
    assert [call.args for call in ToolCallParser(DELETE).parse(text).tool_calls] == [args]


@pytest.mark.parametrize("args", ['"*.tmp", 3', '"*.tmp", pattern="*.log"', '"*.tmp", "*.log", force=True'])
def test_values_by_place_that_have_none_are_an_error(args):
    for text in (f"[delete_files({args})]", f"<tool_code>delete_files({args})</tool_code>"):
        [call] = ToolCallParser(DELETE).parse(text).tool_calls
        assert "Not understood" in (call.error or "")


def test_arguments_of_mistrals_that_nobody_can_read_are_written_again():
    reply = ToolCallParser(DELETE).parse("[TOOL_CALLS]delete_files[ARGS]*.tmp")
    assert (reply.tool_calls, reply.content, reply.unfinished) == ([], "", "delete_files")
