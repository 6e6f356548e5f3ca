"""A plan: steps for agents, read from what a model wrote, checked, reduced to what is sound, and mended.

Nothing here asks a model or looks at a clock: a run that is played again comes to the same plan.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, NotRequired, TypedDict

from dure.tooling import an_object

HITL = "hitl"
"""The person, as an agent of a plan: a step that is a decision or an answer."""
_PERSON = {"human", "user", "person", "approval", "human_in_the_loop", "사용자", "사람", "승인"}
_MAX_TASK = 4000
_MAX_TIME = 40
_NEAR = 0.6

Status = Literal["waiting", "working", "done", "failed", "skipped"]
ENDED: frozenset[Status] = frozenset({"done", "failed", "skipped"})


class Step(TypedDict):
    """`step`: its number, from 1. `depends_on`: numbers of steps whose results it needs. `estimated_time`: what the
    model wrote, for people. `seconds`: None until it ended. `query`: what to search for in the documents' language."""

    step: int
    agent: str
    task: str
    depends_on: list[int]
    requires_approval: bool
    estimated_time: str
    status: Status
    seconds: float | None
    query: NotRequired[str]


class Plan(TypedDict):
    total_steps: int
    steps: list[Step]


def plan_schema(agents: Sequence[str], most: int, query: str = "") -> dict[str, Any]:
    """The JSON Schema of what a model has to write: `{"steps": [...]}`. query: what that of a step is."""
    own = {"query": {"type": "string", "description": query}} if query else {}
    step = an_object(
        {
            "step": {"type": "integer"},
            "agent": {"type": "string", "enum": [*agents, HITL]},
            "task": {"type": "string"},
            "depends_on": {"type": "array", "items": {"type": "integer"}},
            "requires_approval": {"type": "boolean"},
            "estimated_time": {"type": "string"},
            **own,
        },
        *own,
    )
    return an_object({"steps": {"type": "array", "items": step, "maxItems": most}})


def make_plan(steps: Iterable[Step]) -> Plan:
    """A plan of `steps`, which are copied."""
    copied = [step.copy() for step in steps]
    return Plan(total_steps=len(copied), steps=copied)


def sound(
    written: Any, agents: Sequence[str], most: int, *, known: Collection[int] = (), first: int = 1
) -> tuple[list[Step], list[str]]:
    """What of a plan as a model wrote it can be worked on: steps in an order in which each follows what it depends on,
    numbered from `first`, none where nothing is left; and what is wrong with it, a sentence each, for the model. Never
    raises, and changes nothing of what is sound.

    known: numbers of steps that are done already and may be depended on. An agent that does not exist becomes the one
    with the nearest name, or its step is dropped; a circle is cut at the step that was written first; what is more than
    `most` is cut at the end.
    """
    raw, wrong = _steps_in(written), []
    if raw is None:
        return [], ['The plan must be {"steps": [...]}.']
    if len(raw) > most:
        wrong.append(f"The plan has {len(raw)} steps; {most} is the most.")
    kept: list[tuple[str, Step, Mapping[str, Any]]] = []
    place_of: dict[int, int] = {}
    for at, each in enumerate(raw, start=1):
        if not isinstance(each, Mapping):
            wrong.append(f"Entry {at} is no step.")
            continue
        number, agent, said = _number(each.get("step")), _agent(each.get("agent"), agents), each.get("task")
        task = said.strip()[:_MAX_TASK].strip() if isinstance(said, str) else ""
        name = f"Step {at if number is None else number}"
        if agent != each.get("agent") or not agent:
            others = ", ".join([*agents, HITL])
            wrong.append(f"{name}: there is no agent '{str(each.get('agent'))[:60]}'; there are {others}.")
        if not task:
            wrong.append(f"{name} has no task.")
        if number is None:
            wrong.append(f"{name} has no number.")
        elif number in place_of or number in known:
            wrong.append(f"{name}: another step has the same number.")
        elif number in _numbers(each.get("depends_on")):
            wrong.append(f"{name} depends on itself.")
        if agent and task:
            if number is not None:
                place_of.setdefault(number, len(kept))
            kept.append((name, single(agent, task), each))
    needs, done = [], []
    for place, (name, _, each) in enumerate(kept):
        wanted = set(_numbers(each.get("depends_on")))
        needs.append({place_of[n] for n in wanted if n in place_of} - {place})
        done.append(wanted.intersection(known) - place_of.keys())
        lost = sorted(wanted.difference(place_of, known))
        wrong += [f"{name} depends on step {n}, which does not exist." for n in lost]
    order = _in_order(needs)
    number_of = {place: first + at for at, place in enumerate(order[: max(most, 0)])}
    steps = []
    for place in number_of:
        name, step, each = kept[place]
        earlier = {number_of[p] for p in needs[place] if number_of.get(p, first + most) < number_of[place]}
        if len(earlier) < len(needs[place]):
            wrong.append(f"{name} waits in a circle for steps that wait for it.")
        step["step"], step["depends_on"] = number_of[place], sorted(earlier | done[place])
        said = each.get("requires_approval")
        # In doubt a person is asked.
        unasked = not said or (isinstance(said, str) and said.strip().casefold() in ("false", "no", "0", ""))
        step["requires_approval"] = step["agent"] == HITL or not unasked
        step["estimated_time"] = _short(each.get("estimated_time"))
        if isinstance(query := each.get("query"), str):
            step["query"] = query
        steps.append(step)
    if not any(s["agent"] != HITL for s in steps):
        return [], [*wrong, "No step is for an agent."]
    return steps, wrong


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
    """Waiting steps that can never be worked on, each with the step, failed or skipped, that it depends on."""
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


def mended(
    plan: Plan,
    written: Any,
    agents: Sequence[str],
    most: int,
    refused: Collection[int] = (),
    wished: Collection[int] = (),
) -> Plan | None:
    """The plan with everything that has ended and, for what has not, the steps that a model wrote anew; None when
    that leaves nothing new to do. Steps like one of the `refused` ones, and what depends on them, are left out; those
    like one of the `wished`, which were refused saying what to do first or otherwise, are asked about again."""
    kept = [s for s in plan["steps"] if s["status"] in ENDED]
    done = {s["step"] for s in kept if s["status"] == "done"}
    first = max((s["step"] for s in plan["steps"]), default=0) + 1
    fresh, _ = sound(written, agents, most - len(kept), known=done, first=first)
    no, again = ({_likeness(s) for s in plan["steps"] if s["step"] in those} for those in (refused, wished))
    out: set[int] = set()
    for step in fresh:
        if _likeness(step) in no or out.intersection(step["depends_on"]):
            out.add(step["step"])
        step["requires_approval"] = step["requires_approval"] or _likeness(step) in again
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


def _number(value: Any) -> int | None:
    """Some models write numbers as text."""
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _numbers(value: Any) -> list[int]:
    each = value if isinstance(value, list) else [value]
    return [n for n in map(_number, each) if n is not None]


def _short(value: Any) -> str:
    return str(value).strip()[:_MAX_TIME].strip() if isinstance(value, str | int) else ""


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


def _likeness(step: Step) -> tuple[str, str]:
    return step["agent"], "".join(c for c in step["task"].casefold() if c.isalnum())
