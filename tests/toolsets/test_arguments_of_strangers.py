"""Schemas of strangers: whatever stands in them, checking arguments against them ends."""

import asyncio
import json
import sys

import pytest

from dure.toolsets.arguments import InvalidArguments, valid

SLOW = "^(a+)+$"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
TEXT = "a" * 40 + "!"
DOUBLED = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)} | {"d40": {"type": "string"}}


def an_object(**properties):
    return {"type": "object", "properties": properties}


def nested(depth: int):
    return {"anyOf": [nested(depth - 1)] * 2} if depth else {"type": "integer"}


HOSTILE = {
    "pattern": an_object(x={"type": "string", "pattern": SLOW}),
    "another draft within": an_object(x={"$schema": DRAFT_7, "pattern": SLOW}),
    "names": {"type": "object", "patternProperties": {SLOW: {}}, "additionalProperties": False},
    "names within": {"allOf": [{"patternProperties": {SLOW: {}}}], "unevaluatedProperties": False},
    "doubled": an_object(x={"$ref": "#/$defs/d0"}) | {"$defs": DOUBLED},
    "itself": an_object(x={"$ref": "#/properties/x"}),
    "many properties": an_object(**{f"p{n}": {"type": "string", "description": "x"} for n in range(20_000)}),
    "nested alternatives": an_object(x=nested(17)),
    "many alternatives for many": an_object(
        y={"type": "array", "items": {"anyOf": [{"type": "string", "minLength": n} for n in range(1000)]}}
    ),
    "values for many": an_object(y={"type": "array", "items": {"enum": [[n] for n in range(3000)]}}),
    "each another": an_object(y={"type": "array", "uniqueItems": True}),
    "ten thousand states": an_object(y={"type": "array", "items": {"pattern": "(a{1,100}){1,100}b"}}),
}
MANY = [{"z": "a" * 300 + str(n)} for n in range(2000)]


CHECKING = """
import json, sys
from dure.toolsets import arguments
for line in sys.stdin:
    try:
        arguments.valid(*json.loads(line))
    except arguments.InvalidArguments:
        pass
    print(flush=True)
"""


async def test_hostile_schemas_hold_nothing_up() -> None:
    """In a process of its own: what does not end cannot be ended otherwise."""
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", CHECKING, stdin=pipe, stdout=pipe)
    assert child.stdin
    assert child.stdout
    given = {"x": TEXT, TEXT: 1, "y": [*MANY, *(each["z"] for each in MANY)]}
    under_way = ""
    try:
        async with asyncio.timeout(100):
            for under_way, schema in HOSTILE.items():
                child.stdin.write(json.dumps([schema, given]).encode() + b"\n")
                await child.stdin.drain()
                assert await child.stdout.readline() == b"\n", under_way
    except TimeoutError:
        pytest.fail(f"{under_way} did not end")
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


def test_patterns_still_count() -> None:
    schema = an_object(code={"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"}, pattern={"type": "string"})
    assert valid(schema, {"code": "AB12", "pattern": "x"}) == {"code": "AB12", "pattern": "x"}
    with pytest.raises(InvalidArguments, match="does not match"):
        valid(schema, {"code": "ab12"})
    with pytest.raises(InvalidArguments, match="not of type"):
        valid(schema, {"code": "AB12", "pattern": {"y": 1}})


def test_a_pattern_that_takes_more_than_linear_time_is_left_to_the_tool() -> None:
    assert valid(an_object(x={"pattern": r"(?=a)b|(.)\1"}), {"x": "no"}) == {"x": "no"}


def test_values_are_no_keywords() -> None:
    schema = an_object(x={"const": {"pattern": "(?=", "$schema": "y"}})
    assert valid(schema, {"x": {"pattern": "(?=", "$schema": "y"}})
