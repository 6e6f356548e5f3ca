"""PDFs: what the file says of itself, what stands on its title page, and what it cites: ids and titles by which papers
here are known."""

import calendar
import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise, takewhile
from pathlib import PurePath
from typing import Any

from dure.knowledge.parse.parsed import ends, headings_in
from dure.knowledge.parse.reader import Asked
from dure.packs.papers import keys
from dure.packs.papers.record import PaperRecord, naming
from dure.patterns import later

_SECONDS = 30.0
_IDLE = 10.0
_STAMP = later(rf"arXiv:\s*({keys.ARXIV})v\d+", re.IGNORECASE)
_NO_TITLE = later(r"microsoft word\b|.*\.[a-z]{2,4}$|(?-i:[A-Za-z][a-z]+\d*$)|arxiv:|proceedings of", re.IGNORECASE)
"""A file's name, or a word such as `Untitled`: if it is the title, it stands on the page."""
_DOI_LINE = later(r"(?:https?://)?(?:dx\.)?doi\b", re.IGNORECASE)
_ABSTRACT = later(rf"(?:{naming('abstract')})\s*[.:—–-]?\s*", re.IGNORECASE)
_AFTER_ABSTRACT = later(rf"(?:(?:1|I)\.?\s+)?(?:{naming('introduction', 'keywords')})s?\b", re.IGNORECASE)
_PART = r"(?:[A-ZÀ-ÞĀ-Ž][\w'’.-]*|de|la|van|von|der|den|di|da|dos|del|bin|al)"
_NAME = later(rf"{_PART}(?:\s+{_PART}){{1,4}}|[가-힣]{{2,4}}")
_WHOLE = later(r"\w[.]?\s+\w|^[가-힣]{2,}$")
"""In a name that has more than a family's or a given one."""
_AFFILIATION = later(r"\d+\s?[^\W\d_]")
"""Begins with the number that stands behind its people's names."""
_BETWEEN = later(r"[,;·*†‡§¶∗]|\band\b| {2,}")
_JOINED = later(rf"{_BETWEEN.pattern}|\d")
"""In a line of names that is one of several; what has none of them is where they work."""
_YEAR = later(r"(?<![\d.,–-])(?:19[5-9]\d|20\d\d)(?![\d–-]|\.\d)")
_MARKS_WITHIN = later("[,:;]")
_PIECES = later(r"\s[·|]\s")
"""Between what a line at a page's head tells."""
_ORDINAL = later(r"\d+[a-z]+")
_VOLUME = later(r",?\s[Vv]ol\w*\.?$")
_DAY = later(r"\d{4}[-./년\s]+\d{1,2}[-./월\s]+\d{1,2}(?!\d)")
_DIGIT = later(r"\d")
_LETTERS = 4
"""Of Hangul that a venue's name has at least."""
_HEAD = 8
"""Lines above the text of a page without a heading `Abstract`."""
_TOP, _SKIPPED = 60, 3
"""Lines that names are looked for in; lines behind the title that may come before them."""
_MARKS = "0123456789*†‡§¶∗⋆♠♣♡♢, \t"
_NOT_A_NAME = later(r"universit|institut|college|대학|연구|@", re.IGNORECASE)
_LIST = later(rf"^\W*(?:\d{{1,2}}\.?\s+)?(?:{naming('references')})\W*$", re.IGNORECASE | re.MULTILINE)
_ENTRY = later(r"^\s*(?:\[\d{1,3}\]|\d{1,3}[.)]\s)", re.MULTILINE)
_QUOTED = later(r"[“\"「『‘]([^”\"」』]{8,300}?)[,.]?[”\"」』]")
_STYLES = [later(each) for each in (r"(?<=[^A-Z\s])[.?!]\s+", r"[.?!]\s+", r"\.\s+", r",\s+")]
"""Between the parts of a reference, in styles that part them by full stops (behind initials too where names end so:
`Seo JH. Title`; a title may ask), and by commas."""
_TITLE_WORDS = 4
"""Words of a title that stands without quotation marks, at least."""
_MOST_REFERENCES = 300


def front() -> Asked:
    """Looks at the first pages of PDFs, each at its `path`, in a child process: see `pdf_child.front`."""
    return Asked(_SECONDS, _IDLE, "dure.packs.papers.formats.pdf_child")


def of_front(name: str, front: dict[str, Any]) -> PaperRecord:
    """A record of what `pdf_child.front` found. A DOI counts where it stands before the abstract, or begins a line;
    an arXiv id where it is arXiv's stamp, or the file's name, which at last gives the title too."""
    lines: list[str] = front["lines"]
    text = "\n".join(lines)
    begin = next((i for i, line in enumerate(lines) if _ABSTRACT.match(line)), None)
    stamp = _STAMP.search(text)
    stem = PurePath(name.replace("\\", "/")).stem
    arxiv = stamp[1] if stamp else keys.arxiv_id(stem)
    own = [line for i, line in enumerate(lines) if i < (20 if begin is None else begin) or _DOI_LINE.match(line)]
    found = keys.ids_in("\n".join(own))
    title = _title(front, lines)
    authors = _authors(front["author"], lines, title)
    key = keys.title_key(title)
    head = [line for line in lines[: _HEAD if begin is None else begin] if keys.title_key(line) not in key]
    year = _year(arxiv, "\n".join(head), stem)
    return PaperRecord(
        title=title or keys.one_line(stem.replace("_", " ")) or "PDF",
        authors=authors,
        year=year,
        venue=next((name for line in head if year and (name := _venue(line, str(year), authors))), ""),
        abstract=_abstract(lines, begin),
        doi=found[0][0] if found[0] else "",
        arxiv_id=arxiv,
        acl_id=keys.acl_id(stem),
        aliases=[*([stem] if any(map(str.isalpha, stem)) else []), *keys.names_in(title)],
        references=references_in(front.get("end", "")),
    )


def _title(front: dict[str, Any], lines: list[str]) -> str:
    """The file's title where it stands on the page too; else the page's headline; else the file's; else ""."""
    # A word that the line's end cut.
    said, headline = front["title"], front["headline"].replace("\u2010 ", "")
    usable = len(keys.title_key(said)) >= 6 and not _NO_TITLE.match(said)
    if usable and keys.title_key(headline).startswith(keys.title_key(said)):
        # The file's properties may leave a subtitle out.
        return str(headline)
    page = keys.title_key(" ".join(lines[:60]))
    if usable and (keys.title_key(said) in page or not headline):
        return str(said)
    if len(keys.title_key(headline)) >= 8:
        return str(headline)
    return str(said) if usable else ""


def _authors(said: str, lines: list[str], title: str) -> list[str]:
    """The file's authors, else the names that follow the title, up to a line that holds something else."""
    if names := [each.strip() for each in re.split(r";|\band\b|&", said) if each.strip()]:
        return names if len(names) > 1 else _listed(names[0], lines[:_TOP])
    key, seen, skipped, above = keys.title_key(title), "", 0, ""
    found: list[str] = []
    for line in lines[:_TOP]:
        if len(seen) < len(key):
            # Lines of the title, whatever stands before it.
            seen = seen + keys.title_key(line) if key.startswith(seen + keys.title_key(line)) else seen
            continue
        parts = _parts(line)
        strange = _YEAR.search(line) or _NOT_A_NAME.search(line) or _ABSTRACT.match(line)
        goes_on = _JOINED.match(line) or above.endswith((",", ";", "·", "&", " and"))
        goes_on = goes_on or not parts or all(map(_JOINED.search, (above, line)))
        other = found and (_AFFILIATION.match(line) or not goes_on)
        if strange or other or not all(map(_NAME.fullmatch, parts)):
            skipped += 1
            if found or skipped > _SKIPPED or _ABSTRACT.match(line):
                break
        else:
            found += parts
            above = line
    return found[:50]


def _listed(said: str, lines: list[str]) -> list[str]:
    """The names that commas part. Two parts may be the family's and the given name of one: they are where the page has
    that name, or where one of them is no whole name."""
    parts = [part for each in said.split(",") if (part := each.strip())]
    page = {keys.name_key(part) for line in lines for part in _parts(line)}
    one = len(parts) == 2 and (keys.name_key(keys.person(said)) in page or not all(map(_WHOLE.search, parts)))
    return [said] if one else parts


def _parts(line: str) -> list[str]:
    """What may be names of a line."""
    return [part for each in _BETWEEN.split(line) if (part := each.strip().strip(_MARKS))]


def _abstract(lines: list[str], begin: int | None) -> str:
    if begin is None:
        return ""
    first, *rest = lines[begin:]
    within = takewhile(lambda two: not (_AFTER_ABSTRACT.match(two[1]) or _is_section(*two)), pairwise([first, *rest]))
    text = " ".join(" ".join([_ABSTRACT.sub("", first, count=1), *(line for _, line in within)]).split())
    return text[:3000] if len(text) >= 80 else ""


def _is_section(above: str, line: str) -> bool:
    """Whether a line is the numbered heading of a section, whichever it is: a sentence may go on with a number too."""
    return ends(above, ".!?。") and bool(headings_in(line)) and not line.split()[1][0].islower()


def _year(arxiv: str, beside: str, stem: str) -> int | None:
    """Of an arXiv id, whose first digits are year and month; else the last that stands above the abstract, beside the
    title; else the file name's."""
    if found := re.match(r"(\d\d)\d\d\.", arxiv) or re.search(r"/(\d\d)\d{5}", arxiv):
        return int(found[1]) + (1900 if found[1] > "90" else 2000)
    latest = date.today().year + 1
    for text in (beside, stem.replace("_", " ")):
        if years := [year for year in map(int, _YEAR.findall(text)) if year <= latest]:
            return max(years)
    return None


def _venue(line: str, year: str, authors: list[str]) -> str:
    """The name, with capitals or in Hangul, that the line of the year begins with before its numbers; "" where that may
    be somebody, a place, a sentence, or what happened on a day."""
    tokens = next((part for part in _PIECES.split(line) if year in part), "").split()
    told = takewhile(lambda each: each[0] != "(" and (_ORDINAL.fullmatch(each) or not _DIGIT.search(each)), tokens)
    words = [*told]
    rest, name = " ".join(tokens[len(words) :]), _VOLUME.sub("", " ".join(words)).rstrip(" ,:;")
    hangul = sum("가" <= letter <= "힣" for letter in name) >= _LETTERS
    if not (hangul or _capital(name)) or _MARKS_WITHIN.search(name) or _DAY.match(rest):
        return ""
    if sum(map(str.isalpha, rest.partition(". ")[0].split())) > 1:
        return ""
    return "" if any(keys.name_key(author) in keys.name_key(name) for author in authors) else name


def _capital(name: str) -> bool:
    """Whether a name of several words is written as titles are, and ends with no month."""
    words = name.split()
    big = [not word[0].islower() for word in words]
    written = len(words) > 1 and big[0] and big[-1] and sum(big) * 2 >= len(big)
    return written and words[-1].rstrip(".") not in {*calendar.month_name, *calendar.month_abbr}


def references_in(text: str) -> list[str]:
    """Of each reference behind the last such heading: its DOI or arXiv id, else what is quoted in it, else each part of
    it that is long enough to be a title; what is none names no paper."""
    headings = list(_LIST.finditer(text))
    found = [each for entry in _entries(text[headings[-1].end() :]) for each in _names(entry)] if headings else []
    return list(dict.fromkeys(found))


def _entries(text: str) -> Iterator[str]:
    starts = [match.start() for match in _ENTRY.finditer(text)][:_MOST_REFERENCES]
    if not starts:
        starts = [match.start() for match in re.finditer(r"^.", text, re.MULTILINE)][:_MOST_REFERENCES]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        # A word that a line end cut, then the lines as one.
        yield " ".join(re.sub(r"(?<=[a-z])[-‐]\n(?=[a-z])", "", text[start:end]).split())


def _names(entry: str) -> list[str]:
    dois, arxiv, _ = keys.ids_in(entry)
    if dois or arxiv:
        return [*dois, *arxiv]
    if quoted := _QUOTED.search(entry):
        return [quoted[1]]
    parts = (part.strip() for pattern in _STYLES for part in pattern.split(_ENTRY.sub("", entry)))
    return [part for part in parts if len(part.split()) >= _TITLE_WORDS]
