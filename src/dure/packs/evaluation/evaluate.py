"""Ask every case of a set and judge what came of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

from dure.app import Dure
from dure.errors import DureError, NotFound
from dure.packs.evaluation.cases import Case
from dure.packs.evaluation.checks import Names, Score, check_routing, judge, spellings
from dure.records.experiment import Experiment
from dure.records.figures import percentile
from dure.runs import Ask
from dure.runs.ask import one_of
from dure.storage import DEFAULT_OWNER

Json = dict[str, Any]
_Z = 1.959963984540054
"""Of 95 %."""


@dataclass(slots=True)
class Measure:
    """`right` of `n`; `low` and `high` bound the share with 95 % confidence: Wilson's score interval (1927), which
    holds for few cases and for shares near 0 and 1 too."""

    name: str
    right: int
    n: int
    share: float
    low: float
    high: float


def measure(name: str, right: int, n: int) -> Measure:
    """How many were right of how many, from 1, as a share."""
    share, z2 = right / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Measure(name, right, n, round(share, 4), round(low, 4), round(high, 4))


@dataclass(slots=True)
class Evaluated:
    """A case and what came of it. `run_id` is empty where only the routing was asked."""

    case: Case
    score: Score
    run_id: str = ""
    status: str = ""
    chosen: list[str] = field(default_factory=list)
    """Who was chosen, in order."""
    how: list[str] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    answer: str = ""
    seconds: float = 0.0
    tokens: int = 0
    error: str | None = None

    @property
    def right(self) -> bool:
        return self.error is None and not self.score.faults

    def as_dict(self) -> Json:
        """For a line of the results."""
        named = ("run_id", "status", "chosen", "how", "scores", "answer", "seconds", "tokens", "error", "right")
        case = {"line": self.case.line, "id": self.case.id, "question": self.case.question}
        parts = {name: {"right": right, "n": n} for name, (right, n) in self.score.parts.items()}
        return case | {name: getattr(self, name) for name in named} | {"measures": parts, "faults": self.score.faults}


@dataclass(slots=True)
class Evaluation:
    """A whole set. `experiment` names the runs; None where only the routing was asked."""

    experiment: str | None
    cases: list[Evaluated]

    @property
    def measures(self) -> list[Measure]:
        """All cases' scores together, in the order first seen."""
        every = Score()
        for each in self.cases:
            for name, (right, n) in each.score.parts.items():
                every.add(name, right, n)
        return [measure(name, right, n) for name, (right, n) in every.parts.items()]

    def as_dict(self) -> Json:
        """`seconds`: `{p50, p95}` over the cases."""
        took = sorted(each.seconds for each in self.cases)
        return {
            "experiment": self.experiment,
            "cases": len(self.cases),
            "right": sum(each.right for each in self.cases),
            "errors": sum(each.error is not None for each in self.cases),
            "measures": [asdict(each) for each in self.measures],
            "seconds": {"p50": percentile(took, 50), "p95": percentile(took, 95)},
            "tokens": sum(each.tokens for each in self.cases),
            "how": dict(Counter(how for each in self.cases for how in each.how)),
            "results": [each.as_dict() for each in self.cases],
        }


async def evaluate(
    dure: Dure,
    cases: Sequence[Case],
    *,
    experiment: str | None = None,
    team: str | None = None,
    routing_only: bool = False,
    jobs: int = 1,
    owner: str = DEFAULT_OWNER,
    progress: Callable[[Evaluated], None] | None = None,
) -> Evaluation:
    """Ask each case and judge it; a case that fails counts as wrong and keeps out no other.

    experiment: what the runs are grouped as. team: for the cases that name none. routing_only: ask only who would be
    chosen, for the cases that expect somebody; nobody works then, and there are no runs. jobs: cases at once.
    Raises InvalidInput for a team that does not exist.
    """
    asked = asked_of(dure, cases, team, routing_only)
    turn = asyncio.Semaphore(jobs)

    async def one(case: Case) -> Evaluated:
        async with turn:
            try:
                done = await (
                    _routed(dure, case, team, owner) if routing_only else _ran(dure, case, team, experiment, owner)
                )
            except DureError as error:
                done = _failed(case, error)
        if progress is not None:
            progress(done)
        return done

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case)) for case in asked]
    return Evaluation(None if routing_only else experiment, [task.result() for task in tasks])


def asked_of(dure: Dure, cases: Sequence[Case], team: str | None, routing_only: bool) -> list[Case]:
    """The cases that `evaluate` would ask, all of which can be. `dure` need not be open. Raises InvalidInput."""
    asked = [case for case in cases if not routing_only or case.pipelines is not None]
    for case in asked:
        ask = Ask(case.question, None, case.team or team, case.level)
        works, _, _ = ask.checked(dure.teams, dure.settings.max_message_chars)
        for name in (each for pipeline in case.pipelines or () for each in pipeline):
            one_of(f"agents ({works.name}, {case.question[:40]})", name, [each.name for each in works.agents])
    return asked


async def _routed(dure: Dure, case: Case, team: str | None, owner: str) -> Evaluated:
    chosen = await dure.route(case.question, case.team or team, case.history, owner=owner)
    score = Score()
    check_routing(score, case, chosen["agents"])
    how, seconds = [chosen["how"]], chosen["seconds"]
    return Evaluated(case, score, "", "routed", chosen["agents"], how, chosen["scores"], seconds=seconds)


async def _ran(dure: Dure, case: Case, team: str | None, experiment: str | None, owner: str) -> Evaluated:
    session_id = await dure.runs.sessions.begin(owner, case.history) if case.history else None
    ask = Ask(case.question, session_id, case.team or team, case.level, experiment=experiment)
    run = await dure.runs.start(owner, ask)
    failure: str | None = None
    try:
        await dure.runs.answer(owner, run.id)
    except DureError as error:
        failure = f"{error.code}: {error.message('en')}"
    except asyncio.CancelledError:
        await dure.runs.cancel(owner, run.id)
        raise
    seen = await dure.records.view(owner, run.id)
    if seen.status == "waiting":
        # Nobody is there to decide: the case is judged by what was done so far.
        await dure.runs.cancel(owner, run.id)
    score = judge(case, seen, await _names(dure, owner, seen))
    scores = seen.routing[0].scores if seen.routing else {}
    return Evaluated(
        case=case,
        score=score,
        run_id=run.id,
        status=seen.status,
        chosen=seen.pipeline,
        how=[each.how for each in seen.routing],
        scores=scores,
        answer=seen.answer,
        seconds=seen.seconds or 0.0,
        tokens=seen.prompt_tokens + seen.completion_tokens,
        error=failure,
    )


def _failed(case: Case, error: DureError) -> Evaluated:
    """A case of which nothing came: wrong in all that it expects."""
    said = f"{error.code}: {error.message('en')}"
    score = Score()
    check_routing(score, case, ["(failed)"])
    wanted = {"tools": case.tools, "documents": case.documents}
    for name, each in {**wanted, **{f"answer {kind}": [kind] for kind in case.answer or ()}}.items():
        if each:
            score.add(name, 0, len(each), "failed")
    return Evaluated(case, score, status="failed", error=said)


async def _names(dure: Dure, owner: str, run: Experiment) -> Names:
    """The names of the documents that were found or cited: titles are not always the files' names."""
    places = [p for tool in run.tools for p in tool.passages] + run.citations
    names: dict[str, set[str]] = {}
    for document_id in dict.fromkeys(place["document_id"] for place in places):
        try:
            document = await dure.knowledge.get(owner, document_id)
        except NotFound:
            continue  # a web page, or deleted meanwhile
        names[document_id] = spellings(document.name) | spellings(document.title)
    return names
