"""Checks a call's arguments against its tool's JSON Schema, mending what small models get wrong harmlessly.

Mended, and only where the schema refuses the value as it stands and takes the mended one:

- a number, integer or boolean written as text: `"3"` for 3, `"true"` for true
- a list or object written as JSON text: `"[1, 2]"` for [1, 2]
- one value where a list of such values is wanted: `"휴가"` for ["휴가"]
- null for a field that may be left out: the field is left out

Schemas may be strangers', so whatever stands in them, checking a value against them takes little time. Patterns are
matched in time linear in the text, by pydantic's engine (the Rust crate `regex`). One that it does not know
(look-around, back references) checks nothing, nor do keywords that match patterns with names of properties or look
through all references again: the tool judges. The steps of a check are counted; one that takes too many ends.
"""

import re
from collections.abc import Iterator
from contextvars import ContextVar
from copy import deepcopy
from functools import lru_cache, partial
from typing import Any, Final

import orjson
from pydantic_core import SchemaError, SchemaValidator, core_schema

from dure.messages import json_bytes, short
from dure.texts import LANGUAGES, TEXTS, Text

_MAX_FAULTS: Final = 5
_SHOWN: Final = 120
_MAX_ROUNDS: Final = 4
_MISSING: Final = object()
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]*)")
_EXACT: Final = 2**53
"""Up to here a float is the whole number that was written."""
_TYPES: Final[dict[str, Any]] = {"array": list, "object": dict, "boolean": bool, "integer": int, "number": int | float}
_NAMED = frozenset({"properties", "$defs", "definitions", "dependencies", "dependentSchemas"})
"""Keywords whose keys are names."""
_VALUES = frozenset({"const", "enum", "default", "examples"})
_WITHOUT = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_BY_NAME = frozenset({"patternProperties", "additionalProperties"})
_MOST_STEPS = 60_000
"""Steps of a check: a keyword is about one, some 3 µs."""
_left: ContextVar[int] = ContextVar("dure_steps", default=_MOST_STEPS)
"""How many steps the check under way may still take."""

_TEXT = TEXTS["toolsets_arguments.text"]


class InvalidArguments(Exception):
    """`faults`: what is wrong, one `- …` line each, at most five."""

    def __init__(self, *faults: Text) -> None:
        lines = {of: "\n".join(f"- {each.said(of)}" for each in faults[:_MAX_FAULTS]) for of in LANGUAGES}
        self.faults = Text(**lines)
        super().__init__(self.faults)


class _Endless(Exception):
    """Checking takes too many steps."""


def valid(schema: dict[str, Any], args: Any) -> dict[str, Any]:
    """The arguments as the schema wants them. Raises InvalidArguments; never changes `args`.

    A schema that cannot be used (a reference that leads nowhere, or round in circles, an unknown type) checks nothing:
    the tool judges. Remote references are never fetched; what takes too long is not checked.
    """
    from jsonschema.exceptions import UndefinedTypeCheck, UnknownType
    from referencing.exceptions import Unresolvable

    if not isinstance(args, dict):
        raise InvalidArguments(Text(**_TEXT["object"].filled()))
    try:
        validator = _validator(json_bytes(schema))
        _left.set(_MOST_STEPS)
        errors = list(validator.iter_errors(args)) if validator else []
        if not errors:
            return args
        mended = _mended(validator, args, errors)
    except (UndefinedTypeCheck, UnknownType, Unresolvable, RecursionError, _Endless):
        return args
    if mended is not None:
        return mended
    raise InvalidArguments(*map(_fault, errors))


def refused(schema: dict[str, Any]) -> str:
    """Why results cannot be checked against a schema: where it is none, or refers to a part that it has not; or empty.
    Remote references are never fetched."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    reference = ""
    try:
        if fault := next(_kind(schema)[1].iter_errors(schema), None):
            return f"{fault.json_path}: {short(fault.message)}"
        parts = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
        for reference in _references(schema):
            parts.lookup(reference)
    except Unresolvable:
        return f"$ref: {short(reference)}"
    except (_Endless, RecursionError):
        return short(str(schema))
    return ""


def _references(schema: Any, names: bool = False) -> Iterator[str]:
    """Those within a schema, where it has one name alone. names: as of `_harmless`."""
    parts = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, each in parts:
        if key == "$ref" and not names:
            yield str(each)
        elif names or key not in _VALUES:
            yield from _references(each, not names and key in _NAMED)


def _kind(schema: Any) -> tuple[Any, Any]:
    """What makes a validator of a schema such as this, and what validates such schemas themselves."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    kind = _bounded(validator_for(schema, default=Draft202012Validator))
    made = partial(kind, registry=REGISTRY)
    _left.set(_MOST_STEPS)
    return made, made(kind.META_SCHEMA)


@lru_cache(512)
def _validator(schema: bytes) -> Any:
    """The validator of a schema, given as JSON; None for a schema that is none."""
    wanted = orjson.loads(schema)
    made, meta = _kind(wanted)
    try:
        return None if next(meta.iter_errors(wanted), None) is not None else made(_harmless(wanted))
    except _Endless:
        return None


def _harmless(schema: Any, names: bool = False) -> Any:
    """The schema without what cannot be checked so. names: its keys are names of properties, not keywords."""
    if isinstance(schema, list):
        return [_harmless(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: _harmless(each) for name, each in schema.items()}
    without = _WITHOUT | (_BY_NAME if "patternProperties" in schema else frozenset())
    kept = {key: each for key, each in schema.items() if key not in without}
    if not _engine(str(kept.get("pattern", ""))):
        del kept["pattern"]
    return {key: each if key in _VALUES else _harmless(each, key in _NAMED) for key, each in kept.items()}


@lru_cache(1024)
def _engine(pattern: str) -> SchemaValidator | None:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return None


def _bounded(kind: Any) -> Any:
    """A validator class of `jsonschema` with that engine, and steps that are counted in `_left`."""
    import attrs
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        engine = _engine(wanted)
        if engine and validator.is_type(instance, "string") and not engine.isinstance_python(instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def counted(name: str, check: Any) -> Any:
        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
            _left.set(_left.get() - _steps(name, value, instance))
            if _left.get() < 0:
                raise _Endless
            yield from check(validator, value, instance, schema) or ()

        return checked

    checks = {**kind.VALIDATORS, "pattern": pattern}
    made: Any = extend(kind, {name: counted(name, each) for name, each in checks.items()})  # type: ignore[no-untyped-call]
    # Of a part that names a draft, too: that draft's own class would count nothing.
    made.evolve = attrs.evolve
    return made


def _steps(name: str, value: Any, instance: Any) -> int:
    steps = 1 + (len(value) // 8 if isinstance(value, list | dict) else 0)
    if name == "pattern" and isinstance(instance, str):
        # Linear, but a pattern may have ten thousand states.
        return steps + 10 * len(instance)
    if name == "uniqueItems" and isinstance(instance, list):
        return steps + len(instance) ** 2 // 32
    return steps + 10 if name in ("$ref", "$dynamicRef") else steps


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
    text = value.strip() if isinstance(value, str) else ""
    if kind == "array" and value is not None and not isinstance(value, list) and not text.startswith("["):
        return [value]
    if not text or kind not in _TYPES:
        return _MISSING
    try:
        # orjson rounds whole numbers beyond 64 bits: an account is not to become another one.
        found = int(text) if _WHOLE.fullmatch(text) else orjson.loads(text.lower() if kind == "boolean" else text)
    except ValueError:
        return _MISSING
    if kind == "integer" and isinstance(found, float) and found.is_integer() and abs(found) <= _EXACT:
        return int(found)
    # A boolean of Python is a whole number, too.
    return found if isinstance(found, _TYPES[kind]) and isinstance(found, bool) == (kind == "boolean") else _MISSING


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
