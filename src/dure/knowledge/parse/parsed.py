"""What every parser returns: the text of a document, page by page."""

import re
import unicodedata
from dataclasses import dataclass, field

from dure.knowledge.names import PARTS
from dure.knowledge.parse.problems import Unreadable
from dure.patterns import later

MAX_CHARS = 10_000_000
"""Longest text of one document; some 25,000 passages."""

# Kept: tab and line feed. Lone surrogates and zero-width characters would break storage or matching.
_UNWANTED = later(
    "[\x00-\x08\x0e-\x1f\x7f\x80-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_ACCENTS = dict(zip("ˇ˘¨ˆ˜˚", "\u030c\u0306\u0308\u0302\u0303\u030a", strict=True))
_ACCENT = later(f"([{''.join(_ACCENTS)}])([A-Za-z\u0131])")
_BLANK_LINES = later("\n{3,}")
_PARTS = "편장절관조"
LETTERS = "가나다라마바사아자차카타파하"
"""By which items are counted."""
ITEM = later(r"[-*•·▪■□○●◦※▶▷–]|\(?[\dA-Za-z가-힣]{1,2}[.)]|\[\d+\]|[①-⑳]")
"""What an item of a list begins with."""
_HEADING = later(
    r"^(?:(?P<marks>#{1,6})[ \t]+\S.*$"
    rf"|제 ?\d+ ?(?P<part>[{_PARTS}])(?:의 ?\d+)?(?: ?\([^)\n]{{1,40}}\)|[^\n]{{0,40}}$)"
    r"|(?P<behind>부 ?칙)(?: ?[<(\[][^\n]{0,60})?$"
    rf"|(?:{'|'.join(map(str.capitalize, PARTS))}) \d{{1,3}}(?:[.:]? [^\Wa-z\d]|$)[^\n]{{0,60}}$"
    r"|(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?[ \t]+[^\W\d][^\n]{0,50}$)",
    re.MULTILINE,
)


_TABLE = r"(?:Table|TABLE|표) ?\w?\d"
_CAPTION = later(
    rf"^({_TABLE}[^|\n]{{2,300}}|(?![ \t]*[-*•])(?![^\n]*(?:\n{_TABLE}|[.!?。]\n[^|(\n]+\n))[^|\n]{{2,60}})\n"
    r"(?:([^|\n]{2,60})\n)?(?=[^|\n]+ \| [^|\n])",
    re.MULTILINE,
)
"""A short or numbered line above the rows of a table, or above one more there, such as that of the units; no sentence
above a line with words, such as a note of the table before or the last item of a list above a heading."""
_SHEET = later(r"\W?(?:별[표지]|[A-Z][a-z]+) ?(?:제 ?)?(?:\d{1,2}|[A-Z])(?![\w'’]|,\d)")
"""How the caption begins of one of the sheets that stand behind a text: `별표 2`, `Annex C`."""
_ROWS = later(r"(?:[^\n]*\n){1,2}?(?:[^\n]* \| [^\n]*(?:\n+|\Z))+")
"""What the caption of a table stands above, with it."""
CAPTION = 9
"""The level of captions: below all headings."""


RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
NOTES = "(?:[⁰¹²³⁴-⁹]+[,)–-]?)*"
"""Marks of notes behind a stop."""
_NOTES = later(f"{NOTES}$")


@dataclass(slots=True, frozen=True)
class Block:
    """A piece of a page that stands on lines of its own. `level`: of a heading, from 1; 0 for all else.
    `under`: how many levels below the first the headings stand that its text itself shows."""

    text: str
    level: int = 0
    under: int = 0


@dataclass(slots=True, frozen=True)
class Page:
    """`number`: 1-based page, slide or sheet; None where the format has none. `content`: its blocks, or one text.
    `sure`: of a picture that was read, how sure of that its reader is on the mean, 0 to 100."""

    number: int | None
    content: str | tuple[Block, ...]
    sure: int | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (Block(self.content),) if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(filter(None, (block.text.strip("\n") for block in self.content)))


@dataclass(slots=True)
class Parsed:
    """A document as its parser read it. `flows`: sentences may run on from one page to the next. `author`: whom the
    file names, as it stands there."""

    pages: list[Page]
    title: str = ""
    flows: bool = False
    author: str = ""


@dataclass(slots=True)
class DocumentText:
    """The whole text; `pages` has (page number, offset of its first character), `headings` (level, offset, words),
    `sure` of pages that are pictures how sure their reader is, by that offset; `styled` (level, offset) of headings
    that the file itself has as such."""

    text: str
    pages: list[tuple[int | None, int]] = field(default_factory=list)
    headings: list[tuple[int, int, str]] = field(default_factory=list)
    sure: list[tuple[int, int]] = field(default_factory=list)
    styled: list[tuple[int, int]] = field(default_factory=list)


def _accented(found: re.Match[str]) -> str:
    """A letter with the accent that stands before it, where there is such a letter."""
    whole = unicodedata.normalize("NFC", found[2].replace("\u0131", "i") + _ACCENTS[found[1]])
    return whole if len(whole) == 1 else found[0]


def clean(text: str) -> str:
    """Text without control and zero-width characters, in NFC, with plain line ends and no trailing blanks; an accent
    that stands by itself before its letter, as in PDFs of TeX ("Dvoˇrák"), is on it."""
    text = _ACCENT.sub(_accented, text)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\v", "\n").replace("\f", "\n").replace("\xa0", " ")
    text = unicodedata.normalize("NFC", _UNWANTED.sub("", text))
    # By lines: an expression for blanks before a line's end takes the square of the length of other runs of blanks.
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip("\n ")


def one_line(text: str) -> str:
    """As `clean`, on one line."""
    return " ".join(clean(" ".join(text.split())).split())


def join(parsed: Parsed) -> DocumentText:
    """One text of all pages. Raises Unreadable when there is none, or too much."""
    whole, pieces, length = DocumentText(""), list[str](), 0
    for page in parsed.pages:
        cleaned = ((block, clean(block.text)) for block in page.blocks)
        for n, (block, text) in enumerate(each for each in cleaned if each[1]):
            if pieces:
                # A sentence goes on over a page break: a long last line without an end, then a small letter or Hangul.
                above = pieces[-1][pieces[-1].rfind("\n") + 1 :]
                ended = width(above) < 40 or ends(above, ".!?。:;|…)") or " | " in above + text.partition("\n")[0]
                flows = parsed.flows and not (block.level or ended) and ("가" <= text[0] <= "힣" or text[0].islower())
                pieces.append("\n" if n else " " if flows else "\n\n")
                length += len(pieces[-1])
            if not n:
                whole.pages.append((page.number, length))
                whole.sure += [] if page.sure is None else [(length, page.sure)]
            whole.styled += [(block.level, length)] if block.level else []
            whole.headings += [(block.level, length, text)] if block.level else headings_in(text, length, block.under)
            pieces.append(text)
            length += len(text)
        if length > MAX_CHARS:
            raise Unreadable("too_long", chars=length, limit=MAX_CHARS)
    whole.text = "".join(pieces)
    if not any(c.isalnum() for c in whole.text):
        raise Unreadable("no_text")
    # A heading above a table is its caption already; the units below it stand over the rows of later passages too.
    known = {start for _, start, _ in whole.headings}
    for line in _CAPTION.finditer(whole.text):
        if (words := line[1].strip()) and line.start() not in known:
            whole.headings.append((CAPTION, line.start(), words))
        if (line[2] or "").startswith("("):
            whole.headings.append((CAPTION + 1, line.start(2), line[2]))
    whole.headings.sort(key=lambda heading: heading[1])
    return whole


def is_table(words: str) -> bool:
    """Whether a heading is the caption of a numbered table, so of its rows alone."""
    return re.match(_TABLE, words) is not None


def is_sheet(words: str) -> bool:
    """Whether a caption is that of a sheet of its own, which are counted through a document as its parts are."""
    return _SHEET.match(words) is not None and not is_table(words)


def behind_rows(text: str, caption: int) -> int:
    """Where the rows end of the table whose `caption` begins there."""
    rows = _ROWS.match(text, caption)
    return rows.end() if rows else caption


def headings_in(text: str, offset: int = 0, under: int = 0) -> list[tuple[int, int, str]]:
    """Headings that a text itself shows, as (level, `offset` + where it begins, words): Markdown's, chapters and
    articles of rules, the rules behind these, numbered titles; `under` levels below the first."""
    found = []
    for line in _HEADING.finditer(text):
        words = line.group().strip("# \t")
        if line["marks"]:
            found += [(len(line["marks"]), offset + line.start(), words)] if words else []
        elif not ends(words, ".!?。:;,|다"):
            part = "장" if line["behind"] else line["part"]
            level = _PARTS.index(part) + 1 if part else len((line["number"] or "").split("."))
            found.append((level, offset + line.start(), words))
    return [(min(level + under, CAPTION - 1), start, words) for level, start, words in found]


def ends(line: str, stops: str) -> bool:
    """Whether a line ends in one of `stops`, with marks of notes behind it or without."""
    return _NOTES.sub("", line).endswith(tuple(stops))


def width(line: str) -> int:
    """Columns on a page: Hangul, Han and full-width characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
