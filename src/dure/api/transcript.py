"""A conversation as Markdown, to be kept or passed on."""

from collections.abc import Sequence
from typing import Any

from dure.errors import Language

_WORDS: dict[Language, dict[str, str]] = {
    "ko": {"user": "질문", "assistant": "답변", "sources": "출처", "page": "{}쪽"},
    "en": {"user": "Question", "assistant": "Answer", "sources": "Sources", "page": "p. {}"},
}


def as_markdown(session: dict[str, Any], messages: Sequence[dict[str, Any]], language: Language) -> str:
    """The session's title, then each message under a heading with its time (UTC); sources below the answer that cites
    them."""
    words = _WORDS[language]
    parts = [f"# {session['title']}"]
    for each in messages:
        at = each["created_at"][:16].replace("T", " ")
        parts.append(f"## {words.get(each['role'], each['role'])} ({at} UTC)")
        parts.append(each["content"].strip())
        if each["citations"]:
            lines = [_source(number, cited, words) for number, cited in enumerate(each["citations"], 1)]
            parts.append("\n".join([f"**{words['sources']}**", "", *lines]))
    return "\n\n".join(parts) + "\n"


def _source(number: int, cited: dict[str, Any], words: dict[str, str]) -> str:
    where = [cited["title"]]
    if cited.get("page") is not None:
        where.append(words["page"].format(cited["page"]))
    if cited.get("url"):
        where.append(f"<{cited['url']}>")
    quote = " ".join(cited["quote"].split())
    return f"- [{cited.get('marker') or number}] {', '.join(where)}: “{quote}”"
