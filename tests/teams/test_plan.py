"""Plans: whatever a model writes, what is left of it can be worked on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.teams.plan import blocked, make_plan, mended, nearest, plan_schema, ready, single, sound

AGENTS = ["search", "data", "code"]


def step(number: Any, agent: Any = "data", task: Any = "x", needs: Any = ()) -> dict[str, Any]:
    needs = list(needs) if isinstance(needs, tuple) else needs
    own = {"step": number, "agent": agent, "task": task, "depends_on": needs}
    return own | {"requires_approval": False, "estimated_time": "1분"}


def shape(steps: list[Any]) -> list[tuple[int, str, list[int]]]:
    return [(s["step"], s["agent"], s["depends_on"]) for s in steps]


_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["1", "2", " 3 ", "data", "no"])
_numbers = st.integers(-1, 6) | _scalars
_steps = st.fixed_dictionaries(
    {},
    optional={
        "step": _numbers,
        "agent": st.sampled_from([*AGENTS, "hitl", "human", "dta", "zzzz", "Search "]) | _scalars,
        "task": st.sampled_from(["찾기", " a ", "", " "]) | st.text(max_size=5) | _scalars,
        "depends_on": st.lists(_numbers, max_size=4) | _numbers,
        "requires_approval": _scalars,
        "estimated_time": _scalars | st.text(max_size=60),
    },
)
_lists = st.lists(_steps | _scalars, max_size=8)
_plans = _lists | st.fixed_dictionaries({"steps": _lists}) | st.fixed_dictionaries({"plan": _lists}) | _scalars


@given(_plans, st.integers(-1, 12), st.sampled_from([(), (1, 2)]))
def test_what_is_left_is_always_sound(written: Any, most: int, known: tuple[int, ...]) -> None:
    first = len(known) + 1
    steps, _ = sound(written, AGENTS, most, known=known, first=first)
    assert len(steps) <= max(most, 0)
    assert [s["step"] for s in steps] == list(range(first, first + len(steps)))
    for each in steps:
        assert each["agent"] in [*AGENTS, "hitl"]
        assert each["task"].strip() == each["task"] != ""
        assert all(d in known or first <= d < each["step"] for d in each["depends_on"])
        assert each["status"] == "waiting"
    if steps:
        assert sound({"steps": steps}, AGENTS, most, known=known, first=first) == (steps, [])


@given(_plans, st.integers(1, 12))
def test_faults_never_raise_and_a_plan_without_any_loses_no_step(written: Any, most: int) -> None:
    steps, found = sound(written, AGENTS, most)
    assert all(isinstance(f, str) for f in found)
    if not found:
        raw = written if isinstance(written, list) else written.get("steps", written.get("plan"))
        assert len(steps) == len(raw)


@given(_plans, _plans)
def test_mending_keeps_what_has_ended_and_stays_sound(made: Any, written: Any) -> None:
    plan = make_plan(sound(made, AGENTS, 12)[0] or [single("data", "x")])
    plan["steps"][0] |= {"status": "done", "seconds": 1.0}
    if len(plan["steps"]) > 1:
        plan["steps"][1]["status"] = "skipped"
    better = mended(plan, written, AGENTS, 12, refused=[2])
    if better is not None:
        numbers = [s["step"] for s in better["steps"]]
        assert len(set(numbers)) == len(numbers) == better["total_steps"] <= 12
        assert better["steps"][0] == plan["steps"][0]
        assert ready(better)
        assert all(d in numbers for s in better["steps"] if s["status"] == "waiting" for d in s["depends_on"])


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "No step is for an agent"),
        ([step(1, "cook")], "no agent 'cook'"),
        ([step(1, task=" ")], "no task"),
        ([step(1, needs=(1,))], "depends on itself"),
        ([step(1, needs=(2,))], "step 2, which does not exist"),
        ([step(1), step(1)], "same number"),
        ([step(1, needs=(2,)), step(2, needs=(1,)), step(3)], "Step 1 waits in a circle"),
        ([step(n) for n in range(1, 14)], "12 is the most"),
        ([step(1, "hitl")], "No step is for an agent"),
        (["x"], "no step"),
    ],
)
def test_faults_are_named(steps: list[Any], said: str) -> None:
    assert any(said in f for f in sound({"steps": steps}, AGENTS, 12)[1])


def test_a_sound_plan_has_no_faults() -> None:
    plan = {"steps": [step(1, needs=(2,)), step(2, "search"), step(3, "hitl", needs=(1,))]}
    steps, wrong = sound(plan, AGENTS, 12)
    assert wrong == []
    assert shape(steps) == [(1, "search", []), (2, "data", [1]), (3, "hitl", [2])]


def test_agents_with_other_names() -> None:
    assert [nearest(n, AGENTS) for n in ("Search_Agent", "[data]", "serach", "cook")] == [
        "search",
        "data",
        "search",
        None,
    ]
    steps, _ = sound([step(1, "사용자"), step(2, "data_agent"), step(3, "cook", needs=(1,))], AGENTS, 12)
    assert shape(steps) == [(1, "hitl", []), (2, "data", [])]
    assert steps[0]["requires_approval"]


def test_circles_are_cut_at_what_was_written_first() -> None:
    steps, _ = sound([step(1, needs=(3,)), step(2, needs=(1,)), step(3, needs=(2,))], AGENTS, 12)
    assert shape(steps) == [(1, "data", []), (2, "data", [1]), (3, "data", [2])]


def test_a_cut_never_takes_what_another_step_needs() -> None:
    steps, _ = sound([step(1, needs=(3,)), step(2), step(3, "search")], AGENTS, 2)
    assert shape(steps) == [(1, "data", []), (2, "search", [])]


def test_ready_and_blocked() -> None:
    plan = make_plan(sound([step(1), step(2, needs=(1,)), step(3), step(4, needs=(2, 3))], AGENTS, 12)[0])
    assert [s["step"] for s in ready(plan)] == [1, 3]
    plan["steps"][0]["status"] = "failed"
    assert blocked(plan) == {2: 1, 4: 2}
    assert [s["step"] for s in ready(plan)] == [3]


def test_the_schema_names_the_agents() -> None:
    from jsonschema import Draft202012Validator

    schema = plan_schema(AGENTS, 12)
    Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(schema)
    assert check.is_valid({"steps": [step(1)]})
    assert not check.is_valid({"steps": [step(1, "cook")]})
