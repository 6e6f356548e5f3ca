"""Plain text."""

from dure.knowledge.parse import join
from dure.knowledge.parse.plain import parse


def test_form_feeds_part_pages():
    assert [(p.number, p.text) for p in parse("하나\f둘".encode()).pages] == [(1, "하나"), (2, "둘")]
    assert parse(b"one").pages[0].number is None


def test_control_characters_are_taken_out():
    assert join(parse("a\x00b\u200bc\x07\r\nd\u00a0e \n\n\n\nf\ufeff".encode())).text == "abc\nd e\n\nf"


def test_decomposed_hangul_is_composed():
    assert join(parse("휴가".encode())).text == "휴가"
