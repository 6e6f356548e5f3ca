"""Presentations."""

from functools import partial

import pytest

from dure.knowledge.parse import Unreadable, kinds

parse = partial(kinds.parse, "pptx")


def test_slides_are_pages_with_their_notes(files):
    parsed = parse(
        files.pptx([["첫 출근", "9시 30분까지 오십시오."], ["장비", "노트북", "사원증"]], notes="천천히 말할 것")
    )
    assert [(page.number, page.text) for page in parsed.pages] == [
        (1, "첫 출근\n9시 30분까지 오십시오.\n천천히 말할 것"),
        (2, "장비\n노트북\n사원증\n천천히 말할 것"),
    ]


def test_broken(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.zip({"ppt/presentation.xml": b"<x/>"}))
    assert caught.value.problem == "broken"
