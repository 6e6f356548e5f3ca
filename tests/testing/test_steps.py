"""Steps in their JSON form."""

import pytest

from dure.testing import call, calls, fail, json, say, slow, step_of


@pytest.mark.parametrize(
    ("data", "step"),
    [
        ({"say": "hi"}, say("hi")),
        ({"say": "hi", "when": "x", "thinking": "t"}, say("hi").when("x").thinking("t")),
        ({"say": "hi", "delay": 2}, slow(2, say("hi"))),
        ({"call": {"name": "f", "args": {"a": 1}}}, call("f", a=1)),
        ({"calls": [{"name": "f"}, {"name": "g", "args": {"b": 2}}]}, calls(("f", {}), ("g", {"b": 2}))),
        ({"json": {"a": 1}}, json({"a": 1})),
        ({"fail": {"status": 429, "retry_after": 1}}, fail(429, retry_after=1)),
    ],
)
def test_read(data, step):
    assert step_of(data) == step


@pytest.mark.parametrize("data", [{}, {"say": "a", "raw": "b"}, {"shout": "a"}, {"when": "x"}])
def test_wrong(data):
    with pytest.raises(ValueError):
        step_of(data)
