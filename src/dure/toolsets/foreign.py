"""Schemas of strangers made harmless: whatever stands in them, checking a value against them takes little time.

Patterns are matched in time linear in the text, by pydantic's engine (the Rust crate `regex`). One that it does not
know (look-around, back references) checks nothing, nor do keywords that match patterns with names of properties or
look through all references again: the tool judges. The steps of a check are counted; one that takes too many ends.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

_NAMED = frozenset({"properties", "$defs", "definitions", "dependencies", "dependentSchemas"})
"""Keywords whose keys are names."""
_VALUES = frozenset({"const", "enum", "default", "examples"})
_WITHOUT = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_BY_NAME = frozenset({"patternProperties", "additionalProperties"})
MOST = 60_000
"""Steps of a check: a keyword is about one, some 3 µs."""
left: ContextVar[int] = ContextVar("dure_steps", default=MOST)
"""How many steps the check under way may still take."""


class Endless(Exception):
    """Checking takes too many steps."""


def harmless(schema: Any, names: bool = False) -> Any:
    """The schema without what cannot be checked so. names: its keys are names of properties, not keywords."""
    if isinstance(schema, list):
        return [harmless(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: harmless(each) for name, each in schema.items()}
    without = _WITHOUT | (_BY_NAME if "patternProperties" in schema else frozenset())
    kept = {key: each for key, each in schema.items() if key not in without}
    if not _engine(str(kept.get("pattern", ""))):
        del kept["pattern"]
    return {key: each if key in _VALUES else harmless(each, key in _NAMED) for key, each in kept.items()}


@lru_cache(1024)
def _engine(pattern: str) -> SchemaValidator | None:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return None


def bounded(kind: Any) -> Any:
    """A validator class of `jsonschema` with that engine, and steps that are counted in `left`."""
    import attrs
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        engine = _engine(wanted)
        if engine and validator.is_type(instance, "string") and not engine.isinstance_python(instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def counted(name: str, check: Any) -> Any:
        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
            left.set(left.get() - _steps(name, value, instance))
            if left.get() < 0:
                raise Endless
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
