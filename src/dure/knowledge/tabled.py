"""What of an answer is from results that tools made of tables: its figures are known as these told them, and its source
is the table: the rows that hold its figures, that these were made of, or that it names, in few pieces."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, TypeVar

from dure.knowledge.claims import missing, negated
from dure.knowledge.claims import numbers as numbers_in
from dure.knowledge.days import days
from dure.knowledge.supporting import Supports
from dure.knowledge.tables import FIGURE, columns_of, counts, denies, rows_in, rows_named, says_cell, tells_yes_or_no
from dure.knowledge.units import COLUMN, cells, columns, noted, sizes
from dure.knowledge.weighed import Source, said_in
from dure.knowledge.worked import LONG, rounded
from dure.numbers.words import TOTAL
from dure.sources import Passage

if TYPE_CHECKING:
    from dure.knowledge.supporting import Encode

T = TypeVar("T")
Results = Mapping[int, Sequence[str]]
"""By the numbers of passages, which are rows of a table or it with its header, what tools told that they made of it."""
NO_TABLE = 0
"""In place of such a number, of what counts nothing: what tables there are, what people said."""
_PIECES = 6
"""Pieces of a table that are quoted for one statement at most; what is of more is of the table as a whole."""
_SHOWN = 3
"""Rows of what is quoted of a whole table, below its header."""
_MOST = 600
"""Characters of a piece of several rows, from which on the table's beginning is shown instead."""
_LARGE = 1_000
"""A figure that stands in a row which makes it hardly by chance."""
_COUNT = 10
"""A figure from which on it is no count of a few things."""


class Tabled(Supports):
    """What supports statements in the sentences of all passages, and in tables that results were made of."""

    def __init__(
        self, passages: Sequence[Passage], asked: str, encode: "Encode | None", told: Sequence[str], results: Results
    ) -> None:
        super().__init__(passages, asked, encode, told)
        self._lists = {*results.get(NO_TABLE, ())}
        self._results = results = {number: texts for number, texts in results.items() if number != NO_TABLE}
        self._given = len(self.asked)
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
        self._rows_of = {text: rows_in(text) for text in self._made}
        """By what was told its rows, each by its columns."""
        self._columns_as = cache(lambda table, text: columns_of(rows_in(table), self._rows_of[text]))

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
        unknown = self._unknown(statement, *texts)
        short = [x for x in unknown if len(x) < LONG] if self._alone else []
        # What other tools told may be counted in any way.
        can = counts(self._rows_of.values()) if short and {*self._told} - self._lists <= self._made.keys() else None
        return [x for x in unknown if x not in short or (can is not None and can.isdisjoint(numbers_in(x).values()))]

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

    def otherwise(self, statement: str) -> list[str]:
        """The figures of a statement that names rows of results which neither these have nor anything but other rows of
        the same; what is told in words may be counted, with one digit. Of a row that tells of some of their cells and
        of others not, no figure is from elsewhere."""
        row = statement.startswith("|")
        figures = {each: value for each, value in numbers_in(statement).items() if row or value >= _COUNT}
        named = [
            (text, rows[at]) for text, rows in self._rows_of.items() if figures for at in rows_named(statement, rows)
        ]
        if not named:
            return []
        texts, of = {text for text, _ in named}, {number - 1 for text, _ in named for number in self._made[text]}
        known = [self.question, *(self._passages[number].heading for number in of)]
        known += [COLUMN.join(its.values()) for _, its in named]
        # A row of totals is of all.
        totals = [
            its
            for text in texts
            for its in self._rows_of[text]
            if any(map(TOTAL.fullmatch, map(str.lower, its.values())))
        ]
        known += [] if row else [COLUMN.join(its.values()) for its in totals]
        # A row that was found by itself may tell more than what was asked of it.
        found = [each for each in self._sources if each.passage in of - self._summed and _is_row(each)]
        known += [f"{each.text}\n{each.above}" for each in _named_rows(statement, found)]
        known += [self.asked[self._given :], *(text for text in self._told if text not in texts)]
        known += [text for number, text in enumerate(self.texts) if number not in of - self._summed]
        wanting = [each for each in missing(statement, *known) if figures.keys() & numbers_in(each).keys()]
        wanting = [each for each in wanting if not any(rounded(each, text) for text in known)]
        return [each for each in wanting if not self.follows(each, statement, known)]

    def instead(self, row: str, table: str) -> list[str]:
        """The figures of a row of an answer's table in the place of what results have in the row that it names and the
        column that theirs is."""
        head, wrong = table.partition("\n")[0], list[str]()
        for column, cell in next(iter(rows_in(f"{head}\n{row}")), {}).items():
            held = [
                told[of]
                for text, rows in self._rows_of.items()
                for told in [rows[at] for at in rows_named(row, rows)][:2]
                for of in [self._columns_as(table, text).get(column, "")]
                if FIGURE.fullmatch(told.get(of, ""))
            ]
            one = its if len(its := numbers_in(cell)) == 1 else ()
            wrong += [x for x in one if held and not any(self._told_by(x, each) for each in held)]
        return wrong

    def unticked(self, statement: str, rows: Iterable[Source], over: Iterable[str], table: str) -> list[str]:
        """What those rows are of that a statement quotes and names which have a no in the columns that it names, in a
        row of a `table` that its own cell affirms; else in those that the first names which it stands `over`."""
        head = table.partition("\n")[0]
        its = next(iter(rows_in(f"{head}\n{statement}")), {}) if statement.startswith("|") else {"": statement}
        said = [f"{column} {cell}" for column, cell in its.items() if not denies(cell)]
        claims, found = [said, *([each] for each in over if len(said) == len(its))], list[str]()
        for row, (name, *others) in ((row, cells(row.text).items()) for row in rows):
            of = self._passages[row.passage].document_id
            signs = [(said_in(each), cell) for each, cell in others if tells_yes_or_no(self._columns[of, each])]
            for texts in claims if said_in(name[1]) <= said_in(statement) else ():
                called = [[cell for each, cell in signs if each <= said_in(text)] for text in texts]
                if any(called):
                    found += [name[1]] * any(its and all(map(denies, its)) for its in called)
                    break
        return found

    def told_of(self, statement: str) -> bool:
        """Whether a statement, whose figures are all known, has one from a tool, or one that is worked out; or is about
        what a result told: it names two of its cells, or is mostly in words of it or of the question; or tells how many
        of its cells are empty, or that something is not where one has no rows."""
        said = said_in(statement)
        empty = {sum(not row[each] for row in rows) for rows in self._rows_of.values() for each in {*chain(*rows)}}
        if not empty.isdisjoint(numbers_in(statement).values()) or (
            negated(statement) and not all(self._rows_of.values())
        ):
            return True
        for text in self._made:
            named = sum(len(cell) > 1 and cell in statement for cell in {each.strip() for each in text.split("|")})
            if named > 1 or 2 * len(said & (said_in(text) | self._of_question)) >= len(said):
                return True
        wanted = {each for each in missing(statement, "") if len(each) >= LONG}
        return not wanted <= {*missing(statement, "", *self._told)} or bool(
            wanted & {*missing(statement, "", *self.texts)}
        )

    def is_table(self, quotes: Sequence[Source]) -> bool:
        """Whether these are of tables as a whole."""
        return bool(quotes) and all(each.heading and each.passage + 1 in self._results for each in quotes)

    def _figures(self, statement: str) -> list[str]:
        """The figures of a statement that neither the question nor another passage has."""
        return [each for each in missing(statement, *self._otherwise) if any(map(str.isdigit, each))]

    def _best(self, statement: str, numbers: Sequence[int]) -> list[Source]:
        """What of each table a statement is of: the rows that hold its figures, for those that none holds the rows that
        these are made of; else the rows that it names, or where the table begins. Of sheets of the same columns those
        that the statement names, or the question, and of these those that have such rows."""
        sheets: dict[tuple[str, int | None], list[Source]] = {}
        names: dict[tuple[str, int | None], str] = {}
        for number in numbers:
            its = self._passages[number - 1]
            lines = [source for source in self._sources if source.passage == number - 1]
            sheets.setdefault((its.document_id, its.page), []).extend(lines)
            names[its.document_id, its.page] = its.context.strip("[]")
        meant = [{place for place in names if says_cell(text, names[place])} for text in (statement, self.question)]
        # What the table itself is called names no row.
        for name in {*names.values(), *(self._passages[number - 1].title for number in numbers)} - {""}:
            statement = re.sub(rf"(?<![\w.,]){re.escape(name)}(?![\d.,A-Za-z])", " ", statement)
        parts = self._parts(statement, numbers)
        found = {place: [row for part in parts for row in self._proof(*part, its)] for place, its in sheets.items()}
        for best in (meant[0] or meant[1], {place for place in sheets if found[place]}):
            heads = [_head(sheets[place]) for place in sheets if place in best]
            sheets = {place: its for place, its in sheets.items() if place in best or _head(its) not in heads}
        quoted = [
            _pieces(found[place], self._passages)
            or _begins([s for s in its if s.passage in self._summed] or its, self._passages)
            for place, its in sheets.items()
        ]
        return [each for its in quoted for each in its]

    def _parts(self, statement: str, numbers: Sequence[int]) -> list[tuple[str, list[str]]]:
        """A statement with its figures; one that names several rows of results as one of each row that has some of
        these, and as a whole with what none has."""
        figures, parts = self._figures(statement), list[tuple[str, list[str]]]()
        texts = dict.fromkeys(text for number in numbers for text in self._results[number])
        rows = [its[at] for its in map(self._rows_of.get, texts) if its for at in rows_named(statement, its)]
        said = {cell for row in rows for cell in row.values() if says_cell(statement, cell)}
        for row in rows if len(rows) > 1 else ():
            told = COLUMN.join(row.values())
            held = [each for each in figures if not missing(each, told) or rounded(each, told)]
            own = re.sub("|".join(map(re.escape, said.difference(row.values()))) or "(?!)", " ", statement)
            parts += [(own, held)] * bool(held)
        left = [each for each in figures if not any(each in held for _, held in parts)]
        return [*parts, (statement, left)] if left or not parts else parts

    def _proof(self, statement: str, figures: Sequence[str], lines: Sequence[Source]) -> list[Source]:
        """The rows of a table that hold figures, and those that others are made of; else those that a statement names,
        of a table that was summed where it has no figures."""
        # The same row may have been found by itself and with its table.
        summed = [line for line in lines if line.passage in self._summed]
        rows = list({each.start: each for each in [*lines, *summed] if _is_row(each)}.values())
        # What a row of a table that was summed holds besides, nobody was told.
        named, unit = _named_rows(statement, rows), next(filter(None, (noted(line.text) for line in lines)), "")
        in_full = {1, *sizes(f"({unit})"), *(size for row in rows[:1] for size in sizes(row.above))}
        found = [] if summed else _chosen(figures, [*self._ranked(said_in(statement), rows), *rows], self._stands)
        for figure in figures:
            if not any(self._stands(figure, each) for each in found):
                of = rows if not summed or self._known(figure) else named if len(named) == 1 else []
                more = _making(figure, statement, of, in_full, self._keys(figure, statement, lines))
                found += more if _pieces([*found, *more], self._passages) else []
        return found or ([] if summed and figures else named)

    def _keys(self, figure: str, statement: str, lines: Sequence[Source]) -> Iterator[list[str]]:
        """Of the rows of results of a document that tell a figure what they are of, their cells in words; of those that
        a statement names, where it names any."""
        of = {self._passages[each.passage].document_id for each in lines}
        numbers = (number for number in self._results if self._passages[number - 1].document_id in of)
        for its in (self._rows_of[text] for text in dict.fromkeys(t for n in numbers for t in self._results[n])):
            for row in (its[at] for at in rows_named(statement, its) or range(len(its))):
                if any(self._told_by(figure, cell) for cell in row.values()):
                    yield [cell for cell in row.values() if not FIGURE.fullmatch(cell)]

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


def _head(lines: Sequence[Source]) -> list[str]:
    """The names of a table's columns; a row may leave some out."""
    return max((columns(line.text) for line in lines), key=len)


def _named_rows(statement: str, rows: Sequence[Source]) -> list[Source]:
    return [rows[at] for at in rows_named(statement, [cells(row.text) for row in rows])]


def _making(
    figure: str, statement: str, rows: Sequence[Source], in_full: Collection[int], keys: Iterable[Collection[str]]
) -> list[Source]:
    """The rows of which a column makes a figure of a statement, as of `_made`, as it stands or times one of
    `in_full`: those of all of the `keys` that one row of a result has in the table, where any tell the figure; else
    those that have one cell that it names, those that it names by all of them, or, for no count of a few things, all.
    A large figure stands in one of these too; empty where none do."""
    wanted = {} if days(figure) or figure[0].isalpha() else {each for each in numbers_in(figure).values() if each}
    by: dict[str, list[Source]] = {}
    for row in rows:
        for cell in set(cells(row.text).values()):
            by.setdefault(cell, []).append(row)
    keys = [[cell for cell in key if cell in by] for key in keys if key]
    groups = [[row for row in rows if all(row in by[cell] for cell in its)] for its in keys if its]
    if not keys:
        named = (group for cell, group in by.items() if says_cell(statement, cell))
        groups = [*sorted([*named, _named_rows(statement, rows)], key=len), *[[*rows]] * (len(figure) >= LONG)]
    # One digit is the most or the least of something by chance.
    groups = [group for group in groups if wanted and (len(group) == 1 or max(wanted) >= _COUNT)]
    alone = [[row] for group in groups if wanted and max(wanted) >= _LARGE for row in group]
    made = (each for group in (*groups, *alone) for each in _made(group))
    held = (of for value, of in made for n in in_full if n * value in wanted or rounded(figure, f"{n * value:f}"))
    return [*next(held, ())]


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


def _made(rows: Sequence[Source]) -> Iterator[tuple[Decimal, Sequence[Source]]]:
    """What the columns of figures make, each with the rows that it is of: the most, the least, the sum and the average
    of theirs."""
    found = [cells(row.text) for row in rows]
    for column in dict.fromkeys(name for row in found for name in row):
        held = [(row, its[column]) for row, its in zip(rows, found, strict=True) if its.get(column)]
        if not all(FIGURE.fullmatch(cell) for _, cell in held):
            continue
        by = [(Decimal(cell.replace(",", "")), [row]) for row, cell in held]
        total, of = sum((value for value, _ in by), Decimal(0)), [row for row, _ in held]
        ends = [pick(by, key=itemgetter(0)) for pick in (max, min)] if by else []
        yield from ((abs(value), its) for value, its in (*ends, (total, of), (total / max(len(of), 1), of)))
