"""What stands inside of one paper: its sections, cut at headings, and where it is nearest to a question.

Its passages are all about the same matter: what tells them apart is a single sentence.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from dure.data.questions.words import function_words
from dure.knowledge.excerpt import apart
from dure.knowledge.parse.parsed import ends
from dure.knowledge.sentences import sentences
from dure.models import Embedder
from dure.packs.papers.record import naming
from dure.sources import Passage

_WORD = re.compile(r"[\w-]{2,}")
_SHORTEST = 8
"""Characters of a sentence that can tell something."""
_NUMBER = re.compile(r"^(?:\d{1,2}|[IVX]{1,4}|[A-Z])[.\s]\s*")
_NAMES = re.compile(rf"\b(?:(?:{naming()})[a-z]{{0,5}})++\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?|(?P<roman>[IVX]{1,5})\.|(?P<letter>[A-H](?:\.\d{1,2}){0,2})\.?)"
    r"\s+(?P<title>[A-Z가-힣][^\n]{1,90})"
)
_RUN_IN = re.compile(rf"({naming('abstract')})\s*[.:—–-]\s*\S", re.IGNORECASE)
_LINE = re.compile(r"[^\n]+")
_FEWEST = 3
"""Headings without which a text is not cut by them."""
_ENDS = (".", ",", ";", ":", "-")


def sections(text: str, pages: Sequence[tuple[int | None, int]], document_id: str, title: str) -> list[Passage]:
    """The sections of a paper's full text; one a page where it has no headings that could be told.

    `pages`: (page number, offset of its first character). What stands before the first heading is named `title`.
    """
    cuts = _headings(text)
    if len(cuts) < _FEWEST:
        cuts = [(start, start, f"p.{number}" if number else title) for number, start in pages] or [(0, 0, title)]
    elif text[: cuts[0][0]].strip():
        cuts.insert(0, (0, 0, title))
    ends = [cut[0] for cut in cuts[1:]] + [len(text)]
    starts = [start for _, start in pages]
    found = []
    for (start, _, name), end in zip(cuts, ends, strict=True):
        if words := text[start:end].rstrip():
            place = bisect_right(starts, start) - 1
            number = pages[place][0] if place >= 0 else None
            found.append(Passage(document_id, name, number, start, start + len(words), words))
    return found


def _headings(text: str) -> list[tuple[int, int, str]]:
    """(start of the line, its end, its words) of each heading, in order; the numbers of numbered ones go up."""
    found: list[tuple[int, int, str]] = []
    top = 0
    for line in _LINE.finditer(text):
        words = line.group().strip()
        if _RUN_IN.match(words):
            found.append((line.start(), line.end(), words.split()[0].strip(".:—–-")))
        elif len(words) > 100:
            continue
        elif _is_named(words, ends(text[max(0, line.start() - 80) : line.start()].rstrip(), ".!?")):
            number = re.match(r"\d{1,2}", words)
            top = int(number.group()) if number else top
            found.append((line.start(), line.end(), words.rstrip(" .:—-")))
        elif (numbered := _NUMBERED.fullmatch(words)) and _is_heading(numbered, top):
            if numbered["number"]:
                top = int(numbered["number"].split(".")[0])
            found.append((line.start(), line.end(), words))
    return found


def _is_named(line: str, ended: bool) -> bool:
    """Whether a line names a part of a paper, and nothing else but function words; where a sentence ended above, it may
    have two words beside, in Hangul before the name. A row's cells stand apart."""
    title = _NUMBER.sub("", line.rstrip(" .:—-"), count=1)
    names = list(_NAMES.finditer(title))
    beside = [each for each in _NAMES.sub(" ", title).split() if each.casefold() not in function_words()]
    if not names or not beside:
        return bool(names)
    written = names[-1].end() == len(title) if title[-1] >= "가" else title[0].isupper()
    return ended and written and len(beside) <= 2 and "  " not in title and all(map(str.isalpha, beside))


def _is_heading(line: re.Match[str], top: int) -> bool:
    """Not an item of a list, a row of a table or a sentence: it does not end like one, is mostly letters, and its
    number goes on from the last one's."""
    title = line["title"]
    letters = sum(c.isalpha() or c == " " for c in title)
    if title.endswith(_ENDS) or letters < 0.8 * len(title) or len(title.split()) > 14:
        return False
    if line["number"]:
        number = int(line["number"].split(".")[0])
        return number in (top, top + 1) if "." in line["number"] else number == top + 1
    return True


def without_names(question: str, names: Sequence[str]) -> str:
    """The question without words of the paper's own names, which lead to wherever it speaks of itself."""
    words = {word for name in names for word in _WORD.findall(name)}
    # Particles follow a name; `in` of a title is no part of `training`.
    pattern = rf"(?<![^\W_])(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?![A-Za-z0-9])"
    return (re.sub(pattern, " ", question, flags=re.IGNORECASE) if words else "").strip() or question


async def by_sentences(question: str, found: Sequence[Passage], embedder: Embedder | None) -> list[Passage]:
    """Passages that a search found, best first by its scores and by the sentence of each that is nearest to the
    question. They stay as they are where no quick embedder is there."""
    second = embedder.second if embedder is not None else None
    texts = [[each.text[a:b] for a, b in sentences(each.text) if b - a > _SHORTEST] or [each.text] for each in found]
    if second is None or len(found) < 2:
        return list(found)
    asked = (await second.queries([question]))[0]
    rows = await second.passages([sentence for text in texts for sentence in text])
    ends = np.cumsum([len(text) for text in texts])
    nearest = [part.max() for part in np.split(rows @ asked, ends[:-1])]
    both = apart(np.array([[each.score for each in found], nearest], np.float32))
    return [found[at] for at in np.argsort(-both, kind="stable")]
