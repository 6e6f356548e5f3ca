"""What data hold, said so that questions can be asked of it: rows, fields, their names in two languages, values.

The words are those of a semantic layer: an entity (`rows`), its dimensions and measures (`Field`s by kind).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations, permutations
from typing import Any, Literal

from dure.errors import Language

Kind = Literal["category", "text", "number", "date", "link"]
"""`category`: one of few values; `text`: a name or title; `number`: can be averaged and compared; `date`; `link`:
another row of the same data, known by its name."""

Label = Mapping[Language, str]
AGGREGATES = ("average", "median", "total")


def aggregated(measure: str) -> tuple[str, str]:
    """The aggregate and the field of a measure such as `average price`; the first is empty where there is none."""
    how, _, field = measure.partition(" ")
    return (how, field) if how in AGGREGATES and field else ("", measure)


@dataclass(frozen=True, slots=True)
class Field:
    """Something that is known of each row."""

    name: str
    """As the model writes it."""
    kind: Kind
    sql: str
    """DuckDB: the value, of one row of the base. Of a field with many values: a condition of one row, in which `{}` is
    the condition on the value `v`."""
    label: Label
    names: tuple[str, ...] = ()
    """What people call it besides."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that are known, each with what people call it besides."""
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What stands in the data for a value that is not written so there."""
    note: str = ""
    """Told to the model beside the name."""
    told: Mapping[str, str] = field(default_factory=dict)
    """By language how it is said that it has a value, `{}`, where that is more than label and value."""
    unit: str = ""
    many: str = ""
    """Of a field with many values: SQL of a join that gives a row for each, its value `v`."""
    full: bool = False
    """No row is without a value of it."""
    zeros: bool = True
    """Of a number whether some row has 0 of it; where none has, what is empty may say so."""
    flag: bool = False
    """Its values say yes and no."""
    whole: bool = False
    """Numbers of it are not summed, such as years."""
    group: str = ""
    """The name of its values as rows, where they can be rows; else empty."""
    count: str = ""
    """The filter on how many rows such a group has."""
    aside: bool = False
    """Its values are rows only where the question says so: `연도별`, `1반하고 3반`."""
    open: bool = False
    """Of a text: words of the question may be its value that nobody knows of beforehand."""
    loose: bool = False
    """Its values are words that may stand in a question without being meant as a condition."""
    optional: bool = False
    """Told only where the question speaks of it: by one of its own values, or by name where rows alone tell these."""
    first: date | None = None
    last: date | None = None
    """Of a date the earliest and the latest that there is."""
    clock: tuple[float, ...] = ()
    """Of times of day, told in hours, the earliest and the latest that there is."""
    raw: str = ""
    """SQL of the text of a number, where some values are words, such as `absent`; those are its `values`."""
    of: tuple[str, ...] = ()
    """The two numbers whose difference or sum it is."""
    summed: str = ""
    """SQL of what is summed where that is not the value: what is empty of two numbers adds nothing."""

    @property
    def adds(self) -> bool:
        """Whether its values can be summed."""
        return self.kind == "number" and not self.whole

    @property
    def offered(self) -> bool:
        """Whether its values can be rows in any question."""
        return bool(self.group) and not self.aside


def called(field: Field) -> list[str]:
    """What people call a field."""
    return [field.name, *field.label.values(), *field.names]


@dataclass(frozen=True, slots=True)
class Description:
    """Data that can be asked about. `base`: SQL of FROM and WHERE, one row for each thing; `title`: SQL of its name."""

    name: str
    rows: str
    """What the rows are called, as the model writes it."""
    label: Label
    counter: Label
    """After a number of rows: `편`, ` papers`."""
    base: str
    title: str
    fields: tuple[Field, ...]
    examples: str
    """Questions with their objects, as the model reads them."""
    examples_of: str = ""
    """Of what other data the examples are: ` of another table: …`."""
    names: tuple[str, ...] = ()
    """What people call the rows besides."""
    lacks: str = ""
    """What people ask for and the data do not hold."""
    notes: tuple[Label, ...] = ()
    """What a reader of any answer has to know, such as rows that are left out."""

    @property
    def known(self) -> dict[str, Field]:
        """The fields by their names."""
        return {each.name: each for each in self.fields}

    def field(self, name: str) -> Field:
        """The field of that name. Raises KeyError."""
        return self.known[name]

    def spans(self, day: str) -> bool:
        """Whether a year, a month or a day is within the dates that there are."""
        held = [(str(each.first), str(each.last)) for each in self.fields if each.first and each.last]
        return any(first[: len(day)] <= day <= last[: len(day)] for first, last in held)

    def grouped(self, rows: str) -> Field | None:
        """The field whose values are such rows; None for the things themselves."""
        return next((each for each in self.fields if each.group == rows), None)

    @property
    def kinds_of_rows(self) -> list[str]:
        return [self.rows, *(each.group for each in self.fields if each.offered)]

    @property
    def of_groups(self) -> list[str]:
        """What can be asked of groups: how many rows they have, the average and the total of a number."""
        if not any(each.offered for each in self.fields):
            return []
        found = dict.fromkeys(each.count for each in self.fields if each.count)
        of_two = tuple(each.name for each in self.fields if each.of)
        asked = [each for each in self.measures if not of_two or not each.endswith(of_two)]
        return [*found, *(each for each in asked if each.startswith(("average ", "total ")))]

    @property
    def measures(self) -> list[str]:
        """What can be counted, averaged or ranked by."""
        numbers = [each for each in self.fields if each.kind == "number"]
        dates = [each.name for each in self.fields if each.kind == "date"]
        found = ["count", *(each.name for each in numbers), *dates]
        for each in numbers:
            found += [f"average {each.name}", f"median {each.name}"]
            found += [] if each.whole else [f"total {each.name}"]
        return found


def paired(description: Description, named: Sequence[str]) -> Description:
    """With the differences and the sums of two numbers of which the question names one, the first named first."""
    fields = [*map(description.field, named), *(each for each in description.fields if each.name not in named)]
    numbers = [each for each in fields if each.adds]
    pairs = [(a, sign, b) for sign, two in (("-", permutations), ("+", combinations)) for a, b in two(numbers, 2)]
    pairs = [(a, sign, b) for a, sign, b in pairs if a.name in named or b.name in named]
    found = [_pair(a, sign, b) for a, sign, b in pairs if a.unit == b.unit or not (a.unit and b.unit)]
    return replace(description, fields=(*description.fields, *found))


def _pair(a: Field, sign: str, b: Field) -> Field:
    name, sql = f"{a.name} {sign} {b.name}", f"({a.sql}) {sign} ({b.sql})"
    # A sum of what is not empty: the difference of sums, or the sum of both.
    summed = f"coalesce({sql}, {a.sql}, {sign} ({b.sql}))"
    return Field(
        name, "number", sql, {"ko": name, "en": name}, unit=a.unit or b.unit, of=(a.name, b.name), summed=summed
    )


def from_table(held: Mapping[str, Any]) -> Description:
    """The description that a table of a TOML file holds, its keys those of the classes."""
    fields = tuple(Field(**_tuples(each)) for each in held["fields"])
    return Description(**{**_tuples(held), "fields": fields})


def _tuples(held: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in held.items()}
