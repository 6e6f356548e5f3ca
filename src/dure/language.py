"""The language in which a message is answered: that of its sentence."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from dure.errors import Language
from dure.messages import Message, language_of
from dure.patterns import later

_HANGUL = "ㄱ-ㆎ가-힣"
_NAMED = later(
    r"""\([^()]*\)|\[[^\[\]]*\]|「[^「」]*」|《[^《》]*》|`[^`]*`|"[^"]*"|“[^“”]*”|‘[^‘’]*’|(?<!\w)'[^']*'"""
    r"""|(?<!\w)\w+://[!-~]+|(?<![\w.-])[\w.-]*\.[a-z][a-z0-9]{1,4}(?![a-z0-9])""",
    re.IGNORECASE,
)
"""What is quoted or named, in whatever language: quotes, brackets, addresses, files."""
_WORD = later(rf"[^\W\d_{_HANGUL}]*[{_HANGUL}]+|[^\W\d_]+(?:['’-][^\W\d_{_HANGUL}]+)*")
_GLUED = later(rf"[a-z](?-i:[{_HANGUL}])", re.IGNORECASE)
"""A particle at a word of Latin letters."""
_BESIDE = " · "
_PREDICATE = later("[줘까죠요다야해봐어는은라냐]$")
"""How Korean sentences end, and hardly any noun."""


def language_of_talk(messages: Iterable[Message]) -> Language | None:
    """That of the user's last message, after what they said before it; None where they said nothing."""
    found: Language | None = None
    for each in messages:
        if each["role"] == "user" and each["content"]:
            found = language_of_message(str(each["content"]), found)
    return found


def language_of_message(text: str, before: Language | None = None) -> Language:
    """`ko` or `en`, by what a message says around its names, quotes and files: a message is Korean that ends as Korean
    sentences do, has particles at its words, or leaves it open; and `ko` without any letters. before: the language of
    what the person said last, which names are in that no sentence stands around."""
    text = unicodedata.normalize("NFC", text)
    if not any(map(str.isalpha, text)):
        return before or "ko"
    words = _WORD.findall(_NAMED.sub(" ", text))
    if before and words:
        # Titles begin with a capital; in a conversation, sentences are likelier.
        words[0] = words[0].lower()
    if language_of(text) == "en":
        parts = [each.strip(".,?!") for each in text.split()]
        named = before == "ko" and words and not any(map(str.islower, parts))
        return "ko" if named and _function_words().isdisjoint(map(str.lower, parts)) else "en"
    latin = [word for word in words if language_of(word) == "en"]
    few = before != "en" and 2 * len(latin) < len(words)
    if not latin or few or _PREDICATE.search(words[-1]) or any(map(_GLUED.search, words)):
        return "ko"
    # A sentence has words of these, and one of them before a name at its end; names have hardly any, and titles have
    # them with a capital.
    said = latin if words[-1] == latin[-1] else latin[-1:]
    return "ko" if _function_words().isdisjoint(said) else "en"


def in_language(text: str, language: Language) -> str:
    """Of a text in two languages ("문서 담당 · Documents") the part in this one; any other text as it is."""
    said = {language_of(part): part for part in text.split(_BESIDE)}
    return said[language] if len(said) == text.count(_BESIDE) + 1 == 2 else text


@cache
def _function_words() -> frozenset[str]:
    from stopwordsiso import stopwords

    return frozenset(stopwords("en"))
