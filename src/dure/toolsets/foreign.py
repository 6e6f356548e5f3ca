"""Schemas of strangers made harmless: whatever stands in them, checking a value against them takes little time.

Patterns are matched in time linear in the text, by pydantic's engine (the Rust crate `regex`). One that it does not
know (look-around, back references) checks nothing, nor do keywords that match patterns with names of properties or
look through all references again: the tool judges. References are followed a few thousand times in all.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

_NAMED = frozenset({"properties", "$defs", "definitions", "dependencies", "dependentSchemas"})
"""Keywords whose keys are names."""
_VALUES = frozenset({"const", "enum", "default", "examples"})
# A part's own draft would bring that draft's check of patterns.
_WITHOUT = frozenset({"$schema", "unevaluatedItems", "unevaluatedProperties"})
_BY_NAME = frozenset({"patternProperties", "additionalProperties"})
MOST = 5000
left: ContextVar[int] = ContextVar("dure_references", default=MOST)
"""How many references are still followed in the check under way."""


class Endless(Exception):
    """The schema refers to its parts too often."""


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
    """A validator class of `jsonschema` with that engine, and references that are counted in `left`."""
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def pattern(validator: Any, wanted: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        engine = _engine(wanted)
        if engine and validator.is_type(instance, "string") and not engine.isinstance_python(instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def counted(follow: Any) -> Any:
        def reference(validator: Any, to: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
            left.set(left.get() - 1)
            if left.get() < 0:
                raise Endless
            yield from follow(validator, to, instance, schema) or ()

        return reference

    references = {name: counted(each) for name, each in kind.VALIDATORS.items() if name in ("$ref", "$dynamicRef")}
    return extend(kind, {"pattern": pattern, **references})  # type: ignore[no-untyped-call]
