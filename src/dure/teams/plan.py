"""A plan: steps for agents, read from what a model wrote, checked, reduced to what is sound, and mended.

Nothing here asks a model or looks at a clock: a run that is played again comes to the same plan.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, TypedDict

from dure.tooling import an_object

HITL = "hitl"
"""The person, as an agent of a plan: a step that is a decision or an answer."""
_PERSON = {"human", "user", "person", "approval", "human_in_the_loop", "사용자", "사람", "승인"}
_MAX_TASK = 4000
_MAX_TIME = 40
_MAX_NUMBER = 10**8
_NEAR = 0.6

Status = Literal["waiting", "working", "done", "failed", "skipped"]
ENDED: frozenset[Status] = frozenset({"done", "failed", "skipped"})


class Step(TypedDict):
    """`step`: its number, from 1. `depends_on`: numbers of steps whose results it needs. `estimated_time`: what the
    model wrote, for people. `seconds`: None until it ended."""

    step: int
    agent: str
    task: str
    depends_on: list[int]
    requires_approval: bool
    estimated_time: str
    status: Status
    seconds: float | None


class Plan(TypedDict):
    total_steps: int
    steps: list[Step]


def plan_schema(agents: Sequence[str], most: int) -> dict[str, Any]:
    """The JSON Schema of what a model has to write: `{"steps": [...]}`."""
    step = an_object(
        {
            "step": {"type": "integer"},
            "agent": {"type": "string", "enum": [*agents, HITL]},
            "task": {"type": "string"},
            "depends_on": {"type": "array", "items": {"type": "integer"}},
            "requires_approval": {"type": "boolean"},
            "estimated_time": {"type": "string"},
        }
    )
    return an_object({"steps": {"type": "array", "items": step, "maxItems": most}})


def make_plan(steps: Iterable[Step]) -> Plan:
    """A plan of `steps`, which are copied."""
    copied = [step.copy() for step in steps]
    return Plan(total_steps=len(copied), steps=copied)


def faults(written: Any, agents: Sequence[str], most: int, known: Collection[int] = ()) -> list[str]:
    """What is wrong with a plan as a model wrote it, a sentence each, for the model; empty when it is sound.

    known: numbers of steps that are done already and may be depended on."""
    raw = _steps_in(written)
    if raw is None:
        return ['The plan must be {"steps": [...]}.']
    found = []
    numbers = [_number(each.get("step")) for each in raw if isinstance(each, Mapping)]
    if not raw:
        found.append("The plan has no steps.")
    if len(raw) > most:
        found.append(f"The plan has {len(raw)} steps; {most} is the most.")
    if len(set(numbers)) < len(numbers):
        found.append("Two steps have the same number.")
    if any(n in known for n in numbers):
        found.append("A new step has the number of a step that is done.")
    for place, each in enumerate(raw, start=1):
        if not isinstance(each, Mapping):
            found.append(f"Entry {place} is no step.")
            continue
        found += _step_faults(each, place, agents, {*numbers, *known})
    if not any(_agent(each.get("agent"), agents) in agents for each in raw if isinstance(each, Mapping)):
        found.append("No step is for an agent.")
    if not found and (ring := _ring(raw)):
        found.append(f"Steps {', '.join(map(str, ring))} wait for each other in a circle.")
    return found


def _step_faults(each: Mapping[str, Any], place: int, agents: Sequence[str], numbers: set[int | None]) -> list[str]:
    number = _number(each.get("step"))
    name = f"Step {place if number is None else number}"
    found = []
    if number is None:
        found.append(f"{name} has no number.")
    agent = each.get("agent")
    if agent != HITL and agent not in agents:
        found.append(f"{name}: there is no agent '{str(agent)[:60]}'; there are {', '.join([*agents, HITL])}.")
    if not _task(each.get("task")):
        found.append(f"{name} has no task.")
    for other in _numbers(each.get("depends_on")):
        if other == number:
            found.append(f"{name} depends on itself.")
        elif other not in numbers:
            found.append(f"{name} depends on step {other}, which does not exist.")
    return found


def sound(written: Any, agents: Sequence[str], most: int, *, known: Collection[int] = (), first: int = 1) -> list[Step]:
    """What of a plan can be worked on: steps in an order in which each follows what it depends on, numbered from
    `first`; empty when nothing is left. Never raises, and changes nothing of what is sound.

    An agent that does not exist becomes the one with the nearest name, or its step is dropped; a circle is cut at the
    step that was written first; what is more than `most` is cut at the end.
    """
    kept: list[tuple[int | None, str, str, Mapping[str, Any]]] = []
    for each in _steps_in(written) or []:
        if not isinstance(each, Mapping):
            continue
        agent, task = _agent(each.get("agent"), agents), _task(each.get("task"))
        if agent and task:
            kept.append((_number(each.get("step")), agent, task, each))
    # In a plan that was made with numbers, places are numbers: so a step without one can still be depended on.
    place_of: dict[int, int] = {}
    for place, (number, *_) in enumerate(kept):
        if number is not None:
            place_of.setdefault(number, place)
    for place, (number, *_) in enumerate(kept):
        if number is None:
            place_of.setdefault(first + place, place)
    needs, done = [], []
    for place, (*_, each) in enumerate(kept):
        wanted = _numbers(each.get("depends_on"))
        needs.append({place_of[n] for n in wanted if n in place_of} - {place})
        done.append({n for n in wanted if n not in place_of and n in known})
    order = _in_order(needs)[: max(most, 0)]
    number_of = {place: first + at for at, place in enumerate(order)}
    steps = []
    for place in order:
        _, agent, task, each = kept[place]
        earlier = {number_of[p] for p in needs[place] if p in number_of}
        step = single(agent, task, number_of[place])
        step["depends_on"] = sorted({n for n in earlier if n < number_of[place]} | done[place])
        step["requires_approval"] = agent == HITL or _yes(each.get("requires_approval"))
        step["estimated_time"] = _short(each.get("estimated_time"))
        steps.append(step)
    return steps if any(s["agent"] != HITL for s in steps) else []


def single(agent: str, task: str, first: int = 1) -> Step:
    """A step that needs nothing, such as one that is the whole plan."""
    return Step(
        step=first,
        agent=agent,
        task=task,
        depends_on=[],
        requires_approval=False,
        estimated_time="",
        status="waiting",
        seconds=None,
    )


def ready(plan: Plan) -> list[Step]:
    """The waiting steps whose inputs are all there."""
    done = {s["step"] for s in plan["steps"] if s["status"] == "done"}
    return [s for s in plan["steps"] if s["status"] == "waiting" and done.issuperset(s["depends_on"])]


def blocked(plan: Plan) -> dict[int, int]:
    """Waiting steps that can never be worked on, with the step each lacks: what it depends on, near or far, failed
    or was skipped."""
    lost = {s["step"]: s["step"] for s in plan["steps"] if s["status"] in ("failed", "skipped")}
    found: dict[int, int] = {}
    # Steps stand behind what they depend on.
    for step in plan["steps"]:
        if step["status"] != "waiting":
            continue
        lacking = next((d for d in step["depends_on"] if d in lost), None)
        if lacking is not None:
            found[step["step"]] = lost[step["step"]] = lacking
    return found


def mended(plan: Plan, written: Any, agents: Sequence[str], most: int, refused: Collection[int] = ()) -> Plan | None:
    """The plan with everything that has ended and, for what has not, the steps that a model wrote anew; None when
    that leaves nothing new to do. Steps like one of the `refused` ones, and what depends on them, are left out."""
    kept = [s for s in plan["steps"] if s["status"] in ENDED]
    done = {s["step"] for s in kept if s["status"] == "done"}
    first = max((s["step"] for s in plan["steps"]), default=0) + 1
    fresh = sound(written, agents, most - len(kept), known=done, first=first)
    no = {_likeness(s) for s in plan["steps"] if s["step"] in refused}
    out: set[int] = set()
    for step in fresh:
        if _likeness(step) in no or out.intersection(step["depends_on"]):
            out.add(step["step"])
    fresh = [s for s in fresh if s["step"] not in out]
    if not any(s["agent"] != HITL for s in fresh):
        return None
    return make_plan([*kept, *fresh])


def nearest(name: str, agents: Sequence[str]) -> str | None:
    """The agent whose name comes nearest to `name`, if any comes near."""
    folded = {a.casefold(): a for a in agents}
    plain = name.strip().strip("[]*`\"'").casefold().replace(" ", "_")
    for form in (plain, plain.removesuffix("_agent"), f"{plain}_agent", plain.removesuffix("_worker")):
        if form in folded:
            return folded[form]
    near = get_close_matches(plain[:60], list(folded), n=1, cutoff=_NEAR)
    return folded[near[0]] if near else None


def _steps_in(written: Any) -> list[Any] | None:
    if isinstance(written, Mapping):
        inner = written.get("steps", written.get("plan"))
        written = inner.get("steps") if isinstance(inner, Mapping) else inner
    return written if isinstance(written, list) else None


def _agent(name: Any, agents: Sequence[str]) -> str | None:
    if not isinstance(name, str):
        return None
    if name in agents or name == HITL:
        return name
    if name.strip().casefold() in {HITL, *_PERSON}:
        return HITL
    return nearest(name, agents)


def _task(value: Any) -> str:
    return value.strip()[:_MAX_TASK].strip() if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    if isinstance(value, str):
        text = value.strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MAX_NUMBER:
        return None
    return int(value) if value == int(value) else None


def _numbers(value: Any) -> list[int]:
    each = value if isinstance(value, list) else [value]
    return [n for n in map(_number, each) if n is not None]


def _yes(value: Any) -> bool:
    # In doubt a person is asked.
    return bool(value) and (not isinstance(value, str) or value.strip().casefold() not in ("false", "no", "0", ""))


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()[:_MAX_TIME].strip()
    number = _number(value)
    return "" if number is None else str(number)


def _in_order(needs: Sequence[set[int]]) -> list[int]:
    """Places in an order in which each follows its needs, otherwise as they were; of a circle, the first goes first."""
    order: list[int] = []
    placed: set[int] = set()
    left = list(range(len(needs)))
    while left:
        place = next((p for p in left if needs[p] <= placed), left[0])
        left.remove(place)
        placed.add(place)
        order.append(place)
    return order


def _ring(raw: Sequence[Mapping[str, Any]]) -> list[int]:
    """The numbers of steps that wait for each other; the steps are otherwise without fault."""
    needs = {_number(each["step"]): _numbers(each.get("depends_on")) for each in raw}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return sorted(set(error.args[1]))
    return []


def _likeness(step: Step) -> tuple[str, str]:
    return step["agent"], "".join(c for c in step["task"].casefold() if c.isalnum())
