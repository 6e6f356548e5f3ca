"""YAML, read in bounds."""

import pytest

from dure.yamls import BadYaml, read


def test_what_it_holds_and_where() -> None:
    data, node = read("a: &a [1, 가]\nb: *a\n")
    assert data == {"a": [1, "가"], "b": [1, "가"]}
    assert node is not None
    assert node.value[1][0].start_mark.line == 1
    assert read("") == (None, None)


def powers(inner: str, each: str) -> str:
    """Eight lines, each of nine times what the line before stands for."""
    pairs = zip("abcdefgh", "bcdefghi", strict=True)
    return "\n".join([f"a: &a {inner}", *(f"{to}: &{to} {each % ','.join([f'*{of}'] * 9)}" for of, to in pairs)])


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("rows: " + "[" * 8000 + "]" * 8000, 1, "nested too deeply"),
        ("a: 1\nb: " + "{a: " * 60 + "1" + "}" * 60, 2, "nested too deeply"),
        ("- " * 24_000, 1, "nested too deeply"),
        ("? " * 24_000, 1, "nested too deeply"),
        ("a: &a [*a]", 1, "an alias within"),
        ("b: 1\na: &a\n  c: {d: *a}", 3, "an alias within"),
        (powers("[1]", "[%s]"), 6, "too much"),
        (powers("{k: 1}", "{<<: [%s]}"), 6, "too much"),
        ("a: 2024-99-99", 1, "month"),
        ("a: [", 1, "expected"),
        ("a: 1\nb:\n  c: 1\n  c: 2", 4, "'c' stands there twice"),
        ("a: \x01", 1, "not YAML"),
        ("a: *b", 1, "undefined alias"),
        ('a: 1\nb: "open\nc: 2\n\n', 2, "unexpected end of stream"),
        ("a: 1\nb: 2\n글\nc: 3\n", 3, "could not find expected ':'"),
        ("a: 1\nb: 'x' y\n", 2, "expected"),
        ("a\n---\nb", 2, "another document"),
    ],
    ids=lambda each: str(each)[:20],
)
def test_what_is_out_of_bounds_or_no_yaml_is_said(text: str, line: int, reason: str) -> None:
    with pytest.raises(BadYaml, match=reason) as caught:
        read(text)
    assert caught.value.line == line


def test_deep_nesting_is_refused_before_it_is_read(assert_linear) -> None:
    def refuse(text: str) -> None:
        with pytest.raises(BadYaml):
            read(text)

    assert_linear(refuse, lambda size: "rows: " + "[" * (size + 50), 100_000)
