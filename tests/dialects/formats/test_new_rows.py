"""Formats of MiniMax M3, MiniCPM 5, K2 Horizon, PLaMo 3, Inkling, dots, GigaChat 3 to 3.5, IQuest, Muse and Beam."""

import json

import pytest

from dure.dialects import ToolCallParser
from dure.dialects.text import compact

NS = "]<]minimax[>["


def m3(calls):
    def value(each):
        if isinstance(each, list):
            return "".join(f"{NS}<item>{value(one)}{NS}</item>" for one in each)
        return each if isinstance(each, str) else json.dumps(each)

    def written(name, args):
        inner = "".join(f"{NS}<{key}>{value(each)}{NS}</{key}>" for key, each in args.items())
        return f'{NS}<invoke name="{name}">{inner}{NS}</invoke>'

    return f"{NS}<tool_call>\n{''.join(written(*call) for call in calls)}{NS}</tool_call>"


def minicpm(calls):
    def written(name, args):
        inner = "".join(f'<param name="{key}">{value}</param>' for key, value in args.items())
        return f'<function name="{name}">{inner}</function>'

    return "\n".join(written(*call) for call in calls)


def ifm(calls):
    def written(name, args):
        inner = "".join(
            f"<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_value>{value}</ifm|arg_value>" for key, value in args.items()
        )
        return f"<ifm|tool_call>{name}{inner}</ifm|tool_call>"

    return f"<ifm|tool_calls>{''.join(written(*call) for call in calls)}</ifm|tool_calls>"


def plamo(calls):
    def tag(name):
        return f"<|plamo:{name}:plamo|>"

    inner = "".join(
        f"{tag('begin_tool_request')}{tag('begin_tool_name')}{name}{tag('end_tool_name')}{tag('begin_tool_arguments')}"
        f"{compact(args)}{tag('end_tool_arguments')}{tag('end_tool_request')}"
        for name, args in calls
    )
    return f"{tag('begin_tool_requests')}{inner}{tag('end_tool_requests')}"


def inkling(calls):
    return "".join(
        f"<|message_model|>{name}<|content_invoke_tool_json|>{compact({'name': name, 'args': args})}<|end_message|>"
        for name, args in calls
    )


def ifm_json(calls):
    inner = "".join(
        f"<ifm|tool_call>{compact({'name': name, 'arguments': args})}</ifm|tool_call>" for name, args in calls
    )
    return f"<ifm|tool_calls>{inner}</ifm|tool_calls>"


def iquest(calls):
    def written(name, args):
        inner = "".join(f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>\n" for key, value in args.items())
        return f"<iquest_tool_call>{name}\n{inner}</iquest_tool_call>"

    return "".join(written(*call) for call in calls) + "<|iquest_end|>"


def gigachat3(calls):
    [(name, args)] = calls
    return f"<|message_sep|>\n\nfunction call<|role_sep|>\n{compact({'name': name, 'arguments': args})}</s>"


def gigachat31(calls):
    [(name, args)] = calls
    return f"<|function_call|>{compact({'name': name, 'arguments': args})}"


def gcml(calls):
    def written(name, args):
        inner = "".join(
            f'<｜GCML｜parameter name="{key}" string="{str(isinstance(value, str)).lower()}">'
            f"{value if isinstance(value, str) else json.dumps(value)}</｜GCML｜parameter>"
            for key, value in args.items()
        )
        return f'<｜GCML｜invoke name="{name}">{inner}</｜GCML｜invoke>'

    return f"<｜GCML｜tool_calls>{''.join(written(*call) for call in calls)}</｜GCML｜tool_calls>"


def dots(calls):
    def written(name, args):
        inner = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in args.items())
        return f'<invoke name="{name}">\n{inner}</invoke>\n'

    return f"<dots_function_call>\n{''.join(written(*call) for call in calls)}</dots_function_call>"


def beam(calls):
    def written(name, args):
        inner = "".join(f'<rfl:parameter name="{key}">{value}</rfl:parameter>\n' for key, value in args.items())
        return f"<|start|>assistant to={name}<|channel|>analysis <|constrain|>xml<|message|>{inner}"

    return f"<|channel|>analysis<|message|>생각<|end|>{'<|call|>'.join(written(*call) for call in calls)}<|call|>"


@pytest.mark.parametrize("write", [plamo, inkling, ifm_json])
def test_written_calls_come_back(assert_round_trip, write):
    assert_round_trip(write)


@pytest.mark.parametrize("write", [gigachat3, gigachat31])
def test_one_call_a_reply_comes_back(assert_round_trip, write):
    assert_round_trip(write, most=1)


@pytest.mark.parametrize("write", [minicpm, ifm, iquest, dots, beam])
def test_raw_calls_come_back(assert_round_trip, write):
    assert_round_trip(write, raw=True, without=("<", "\n\n", " "))


@pytest.mark.parametrize("write", [m3, gcml])
def test_a_call_of_every_type_comes_back(parse, write):
    calls = [("record", {"text": "휴가 & <b>", "count": 3, "items": ["a", "b"]}), ("now", {})]
    parsed = parse(write(calls))
    assert [(call.name, call.args, call.error) for call in parsed.tool_calls] == [(*call, None) for call in calls]
    assert (parsed.content, parsed.repairs) == ("", [])


def test_values_in_cdata(parse):
    [call] = parse('<function name="record"><param name="text"><![CDATA[a < b\n]]></param></function>').tool_calls
    assert (call.args, call.error) == ({"text": "a < b\n"}, None)


def test_members_of_one_name_are_a_list(parse):
    text = f'{NS}<invoke name="record">{NS}<options>{NS}<tag>a{NS}</tag>{NS}<tag>b{NS}</tag>{NS}</options>{NS}</invoke>'
    assert [call.args for call in parse(text).tool_calls] == [{"options": {"tag": ["a", "b"]}}]


@pytest.mark.parametrize("before", [" to=user<|message|>", "<|channel|>final<|message|>"])
def test_a_call_in_a_message_to_the_user_is_shown(parse, before):
    parsed = parse(f"{before}이렇게 부릅니다.\n{ATEM}<|eot|>")
    assert (parsed.tool_calls, parsed.content) == ([], f"이렇게 부릅니다.\n{ATEM}")


def test_tags_behind_any_prefix(parse):
    text = '<corp:invoke name="record"><corp:parameter name="text">하나</corp:parameter></corp:invoke>'
    assert [call.args for call in parse(f"네. {text}").tool_calls] == [{"text": "하나"}]


ATEM = (
    '<atem:function_calls>\n<atem:invoke name="record">\n<atem:parameter name="text">하나</atem:parameter>\n'
    '<atem:parameter name="count">3</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
)
START = "<|start|>assistant to="


@pytest.mark.parametrize(
    ("before", "thought", "content"),
    [
        (f"{START}record<|message|>", "", ""),
        (" to=record<|message|>", "", ""),
        (f" to=self<|message|>생각<|eom|>{START}record<|message|>", "생각", ""),
        (f"{START}user<|message|>잠시만요.<|eom|>{START}record<|message|>", "", "잠시만요."),
    ],
)
def test_muse_repeats_the_name_in_a_header(parse, before, thought, content):
    parsed = parse(f"{before}{ATEM}<|eot|>")
    assert [(call.name, call.args, call.error) for call in parsed.tool_calls] == [
        ("record", {"text": "하나", "count": 3}, None)
    ]
    assert (parsed.thought, parsed.content, parsed.repairs) == (thought, content, [])


def test_muse_writes_a_name_without_a_namespace_twice(parse):
    text = f"{START}record.record<|message|>{ATEM.replace('record', 'record.record')}<|eot|>"
    [made] = parse(text).tool_calls
    assert (made.name, made.args, made.error) == ("record", {"text": "하나", "count": 3}, None)


def test_a_tool_of_muses_that_is_not_on_offer_is_told(parse):
    for header in (f"{START}delete<|message|>", " to=delete<|message|>"):
        [made] = parse(f"{header}{ATEM.replace('record', 'delete')}<|eot|>").tool_calls
        assert "no tool named 'delete'" in made.error


def test_muses_calls_are_read_where_any_name_is_known():
    [made] = ToolCallParser(None).parse(f"{START}record<|message|>{ATEM}<|eot|>").tool_calls
    assert made.args == {"text": "하나", "count": 3}


def test_muses_answer(parse):
    parsed = parse(f" to=self<|message|>생각<|eom|>{START}user<|message|>답<|eot|>")
    assert (parsed.thought, parsed.content, parsed.final_answer) == ("생각", "답", "답")


def test_beam_ends_a_call_as_a_message_too_and_answers_behind_it(parse):
    call = '<|channel|>analysis <|constrain|>xml<|message|><rfl:parameter name="text">하나</rfl:parameter>'
    parsed = parse(f" to=record{call}<|end|><|start|>assistant to=now<|channel|>analysis<|message|><|call|>")
    assert [(call.name, call.args) for call in parsed.tool_calls] == [("record", {"text": "하나"}), ("now", {})]
    parsed = parse("<|channel|>analysis<|message|>생각<|end|><|start|>assistant<|channel|>final<|message|>답<|return|>")
    assert (parsed.thought, parsed.final_answer) == ("생각", "답")


def test_what_is_unread_among_beams_arguments_is_an_error(parse):
    call = f"{START}record<|channel|>analysis<|message|>"
    call += '<rfl:parameter name="text">하나</rfl:parameter><rfl:param n="count">3</rfl:param><|call|>'
    [made] = parse(call).tool_calls
    assert "3" in made.error


def test_iquest_writes_as_qwen_coder_does(parse):
    text = "\n<tool_call>\n<function=record>\n<parameter=text>\n하나\n</parameter>\n</function>\n</tool_call>"
    assert [call.args for call in parse(f"{text}{text}").tool_calls] == [{"text": "하나"}] * 2
