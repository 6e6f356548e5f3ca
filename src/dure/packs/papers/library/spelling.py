"""Names that stand in a text, and names spelled nearly so."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from dure.knowledge.question import INTERROGATIVES
from dure.packs.papers import data
from dure.packs.papers.keys import title_key
from dure.patterns import later

T = TypeVar("T")
_JOINS = "-–‐‑._+"
"""Signs that make one name of what stands at both sides."""
_RUNS = later(r"[가-힣]+|[^\W_가-힣]+")
_WORDS = 8
"""Words of the longest name that is looked for."""
_CHARS = 400
"""Words after the first so many characters of a text are not looked at."""
_WRONG = 3
"""Letters of a name that may be wrong at most."""

# What follows a noun: the copula, particles, of which some take another, questions written without a space
# ("어텐션이뭐야"), endings that make it a verb ("과적합됐다는").
_PARTICLE = (
    r"(?:이?(?:라[고는]|란|랑|나|야|[에예]요|고)|이[든라]|인(?:가요?|지|데)|입니다"
    r"|(?:에서?|으?로)[는도의]?|[과와]의?|들[은을의이]?|만의?|[가는도를요은을의이]|에게|까지|부터|처럼|보다|마다|하고)"
)
_VERB = r"(?:되|됐|된|될|돼|하|한|할|했|해|시키|시킨|시킬).{0,5}"
_ASKING = "|".join(word for word in data("searches")["asking"].split() if word >= "가" and len(word) > 1)
_REST = later(rf"(?:{_PARTICLE}|{_PARTICLE}?(?:{INTERROGATIVES}|뜻|{_ASKING}).*|{_VERB})")


@dataclass(slots=True, frozen=True)
class Candidate:
    """Words of a text in a row, `text[start:end]` of it in NFKC: `written`, and as they are compared (`key`). `whole`:
    no name goes on beyond its edges, as GPT-3 does in GPT-3.5."""

    key: str
    start: int
    end: int
    written: str = ""
    words: int = 1
    whole: bool = True


def candidates(text: str, *, chars: int = _CHARS, most: int = _WORDS, plurals: bool = True) -> list[Candidate]:
    """What may be a name in a text: up to `most` whole words, without the particles or the plural's "s" after the last
    one.

    Latin words are whole where Hangul begins: "RAG란" holds "rag", "organ" does not hold "gan".
    """
    text = unicodedata.normalize("NFKC", text[:chars])
    tokens = list(_RUNS.finditer(text))
    found = []
    for first, begin in enumerate(tokens):
        start, head = begin.start(), ""
        if first and tokens[first - 1].end() == start and _is_hangul(begin[0]):
            # The rest of a word that began in other letters: the "란" of "RAG란".
            continue
        opens = not _goes_on(text, start - 1, -1)
        for count, token in enumerate(tokens[first : first + most], 1):
            word = title_key(token[0])
            for form in _forms(word, plurals):
                end = token.end() - len(word) + len(form)
                whole = opens and (form != word or not _goes_on(text, end, 1))
                found.append(Candidate(head + form, start, end, text[start:end], count, whole))
            head += word
    return found


def _is_hangul(word: str) -> bool:
    return "가" <= word[0] <= "힣"


def _goes_on(text: str, at: int, step: int) -> bool:
    """Whether a name goes on beyond its edge: a letter or digit follows behind one sign that joins. What follows in
    another script is a particle."""
    if not 0 <= at < len(text):
        return False
    if text[at] in _JOINS and 0 <= at + step < len(text):
        after = text[at + step]
        return after.isalnum() and not _is_hangul(after)
    # Tokens of two scripts touch: "BERT를" ends a name, "한국어BERT" begins in its middle.
    return step < 0 and _is_hangul(text[at])


def _forms(word: str, plurals: bool) -> Iterator[str]:
    """A word as it is, then without what a noun may carry."""
    yield word
    if word and _is_hangul(word):
        for cut in range(len(word) - 1, 0, -1):
            if _REST.fullmatch(word, cut):
                yield word[:cut]
    elif plurals and word.endswith("s") and len(word) > 3:
        yield word[:-1]


def longest(found: Iterable[tuple[Candidate, T]]) -> list[tuple[Candidate, T]]:
    """Of names found in a text, each with what it names, those that overlap no longer one, the longest first."""
    kept: list[tuple[Candidate, T]] = []
    for each, named in sorted(found, key=lambda one: (one[0].start - one[0].end, one[0].start)):
        if all(each.end <= other.start or other.end <= each.start for other, _ in kept):
            kept.append((each, named))
    return kept


@lru_cache(8192)
def letters(key: str) -> str:
    """A key as it is spelled: Hangul syllables as their letters (jamo)."""
    return unicodedata.normalize("NFD", key)


def allowed(spelled: str, key: str) -> int:
    """How many letters of a name may be wrong: none in short ones, one in five in long ones, at most three."""
    hangul = any("\u1100" <= letter <= "\u11ff" for letter in spelled)
    if len(key) < (3 if hangul else 5):
        return 0
    return max(1, min(_WRONG, len(spelled) // 5))


def near(text: str, keys: Sequence[str], limit: int = 5) -> list[tuple[str, bool]]:
    """Keys spelled nearly like something in a text, nearest first, then those that begin with something in it.

    Each with whether it is a matter of spelling. "LTSM" is near "LSTM" although short: two letters are swapped.
    """
    import numpy as np
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cdist

    asking = frozenset(_RUNS.findall(data("searches")["asking"]))
    possible = (each for each in candidates(text) if each.words <= 4 and len(each.key) >= 2)
    asked = {each.key: letters(each.key) for each in possible if each.key not in asking}
    if not asked or not keys:
        return []
    spelled = [letters(key) for key in keys]
    # Optimal string alignment: letters to insert, delete, replace, or swap with the next.
    apart = cdist(list(asked.values()), spelled, scorer=OSA.distance, score_cutoff=_WRONG, dtype=np.uint8)
    found: list[tuple[float, str]] = []
    for (word, mine), row in zip(asked.items(), apart, strict=True):
        most = allowed(mine, word)
        for at in np.flatnonzero(row <= (most or len(word) == 4)).tolist():
            theirs = spelled[at]
            # A whole syllable more at the beginning makes another word.
            if (row[at] <= 1 or mine[0] == theirs[0]) if most else sorted(mine) == sorted(theirs):
                found.append((row[at] / len(theirs), keys[at]))
    first = {key: True for _, key in sorted(found)}
    begin = tuple(word for word, mine in asked.items() if len(word) >= (2 if mine != word else 4))
    begun = sorted((len(key), key) for key in keys if key.startswith(begin) and key not in asked)
    return list((first | {key: False for _, key in begun if key not in first}).items())[:limit]
