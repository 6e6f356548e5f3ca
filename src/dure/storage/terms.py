"""Text cut into the terms of the full-text index: character bigrams of Hangul and Han, words of everything else.

Bigrams need no dictionary and find Korean nouns under any particle: `휴가는` and `휴가를` share `휴가`. Documents and
queries are cut by the same function; a change here needs a migration that rebuilds the index.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import methodcaller

from dure.patterns import later

Groups = Sequence[Sequence[str]]
"""Groups of terms: a passage is found by any group of which it holds all."""
Hits = list[tuple[int, float]]
"""Passages found, as (id, score), best first."""
_HANGUL = "가-힣ㄱ-ㆎ"
_HAN = "㐀-䶿一-鿿豈-﫿ぁ-ヿ"
# Runs of one script, but Hangul right after Han goes with it (`_HAN` reaches from 豈 over Hangul): changing that means
# cutting every index anew. What is cut into bigrams is in a group of its own.
_RUNS = later(f"([{_HANGUL}]+|[{_HAN}]+)|[0-9]+|[^\\W\\d_{_HANGUL}{_HAN}]+")
# Possessive, so that a long run of letters is tried from its beginning alone.
_PART = f"(?:[^\\W\\d_{_HANGUL}{_HAN}]++|[0-9]++)"
_JOINER = r"[-‐-–]|(?<=[0-9])(?:\.|,(?=[0-9]{3}))(?=[0-9])"
_CODE = later(f"[0-9]++[{_HANGUL}]|{_PART}(?:(?:{_JOINER})?{_PART})*+")
_HANGUL_LETTER = later(f"[{_HANGUL}]")
_LONGEST = 40


def normal(text: str) -> str:
    """Compatibility forms unified (NFKC), case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def terms(text: str) -> list[str]:
    """The terms of `text` in order, with repetitions: letters and digits only, lower case, at most 40 characters."""
    return [term for word in words(text) for term in word]


def words(text: str) -> list[list[str]]:
    """The terms of each run of letters of one script, or of digits, in order."""
    found: list[list[str]] = []
    for run in _RUNS.finditer(normal(text)):
        piece = run.group()
        if run.lastindex is None:
            found.append([stem(piece[:_LONGEST])])
        else:
            found.append([piece[i : i + 2] for i in range(len(piece) - 1)] or [piece])
    return found


def codes(text: str) -> list[str]:
    """What letters and digits name together that are joined, rarer than each of its terms: `hg-7`, `10조`."""
    found = (code.group() for code in _CODE.finditer(normal(text)))
    return [code for code in found if any(map(str.isdigit, code)) and not _RUNS.fullmatch(code)]


def is_korean(text: str) -> bool:
    """Whether a fifth of the letters or more are Hangul."""
    letters = sum(c.isalpha() for c in text)
    return 5 * len(_HANGUL_LETTER.findall(text)) >= max(letters, 1)


def is_bigram(term: str) -> bool:
    """Whether a term is a piece of a longer run: it stands in a normal text wherever its two characters do."""
    run = _RUNS.fullmatch(term)
    return len(term) == 2 and run is not None and run.lastindex == 1


def counter(term: str) -> Callable[[str], int]:
    """What tells how often a term or a code stands in a `normal` text. It is looked for where it can stand, which is
    quicker than cutting the text."""
    if is_bigram(term):
        return methodcaller("count", term)
    if len(runs := [run.group() for run in _RUNS.finditer(term)]) > 1:
        return _joined(runs)
    if _HANGUL_LETTER.match(term):
        return partial(_alone, term)
    if not (run := _RUNS.match(term)) or run.lastindex:
        return lambda plain: sum(run.group() == term for run in _RUNS.finditer(plain)) if term in plain else 0
    # A plural in -ies has a y at its singular's end.
    return partial(_words, term, term[:-1] if term.endswith("y") and len(term) > 1 else term)


def _joined(runs: Sequence[str]) -> Callable[[str], int]:
    """How often runs stand beside each other: with a character between them, which only two figures need."""
    needed = ("" if a.isdigit() and b.isdigit() else "?" for a, b in pairwise(runs))
    whole = runs[0] + "".join(f"[\\W_]{each}{run}" for each, run in zip(needed, runs[1:], strict=True))
    before, after = ("[0-9]" if run.isdigit() else "[a-z]" for run in (runs[0], runs[-1]))
    found = re.compile(f"(?<!{before}){whole}(?!{after})")
    return lambda plain: len(found.findall(plain)) if runs[0] in plain and runs[-1] in plain else 0


def _alone(term: str, plain: str) -> int:
    """How often a syllable stands by itself."""
    found, at = 0, plain.find(term)
    while at >= 0:
        before = _RUNS.match(plain, at - 1, at) if at else None
        found += not (before and before.lastindex) and _HANGUL_LETTER.match(plain, at + 1) is None
        at = plain.find(term, at + 1)
    return found


def _words(term: str, root: str, plain: str) -> int:
    found, at = 0, plain.find(root)
    while at >= 0:
        word = _RUNS.match(plain, at)
        assert word is not None
        before = _RUNS.match(plain, at - 1) if at else None
        found += (before is None or before.end() <= at) and stem(word.group()[:_LONGEST]) == term
        at = plain.find(root, word.end())
    return found


def stem(word: str) -> str:
    """An English word without its plural ending (Harman's S-stemmer, 1991, with -sses, -xes, -ches, -shes)."""
    if len(word) < 4 or not word.endswith("s") or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
