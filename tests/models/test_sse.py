"""Bytes of a reply, cut anywhere."""

import pytest

from dure.errors import ModelError
from dure.models.deltas import ReplyBytes

STREAM = (
    ': OPENROUTER PROCESSING\n\nevent: message\nid: 7\ndata: {"a":"가"}\r\n\r\ndata:{"a":2}\n\n'
    'data: [DONE]\n\ndata: {"after": "the end"}\n\n'
).encode()


def read(data: bytes, size: int):
    source = ReplyBytes()
    values = [value for i in range(0, len(data), size) for value in source.feed(data[i : i + size])]
    return values + source.finish(), source.done


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_cut_anywhere(size):
    assert read(STREAM, size) == ([{"a": "가"}, {"a": 2}], True)


@pytest.mark.parametrize("size", [1, 1000])
def test_one_json_object(size):
    assert read(b'\xef\xbb\xbf\n {\n "a": 1}\n', size) == ([{"a": 1}], True)


def test_a_last_line_without_its_end():
    assert read(b'data: {"a":1}', 5) == ([{"a": 1}], False)


def test_nothing():
    assert read(b" \n\n", 1) == ([], False)


def test_an_error_line():
    assert read(b'error: {"code": 500, "message": "slot"}\n\n', 100)[0] == [{"error": {"code": 500, "message": "slot"}}]


@pytest.mark.parametrize("data", [b"<!doctype html>", b"Bad Gateway\n", b"\x00\xff\n", b"data: {]\n"])
def test_unreadable(data):
    with pytest.raises(ModelError):
        read(data, 100)
