"""Encodings of text files."""

import pytest

from dure.knowledge.parse import Unreadable
from dure.knowledge.parse.encoding import decode, is_binary

TEXT = "연차휴가는 15일입니다. Annual leave: 15 days.\n똠방각하\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"]
)
def test_found_out(encoding):
    if encoding == "utf-32-le":
        assert decode(b"\xff\xfe\0\0" + TEXT.encode(encoding)) == TEXT
    else:
        assert decode(TEXT.encode(encoding)) == TEXT


def test_declared_wins_where_it_fits():
    assert decode("é".encode("latin-1"), "iso-8859-1") == "é"
    assert decode("한글".encode(), "no-such-encoding") == "한글"
    assert decode("한글".encode(), "base64") == "한글"


@pytest.mark.parametrize("name", ["punycode", "PUNYCODE", "idna", "utf-7", "unicode_escape", "raw_unicode_escape"])
def test_codecs_that_are_no_charsets_are_not_believed(name):
    data = rb"+AGE- a\u0062-" + b"9" * 300_000
    assert decode(data, name) == data.decode("ascii")


def test_a_spoilt_byte_spoils_one_character():
    assert decode(TEXT.encode() + b"\xff") == TEXT + "\ufffd"
    assert decode(TEXT.encode("cp949") + b"\xff")[: len(TEXT)] == TEXT


def test_letters_with_accents_of_western_files():
    text = "name,city\nJosé,München\nZoë,Århus\n"
    assert decode(text.encode("latin-1")) == text


def test_what_is_spoilt_all_over_is_no_text():
    with pytest.raises(Unreadable):
        decode(bytes([0x93, 0x81, 0xC8, 0xFE, 0x9F, 0xB7, 0x85, 0xFF, 0xE9, 0x8D]) * 60)


def test_binary():
    noise = bytes(range(256)) * 20
    assert is_binary(noise)
    assert not is_binary(TEXT.encode("cp949"))
    assert not is_binary(TEXT.encode("utf-16-be"))
    with pytest.raises(Unreadable):
        decode(noise)
