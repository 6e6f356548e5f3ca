"""Checks a call's arguments against its tool's JSON Schema, mending what small models get wrong harmlessly.

Mended, and only where the schema refuses the value as it stands and takes the mended one:

- a number, integer or boolean written as text: `"3"` for 3, `"true"` for true
- a list or object written as JSON text: `"[1, 2]"` for [1, 2]
- one value where a list of such values is wanted: `"휴가"` for ["휴가"]
- null for a field that may be left out: the field is left out
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final

import orjson

from dure.messages import json_bytes, short
from dure.texts import LANGUAGES, TEXTS, Text
from dure.toolsets import foreign

_MAX_FAULTS: Final = 5
_SHOWN: Final = 120
_MAX_ROUNDS: Final = 4
_MISSING: Final = object()
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]*)")
_EXACT: Final = 2**53
"""Up to here a float is the whole number that was written."""

_TEXT = TEXTS["toolsets_arguments.text"]


class InvalidArguments(Exception):
    """`faults`: what is wrong, one `- …` line each, at most five."""

    def __init__(self, *faults: Text) -> None:
        lines = {of: "\n".join(f"- {each.said(of)}" for each in faults[:_MAX_FAULTS]) for of in LANGUAGES}
        self.faults = Text(**lines)
        super().__init__(self.faults)


def valid(schema: dict[str, Any], args: Any) -> dict[str, Any]:
    """The arguments as the schema wants them. Raises InvalidArguments; never changes `args`.

    A schema that cannot be used (a reference that leads nowhere, or round in circles, an unknown type) checks nothing:
    the tool judges. Remote references are never fetched; what takes too long is not checked (`foreign.py`).
    """
    from jsonschema.exceptions import UndefinedTypeCheck, UnknownType
    from referencing.exceptions import Unresolvable

    if not isinstance(args, dict):
        raise InvalidArguments(Text(**_TEXT["object"].filled()))
    try:
        validator = _validator(json_bytes(schema))
        foreign.left.set(foreign.MOST)
        errors = list(validator.iter_errors(args)) if validator else []
        if not errors:
            return args
        mended = _mended(validator, args, errors)
    except (UndefinedTypeCheck, UnknownType, Unresolvable, RecursionError, foreign.Endless):
        return args
    if mended is not None:
        return mended
    raise InvalidArguments(*map(_fault, errors))


@lru_cache(512)
def _validator(schema: bytes) -> Any:
    """The validator of a schema, given as JSON; None for a schema that is none."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    wanted = orjson.loads(schema)
    kind = foreign.bounded(validator_for(wanted, default=Draft202012Validator))
    foreign.left.set(foreign.MOST)
    try:
        if next(kind(kind.META_SCHEMA, registry=REGISTRY).iter_errors(wanted), None) is not None:
            return None
    except foreign.Endless:
        return None
    return kind(foreign.harmless(wanted), registry=REGISTRY)


def _mended(validator: Any, args: dict[str, Any], errors: list[Any]) -> dict[str, Any] | None:
    """A copy of `args` that is valid after mending, or None."""
    mended = deepcopy(args)
    for _ in range(_MAX_ROUNDS):
        if not any([_mend(mended, each) for each in errors]):
            return None
        errors = list(validator.iter_errors(mended))
        if not errors:
            return mended
    return None


def _mend(args: dict[str, Any], error: Any) -> bool:
    """Mend what `error` complains of in place; True when something changed."""
    for path, wanted in _type_faults(error):
        if not path:
            continue
        parent: Any = args
        for key in path[:-1]:
            parent = parent[key]
        value = parent[path[-1]]
        for kind in wanted:
            better = _as_type(value, kind)
            if better is not _MISSING:
                parent[path[-1]] = better
                return True
        if value is None and isinstance(parent, dict):
            del parent[path[-1]]
            return True
    return False


def _type_faults(error: Any) -> Iterator[tuple[list[Any], list[str]]]:
    """Path and wanted types of a type error, or of the branches of an anyOf."""
    if error.validator == "type":
        wanted = error.validator_value
        yield list(error.absolute_path), [wanted] if isinstance(wanted, str) else list(wanted)
    elif error.validator in ("anyOf", "oneOf"):
        for each in error.context:
            yield from _type_faults(each)


def _as_type(value: Any, kind: str) -> Any:
    """`value` as JSON type `kind` where nothing is lost by it, else _MISSING."""
    if kind == "array" and isinstance(value, str) and value.lstrip().startswith("["):
        return _parsed(value, list)
    if kind == "array" and value is not None and not isinstance(value, list):
        return [value]
    if not isinstance(value, str):
        return _MISSING
    if kind == "object":
        return _parsed(value, dict)
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.strip().lower(), _MISSING)
    if kind in ("integer", "number"):
        number = _number(value)
        if kind == "number" or not isinstance(number, float):
            return number
        return int(number) if abs(number) <= _EXACT and number == int(number) else _MISSING
    return _MISSING


def _number(text: str) -> Any:
    """The number that JSON text is, else _MISSING. orjson rounds whole numbers beyond 64 bits: an account is not to
    become another one."""
    try:
        return int(text) if _WHOLE.fullmatch(text.strip()) else _parsed(text, float)
    except ValueError:  # too many digits for Python
        return _MISSING


def _parsed(text: str, kind: type) -> Any:
    try:
        value = orjson.loads(text)
    except ValueError:
        return _MISSING
    return value if isinstance(value, kind) else _MISSING


def _fault(error: Any) -> Text:
    where = ".".join(str(each) for each in error.absolute_path) or "arguments"
    key, what = error.validator, error.validator_value
    if key == "required":
        # One error for each missing name; the message starts with it.
        what = error.message.split(" is a required")[0]
    elif key == "additionalProperties" and what is False:
        known = error.schema.get("properties", {})
        key, what = "extra", ", ".join(str(each) for each in error.instance if each not in known)
    if key not in _TEXT or not isinstance(error.validator_value, str | int | float | list | bool):
        told = f"{where}: {short(error.message, _SHOWN)}"
        return Text(told, ko=told)
    shown = {"what": short(what, _SHOWN), "value": short(error.instance, _SHOWN)}
    return Text(**_TEXT[key].filled(where=where, **shown))
