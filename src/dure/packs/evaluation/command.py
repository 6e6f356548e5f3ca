"""`dure eval`: how well a team does on a set of questions of one's own."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dure.cli.experiments import with_model
from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, fail, note, out, print_json, put, run
from dure.cli.words import language, say
from dure.errors import InvalidInput
from dure.packs.evaluation import TEXTS

if TYPE_CHECKING:
    from dure.packs.evaluation.against import Against
    from dure.packs.evaluation.evaluate import Evaluated, Evaluation

_NAMES = TEXTS["measures"]
"""By measure."""
_MOST = 50
"""Failures that are listed."""


def evaluate_file(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    team: Annotated[str | None, typer.Option("--team", "-t")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1)] = None,
    routing_only: Annotated[bool, typer.Option("--routing-only")] = False,
    model: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=64)] = 1,
    experiment: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    minimum: Annotated[list[str] | None, typer.Option("--min", metavar="SHARE")] = None,
    to: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE")] = None,
    before: Annotated[Path | None, typer.Option("--against", metavar="FILE")] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Routing, tool arguments, retrieval and answers, each with its share and how sure that is."""

    async def work() -> "tuple[Evaluation, Against | None]":
        from dure.app import Dure
        from dure.cli.models import fetch_missing
        from dure.packs.evaluation.against import against, results_of
        from dure.packs.evaluation.cases import read_cases
        from dure.packs.evaluation.evaluate import asked_of, evaluate
        from dure.settings import load_settings

        least(minimum or [])
        earlier = results_of(before) if before else None
        cases = read_cases(file)[:limit]
        name = experiment or f"eval {file.stem[:60]} {datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
        dure = Dure(with_model(load_settings(), model), take_over=False)
        count = len(asked_of(dure, cases, team, routing_only))
        if to is not None:
            # That it cannot be written is not found out at the end.
            _write(to, ())
        async with dure:
            await fetch_missing(dure.settings, quiet=as_json)
            await dure.mcp.ready(10)
            found = await evaluate(
                dure,
                cases,
                experiment=name,
                team=team,
                routing_only=routing_only,
                jobs=jobs,
                owner=owner,
                progress=None if as_json else _told(count),
            )
        return found, None if earlier is None else against([each.as_dict() for each in found.cases], earlier)

    found, beside = run(work, as_json)
    if to is not None:
        _write(to, found.cases)
    if as_json:
        print_json(found.as_dict() | ({"against": beside.as_dict()} if beside else {}))
    else:
        _print(found)
        _print_against(beside)
    short_of = _short_of(found, least(minimum or []))
    for text in short_of:
        note(text, "red")
    if short_of or all(each.error for each in found.cases):
        raise typer.Exit(1)


def least(given: list[str]) -> dict[str, float]:
    """The shares that `--min` asks for, by measure; "" for all. Raises InvalidInput."""
    found = {}
    for each in given:
        name, _, share = each.rpartition("=")
        try:
            found[name.strip()] = float(share)
        except ValueError:
            raise InvalidInput(reason=f"--min: '{each[:40]}'") from None
        if not 0 <= found[name.strip()] <= 1 or (name.strip() and name.strip() not in _NAMES):
            known = ", ".join(_NAMES)
            raise InvalidInput(reason=f"--min: '{each[:40]}'; 0 – 1, {known}")
    return found


def _short_of(found: "Evaluation", wanted: dict[str, float]) -> list[str]:
    measured = {each.name: each.share for each in found.measures}
    missed = []
    for name, share in measured.items():
        least_share = wanted.get(name, wanted.get(""))
        if least_share is not None and share < least_share:
            missed.append(f"{_NAMES[name][language()]}: {share:.1%} < {least_share:.1%}")
    # What was never measured has not reached anything.
    missed += [f"{_NAMES[name][language()]}: –" for name in wanted if name and name not in measured]
    return missed


def _told(count: int) -> Callable[["Evaluated"], None]:
    """Tells how far it is, after each tenth."""
    done = right = 0

    def tell(each: "Evaluated") -> None:
        nonlocal done, right
        done, right = done + 1, right + each.right
        if done == count or done % max(1, count // 10) == 0:
            note(say(f"{done}/{count}, 맞음 {right}", f"{done}/{count}, {right} right"))

    return tell


def _print(found: "Evaluation") -> None:
    from rich.table import Table

    wrong = [each for each in found.cases if not each.right]
    for each in wrong[:_MOST]:
        put(f"✗ {each.case.line:>3}  {' '.join(each.case.question.split())[:80]}", "red")
        for fault in [each.error] if each.error else each.score.faults:
            put(f"       {fault[:300]}")
    if len(wrong) > _MOST:
        put(say(f"… 그 밖에 {len(wrong) - _MOST}개", f"… and {len(wrong) - _MOST} more"))
    if wrong:
        put()
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(say("지표", "measure"))
    for head in (say("맞음", "right"), "n", say("비율", "share"), "95 %"):
        table.add_column(head, justify="right")
    for part in found.measures:
        interval = f"{part.low:.1%} – {part.high:.1%}"
        name = _NAMES[part.name][language()]
        table.add_row(name, str(part.right), str(part.n), f"{part.share:.1%}", interval)
    out().print(table)
    put()
    told = found.as_dict()
    p50, p95 = told["seconds"]["p50"] or 0.0, told["seconds"]["p95"] or 0.0
    how = ", ".join(f"{name} {count}" for name, count in told["how"].items())
    count, right = told["cases"], told["right"]
    parts = [
        say(f"질문 {count}개 중 {right}개 맞음", f"{right} of {count} questions right"),
        say(f"답 없음 {told['errors']}", f"{told['errors']} without an answer") if told["errors"] else "",
        f"p50 {p50:.3f} s, p95 {p95:.3f} s",
        f"{say('토큰', 'tokens')} {told['tokens']:,}" if told["tokens"] else "",
        how,
    ]
    put(" · ".join(part for part in parts if part))
    if found.experiment:
        note(f"dure runs list --experiment '{found.experiment}'")


def _print_against(found: "Against | None") -> None:
    if found is None:
        return
    put()
    for mark, style, questions in (("+", "green", found.better), ("-", "red", found.worse)):
        for question in questions[:_MOST]:
            put(f"{mark} {' '.join(question.split())[:80]}", style)
    better, worse, both, neither = len(found.better), len(found.worse), found.both, found.neither
    put(
        say(
            f"이제 맞음 {better}, 이제 틀림 {worse}, 둘 다 맞음 {both}, 둘 다 틀림 {neither} · p = {found.p:.2f}",
            f"{better} right now, {worse} wrong now, {both} right in both, {neither} in neither · p = {found.p:.2f}",
        )
    )


def _write(path: Path, cases: Sequence["Evaluated"]) -> None:
    from dure.messages import json_bytes

    try:
        path.write_bytes(b"".join(json_bytes(each.as_dict()) + b"\n" for each in cases))
    except OSError as error:
        fail(InvalidInput(reason=f"{path}: {error.strerror}"))
