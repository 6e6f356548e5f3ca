"""`<function=name><parameter=key>value`: raw values, typed by the schema."""

import pytest


def one(name, args):
    parameters = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in args.items())
    return f"<function={name}>\n{parameters}</function>"


def tagged(calls):
    return "\n".join(f"<tool_call>\n{one(name, args)}\n</tool_call>" for name, args in calls)


def bare(calls):
    return "\n".join(one(name, args) for name, args in calls)


def seed(calls):
    return "\n".join(f"<seed:tool_call>\n{one(name, args)}\n</seed:tool_call>" for name, args in calls)


@pytest.mark.parametrize("write", [tagged, bare, seed])
def test_a_written_call_comes_back(assert_round_trip, write):
    assert_round_trip(write, raw=True, without=("</", "<par", "<fun"))


def test_closing_tags_as_text_in_a_value(parse):
    value = "Close with </parameter> and </function> then </tool_call>; open with <parameter=title>."
    [call] = parse(tagged([("record", {"text": value})])).tool_calls
    assert call.args == {"text": value}


def test_a_lost_closing_tag_of_a_parameter(parse):
    text = "<function=record>\n<parameter=text>\n하나\n<parameter=count>\n2\n</parameter>\n</function>"
    parsed = parse(text)
    assert parsed.tool_calls[0].args == {"text": "하나", "count": 2}
    assert parsed.repaired


def test_json_in_place_of_parameters(parse):
    for text in (
        '<function=calculate>{"expression": "1"}</function>',
        '<function=calculate{"expression": "1"}</function>',
    ):
        assert parse(text).tool_calls[0].args == {"expression": "1"}


def test_a_value_cut_short_is_no_call(parse):
    parsed = parse("<tool_call>\n<function=record>\n<parameter=text>\nrm -rf /")
    assert parsed.tool_calls == []
    assert parsed.unfinished == "record"
    assert parsed.content == ""


def test_a_value_that_is_not_of_its_type_stays_text(parse):
    [call] = parse(tagged([("record", {"count": "many", "items": "none"})])).tool_calls
    assert call.args == {"count": "many", "items": "none"}


def test_with_any_name_known_values_that_read_as_json_are_json(parse):
    [call] = parse(tagged([("anything", {"a": "3", "b": "x"})]), None).tool_calls
    assert call.args == {"a": 3, "b": "x"}


@pytest.mark.parametrize(("written", "value"), [("\n하나\n", "하나"), ("\n하나\n\n", "하나\n"), ("하나\n", "하나\n")])
def test_newlines_on_both_sides_are_layout(parse, written, value):
    [call] = parse(f"<function=record><parameter=text>{written}</parameter></function>").tool_calls
    assert call.args == {"text": value}
