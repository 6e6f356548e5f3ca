"""`/metrics` for Prometheus, in its text format (https://prometheus.io/docs/instrumenting/exposition_formats)."""

from bisect import bisect_left
from collections import Counter, defaultdict

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from dure import __version__
from dure.api.auth import Who, needs
from dure.events import Event, ModelCalled, RunFailed, RunFinished, RunStarted, ToolFinished

router = APIRouter(tags=["health"])
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
"""Seconds."""
_HELP = {
    "dure_info": "gauge The version.",
    "dure_runs_open": "gauge Runs that have not ended, of all processes, by status.",
    "dure_runs_started_total": "counter Runs begun, by team.",
    "dure_runs_ended_total": "counter Runs that ended, by status.",
    "dure_run_seconds": "histogram Seconds of work on a run that ended.",
    "dure_model_calls_total": "counter Requests to models, by model and outcome (ok, error).",
    "dure_model_seconds": "histogram Seconds of a request to a model.",
    "dure_tokens_total": "counter Tokens, by model and kind (prompt, completion; of these cached, reasoning).",
    "dure_tool_calls_total": "counter Calls of tools, by status.",
}
_Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts the events of all runs that this process works on. Whose they are and what they say is not kept."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, _Labels]] = Counter()
        self._seconds: defaultdict[tuple[str, _Labels], list[float]] = defaultdict(lambda: [0.0] * (len(_BUCKETS) + 2))
        """How many took no longer than each of the buckets and than the one before, how many longer, and their sum."""

    def heard(self, event: Event) -> None:
        """Count an event."""
        match event:
            case RunStarted():
                self._count("dure_runs_started_total", team=event.team)
            case RunFinished() | RunFailed():
                status = event.status if isinstance(event, RunFinished) else "failed"
                self._count("dure_runs_ended_total", status=status)
                self._took("dure_run_seconds", event.seconds)
            case ModelCalled(model=model):
                self._count("dure_model_calls_total", model=model, outcome="error" if event.error else "ok")
                self._took("dure_model_seconds", event.seconds, model=model)
                for kind in ("prompt", "completion", "cached", "reasoning"):
                    self._count("dure_tokens_total", getattr(event, f"{kind}_tokens"), model=model, kind=kind)
            case ToolFinished():
                self._count("dure_tool_calls_total", status=event.status)

    def _count(self, metric: str, by: int = 1, **labels: str) -> None:
        self._counts[metric, tuple(labels.items())] += by

    def _took(self, metric: str, seconds: float, **labels: str) -> None:
        found = self._seconds[metric, tuple(labels.items())]
        found[bisect_left(_BUCKETS, seconds)] += 1
        found[-1] += seconds

    def text(self, now: dict[tuple[str, _Labels], int]) -> str:
        """All that was counted, and `now`, what is so at this moment."""
        lines: defaultdict[str, list[str]] = defaultdict(list)
        for (metric, labels), value in (now | self._counts).items():
            lines[metric].append(f"{metric}{_written(labels)} {value}")
        for (metric, labels), (*buckets, seconds) in self._seconds.items():
            below = 0
            for most, many in zip((*map(str, _BUCKETS), "+Inf"), buckets, strict=True):
                below += int(many)
                lines[metric].append(f"{metric}_bucket{_written((*labels, ('le', most)))} {below}")
            lines[metric].append(f"{metric}_sum{_written(labels)} {seconds:.6f}")
            lines[metric].append(f"{metric}_count{_written(labels)} {below}")
        out = []
        for metric, told in _HELP.items():
            kind, _, said = told.partition(" ")
            out += [f"# HELP {metric} {said}", f"# TYPE {metric} {kind}", *lines[metric]]
        return "\n".join(out) + "\n"


def _written(labels: _Labels) -> str:
    escape = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    shown = ",".join(f'{name}="{value.translate(escape)}"' for name, value in labels)
    return f"{{{shown}}}" if shown else ""


@router.get("/metrics", response_class=PlainTextResponse)
@needs("admin")
async def metrics(request: Request, who: Who) -> Response:
    """Counts and durations of runs, model calls, tokens and tools since this process began, for Prometheus."""
    waiting = await who.dure.runs.open_by_status()
    now = {("dure_runs_open", (("status", each),)): waiting.get(each, 0) for each in ("queued", "running", "waiting")}
    now["dure_info", (("version", __version__),)] = 1
    return Response(request.app.state.metrics.text(now), media_type=_TYPE)
