"""A run's record in the terminal, a section for each part: routing, prompts, tools, queries, tokens, cost, answer."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dure.cli.show import call_line, how_text, print_answer, short, shown
from dure.cli.terminal import out, put
from dure.cli.words import say

if TYPE_CHECKING:
    from dure.records.experiment import Experiment, ModelUse, ToolUse

_LINE = 160


def print_record(run: "Experiment", run_row: dict[str, Any], *, full: bool = False) -> None:
    """Print an experiment. run_row: the run it is a view on, for its answer. full: prompts, replies, results whole."""
    put(f"{run.run_id}  {run.status}  {run.team}  {run.session_id}", "bold")
    put(f"{run.created_at} → {run.ended_at or '…'}")
    facts = {say("난이도", "level"): run.level, say("실험", "experiment"): run.experiment}
    if any(facts.values()):
        put(" · ".join(f"{name} {value}" for name, value in facts.items() if value))
    put(f"› {run.question}")
    _section(say("라우팅", "Routing"), _routing(run))
    _section(say("프롬프트", "Prompts"), (line for n, p in enumerate(run.prompts, 1) for line in _prompt(n, p, full)))
    _section(say("도구", "Tools"), (line for tool in run.tools for line in _tool(tool, full)))
    _section(say("검색과 SQL", "Queries"), _queries(run))
    _section(say("승인", "Approvals"), _approvals(run))
    _section(say("알림", "Notices"), (f"! {text}" for text in run.notices))
    _section(say("오류", "Errors"), (f"✗ {each['source']}: {short(each['message'], 300)}" for each in run.errors))
    _section(say("합계", "Totals"), totals(run))
    put()
    out().rule(say("답", "Answer"), align="left", style="dim")
    print_outcome(run_row, details=False)


def print_outcome(row: dict[str, Any], *, details: bool = True) -> None:
    """How a run ended: its files, and its answer, error, or what it waits for."""
    from dure.cli.approvals import lines
    from dure.cli.show import file_line

    for each in row["artifacts"]:
        put(f"+ {file_line(each)}")
    if row["answer"]:
        print_answer(row["answer"], details=details)
    elif row["error"]:
        put(f"✗ {row['error']['code']}: {row['error']['message']}", "red")
    else:
        put(row["status"])
        for text in (text for each in row["approvals"] for text in lines(each)):
            put(text)


def _section(title: str, lines: Iterable[str]) -> None:
    found = list(lines)
    if found:
        put()
        out().rule(title, align="left", style="dim")
        for line in found:
            put(line)


def _routing(run: "Experiment") -> Iterable[str]:
    for each in run.routing:
        yield f"→ {', '.join(each.agents) or say('바로 답함', 'answers itself')} ({how_text(each.how)})"
        scores = sorted(each.scores.items(), key=lambda pair: -pair[1])
        if scores:
            yield "    " + " · ".join(f"{name} {score:.3f}" for name, score in scores)


def _prompt(number: int, prompt: "ModelUse", full: bool) -> Iterable[str]:
    yield f"{number:>2} {call_line(prompt, prompt.cost)}"
    if full:
        yield from _indented("request", {"messages": prompt.final, **prompt.options})
        yield from _indented("reply", prompt.reply)
        return
    calls = [f"{each['name']}({short(str(each['args']), 80)})" for each in prompt.reply.get("tool_calls") or []]
    replied = ", ".join(calls) or prompt.reply.get("content") or ""
    for name, text in (("system", prompt.system), ("user", prompt.user), ("→", replied)):
        if text:
            yield f"     {name}: {short(text, _LINE)}"


def _indented(name: str, value: Any) -> Iterable[str]:
    from dure.cli.approvals import pretty

    yield f"     {name}:"
    yield from (f"       {line}" for line in pretty(value).splitlines())


def _tool(tool: "ToolUse", full: bool) -> Iterable[str]:
    mark = {"ok": "✓", "running": "◐"}.get(tool.status, "✗")
    status = "" if tool.status == "ok" else f" {tool.status}"
    yield f"{mark} {tool.name} · {tool.agent} · {tool.seconds:.2f} s{status}"
    args = " · ".join(f"{name}={short(shown(value), 120)}" for name, value in tool.args.items())
    if args:
        yield f"    ↳ {args}"
    texts = tool.text.splitlines() if full else [short(tool.text, _LINE)]
    yield from (f"    {line}" for line in texts if line)
    for passage in tool.passages:
        page = f", p.{passage['page']}" if passage.get("page") else ""
        score = f" ({passage['score']:.2f})" if passage.get("score") else ""
        yield f"    · {passage['title']}{page}{score}: {short(passage['text'], 90)}"


def _queries(run: "Experiment") -> Iterable[str]:
    for each in run.queries:
        found = "" if each.found is None else say(f" · {each.found}건", f" · {each.found} found")
        failed = "" if each.status == "ok" else f" · {each.status}"
        kind = "SQL" if each.kind == "sql" else say("검색", "search")
        yield f"{kind} · {each.tool} · {each.seconds:.2f} s{found}{failed}"
        yield from (f"    {line}" for line in each.text.strip().splitlines())
        if each.arms is not None:
            arms = say("낱말과 벡터", "words and vectors") if each.arms.get("dense") else say("낱말", "words")
            evidence = each.arms.get("evidence")
            strength = "" if evidence is None else say(f" · 근거 {evidence:.2f}", f" · evidence {evidence:.2f}")
            yield f"    {arms}{strength}"


def _approvals(run: "Experiment") -> Iterable[str]:
    for each in run.approvals:
        decision = each.get("decision") or {}
        done = decision.get("action") or say("기다림", "waiting")
        said = f": {short(decision['message'])}" if decision.get("message") else ""
        yield f"? {each['title']} → {done}{said}"


def totals(run: "Experiment") -> Iterable[str]:
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
