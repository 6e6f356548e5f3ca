"""Checks on zip archives before they are opened."""

import pytest

from dure.knowledge.parse import Unreadable
from dure.knowledge.parse.archive import check, told_in
from dure.knowledge.parse.problems import unreadable


def problem_of(data: bytes) -> str:
    with pytest.raises(Unreadable) as caught, unreadable():
        check(data)
    return caught.value.problem


def test_a_bomb_is_not_unpacked(files):
    data = files.bomb("word/document.xml")
    assert len(data) < 1_000_000
    assert problem_of(data) == "too_big"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(files, encoding):
    xml = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    assert problem_of(files.zip({"word/document.xml": xml.encode(encoding)})) == "unsafe"


def test_a_declaration_across_blocks_is_seen(files):
    xml = b" " * ((1 << 20) - 4) + b"<!DOCTYPE x>"
    assert problem_of(files.zip({"a.xml": xml})) == "unsafe"


def test_a_password_is_seen(files):
    data = bytearray(files.zip({"a.xml": b"<x/>"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert problem_of(bytes(data)) == "encrypted"


def test_a_damaged_part_is_seen(files):
    data = bytearray(files.zip({"a.xml": bytes(range(256)) * 40}))
    data[60:90] = bytes(30)
    assert problem_of(bytes(data)) == "broken"


def test_names(files):
    assert told_in(files.zip({"a": b"", "b/c": b""})) == {"a", "b/c"}
    assert told_in(files.zip({"mimetype": b"x/y\n"})) == {"mimetype", "x/y"}
    assert told_in(b"PK\x03\x04 no archive") == set()
