"""JSON out of what models answer."""

import json

import pytest

from dure.messages import system, user
from dure.models.json_reply import asking_for, json_in, least


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('See [1]: {"a": [2]}', {"a": [2]}),
        ('Sure!\n```json\n{"a": "b}"}\n```\nAnything else?', {"a": "b}"}),
        ('In {braces}: {"a": {"b": [1]}} done', {"a": {"b": [1]}}),
        ('{"a": {"b": 1}, "c": "cut of', {"a": {"b": 1}, "c": "cut of"}),
        ("{'a': True, 'b': None,}", {"a": True, "b": None}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
    ],
)
def test_found(text, value):
    assert json.loads(json_in(text)) == value


def test_an_empty_one_counts_where_it_is_all_there_is_and_may_be():
    assert json_in(" { }\n", empty=True) == "{}"
    assert json_in("[]", array=True, empty=True) == "[]"
    assert json_in("so {} it is", empty=True) is None


def test_an_array():
    assert json.loads(json_in('Here: [{"a": 1}, {"a": 2}]', array=True)) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("text", ["", "no JSON here", "{}{}{ }[", "just a { brace", '"text"', "[1, 2]"])
def test_not_found(text):
    assert json_in(text) is None


@pytest.mark.parametrize("unit", ["{", "[", '{"a":', '{"a" '])
def test_hostile_text_takes_linear_time(unit, assert_linear):
    assert_linear(json_in, lambda n: unit * n, 100_000)


def test_the_request_in_words_goes_into_the_one_system_message():
    schema = {"type": "object"}
    first = asking_for([system("Be brief."), user("q")], schema)
    assert [m["role"] for m in first] == ["system", "user"]
    assert first[0]["content"].startswith("Be brief.\n\n")
    assert [m["role"] for m in asking_for([user("q")], schema)] == ["system", "user"]


def test_what_a_schema_fixes_was_not_the_models_to_choose():
    tokens = [('{"', 1.0), ("a", 1.0), ('":', 1.0), ("[1", 0.01), ("],", 0.02), ('"b":', 0.9), ('"c"', 0.5), ("}", 0.8)]
    fixed, free = {"const": [1]}, {"enum": ["c", "d"]}
    assert least(tokens) == least(tokens, {"properties": {"a": {}, "b": fixed}}) == 0.01
    assert least(tokens, {"properties": {"a": fixed, "b": free}}) == 0.5
    # A key that stands in a value is none.
    assert least([('{"a":"', 1.0), ('b"', 0.1), ('"}', 1.0)], {"properties": {"a": {}, "b": fixed}}) == 0.1
    assert least([]) == 1.0
