"""What of an answer is from results that tools made of tables: its figures are known as these told them, and its source
is the table: the rows that hold its figures, that these were made of, or that it names, in few pieces."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from dure.knowledge.claims import missing
from dure.knowledge.claims import numbers as numbers_in
from dure.knowledge.supporting import Supports
from dure.knowledge.units import COLUMN, cells, noted, sizes
from dure.knowledge.weighed import Source, said_in
from dure.knowledge.worked import LONG, rounded
from dure.sources import Passage

if TYPE_CHECKING:
    from dure.knowledge.supporting import Encode

T = TypeVar("T")
Results = Mapping[int, Sequence[str]]
"""By the numbers of passages, which are rows of a table or it with its header, what tools told that they made of it."""
_PIECES = 6
"""Pieces of a table that are quoted for one statement at most; what is of more is of the table as a whole."""
_SHOWN = 3
"""Rows of what is quoted of a whole table, below its header."""
_MOST = 600
"""Characters of a piece of several rows, from which on the table's beginning is shown instead."""
_TRIED = 64
"""Groups of rows that are added up for one figure at most."""
_LARGE = 1_000
"""A figure to which rows that are not named add up hardly by chance."""
_FIGURE = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
"""A cell that is a figure."""


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
        self._units: dict[str, str] = {}
        """And the unit of its sums, which stands above the table alone."""
        for number, texts in results.items():
            for text in texts:
                self._made.setdefault(text, []).append(number)
            lines = [source for source in self._sources if source.passage == number - 1]
            head = next((n for n, line in enumerate(lines, 1) if COLUMN in line.text), 0)
            if head and not _is_row(lines[head - 1]):
                self._summed.add(number - 1)
                self._units |= {text: unit for text in texts for line in lines[:head] if (unit := noted(line.text))}
                its = self._passages[number - 1].heading
                self.texts[number - 1] = "\n".join([its, *(line.text for line in lines[:head])])

    def held(
        self, numbers: Sequence[int], since: Sequence[frozenset[str]], statement: str, whole: frozenset[str]
    ) -> Iterator[tuple[str, list[Source]]]:
        """As of `Supports`; a table that is named supports what was told of it, whatever its cells say."""
        tables = [number for number in numbers if number in self._results]
        others = [number for number in numbers if number not in tables]
        found = super().held(others, since, statement, whole) if others or not tables else iter([(statement, [])])
        for part, quotes in found:
            yield part, [*quotes, *self._best(part, tables)]

    def rest(self, statement: str, found: Sequence[Source]) -> list[Source]:
        """As of `Supports`; of a table that was named all rows were found."""
        return [] if any(each.passage + 1 in self._results for each in found) else super().rest(statement, found)

    def nowhere(self, statement: str, of: Collection[int] = ()) -> list[str]:
        """The figures and names of a statement that stand in no passage at all, or in none `of` these numbers. What
        tools gave is counted, and times of day are told in twelve hours."""
        texts = [self.texts[number - 1] for number in of if 0 < number <= len(self.texts)] or self.texts
        return [each for each in self._unknown(statement, *texts) if not self._alone or len(each) >= LONG]

    def of_tables(self, statement: str) -> list[Source]:
        """The rows or tables that a statement without a source is from: of the tables that it names, else of those
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

    def told_of(self, statement: str) -> bool:
        """Whether a statement, whose figures are all known, has one from a tool, or one that is worked out; or is about
        what a result told: it names two of its cells, or is mostly in words of it or of the question."""
        said = said_in(statement)
        for text in self._made:
            named = sum(len(cell) > 1 and cell in statement for cell in {each.strip() for each in text.split("|")})
            if named > 1 or 2 * len(said & (said_in(text) | self._of_question)) >= len(said):
                return True
        wanted = {each for each in missing(statement, "") if len(each) >= LONG}
        return not wanted <= {*missing(statement, "", *self._told)} or bool(
            wanted & {*missing(statement, "", *self.texts)}
        )

    def _figures(self, statement: str) -> list[str]:
        """The figures of a statement that neither the question nor another passage has."""
        return [each for each in missing(statement, *self._otherwise) if any(map(str.isdigit, each))]

    def _best(self, statement: str, numbers: Sequence[int]) -> list[Source]:
        """What of each table a statement is of: the rows that hold its figures, for those that none holds the rows that
        add up to them; else the rows that it names, or where the table begins."""
        sheets: dict[tuple[str, int | None], list[Source]] = {}
        for number in numbers:
            its = self._passages[number - 1]
            lines = [source for source in self._sources if source.passage == number - 1]
            sheets.setdefault((its.document_id, its.page), []).extend(lines)
            # What the table itself is called names no row.
            for name in {its.title, its.context.strip("[]")} - {""}:
                statement = re.sub(rf"(?<![\w.,]){re.escape(name)}(?![\d.,A-Za-z])", " ", statement)
        figures = self._figures(statement)
        return [source for lines in sheets.values() for source in self._shown(statement, figures, lines)]

    def _shown(self, statement: str, figures: Sequence[str], lines: Sequence[Source]) -> list[Source]:
        # The same row may have been found by itself and with its table.
        summed = [line for line in lines if line.passage in self._summed]
        rows = list({each.start: each for each in [*lines, *summed] if _is_row(each)}.values())
        ranked = [*self._ranked(said_in(statement), rows), *rows]
        # What a row of a table that was summed holds besides, nobody was told.
        told = [each for each in figures if not summed or self._known(each)]
        found = _chosen(told, ranked, self._stands)
        for figure in figures:
            if rows and len(figure) >= LONG and not any(self._stands(figure, each) for each in found):
                more = _adding_up(figure, statement, rows)
                found += more if _pieces([*found, *more], self._passages) else []
        found = found or _named_rows(statement, rows)
        return _pieces(found, self._passages) or _begins(summed or lines, self._passages)

    def _told_by(self, figure: str, text: str) -> bool:
        return not missing(figure, f"({self._units.get(text, '')})\n{text}") or rounded(figure, text)

    def _stands(self, figure: str, source: Source) -> bool:
        own = self._passages[source.passage].above
        return not missing(figure, source.text, source.above.removeprefix(own))


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


def _is_row(line: Source) -> bool:
    """Whether a line has a row's cells, not the names of columns alone."""
    return COLUMN in line.text and any(cells(line.text).values())


def _named_rows(statement: str, rows: Sequence[Source]) -> list[Source]:
    """The rows that have in every column of which a statement names cells one of these; none where it names none."""
    columns: dict[str, set[str]] = {}
    for row in rows:
        for column, cell in cells(row.text).items():
            if _names(statement, cell):
                columns.setdefault(column, set()).add(cell)
    return [row for row in rows if columns and all(cells(row.text).get(each) in of for each, of in columns.items())]


def _adding_up(figure: str, statement: str, rows: Sequence[Source]) -> list[Source]:
    """The rows of which a column adds up to a figure of a statement: those that have one cell that it names, those that
    it names by all of them, all, or, to a large one, those of one cell whatever it is called in the statement; empty
    where none do."""
    wanted = {each for each in numbers_in(figure).values() if each}
    by: dict[tuple[str, str], list[Source]] = {}
    for row in rows:
        for each in cells(row.text).items():
            by.setdefault(each, []).append(row)
    alike = islice((group for group in by.values() if any(each >= _LARGE for each in wanted)), _TRIED)
    named = (group for (_, cell), group in by.items() if _names(statement, cell))
    groups = (*sorted([*named, _named_rows(statement, rows)], key=len), rows, *alike)
    return next(([*group] for group in groups if len(group) > 1 and not wanted.isdisjoint(_sums(group))), [])


def _pieces(rows: Iterable[Source], passages: Sequence[Passage]) -> list[Source]:
    """Rows of a table in few pieces of it, those below each other as one; none where they are too many or too long."""
    runs = list[list[Source]]()
    for row in sorted({row.at: row for row in rows}.values(), key=attrgetter("at")):
        if runs and (row.at, row.passage) == (runs[-1][-1].at + 1, runs[-1][-1].passage):
            runs[-1].append(row)
        else:
            runs.append([row])
    found = [_one(run, passages) for run in runs]
    short = all(len(run) == 1 or len(each.text) <= _MOST for run, each in zip(runs, found, strict=True))
    return found if short and len(found) <= _PIECES else []


def _begins(table: Sequence[Source], passages: Sequence[Passage]) -> list[Source]:
    """What is quoted of a table as a whole: its lines up to its header and the first rows; `heading` tells that it is
    that."""
    first, kept = [each for each in table if each.passage == table[0].passage] if table else [], 0
    for line in first:
        kept += _is_row(line)
        if kept > _SHOWN or (line is not first[0] and line.end - first[0].start > _MOST):
            first = first[: first.index(line)]
            break
    return [replace(_one(first, passages), heading=True)] if first else []


def _one(lines: Sequence[Source], passages: Sequence[Passage]) -> Source:
    """Lines that stand below each other as one."""
    first, last = lines[0], lines[-1]
    if first is last:
        return first
    passage = passages[first.passage]
    text = passage.text[first.start - passage.start : last.end - passage.start]
    terms = frozenset[str]().union(*(each.terms for each in lines))
    above = "\n".join(dict.fromkeys(each.above for each in lines))
    return replace(first, end=last.end, text=text, terms=terms, above=above)


def _names(statement: str, cell: str) -> bool:
    """Whether a statement has the words of a cell that is no figure, also `3월` or `EQ-102`."""
    there = len(cell) > 1 and cell.casefold() in statement.casefold() and not _FIGURE.fullmatch(cell)
    return there and bool(re.search(rf"(?<![\w.,-]){re.escape(cell)}(?![A-Za-z0-9])", statement, re.IGNORECASE))


def _sums(rows: Sequence[Source]) -> set[Decimal]:
    """What the columns of rows add up to, of which every row has a figure, as they stand and in full."""
    found = [cells(row.text) for row in rows]
    columns = [[row.get(column, "") for row in found] for column in found[0]]
    sums = {
        abs(sum((Decimal(cell.replace(",", "")) for cell in column), Decimal(0)))
        for column in columns
        if all(map(_FIGURE.fullmatch, column))
    }
    return {each * size for each in sums for size in (1, *sizes(rows[0].above))}
