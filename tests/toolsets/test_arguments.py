from copy import deepcopy

import pytest

from dure.tooling import Tool, ToolResult
from dure.toolsets.arguments import InvalidArguments, valid


async def nothing(args, context):
    return ToolResult("")


def tool_of(properties, required=(), **extra) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required), **extra}
    return Tool("t", "", schema, nothing)


N = {"n": {"type": "integer"}}


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, " -3 ", -3),
        ({"type": "integer"}, "3.0", 3),
        ({"type": "integer"}, "123456789012345678901234567890", 123456789012345678901234567890),
        ({"type": "number"}, "-123456789012345678901", -123456789012345678901),
        ({"type": "number"}, "3.5", 3.5),
        ({"type": "boolean"}, "True", True),
        ({"type": "array", "items": {"type": "string"}}, "휴가", ["휴가"]),
        ({"type": "array", "items": {"type": "string"}}, '["휴가", "연차"]', ["휴가", "연차"]),
        ({"type": "array", "items": {"type": "integer"}}, ["1", "2"], [1, 2]),
        ({"type": "array", "items": {"type": "integer"}}, "4", [4]),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a": "1"}', {"a": 1}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"type": ["integer", "null"]}, "7", 7),
    ],
)
def test_mends_what_the_schema_refuses(schema, given, wanted):
    args = {"x": given}
    before = deepcopy(args)
    result = valid(tool_of({"x": schema}).parameters, args)["x"]
    assert result == wanted
    assert type(result) is type(wanted)
    assert args == before


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"type": "string"}, "3"),
        ({"type": ["string", "integer"]}, "3"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "3"),
        ({}, "3"),
        ({"type": "null"}, None),
        ({"type": "number"}, 3),
    ],
)
def test_leaves_what_the_schema_takes(schema, given):
    args = {"x": given}
    assert valid(tool_of({"x": schema}).parameters, args) is args


def test_null_for_an_optional_field_is_left_out():
    assert valid(tool_of(N).parameters, {"n": None}) == {}
    with pytest.raises(InvalidArguments, match="required"):
        valid(tool_of(N, required=["n"]).parameters, {})
    with pytest.raises(InvalidArguments):
        valid(tool_of(N, required=["n"]).parameters, {"n": None})


@pytest.mark.parametrize("given", ["three", "3.5", "", "true", [3], {"n": 3}, "1e400", "1e30", "9" * 5000, 3.5, True])
def test_does_not_guess(given):
    with pytest.raises(InvalidArguments):
        valid(tool_of(N).parameters, {"n": given})


@pytest.mark.parametrize(
    ("schema", "given", "ko", "en"),
    [
        ({"required": ["city"]}, {}, "필수 값 'city'이(가) 없습니다", "'city' is required"),
        ({"properties": {"n": {"type": "integer"}}}, {"n": "많이"}, "n: 많이는 integer", "n: 많이 is not of type"),
        ({"properties": {"u": {"enum": ["C", "F"]}}}, {"u": "K"}, '["C","F"] 중 하나', 'not one of ["C","F"]'),
        ({"properties": {"n": {"maximum": 5}}}, {"n": 6}, "6은 5보다 큽니다", "6 is greater than 5"),
        ({"properties": {"q": {"maxItems": 1}}}, {"q": [1, 2]}, "1개까지", "at most 1"),
        ({"properties": {}, "additionalProperties": False}, {"z": 1}, "모르는 값입니다: z", "not known: z"),
        (
            {"properties": {"a": {"items": {"minLength": 2}}}},
            {"a": ["ab", "c"]},
            "a.1: 2자 이상",
            "a.1: needs at least 2",
        ),
        ({"not": {}}, {}, "should not be valid", "should not be valid"),
    ],
)
def test_faults_are_told_in_both_languages(schema, given, ko, en):
    tool = Tool("t", "", {"type": "object", **schema}, nothing)
    with pytest.raises(InvalidArguments) as caught:
        valid(tool.parameters, given)
    assert (ko in caught.value.faults.ko, en in caught.value.faults) == (True, True)


def test_at_most_five_faults_and_short_ones():
    with pytest.raises(InvalidArguments) as caught:
        valid(
            tool_of({str(i): {"type": "integer"} for i in range(9)}).parameters,
            {str(i): "x" * 10_000 for i in range(9)},
        )
    assert len(caught.value.faults.splitlines()) == 5
    assert len(caught.value.faults) < 1500


def test_arguments_must_be_an_object():
    with pytest.raises(InvalidArguments):
        valid(tool_of({}).parameters, ["x"])


def test_references_within_the_schema_hold():
    tool = tool_of(
        {"home": {"$ref": "#/$defs/Address"}},
        **{"$defs": {"Address": {"type": "object", "properties": {"zip": {"type": "integer"}}, "required": ["zip"]}}},
    )
    assert valid(tool.parameters, {"home": {"zip": "12345"}}) == {"home": {"zip": 12345}}
    with pytest.raises(InvalidArguments, match=r"home"):
        valid(tool.parameters, {"home": {}})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#/$defs/Missing"},
        {"type": "strnig"},
        {"type": "string", "pattern": r"^\p{L}+$"},
        {"required": "x"},
    ],
)
def test_an_unusable_schema_checks_nothing(schema):
    args = {"x": "value"}
    assert valid(tool_of({"x": schema}).parameters, args) is args


def test_tools_with_equal_names_have_validators_of_their_own():
    assert valid(tool_of(N).parameters, {"n": "1"}) == {"n": 1}
    assert valid(tool_of({"n": {"type": "string"}}).parameters, {"n": "1"}) == {"n": "1"}
