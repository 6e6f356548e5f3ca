"""What of an answer is from results that tools made of tables: its figures are known as these told them, and its source
is the table."""

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from dure.knowledge.claims import missing
from dure.knowledge.supporting import Supports
from dure.knowledge.weighed import Source, said_in
from dure.knowledge.worked import LONG, rounded
from dure.sources import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dure.knowledge.supporting import Encode

T = TypeVar("T")
Results = Mapping[int, Sequence[str]]
"""By the numbers of passages, which are rows or the header of a table, what tools told that they made of it."""


class Tabled(Supports):
    """What supports statements in the sentences of all passages, and in tables that results were made of."""

    def __init__(
        self, passages: Sequence[Passage], asked: str, encode: "Encode | None", told: Sequence[str], results: Results
    ) -> None:
        super().__init__(passages, asked, encode, told)
        self._results = results
        others = [text for number, text in enumerate(self.texts, 1) if number not in results]
        self._alone = not others
        self._otherwise = [asked, *others]
        self._made: dict[str, list[int]] = {}
        """By what was told the passages that it was made of."""
        for number, texts in results.items():
            for text in texts:
                self._made.setdefault(text, []).append(number)

    def held(
        self, numbers: Sequence[int], since: Sequence[frozenset[str]], statement: str, whole: frozenset[str]
    ) -> "Iterator[tuple[str, list[Source]]]":
        """As of `Supports`; a table that is named supports what was told of it, whatever its cells say."""
        tables = [number for number in numbers if number in self._results]
        for part, quotes in super().held(numbers, since, statement, whole):
            of = {quote.passage for quote in quotes}
            yield part, [*quotes, *self._best(part, [each for each in tables if each - 1 not in of])]

    def nowhere(self, statement: str, known: Collection[str], around: str) -> list[str]:
        found = super().nowhere(statement, known, around)
        return [each for each in found if not self._alone or len(each) >= LONG]

    def of_tables(self, statement: str) -> list[Source]:
        """The rows or headers that a statement without a source is from: of the tables that it names, else of those
        that the results were made of which alone tell its figures."""
        named = [number for number in self._results if self._passages[number - 1].title in statement]
        sheets = [number for number in named if self._passages[number - 1].context.strip("[]") in statement]
        figures = self._figures(statement)
        if not named and max(map(len, figures), default=0) < LONG:
            return []
        texts = _chosen(figures, list(reversed(self._made)), self._told_by)
        told = [number for text in texts for number in self._made[text]]
        if not told:
            return self._best("", sheets or named)
        return self._best(statement, [each for each in sheets or named if each in told] or told)

    def whole(self, statement: str, sources: Sequence[Source]) -> bool:
        """Whether none of the sources itself holds a figure of a statement, so that their tables as a whole do."""
        return not any(_chosen(self._figures(statement), [source], self._stands) for source in sources)

    def told_of(self, statement: str) -> bool:
        """Also whether it is about what a result told: it names two of its cells, or is mostly in words of it or of the
        question."""
        said = said_in(statement)
        for text in self._made:
            named = sum(len(cell) > 1 and cell in statement for cell in {each.strip() for each in text.split("|")})
            if named > 1 or 2 * len(said & (said_in(text) | self._of_question)) >= len(said):
                return True
        return super().told_of(statement)

    def _figures(self, statement: str) -> list[str]:
        """The figures of a statement that neither the question nor another passage has."""
        return [each for each in missing(statement, *self._otherwise) if any(map(str.isdigit, each))]

    def _best(self, statement: str, numbers: Sequence[int]) -> list[Source]:
        """Of each table the rows that hold the figures of a statement, else the one of most of its words, or the
        first."""
        figures, found = self._figures(statement), list[Source]()
        sheets: dict[tuple[str, int | None], list[int]] = {}
        for number in numbers:
            its = self._passages[number - 1]
            sheets.setdefault((its.document_id, its.page), []).append(number - 1)
        for of in sheets.values():
            rows = [source for source in self._sources if source.passage in of]
            rows = [*self._ranked(said_in(statement), rows), *sorted(rows, key=attrgetter("start"))]
            found += _chosen(figures, rows, self._stands) or rows[:1]
        return found

    def _told_by(self, figure: str, text: str) -> bool:
        return not missing(figure, text) or rounded(figure, text)

    def _stands(self, figure: str, source: Source) -> bool:
        return not missing(figure, source.text)


def _chosen(figures: Sequence[str], of: Sequence[T], holds: Callable[[str, T], bool]) -> list[T]:
    """As few as hold as many of the figures as any do, the first of those that hold as many."""
    chosen, left = list[T](), list(figures)
    while left and of:
        counts = [sum(holds(figure, each) for figure in left) for each in of]
        if not (most := max(counts)):
            break
        chosen.append(best := of[counts.index(most)])
        left = [figure for figure in left if not holds(figure, best)]
    return chosen
