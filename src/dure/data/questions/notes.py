"""What is said of a table beside what its cells show: by its owner, in a YAML file, or by a model, of its names."""

from collections import Counter
from collections.abc import Collection

from pydantic import BaseModel, ConfigDict, ValidationError

from dure.errors import tool_fault
from dure.texts import TEXTS

_fault = tool_fault(TEXTS["data_questions.notes"])
_LONGEST = 50_000


class ColumnNotes(BaseModel):
    """`names`: what people call the column besides; `values`: what they call each of its values."""

    model_config = ConfigDict(extra="forbid")
    names: list[str] = []
    unit: str = ""
    values: dict[str, list[str]] = {}


class Notes(BaseModel):
    """`rows`: what people call a row; `totals`: of columns the values that mark a row as a sum of others. Columns are
    named as in the table's header."""

    model_config = ConfigDict(extra="forbid")
    rows: list[str] = []
    columns: dict[str, ColumnNotes] = {}
    totals: dict[str, list[str]] = {}


def read(text: str, columns: Collection[str]) -> Notes:
    """The notes that a YAML file holds on a table with these columns. Raises ToolInputError, for the table's owner."""
    from dure.yamls import BadYaml
    from dure.yamls import read as read_yaml

    if len(text) > _LONGEST:
        raise _fault("long", most=_LONGEST)
    try:
        notes = Notes.model_validate(read_yaml(text)[0] or {})
    except BadYaml as error:
        raise _fault("yaml", line=error.line) from None
    except ValidationError as error:
        first = error.errors()[0]
        raise _fault("unfit", place=".".join(map(str, first["loc"])), reason=first["msg"]) from None
    if name := next((each for each in (*notes.columns, *notes.totals) if each not in columns), ""):
        raise _fault("column", name=name, columns=", ".join(columns))
    return notes


def together(own: Notes, made: Notes) -> Notes:
    """The owner's notes, and a model's where these say nothing."""
    return Notes(rows=own.rows or made.rows, columns=made.columns | own.columns, totals=own.totals)


def distinct(notes: Notes) -> Notes:
    """Without names that two columns or two values of one have, or that are another's own; a row's are no column's."""
    called: dict[str, set[str]] = {"": set()}
    for column, each in notes.columns.items():
        for name in (column, *each.names):
            called.setdefault(_plain(name), set()).add(column)
    columns = {
        column: ColumnNotes(
            names=[n for n in dict.fromkeys(each.names) if called[_plain(n)] == {column}], values=_apart(each.values)
        )
        for column, each in notes.columns.items()
    }
    return Notes(rows=[name for name in dict.fromkeys(notes.rows) if _plain(name) not in called], columns=columns)


def _apart(values: dict[str, list[str]]) -> dict[str, list[str]]:
    """What each value is called that no other of them is."""
    count = Counter(_plain(each) for value, names in values.items() for each in {value, *names})
    return {value: [name for name in names if count[_plain(name)] == 1] for value, names in values.items()}


def _plain(name: str) -> str:
    return "".join(name.split()).casefold()
