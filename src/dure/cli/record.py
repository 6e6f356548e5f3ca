"""A run's record in the terminal: what happened in order, what it used, its answer. Loaded with the runs themselves."""

from collections.abc import Iterable
from typing import Any

from dure import events as ours
from dure.cli.approvals import lines, pretty
from dure.cli.show import file_line, line, print_answer
from dure.cli.terminal import out, put
from dure.cli.words import clock, say
from dure.messages import short
from dure.records.experiment import Experiment

_LINE = 160


def print_record(run: Experiment, row: dict[str, Any], *, full: bool = False) -> None:
    """Print a run and the view on it, `run`. full: prompts, replies and results whole."""
    put(f"{run.run_id}  {run.status}  {run.team}  {run.session_id}", "bold")
    put(f"{clock(run.created_at)} → {clock(run.ended_at) if run.ended_at else '…'}")
    facts = {say("난이도", "level"): run.level, say("실험", "experiment"): run.experiment}
    if any(facts.values()):
        put(" · ".join(f"{name} {value}" for name, value in facts.items() if value))
    put(f"› {run.question}")
    put()
    for each in row["events"]:
        event = ours.decode(each["kind"], each["data"])
        if text := line(event):
            put(f"{each['seq']:>4} {each['at'][11:23]} {text}")
        for more in _more(event, full):
            put(f"     {more}")
    for title, told in ((say("합계", "Totals"), totals(run)), (say("답", "Answer"), ())):
        put()
        out().rule(title, align="left", style="dim")
        for text in told:
            put(text)
    print_outcome(row, details=False)


def _more(event: ours.Event, full: bool) -> Iterable[str]:
    """What an event tells besides its line: scores, replies, results; whole where `full`."""
    match event:
        case ours.Routed(scores=dict(scores)) if scores:
            yield " · ".join(f"{name} {score:.3f}" for name, score in sorted(scores.items(), key=lambda each: -each[1]))
        case ours.ModelCalled() if full:
            yield from pretty({"request": event.request, "reply": event.reply}).splitlines()
        case ours.ModelCalled() if said := event.reply.get("content"):
            yield f"→ {short(said, _LINE)}"
        case ours.ToolFinished(status="ok"):
            yield from event.result.splitlines() if full else [short(event.result, _LINE)]


def print_outcome(row: dict[str, Any], *, details: bool = True) -> None:
    """How a run ended: its files, and its answer, error, or what it waits for."""
    for each in row["artifacts"]:
        put(f"+ {file_line(each)}")
    if row["answer"]:
        print_answer(row["answer"], details=details)
    if row["error"]:
        put(f"✗ {row['error']['code']}: {row['error']['message']}", "red")
    elif not row["answer"]:
        put(row["status"])
        for text in (text for each in row["approvals"] for text in lines(each)):
            put(text)


def totals(run: Experiment) -> Iterable[str]:
    """Model calls, tokens, time, cost and rating."""
    tokens = f"{run.prompt_tokens:,} + {run.completion_tokens:,}"
    yield say(
        f"모델 호출 {run.model_calls}번 · 토큰 {tokens} · {seconds(run.seconds)} · {cost(run.cost, run.currency)}",
        f"{run.model_calls} model calls · {tokens} tokens · {seconds(run.seconds)} · {cost(run.cost, run.currency)}",
    )
    if run.models:
        yield f"{', '.join(run.models)} ({', '.join(run.dialects) or '–'})"
    if run.rating:
        yield f"{stars(run.rating)}{f' {run.rating_comment}' if run.rating_comment else ''}"


def seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} s"


def cost(value: float | None, currency: str) -> str:
    """An amount as people read it; a dash where it is not known."""
    return "–" if value is None else f"{value:.4f} {currency}"


def stars(rating: int | None) -> str:
    return "–" if rating is None else "★" * rating + "☆" * (5 - rating)
