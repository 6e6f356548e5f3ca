"""What may go out to the web without being asked for.

A page or a document can tell a model to fetch `https://evil.example/?q=` with what it has just read, or to search for
it. So once a run has heard of anything but its user, only what was there before goes out unasked:

- an address that the user wrote, or that stands in a passage of the run (a page, a search result, a document) or is
  a passage's own; a part of one from its beginning counts, one that has anything added does not;
- once something of the user's own is in the run: a query whose words all stand in what the user wrote.

What is left to a hostile text is to choose among addresses that it holds itself.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from dure.agents.context import RunContext
from dure.tooling import Tool

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|(?:[a-z0-9-]+\.)+[a-z]{2,}(?![a-z0-9-])", re.IGNORECASE)
_WORDS = re.compile(r"\w+")


def carries(run: RunContext, tool: Tool, args: Mapping[str, Any]) -> bool:
    """Whether a call would send out what might carry something that the run has read."""
    return any(_carries(run, kind, each) for name, kind in tool.outgoing.items() for each in _texts(args.get(name)))


def _carries(run: RunContext, kind: str, text: str) -> bool:
    if kind == "query":
        said = " ".join(_said(run)).casefold()
        return run.private and not all(word in said for word in _WORDS.findall(text.casefold()))
    return (run.tainted or bool(run.history)) and not _is_known(run, text)


def _is_known(run: RunContext, address: str) -> bool:
    wanted = _plain(address)
    passages = run.sources.passages
    texts = [*_said(run), *(p.text for p in passages), *(p.url or "" for p in passages)]
    return any(_begins(_plain(token), wanted) for text in texts for token in _addresses(text))


def _begins(known: str, wanted: str) -> bool:
    # A host counts whole: evil.co is no part of evil.com.
    return known.startswith(wanted) and ("/" in wanted or not re.match(r"[a-z0-9.:-]", known[len(wanted) :]))


def _addresses(text: str) -> Iterable[str]:
    """Whatever in a text may be an address, to the next blank: what follows it there does no harm."""
    for word in text.split():
        if match := _ADDRESS.search(word):
            yield word[match.start() :]


def _plain(address: str) -> str:
    """An address for comparing: without the scheme and the fragment, its host in lower case, nothing escaped."""
    rest = unquote(address.strip().partition("#")[0])
    rest = re.sub(r"^[a-z][a-z0-9+.-]*://", "", rest, flags=re.IGNORECASE).rstrip("/")
    host = re.match(r"[^/?]*", rest)
    return (host[0].lower() + rest[host.end() :]) if host else rest


def _said(run: RunContext) -> list[str]:
    return [run.message, *(m["content"] or "" for m in run.history if m["role"] == "user")]


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return [value] if isinstance(value, str) else []
