"""What may go out to the web without being asked for.

A page or a document can tell a model to fetch `https://evil.example/?q=` with what it has just read, or to search for
it. So once a run has heard of anything but its user, only what was there before goes out unasked:

- an address that the user wrote, or that stands in a passage of the run (a page, a search result, a document) or is
  a passage's own; a part of one from its beginning counts, one that has anything added does not;
- once something of the user's own is in the run: a query whose words all are the user's;
- after earlier answers, which may hold something of the user's own too: a query without words that only they hold;
  once pages were read, which may tell the model what to do with those, one whose words are the user's or the pages'.

What is left to a hostile text is to choose among addresses and words that it holds itself.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from dure.agents.context import RunContext
from dure.tooling import Tool

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|(?:[a-z0-9-]+\.)+[a-z]{2,}(?![a-z0-9-])", re.IGNORECASE)
_WORDS = re.compile(r"\w+")
SUMMARY = "(Summary of our conversation so far)"
"""How the turn begins that stands for those that were cut off (`runs/history.py`): a user's by its role alone."""


def carries(run: RunContext, tool: Tool, args: Mapping[str, Any]) -> bool:
    """Whether a call would send out what might carry something that the run has read."""
    for name, kind in tool.outgoing.items():
        given = args.get(name)
        for text in given if isinstance(given, list) else [given]:
            if not isinstance(text, str):
                continue
            if kind == "query" and _carries_words(run, set(_words(text))):
                return True
            if kind != "query" and (run.tainted or run.history) and not _is_known(run, text):
                return True
    return False


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
    wanted = _plain(address)
    passages = run.sources.passages
    texts = [*_said(run), *(p.text for p in passages), *(p.url or "" for p in passages)]
    # Whatever may be an address, to the next blank: what follows it there does no harm.
    words = [(word, _ADDRESS.search(word)) for text in texts for word in text.split()]
    known = [_plain(word[match.start() :]) for word, match in words if match]
    # A host counts whole: evil.co is no part of evil.com.
    whole = "/" in wanted
    return any(k.startswith(wanted) and (whole or not re.match(r"[a-z0-9.:-]", k[len(wanted) :])) for k in known)


def _plain(address: str) -> str:
    """An address for comparing: without the scheme and the fragment, its host in lower case, nothing escaped."""
    rest = unquote(address.strip().partition("#")[0])
    rest = re.sub(r"^[a-z][a-z0-9+.-]*://", "", rest, flags=re.IGNORECASE).rstrip("/")
    host = re.match(r"[^/?]*", rest)
    return (host[0].lower() + rest[host.end() :]) if host else rest


def _said(run: RunContext) -> list[str]:
    """What the user wrote."""
    return [run.written or run.message, *(text for role, text in _turns(run) if role == "user")]


def _turns(run: RunContext) -> list[tuple[str, str]]:
    turns = [(m["role"], m["content"] or "") for m in run.history]
    return [("summary" if text.startswith(SUMMARY) else role, text) for role, text in turns]
