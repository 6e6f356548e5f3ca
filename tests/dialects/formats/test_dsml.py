"""DeepSeek V3.2 and later: invoke and parameter behind `｜DSML｜`."""

import json

import pytest


def write(calls, mark="｜DSML｜", wrapper="function_calls"):
    invokes = "\n".join(
        f'<{mark}invoke name="{name}">\n'
        + "".join(parameter(mark, key, value) + "\n" for key, value in args.items())
        + f"</{mark}invoke>"
        for name, args in calls
    )
    return f"\n\n<{mark}{wrapper}>\n{invokes}\n</{mark}{wrapper}>"


def parameter(mark, key, value):
    text = isinstance(value, str)
    written = value if text else json.dumps(value, ensure_ascii=False)
    return f'<{mark}parameter name="{key}" string="{"true" if text else "false"}">{written}</{mark}parameter>'


@pytest.mark.parametrize(
    ("mark", "wrapper"), [("｜DSML｜", "function_calls"), ("｜DSML｜", "tool_calls"), ("｜DSML｜ ", "calls")]
)
def test_a_written_call_comes_back(assert_round_trip, mark, wrapper):
    assert_round_trip(lambda calls: write(calls, mark, wrapper))


def test_text_that_looks_like_a_number_stays_text(parse):
    [call] = parse(write([("record", {"text": "007", "title": " null "})])).tool_calls
    assert call.args == {"text": "007", "title": " null "}


def test_a_second_call_that_breaks_off_leaves_the_first(parse):
    text = write([("record", {"text": "하나"}), ("calculate", {"expression": "1"})])
    parsed = parse(text[: text.index("expression") + 4])
    assert [call.name for call in parsed.tool_calls] == ["record"]
    assert parsed.unfinished == "calculate"


def test_an_empty_element(parse):
    assert [
        call.name
        for call in parse('<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now"/>\n</｜DSML｜tool_calls>').tool_calls
    ] == ["now"]
