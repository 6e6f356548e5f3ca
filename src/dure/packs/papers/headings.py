"""What headings call the parts of a paper: names in `formats.toml`, as they are written and set."""

import re
from functools import cache

from dure.packs.papers import data

_OTHERWISE = {"references": "besides", "keywords": "", "others": ""}


@cache
def naming(*kinds: str) -> str:
    """A regular expression for the names of parts of these kinds, of all where none is given; letters of Hangul may
    stand apart (`초 록`), as they do where a line is to be filled."""
    named = data("formats")["sections"]
    return "|".join(_written(name) for kind in kinds or named for name in named[kind])


def _written(name: str) -> str:
    return r"\s?".join(name) if name >= "가" else r"\s".join(name.split())


def kind_of(title: str) -> str:
    """The kind of a part by its heading: the first that it names, `besides` for what stands behind the text, "" for
    parts that nobody asks for."""
    named = (kind for kind in data("formats")["sections"] if re.search(naming(kind), title, re.IGNORECASE))
    kind = next(named, "")
    return _OTHERWISE.get(kind, kind)
