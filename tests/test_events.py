import dataclasses

import orjson
import pytest

from dure import events
from dure.events import Event, decode, encode

EVENTS = [
    each for each in vars(events).values() if isinstance(each, type) and issubclass(each, Event) and each is not Event
]

VALUES = {
    "str": "가 \n",
    "int": 3,
    "float": 0.5,
    "bool": True,
    "list[str]": ["a"],
    "dict[str, Any]": {"a": [1, {"b": None}]},
    "dict[str, float]": {"a": 0.5},
    "dict[str, int]": {"a": 1},
    "list[dict[str, Any]]": [{"a": 1}],
    "str | None": "x",
    "RunStatus": "completed",
}


def filled(kind: type[Event]) -> Event:
    names = {each.name: getattr(each.type, "__name__", str(each.type)) for each in dataclasses.fields(kind)}
    by_text = {
        each.name: each.type if isinstance(each.type, str) else str(each.type) for each in dataclasses.fields(kind)
    }

    def value(name: str):
        for key in (by_text[name].replace("typing.", ""), names[name]):
            if key in VALUES:
                return VALUES[key]
        return "completed"

    return kind(**{name: value(name) for name in names})


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_a_stored_event_comes_back_as_it_was(kind):
    event = filled(kind)
    name, fields = encode(event)
    assert decode(name, orjson.loads(orjson.dumps(fields))) == event


def test_kinds_are_unique():
    kinds = [each.kind for each in EVENTS]
    assert len(kinds) == len(set(kinds)) > 10
    assert all(kinds)


def test_an_unknown_kind():
    with pytest.raises(KeyError):
        decode("no_such_kind", {})


def test_ended_statuses_are_statuses():
    from typing import get_args

    assert set(get_args(events.RunStatus)) > events.ENDED
