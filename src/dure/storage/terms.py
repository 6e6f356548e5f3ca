"""Text cut into the terms of the full-text index: character bigrams of Hangul and Han, words of everything else.

Bigrams need no dictionary and find Korean nouns under any particle: `휴가는` and `휴가를` share `휴가`. Documents and
queries are cut by the same function; a change here needs a migration that rebuilds the index.
"""

import re
import unicodedata

# Runs of one script: Hangul, Han and kana, digits, other letters.
_RUNS = re.compile(
    "(?P<hangul>[가-힣ㄱ-ㆎ]+)|(?P<han>[㐀-䶿一-鿿豈-﫿ぁ-ヿ]+)|(?P<digits>[0-9]+)|(?P<word>[^\\W\\d_가-힣ㄱ-ㆎ㐀-䶿一-鿿豈-﫿ぁ-ヿ]+)"
)
_LONGEST = 40


def normal(text: str) -> str:
    """Compatibility forms unified (NFKC), case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def terms(text: str) -> list[str]:
    """The terms of `text` in order, with repetitions: letters and digits only, lower case, at most 40 characters."""
    found: list[str] = []
    for run in _RUNS.finditer(normal(text)):
        piece = run.group()
        if run.lastgroup in ("hangul", "han"):
            if len(piece) == 1:
                found.append(piece)
            else:
                found.extend([piece[i : i + 2] for i in range(len(piece) - 1)])
        elif run.lastgroup == "word":
            found.append(stem(piece[:_LONGEST]))
        else:
            found.append(piece[:_LONGEST])
    return found


def stem(word: str) -> str:
    """An English word without its plural ending (Harman's S-stemmer, 1991); other words as they are."""
    if len(word) < 4 or not word.endswith("s") or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
