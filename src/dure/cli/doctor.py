"""`dure doctor`: tries everything out, and says what works and how to mend the rest."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, clean, out, print_json, put, run
from dure.cli.words import language, option, say
from dure.errors import DureError, SettingsError, TeamFileError, Text

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.findings import Finding, State
    from dure.settings import Settings

_MARKS: "dict[State, tuple[str, str]]" = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red")}
_PATIENCE = 120.0
"""Seconds for the model to start and to answer one small question."""
_MCP_PATIENCE = 30.0


Compare = Annotated[
    bool | None,
    option(
        "다섯 과제로 방언을 비교합니다. 서버가 있으면 기본으로 하고, 느린 내장 모델에는 하지 않습니다.",
        "Compare the dialects on five small tasks: done for a server, not for the slow bundled model.",
        "--compare/--no-compare",
    ),
]


def doctor(as_json: AsJson = False, compare: Compare = None, owner: Owner = DEFAULT_OWNER) -> None:
    """Call the model server, the tools, the stores and the MCP servers for real."""

    async def work() -> "list[Finding]":
        findings = []
        async for each in examine(compare, owner):
            findings.append(each)
            if not as_json:
                _print(each.as_dict(language()))
        return findings

    findings = run(work, as_json)
    failed = [f for f in findings if f.state == "failed"]
    warned = [f for f in findings if f.state == "warning"]
    if as_json:
        print_json({"ok": not failed, "findings": [each.as_dict(language()) for each in findings]})
    elif failed:
        put(say(f"고칠 것 {len(failed)}가지.", f"{len(failed)} to mend."), "bold red")
    elif warned:
        put(say(f"됩니다. 빠진 것 {len(warned)}가지.", f"It works; {len(warned)} missing or partial."), "bold yellow")
    else:
        put(say("모두 됩니다.", "All works."), "bold green")
    if failed:
        raise typer.Exit(1)


async def examine(compare: bool | None = None, owner: str = DEFAULT_OWNER) -> "AsyncIterator[Finding]":
    """All findings, in the order they are made. compare: whether to try every dialect; None: where it is quick.
    owner: whose documents are looked at."""
    from dure import findings
    from dure.app import Dure
    from dure.settings import load_settings

    try:
        settings = load_settings()
        yield _settings()
    except DureError as error:
        yield findings.failure("settings", _SETTINGS, error, Text("correct the value", ko="값을 고치세요"))
        return
    yield _disk(settings)
    async with AsyncExitStack() as stack:
        try:
            dure = await stack.enter_async_context(Dure(settings, take_over=False))
        except Exception as error:
            yield _unopened(error)
            return
        answers = False
        for each in await findings.model(dure, lambda: _awake(dure), fresh=True):
            yield each
            answers = each.state == "ok"
        if answers:
            asked = await _asked(dure)
            yield asked
            answers = asked.state == "ok"
        if answers and (settings.model_base_url is not None if compare is None else compare):
            yield await _dialects(dure)
        await dure.mcp.ready(_MCP_PATIENCE)
        async for each in findings.all_of(dure, owner):
            yield each
        yield await _called(dure, owner)
        yield _reach(settings)


_SETTINGS = Text("settings", ko="설정")


def _settings() -> "Finding":
    from dure import configured
    from dure.findings import Finding, same
    from dure.settings import unknown_variables

    file = configured.config_file()
    found = same(str(file)) if file else Text("environment and defaults", ko="환경 변수와 기본값")
    if unknown := ", ".join(unknown_variables()):
        found = Text(f"{found}; no such settings: {unknown}", ko=f"{found.ko}; 없는 설정: {unknown}")
        return Finding("settings", _SETTINGS, "warning", found, Text("check the names", ko="이름을 확인하세요"))
    return Finding("settings", _SETTINGS, "ok", found)


def _unopened(error: Exception) -> "Finding":
    """Why nothing else could be tried: a team file, a setting that names a file, else the store."""
    from dure.findings import failure, same

    if isinstance(error, TeamFileError) or (
        isinstance(error, SettingsError) and error.details.get("key") not in ("DURE_DATABASE_URL", "DURE_DATA_DIR")
    ):
        mend = Text("correct the value or the file", ko="값이나 파일을 고치세요")
        return failure("settings", _SETTINGS, error, mend)
    return failure("store", Text("store", ko="저장소"), error, same("DURE_DATABASE_URL, DURE_DATA_DIR"))


def _disk(settings: "Settings") -> "Finding":
    from dure.findings import Finding, failure

    part, folder = Text("disk", ko="디스크"), settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".doctor-{os.getpid()}"
        probe.write_bytes(b"dure")
        probe.unlink()
        free = shutil.disk_usage(folder).free / 1e9
    except OSError as error:
        mend = Text("set DURE_DATA_DIR to a writable folder", ko="DURE_DATA_DIR을 쓸 수 있는 폴더로 정하세요")
        return failure("disk", part, error, mend)
    found = Text(f"{folder}, {free:.1f} GB free", ko=f"{folder}, 남은 공간 {free:.1f} GB")
    if free < 1:
        return Finding("disk", part, "warning", found, Text("free some space", ko="공간을 비우세요"))
    return Finding("disk", part, "ok", found)


async def _awake(dure: "Dure") -> None:
    async with asyncio.timeout(_PATIENCE):
        await dure.model.ready()


async def _asked(dure: "Dure") -> "Finding":
    """Whether the model answers, and how fast."""
    from dure.findings import Finding, failure, same
    from dure.messages import user

    part = Text("answer", ko="답변")
    try:
        async with asyncio.timeout(_PATIENCE):
            asked = await dure.model.ask([user("1 + 1 = ? Answer with the number only.")], max_tokens=200)
    except Exception as error:
        return failure("answer", part, error, same("DURE_MODEL_BASE_URL, DURE_MODEL_NAME"))
    answer = " ".join(asked.reply.content.split())[:40]
    tokens = asked.reply.usage.prompt_tokens + asked.reply.usage.completion_tokens
    told = f"“{answer}” {asked.seconds:.1f} s, {tokens} "
    found = Text(f"{told}tokens", ko=f"{told}토큰")
    if not answer:
        empty = Text("the answer was empty", ko="빈 답이 왔습니다")
        return Finding("answer", part, "warning", found, empty)
    return Finding("answer", part, "ok", found)


async def _dialects(dure: "Dure") -> "Finding":
    """How each dialect does with this model, and which is the best."""
    from dure.findings import Finding, same
    from dure.models import TASKS, compare, recommended

    part = Text("dialects compared", ko="방언 비교")
    scores = [score async for score in compare(dure.model)]
    told = [
        f"{s.dialect} {s.done}/{len(TASKS)} ({s.seconds:.1f} s, {s.tokens} {say('토큰', 'tokens')})"
        if s.error is None
        else f"{s.dialect} ✗ {' '.join(s.error.split())[:80]}"
        for s in scores
    ]
    best = recommended(scores)
    wanted = dure.settings.tool_dialect
    chosen = (await dure.model.facts()).dialect if wanted == "auto" else wanted
    done = {s.dialect: s.done for s in scores}
    told_all = "; ".join(told)
    found = Text(f"{told_all} → recommended: {best}", ko=f"{told_all} → 추천: {best}")
    if done[best] > done[chosen]:
        return Finding("dialects", part, "warning", found, same(f"DURE_TOOL_DIALECT={best}"))
    return Finding("dialects", part, "ok", found)


async def _called(dure: "Dure", owner: str) -> "Finding":
    """Tools that change nothing are run for real: a search, and a sum where there is a calculator."""
    from dure.findings import Finding, same
    from dure.messages import ToolCall
    from dure.tooling import ToolContext
    from dure.toolsets import run_call

    part, context = Text("tools called", ko="도구 실행"), ToolContext(owner, language=language())
    wanted: dict[str, dict[str, Any]] = {
        "calculate": {"expression": "2 * 21"},
        "search_knowledge_base": {"queries": ["휴가"]},
    }
    calls = {name: args for name, args in wanted.items() if name in dure.tools}
    for name, args in calls.items():
        result = await run_call(dure.tools, ToolCall(name, args), context)
        if result.status != "ok":
            mend = Text("look at the log", ko="로그를 보세요")
            return Finding("tools called", part, "failed", same(f"{name}: {result.text[:200]}"), mend)
    return Finding("tools called", part, "ok", same(", ".join(calls)))


def _reach(settings: "Settings") -> "Finding":
    from dure.api.guard import is_loopback
    from dure.findings import Finding, same

    part, keys = Text("server", ko="서버"), len(settings.api_keys)
    address = f"{settings.host}:{settings.port}"
    if keys:
        return Finding("server", part, "ok", Text(f"{address}, {keys} API keys", ko=f"{address}, API 키 {keys}개"))
    if is_loopback(settings.host):
        found = Text(f"{address}, this machine only", ko=f"{address}, 이 컴퓨터에서만")
        return Finding("server", part, "ok", found)
    found = Text(f"{address}, no API keys", ko=f"{address}, API 키 없음")
    return Finding("server", part, "failed", found, same("DURE_API_KEYS"))


def _print(finding: dict[str, Any]) -> None:
    from rich.text import Text as Line

    mark, style = _MARKS[finding["state"]]
    line = Line.assemble((mark, style), " ", (clean(finding["part"]), "bold"), "  ", clean(finding["detail"]))
    out().print(line)
    if finding["mend"]:
        out().print(Line(f"  → {clean(finding['mend'])}", style))
