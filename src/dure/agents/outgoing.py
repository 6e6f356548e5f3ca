"""What may go out to the web without being asked for.

A page or a document can tell a model to fetch `https://evil.example/?q=` with what it has just read, or to search for
it. So once a run has heard of anything but its user, only what was there before goes out unasked:

- an address that the user wrote, or that stands in a passage of the run (a page, a search result, a document) or is
  a passage's own; a part of one from its beginning counts, one that has anything added does not;
- once something of the user's own is in the run: a query whose words all are the user's;
- after earlier answers, which may hold something of the user's own too: a query without words that only they hold;
  once pages were read, which may tell the model what to do with those, one whose words are the user's or the pages'.

What is left to a hostile text is to choose among addresses and words that are there, and each choice tells something:
one of eight links three bits. So once something of the user's own is in the run, what may be told by choices that
nobody was asked about has an upper bound, `BITS`, for addresses and for queries. It is counted as if all that could
have been sent were as likely; what the user wrote whole is free.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from dure.agents.context import RunContext
from dure.tooling import Tool

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|(?:[a-z0-9-]+\.)+[a-z]{2,}(?![a-z0-9-])", re.IGNORECASE)
_WORDS = re.compile(r"\w+")
_END = re.compile(r"[^\w%-]", re.ASCII)
"""Where a part of an address may end."""
BITS = 12.0
"""A PIN of four digits has 13.3."""
SUMMARY = "(Summary of our conversation so far)"
"""How the turn begins that stands for those that were cut off (`runs/history.py`): a user's by its role alone."""


def carries(run: RunContext, tool: Tool, args: Mapping[str, Any]) -> bool:
    """Whether a call may send out something that the run has read; else the run notes what its choice may tell."""
    told = dict(run.told)
    for name, kind in tool.outgoing.items():
        given = args.get(name)
        for text in given if isinstance(given, list) else [given]:
            if not isinstance(text, str):
                continue
            if kind == "query" and _carries_words(run, set(_words(text))):
                return True
            if kind != "query" and (run.tainted or run.history) and not _is_known(run, text):
                return True
            if run.private:
                told[kind] = told.get(kind, 0.0) + (_query_bits if kind == "query" else _address_bits)(run, text)
    if any(bits > BITS for bits in told.values()):
        return True
    run.told = told
    return False


def _address_bits(run: RunContext, address: str) -> float:
    """What is told at most by asking for a known address rather than for another, or for a part of one."""
    if _begins(_plain(address, exact=True), _addresses(_said(run), exact=True)):
        return 0.0
    known = set(_addresses(_read(run), exact=True))
    if not _begins(_plain(address, exact=True), known):
        return float("inf")  # escaped or written in another way
    if address in {word for text in _read(run) for word in text.split()}:
        return math.log2(len(known)) + 1
    parts = sum(2 + len(_END.findall(each.partition("/")[2])) for each in known)
    return math.log2(parts) + 3  # that it is a part, the scheme, a slash at the end


def _query_bits(run: RunContext, query: str) -> float:
    """The same for a query of the user's words: which of them, how much of each, in which order and writing. Of a
    message that is sent whole, which of them."""
    turns = [text.strip() for text in _said(run)]
    if query.strip() in turns:
        return math.log2(len(turns))
    words, said = _WORDS.findall(query), [each for text in turns for each in _WORDS.findall(text)]
    rest = iter(said)
    in_order = all(word in rest for word in words)
    chosen = math.log2(math.comb(len(said), len(words))) if in_order else len(words) * math.log2(max(len(said), 2))
    cut = sum(
        math.log2(max(map(len, said), default=2)) + (each not in "\n".join(said)) * len(each)
        for each in words
        if each not in said
    )
    return chosen + cut + 5 * len(query.replace(" ".join(words), "", 1).strip())


def _carries_words(run: RunContext, words: set[str]) -> bool:
    foreign = _without(words, _said(run))
    if run.private:
        return bool(foreign)
    if not run.history:
        return False
    foreign = _without(foreign, [p.text for p in run.sources.passages])
    # What the user was answered, as far as the model reads it; also a summary, which is made of both.
    answered = [text for role, text in _turns(run) if role != "user"]
    return bool(foreign) if run.tainted else foreign != _without(foreign, answered)


def _without(words: set[str], texts: Iterable[str]) -> set[str]:
    """Those of `words` that stand in none of the texts, whole or as a word's beginning: Korean words have endings. A
    single letter counts only alone, or anything could be spelled."""
    held = {each for text in texts for each in _words(text)}
    return {w for w in words if w not in held and not (len(w) > 1 and any(each.startswith(w) for each in held))}


def _words(text: str) -> list[str]:
    return _WORDS.findall(unicodedata.normalize("NFC", text).casefold())


def _is_known(run: RunContext, address: str) -> bool:
    return _begins(_plain(address), _addresses([*_said(run), *_read(run)]))


def _begins(wanted: str, known: Iterable[str]) -> bool:
    """Whether an address is one of those known, or one's beginning up to where a part of it ends."""
    # A host counts whole: evil.co is no part of evil.com.
    inside = re.compile(r"[\w%-]" if "/" in wanted else r"[\w.:-]", re.ASCII)
    return any(each.startswith(wanted) and not inside.match(each, len(wanted)) for each in known)


def _addresses(texts: Iterable[str], *, exact: bool = False) -> list[str]:
    """Whatever may be an address, to the next blank: what follows it there does no harm."""
    words = [(word, _ADDRESS.search(word)) for text in texts for word in text.split()]
    return [_plain(word[match.start() :], exact=exact) for word, match in words if match]


def _plain(address: str, *, exact: bool = False) -> str:
    """An address for comparing: without scheme and fragment; unless `exact` its host in lower case, nothing escaped."""
    rest = address.strip().partition("#")[0]
    rest = re.sub(r"^[a-z][a-z0-9+.-]*://", "", rest if exact else unquote(rest), flags=re.IGNORECASE).rstrip("/")
    if exact:
        return rest
    host = re.match(r"[^/?]*", rest)
    return (host[0].lower() + rest[host.end() :]) if host else rest


def _read(run: RunContext) -> list[str]:
    """What the run has found, and where."""
    return [text for each in run.sources.passages for text in (each.text, each.url or "")]


def _said(run: RunContext) -> list[str]:
    """What the user wrote."""
    return [run.written or run.message, *(text for role, text in _turns(run) if role == "user")]


def _turns(run: RunContext) -> list[tuple[str, str]]:
    turns = [(m["role"], m["content"] or "") for m in run.history]
    return [("summary" if text.startswith(SUMMARY) else role, text) for role, text in turns]
