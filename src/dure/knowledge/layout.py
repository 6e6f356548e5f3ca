"""How an answer is laid out: its sentences, the lists, tables and letters they stand in, and which claim something."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from dure.knowledge.markers import ENDED, Code, without_markers
from dure.knowledge.sentences import sentences
from dure.knowledge.supporting import TERMS
from dure.patterns import later
from dure.sources import Passage
from dure.storage.terms import terms

_LISTED_SOURCE = later(
    r"(?:[-*•] )?(?:\*{0,2}[^\[\]\n:*]{1,12}:\*{0,2} ?)?[\[【]\^?(\d{1,3})[\]】]:? ?(.*[^.!?。])", re.DOTALL
)
"""A line that names a source by its number, also behind a word such as `출처:`."""
_SHORT = 200
"""Characters that such a line has at most."""
ITEM = later(r"^(?:[-*•]\s+)?\(?\d{1,2}[.)]\s+")
_COUNTED = later(r"\|\s*(\d{1,2})\s*\|\s*")
_NO_CLAIM = later(r"^[#(|]|[:?]$|^\*\*[^*]+\*\*$")
"""A heading, also one in bold, a remark, a row, what leads to a list, a question."""
_WISH = later(r"(?:[세십](?:시오|요)|기 바랍니다|것이 좋[^.!?]{0,5})\W*$|^\W*Please\b")
"""A request to whoever reads it, or advice, which tells nothing of what is so."""
_TEXT = later(r"(?:^(?!---|```).*\n?(?!#))+", re.MULTILINE)
"""A text within an answer, up to a rule, a heading or code."""
_LINE = r"(?!(?:[-*•]|\d{1,2}[.)])\s|\|).+(?<![.!?。:|다요오])(?=\n|$)"
_TITLE = later(rf"(?:^\n*|\n\n){_LINE}")
"""A line without an end that begins a paragraph: a title, a subject, whom it is to."""
_ADDRESSED = later(rf"(?:^\n*|\n\n)(?:{_LINE}\n\n?)?[^\W\d_].{{,40}}[,께](?=\n|$)")
"""A salutation, and the title right above it."""
_SIGNED = later(r"\n[^\W\d_][^\n\d:]{,39}(?<![.!?。:다요오\s])\s*$")
_LISTED = later(r"[ \t]*\n\s*(?:\||[-*•]\s|\d{1,2}[.)]\s)")
"""What stands before a table or a list leads to it."""
_ITEM_OF = later(r"([ \t]*)(?:[|#]|[-*•]\s|\d{1,2}[.)]\s)")
"""What stands before the text of an item, a row or a heading."""
_RULE = later(r"[ \t]*\n[ \t]*\|[ \t:|-]*-[ \t:|-]*(?:\n|\Z)")
"""The line below the head of a Markdown table, which is no statement."""

_BOLD = 7
"""The level of a heading in bold: below all others."""


class Layout:
    """An answer without markers, which may name so many `known` passages. `spans`: its sentences. `own`: where those
    parts of it stand that state nothing."""

    def __init__(self, plain: str, own: Iterable[str], known: int) -> None:
        self.plain, self.spans = plain, [*sentences(plain)]
        self.own, self.code = _places(plain, own, known), Code(plain)
        self._letters = list(_letters(plain))

    def states_nothing(self, start: int, end: int) -> bool:
        """Whether a sentence is of the answer's `own` parts."""
        return any(first <= start and end <= last for first, last in self.own)

    def gap(self, i: int) -> tuple[int, int]:
        """The end of the sentence before the i-th one, and where the next begins."""
        before = self.spans[i - 1][1] if i else 0
        return before, self.spans[i + 1][0] if i + 1 < len(self.spans) else len(self.plain)

    def beside(self, i: int) -> str:
        """The two sentences right before the i-th one, and the one behind it."""
        both = (*self.spans[max(0, i - 2) : i], *self.spans[i + 1 : i + 2])
        return "\n".join(self.plain[start:end] for start, end in both)

    def unnumbered(self, text: str, start: int, end: int) -> str:
        """A sentence or a part of it without the number of an item, or of a row in its table's first cell."""
        counted = _COUNTED.match(self.plain, start, end)
        if counted and text.startswith(counted[0]) and int(counted[1]) == len(self.rows(start, end)):
            return f"| {text.removeprefix(counted[0])}"
        return ITEM.sub("", text)

    def led_to(self, i: int) -> str:
        """The line that the i-th sentence leads to, of a table its first row; empty where it leads to none."""
        at = i + (3 if i + 1 < len(self.spans) and self.heads_columns(self.spans[i + 1][1]) else 1)
        if not self.leads(i) or at >= len(self.spans):
            return ""
        return ITEM.sub("", self.plain[slice(*self.spans[at])])

    def leads(self, i: int) -> int:
        """The end of the list or table that the i-th sentence leads to; 0 where it leads to none. Below an item stands
        the next one, if no colon tells that it has items of its own."""
        start, end = self.spans[i]
        item = _ITEM_OF.match(self.plain, self.plain.rfind("\n", 0, start) + 1)
        colon = self.plain[end - 1] == ":"
        if i + 1 == len(self.spans) or "\n" not in self.plain[end : self.spans[i + 1][0]]:
            return 0
        if not item:
            return self.below(end) if colon or self.heads_list(end) else 0
        # Further to the right.
        own = re.compile(rf"(?:\n[ \t]{{{len(item[1]) + 1},}}.*)+").match(self.plain, end) if colon else None
        return own.end() if own else 0

    def over(self, i: int) -> Iterator[str]:
        """What the i-th sentence stands under, the nearest first: what leads to its list or table, and headings."""
        level = _BOLD + 1
        for j in reversed(range(i)):
            text = self.plain[slice(*self.spans[j])]
            heads = len(text) - len(text.lstrip("#")) or _BOLD * bool(text.startswith("**") and _NO_CLAIM.search(text))
            if 0 < heads < level or self.leads(j) >= self.spans[i][1]:
                yield text
            level = min(level, heads or level)

    def item(self, start: int) -> bool:
        """Whether an item, a row or a heading begins at a place."""
        return bool(_ITEM_OF.match(self.plain, start))

    def heads_columns(self, end: int) -> bool:
        """Whether a sentence is the head of a table."""
        return bool(_RULE.match(self.plain, end))

    def heads_list(self, end: int) -> bool:
        """Whether a table or a list stands right below a sentence."""
        return bool(_LISTED.match(self.plain, end))

    def rows(self, start: int, end: int) -> list[str]:
        """The rows of a table up to its last one, without its head and the line below it, which are none."""
        return self.plain[self._begins(start) : end].strip().split("\n|")[2:]

    def table(self, start: int, end: int) -> str:
        """The table that a row is in."""
        return "|" + self.paragraph(start, end).partition("|")[2]

    def paragraph(self, start: int, end: int) -> str:
        """The paragraph that a sentence is in, with the list or table below it."""
        return self.plain[self._begins(start) : self.below(end)]

    def below(self, end: int) -> int:
        """The end of the paragraph that a sentence ends in, with the list or table below it."""
        last = end + len(self.plain[end:].partition("\n\n")[0])
        if self.heads_list(last + 1):
            last += 2 + len(self.plain[last + 2 :].partition("\n\n")[0])
        return last

    def _begins(self, at: int) -> int:
        return self.plain.rfind("\n\n", 0, at) + 1

    def letter(self, at: int) -> tuple[int, int] | None:
        """Where the letter begins and ends that a place is in."""
        before = bisect_right(self._letters, at, key=itemgetter(0))
        return self._letters[before - 1] if before > 0 and at < self._letters[before - 1][1] else None


def _letters(plain: str) -> Iterator[tuple[int, int]]:
    """Where texts to somebody stand in an answer, from whom they are to or what they are about on: those that end with
    a short line of its own without an end, which signs them, and those with a line that ends as a salutation does."""
    for text in _TEXT.finditer(plain):
        signed = _SIGNED.search(text[0])
        begun = (_TITLE if signed else _ADDRESSED).search(text[0]) or signed
        if begun:
            yield text.start() + begun.end() - len(begun[0].lstrip("\n")), text.end()


def _places(plain: str, own: Iterable[str], known: int) -> list[tuple[int, int]]:
    """Where parts of an answer stand in it when it has no markers."""
    texts = {without_markers(text, known)[0].strip() for text in own} - {""}
    return [match.span() for text in texts for match in re.finditer(re.escape(text), plain)]


def claims(statement: str, said: frozenset[str]) -> bool:
    """Whether something is stated at all: more than a word, in no heading, no question, no request and no advice."""
    stated = len(said) >= TERMS and len(statement.split()) > 1
    return stated and not (_NO_CLAIM.search(statement) or _WISH.search(statement))


def tells(statement: str) -> bool:
    """Whether what stands without a marker surely tells something: a sentence, an item, a row or a figure, not a title
    or a name alone."""
    surely = ENDED.search(statement) or statement[0] in "-*•|" or any(map(str.isdigit, statement))
    return bool(surely) and not (_NO_CLAIM.search(statement) and statement[0] != "|")


def without_list(answer: str, passages: Sequence[Passage]) -> str:
    """An answer without a list of its sources at its end, whose numbers would be others than those of the citations."""
    lines = answer.rstrip().split("\n")
    kept = len(lines)
    while kept and (found := _LISTED_SOURCE.fullmatch(lines[kept - 1][:_SHORT].strip())):
        number, said = int(found[1]), frozenset(terms(found[2]))
        if not (0 < number <= len(passages) and said & frozenset(terms(passages[number - 1].heading))):
            break
        kept -= 1
    if kept == len(lines):
        return answer
    rest = "\n".join(lines[:kept]).rstrip()
    head, _, last = rest.rpartition("\n")
    return head.rstrip() if head and _NO_CLAIM.search(last) and last[0] not in "|(" else rest
