"""Names and types of the tools on offer."""

import pytest

from dure.dialects.offered import Offered, decoded


def offered(**properties):
    parameters = {"type": "object", "properties": properties, "$defs": {"Unit": {"enum": ["c", "f"]}}}
    return Offered([{"type": "function", "function": {"name": "f", "parameters": parameters}}])


@pytest.mark.parametrize(
    ("schema", "raw", "value"),
    [
        ({"type": "string"}, "007", "007"),
        ({"type": "string"}, " x\n", " x\n"),
        ({"type": "string"}, "null", "null"),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, "3.0", 3),
        ({"type": "integer"}, "+3", 3),
        ({"type": "integer"}, "three", "three"),
        ({"type": "integer"}, "007", "007"),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "-2.5", -2.5),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "array"}, "[1, 'a',]", [1, "a"]),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "object"}, "none of it", "none of it"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "null", None),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "5", 5),
        ({"anyOf": [{"type": "number"}, {"type": "string"}]}, "1.10", "1.10"),
        ({"type": ["string", "integer"]}, "+82", "+82"),
        ({"type": ["string", "boolean"]}, "true", True),
        ({"type": ["string", "object"]}, '{"a": 1}', {"a": 1}),
        ({"type": ["string", "object"]}, "{a", "{a"),
        ({"$ref": "#/$defs/Unit"}, "c", "c"),
        ({"enum": [1, 2]}, "2", 2),
        ({}, "5", "5"),
    ],
)
def test_raw_values_get_the_type_of_the_schema(schema, raw, value):
    found = offered(key=schema).typed("f", "key", raw)
    assert (found, type(found)) == (value, type(value))


def test_a_schema_that_refers_to_itself_ends():
    tools = Offered([{"name": "f", "parameters": {"properties": {"a": {"$ref": "#/properties/a"}}}}])
    assert tools.typed("f", "a", "5") == "5"


def test_plain_text_goes_to_the_argument_that_takes_text():
    assert offered(query={"type": "string"}, k={"type": "integer"}).plain("f", "휴가") == {"query": "휴가"}
    assert offered(a={"type": "string"}, b={"type": "integer"}).plain("f", "x") == {"a": "x"}
    assert offered(a={"type": "string"}, b={"type": "string"}).plain("f", "x") is None
    assert offered().plain("f", "x") is None
    assert Offered(None).plain("f", "x") == {"input": "x"}
    # The list of its parameters is none of their values.
    assert offered(city={"type": "string"}, days={"type": "integer"}).plain("f", "city, days") is None


def test_names():
    tools = Offered([{"name": name} for name in ("search_docs", "get-weather", "a.b/c")])
    assert tools.resolve("search_docs") == ("search_docs", None)
    assert tools.resolve("functions.get-weather") == ("get-weather", None)
    assert tools.resolve("get_weather")[0] == "get-weather"
    assert tools.resolve("**Search Docs**")[0] == "search_docs"
    assert tools.resolve("nobody") == ("nobody", None)
    assert tools.nearest("serch_doc") == "search_docs"
    assert tools.nearest("zzzz") is None


def test_names_that_only_differ_in_spelling_are_not_guessed():
    tools = Offered([{"name": "a_b"}, {"name": "a-b"}])
    assert tools.resolve("ab")[0] == "ab"


def test_a_text_that_is_json_is_decoded():
    assert decoded("True") is True
    assert decoded("[1,]") == [1]
    assert decoded("hello") == "hello"


@pytest.mark.parametrize(
    ("written", "want"),
    [("+7", 7), ("-0.5", -0.5), ("1e3", 1000), ("007", "007"), ("１５", "１５"), ("٣", "٣"), ("1" * 5000, "1" * 5000)],
)
def test_numbers_are_jsons_and_of_bounded_length(written, want):
    tools = offered(n={"type": "number"}, i={"type": "integer"})
    assert tools.typed("f", "n", written) == want
    assert tools.typed("f", "i", written) in (want, str(want))


def test_integers_beyond_64_bits_stay_exact():
    tools = offered(i={"type": "integer"})
    assert tools.typed("f", "i", "123456789012345678901234567890") == 123456789012345678901234567890
