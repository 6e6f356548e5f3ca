"""Which papers a text names exactly: by title, short name, arXiv id, DOI or ACL id. Nothing is guessed."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from dure.packs.papers import keys
from dure.packs.papers.storage import papers

_LONGEST_TEXT = 2000
_LONGEST_TITLE = 40
"""Words."""
_HANGUL = "가-힣"
_TOKEN = re.compile(f"[{_HANGUL}]+|[^\\W_{_HANGUL}]+")
_PARTICLES = (
    *("에서는", "에서의", "으로는", "에서도", "이라는", "까지", "부터", "보다", "처럼", "에서", "에게", "으로"),
    *("라는", "이란", "이랑", "하고", "이나", "이라", "에는"),
    *("은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만", "란", "랑", "나"),
)
"""Korean particles that may follow a name without a blank, longer ones first."""
_WORDS = {"adam", "align", "clip", "gin", "glove", "glue", "palm", "react", "realm", "sam", "whisper", "zero"}
"""Short names that are words or people's names too: "ReAct" is a paper, "react" is not."""
_JOINS = "-–‐‑._+"
"""Signs that make one name of what stands at both sides."""


@dataclass(slots=True, frozen=True)
class _Window:
    """Words of the text in a row: `text[start:end]`, as a key."""

    key: str
    start: int
    end: int
    words: int


def resolve(connection: sa.Connection, owner: str, text: str) -> list[int]:
    """The numbers of the papers that `text` names, longest name first; of one name, the newest paper first."""
    text = unicodedata.normalize("NFKC", text[:_LONGEST_TEXT])
    found: list[tuple[int, int, int]] = []
    spans: list[tuple[int, int]] = []
    for start, end, number in _by_id(connection, owner, text):
        found.append((start, end, number))
        spans.append((start, end))
    windows = _windows(text)
    numbers = _by_key(connection, owner, text, windows)
    for window in sorted(windows, key=lambda w: (-(w.end - w.start), w.start)):
        taken = any(window.start < end and start < window.end for start, end in spans)
        if taken or not numbers.get(window):
            continue
        spans.append((window.start, window.end))
        found += [(window.start, window.end, number) for number in numbers[window]]
    found.sort(key=lambda each: each[0] - each[1])
    return list(dict.fromkeys(number for _, _, number in found))


def _by_id(connection: sa.Connection, owner: str, text: str) -> list[tuple[int, int, int]]:
    dois, arxiv, acl = keys.ids_in(text)
    if not (dois or arxiv or acl):
        return []
    # An ACL DOI holds the id, and the paper may be known by either.
    acl += [id for id in map(keys.acl_id, dois) if id]
    wanted = {"doi": dois, "arxiv_id": arxiv, "acl_id": acl}
    rows = papers.same(connection, sorted({"", owner}), wanted)
    seen = papers.by_numbers(connection, owner, [row["number"] for row in rows])
    found = []
    low = text.lower()
    for number, row in seen.items():
        for id in (row["doi"], row["arxiv_id"], row["acl_id"]):
            at = low.find(id.lower()) if id else -1
            if at >= 0:
                found.append((at, at + len(id), number))
                break
    return found


def _windows(text: str) -> list[_Window]:
    tokens = [(found.start(), found.end()) for found in _TOKEN.finditer(text)]
    plain = [keys.title_key(text[start:end]) for start, end in tokens]
    whole: list[_Window] = []
    for first, (start, _) in enumerate(tokens):
        if _joined(text, start - 1, -1):
            continue
        key = ""
        for last in range(first, min(first + _LONGEST_TITLE, len(tokens))):
            begin, end = tokens[last]
            words = last - first + 1
            if not _joined(text, end, 1):
                whole.append(_Window(key + plain[last], start, end, words))
            word = text[begin:end]
            for particle in _PARTICLES:
                if "가" <= word[0] <= "힣" and word.endswith(particle) and len(word) > len(particle):
                    stem = end - len(particle)
                    whole.append(_Window(key + keys.title_key(text[begin:stem]), start, stem, words))
            key += plain[last]
    return [window for window in whole if len(window.key) > 1]


def _joined(text: str, at: int, step: int) -> bool:
    """Whether a name goes on beyond its edge: a letter or digit follows, at once or behind one sign that joins. What
    follows in another script is a particle."""
    if not 0 <= at < len(text):
        return False
    if text[at] in _JOINS and 0 <= at + step < len(text):
        after = text[at + step]
        return after.isalnum() and not "가" <= after <= "힣"
    # Tokens of two scripts touch: "BERT를" ends a name, "한국어BERT" begins in its middle.
    return step < 0 and "가" <= text[at] <= "힣"


def _by_key(connection: sa.Connection, owner: str, text: str, windows: list[_Window]) -> dict[_Window, list[int]]:
    wanted = sorted({window.key[:300] for window in windows})
    aliased: dict[str, list[tuple[int, str]]] = {}
    for key, number, alias in papers.by_alias(connection, owner, [key for key in wanted if len(key) <= 100]):
        aliased.setdefault(key, []).append((number, alias))
    rows = papers.same(connection, sorted({"", owner}), {"title_key": wanted})
    numbers = {row["number"] for row in rows} | {number for each in aliased.values() for number, _ in each}
    seen = papers.by_numbers(connection, owner, sorted(numbers))
    titled: dict[str, list[int]] = {}
    for number, row in seen.items():
        titled.setdefault(row["title_key"], []).append(number)
    found = {}
    for window in windows:
        written = text[window.start : window.end]
        named = [
            *(n for n, alias in aliased.get(window.key, ()) if n in seen and _is_alias(seen[n], alias, written)),
            *(n for n in titled.get(window.key[:300], ()) if _is_title(seen[n]["title"], written, window)),
        ]
        order = sorted({n for n in named if n in seen}, key=lambda n: (-(seen[n]["year"] or 0), -n))
        if order:
            found[window] = order
    return found


def _is_alias(paper: Mapping[str, Any], alias: str, written: str) -> bool:
    """A short name that is a word counts only as it is written; so do all plain words before a colon of what people
    bring along, while those of the shipped papers are known to be no words."""
    plain = bool(paper["owner"]) and alias.isalpha() and alias[1:].islower()
    return _same(alias, written) or not (plain or keys.alias_key(alias) in _WORDS)


def _is_title(title: str, written: str, window: _Window) -> bool:
    """A title of one word counts only as it is written: a paper named "Learning" is not meant by every "learning"."""
    return window.words > 1 or len(window.key) > 24 or _same(title, written)


def _same(name: str, written: str) -> bool:
    return written == unicodedata.normalize("NFKC", name).strip()
