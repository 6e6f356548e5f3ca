"""What of a text can be a condition on papers: names of authors, venues, tags and collections of the
library that stand in it."""

import re
import unicodedata

import sqlalchemy as sa

from dure.data.questions.linking import places
from dure.packs.papers import keys
from dure.packs.papers.storage import marks, papers

Conditions = dict[str, list[str]]
"""Values by the name of the filter that takes them."""
_TOKEN = re.compile(r"[^\W\d_가-힣]+")
"""A word, without the particle of Hangul behind it."""


def conditions(connection: sa.Connection, owner: str, text: str) -> Conditions:
    """By the filter's name, each value as it stands in the text (an author's name maybe in part) or in the library."""
    venues = [each for each in papers.venues(connection, owner) if any(places(each, text))]
    found = {"author": _authors(connection, owner, text), "venue": venues}
    for kind in ("tag", "collection"):
        found[kind] = [each for each in marks.names(connection, owner, kind) if any(places(each, text))]
    return found


def _authors(connection: sa.Connection, owner: str, text: str) -> list[str]:
    """Names of people of whom the text has the whole name, or with a capital the last word of it."""
    text = unicodedata.normalize("NFC", text)
    bare = "".join(map(_without_accent, text))
    tokens = [(match.span(), keys.name_key(match[0])) for match in _TOKEN.finditer(bare)]
    last = {key for (start, _), key in tokens if text[start].isupper() and len(key) > 1}
    names = papers.authors_in(connection, owner, keys.name_key(bare), sorted(last))
    found: dict[str, None] = {}
    for at, ((start, end), key) in enumerate(tokens):
        told = [set(name.split()) for name in names if name.split()[-1] == key]
        first = at
        while first and any({k for _, k in tokens[first - 1 : at]} <= name for name in told):
            first -= 1
        if told and (first < at or text[start].isupper()):
            found[text[tokens[first][0][0] : end]] = None
    # Names in Hangul have no blank, and a particle behind them.
    found |= {name: None for name in names if not name.isascii() and any(places(name, text))}
    return list(found)


def _without_accent(letter: str) -> str:
    marks = (each for each in unicodedata.normalize("NFD", letter) if not unicodedata.combining(each))
    return unicodedata.normalize("NFC", "".join(marks))
