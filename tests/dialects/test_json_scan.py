"""JSON as models write it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.dialects.json_scan import as_object, look, read
from dure.dialects.lenient import DEPTH, More

BROKEN = {
    '{"a": 1,}': {"a": 1},
    '{"a": [1, 2,],}': {"a": [1, 2]},
    "{'a': 'b'}": {"a": "b"},
    "{'a': 'it\\'s'}": {"a": "it's"},
    "{'a': 'it's here'}": {"a": "it's here"},
    "{“a”: “휴가”}": {"a": "휴가"},
    "{‘a’: ‘휴가’}": {"a": "휴가"},
    "{＂a＂: ＂휴가＂}": {"a": "휴가"},
    '｛"a"：1，"b"：2｝': {"a": 1, "b": 2},
    "{a: 1, b_c: 'x'}": {"a": 1, "b_c": "x"},
    '{"a": True, "b": False, "c": None}': {"a": True, "b": False, "c": None},
    '{"a": NaN}': {"a": None},
    '{"a": 1, // one\n "b": 2}': {"a": 1, "b": 2},
    '{"a": 1, /* one */ "b": 2}': {"a": 1, "b": 2},
    '{"a": 1, # one\n "b": 2}': {"a": 1, "b": 2},
    '{"a": "one\ntwo"}': {"a": "one\ntwo"},
    '{"a": "one\ttwo"}': {"a": "one\ttwo"},
    '{"a": "그는 "네" 했다"}': {"a": '그는 "네" 했다'},
    '{"a": "x "y", z", "b": 1}': {"a": 'x "y", z', "b": 1},
    '{"a": "\\d+\\_"}': {"a": "\\d+\\_"},
    '{"a": "\\u12"}': {"a": "\\u12"},
    '{"a": 1 "b": 2}': {"a": 1, "b": 2},
    '{"a": "x"\n"b": "y"}': {"a": "x", "b": "y"},
    '{"a":: 1}': {"a": 1},
    "{1, 2}": None,
    '{"a": hello world, "b": 1}': {"a": "hello world", "b": 1},
    '{"a": [1; 2]}': {"a": [1, 2]},
}
CUT = {
    '{"a": 1': ({"a": 1}, True),
    '{"a": {"b": "x"}': ({"a": {"b": "x"}}, False),
    '{"a": [1, 2]': ({"a": [1, 2]}, False),
    '{"a": "hal': ({"a": "hal"}, True),
    '{"a": 1, "b': ({"a": 1}, True),
    '{"a": 1, "b":': ({"a": 1}, True),
    '{"a": 1,': ({"a": 1}, True),
    '{"a": "x"': ({"a": "x"}, False),
    "{": ({}, False),
}
BEFORE = {
    '{"a": {"b": 1}\n</tool_call>': ({"a": {"b": 1}}, "\n</tool_call>"),
    '{"a": [1, 2</x>': ({"a": [1, "2</x>"]}, ""),
    '{"a": "x"\nObservation: y': ({"a": "x"}, "\nObservation: y"),
    '{"a": "x"\n```': ({"a": "x"}, "\n```"),
}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("text", BROKEN)
def test_broken_json(text):
    found = read(text, 0)
    if BROKEN[text] is None:
        assert found is None
    else:
        assert (found.value, found.end) == (BROKEN[text], len(text))
        assert found.repairs
        assert not found.cut


@pytest.mark.parametrize("text", CUT)
def test_json_cut_short(text):
    value, inside = CUT[text]
    found = read(text, 0)
    assert found.value == value
    assert found.cut
    assert found.inside is inside
    with pytest.raises(More):
        look(text, 0, False)


@pytest.mark.parametrize("text", BEFORE)
def test_json_without_its_last_bracket_before_something_else(text):
    value, rest = BEFORE[text]
    found = read(text, 0)
    assert found.value == value
    assert found.cut
    assert text[found.end :].strip() == rest.strip()


@given(st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), values, max_size=4), st.text(max_size=5))
def test_json_comes_back(value, after):
    text = json.dumps(value)
    found = read("x" + text + after, 1)
    assert (found.value, found.end, found.repairs) == (value, 1 + len(text), ())


@given(st.text("{}[]\":,'\\ntruefalse01 .-/*#“”｛｝\n가", max_size=30))
def test_no_text_raises(text):
    for at in range(len(text)):
        found = read(text, at)
        assert found is None or at < found.end <= len(text)


def test_nesting_has_a_limit():
    deep = '{"a":' * (DEPTH * 50) + "1" + "}" * (DEPTH * 50)
    assert read(deep.replace('"', "'"), 0) is None
    read(deep, 0)


def test_lone_surrogates_become_replacement_characters():
    assert read('{"a": "\\ud83d"}', 0).value == {"a": "\ufffd"}
    assert read('{"a": "\\ud83d\\ude00"}', 0).value == {"a": "😀"}


def test_numbers_without_bounds_do_not_raise():
    assert read('{"a": ' + "1" * 5000 + "}", 0) is not None
    assert read('{"a": 1e999}', 0) is not None


def test_an_object_encoded_more_than_once():
    once = json.dumps({"a": 1})
    assert as_object(json.dumps(once)) == ({"a": 1}, [])
    assert as_object(json.dumps(json.dumps(once))) == ({"a": 1}, [])
    assert as_object("[1]") is None
    assert as_object("text") is None


@pytest.mark.parametrize("deep", [100, 400, 500, 900, 990])
@pytest.mark.parametrize(("left", "right"), [('{"a":', "}"), ("[", "]")])
def test_what_is_nested_too_deep_is_no_json(deep, left, right):
    assert read(left * deep + "1" + right * deep, 0) is None
    assert read(left * DEPTH + "1" + right * DEPTH, 0) is not None


def test_digits_of_other_scripts_are_no_number():
    assert read("{'a': 1５, 'b': ٣}", 0).value == {"a": "1５", "b": "٣"}


def test_a_comment_is_waited_for():
    text = '{"a": 1, /* one */ "b": 2}'
    for size in range(1, len(text)):
        with pytest.raises(More):
            look(text[:size], 0, False)
    assert read(text, 0).value == {"a": 1, "b": 2}


@pytest.mark.parametrize("rest", ['"', '"b', '"b"', '"b" ', "b"])
def test_a_key_that_breaks_off_ends_the_value_before_it(rest):
    found = read('{"a": "x", ' + rest, 0)
    assert (found.value, found.inside) == ({"a": "x"}, True)
