"""What a table's rows, columns and kinds are called in the other language, Korean or English, as a model says it."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from pydantic import ValidationError

from dure.data.questions.notes import ColumnNotes, Notes, distinct
from dure.data.questions.tables import NAMING_RULES
from dure.errors import Language
from dure.messages import Message, system, user
from dure.tooling import an_object

Ask = Callable[[list[Message], dict[str, Any]], Awaitable[Any]]

_HANGUL = re.compile(r"[가-힣]")
_WORD = re.compile(r"[^\W\d_][^\d_|]{0,23}")
_ROWS = "rows"
_MOST = 40
"""Columns of a table that are named; of one with more, the first."""
_KINDS, _WORDS = 12, 40
"""Values of a column that are kinds of things, `cancelled`, and are named; of a table."""
_LETTERS: dict[Language, str] = {"en": "^[A-Za-z][A-Za-z ]*$", "ko": "^[가-힣][가-힣 ]*$"}


def foreign(table: Mapping[str, Any], question: str) -> bool:
    """Whether a table's columns are named in the other language than the question's."""
    return (_other(table) == "ko") == bool(_HANGUL.search(question))


def _other(table: Mapping[str, Any]) -> Language:
    heads = _heads(table)
    return "en" if sum(bool(_HANGUL.search(head)) for head in heads) * 2 > len(heads) else "ko"


def _heads(table: Mapping[str, Any]) -> dict[str, str]:
    # Units are no part of a name.
    return {head.partition("(")[0].strip() or head: head for _, _, head in table["columns"][:_MOST] if head}


async def named(table: Mapping[str, Any], values: Mapping[str, Sequence[str]], ask: Ask) -> Notes:
    """The notes that a model makes of a table as `list_tables` tells of it, `values` by columns. Raises the model's
    errors."""
    heads, other = _heads(table), _other(table)
    word = {"type": "string", "pattern": _LETTERS[other], "maxLength": 24}
    two = {"type": "array", "items": word, "minItems": 1, "maxItems": 2}
    names = [_ROWS, *(head for head in heads if head != _ROWS)]
    schema = an_object(dict.fromkeys(names, two))
    written = await ask(
        [system(NAMING_RULES[other]["columns"]), user(f"Q: {table['name']}: {', '.join(names[1:])}")], schema
    )
    kinds = await _kinds({head: values.get(name, []) for name, _, head in table["columns"]}, other, ask)
    try:
        columns = {heads[n]: ColumnNotes(names=written[n], values=kinds.get(heads[n], {})) for n in names[1:]}
        return distinct(Notes(rows=written[_ROWS], columns=columns))
    except (KeyError, TypeError, ValidationError):
        return Notes()


async def _kinds(values: Mapping[str, Sequence[str]], other: Language, ask: Ask) -> dict[str, dict[str, list[str]]]:
    """By columns what their values are called, of those whose values are kinds of things."""
    told, left = dict[str, list[str]](), _WORDS
    for column, held in values.items():
        foreign = all(bool(_HANGUL.search(each)) == (other == "en") and _WORD.fullmatch(each) for each in held)
        if foreign and 1 < len(held) <= min(_KINDS, left):
            told[column], left = list(held), left - len(held)
    if not told:
        return {}
    word = {"type": "string", "pattern": _LETTERS[other], "maxLength": 24}
    schema = an_object(dict.fromkeys(chain(*told.values()), word))
    said = "; ".join(f"{column}: {', '.join(held)}" for column, held in told.items())
    written = await ask([system(NAMING_RULES[other]["kinds"]), user(f"Q: {said}")], schema)
    found = written if isinstance(written, dict) else {}
    return {column: {each: [str(found[each])] for each in held if found.get(each)} for column, held in told.items()}
