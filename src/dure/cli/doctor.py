"""`dure doctor`: tries everything out, and says what works and how to mend the rest."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, clean, out, print_json, put, run
from dure.cli.words import LANGUAGE, say
from dure.errors import DureError, SettingsError, TeamFileError, install_line

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.settings import Settings

State = Literal["ok", "warning", "failed"]
_MARKS: dict[State, tuple[str, str]] = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red")}
_PATIENCE = 120.0
"""Seconds for the model to start and to answer one small question."""

_MCP_PATIENCE = 30.0


@dataclass(slots=True)
class Finding:
    """One thing that was tried. Something `failed` is needed; a `warning` costs only a part."""

    part: str
    state: State
    found: str
    remedy: str = ""


Compare = Annotated[
    bool | None,
    typer.Option(
        "--compare/--no-compare",
        help=say(
            "다섯 과제로 방언을 비교합니다. 서버가 있으면 기본으로 하고, 느린 내장 모델에는 하지 않습니다.",
            "Compare the dialects on five small tasks: done for a server, not for the slow bundled model.",
        ),
    ),
]


def doctor(as_json: AsJson = False, compare: Compare = None, owner: Owner = DEFAULT_OWNER) -> None:
    """Call the model server, the tools, the stores and the MCP servers for real."""

    async def work() -> list[Finding]:
        findings = []
        async for each in examine(compare, owner):
            findings.append(each)
            if not as_json:
                _print(each)
        return findings

    findings = run(work, as_json)
    failed = [f for f in findings if f.state == "failed"]
    warned = [f for f in findings if f.state == "warning"]
    if as_json:
        print_json({"ok": not failed, "findings": [asdict(f) for f in findings]})
    elif failed:
        put(say(f"고칠 것 {len(failed)}가지.", f"{len(failed)} to mend."), "bold red")
    elif warned:
        put(say(f"됩니다. 빠진 것 {len(warned)}가지.", f"It works; {len(warned)} missing or partial."), "bold yellow")
    else:
        put(say("모두 됩니다.", "All works."), "bold green")
    if failed:
        raise typer.Exit(1)


async def examine(compare: bool | None = None, owner: str = DEFAULT_OWNER) -> AsyncIterator[Finding]:
    """All findings, in the order they are made. compare: whether to try every dialect; None: where it is quick.
    owner: whose documents are looked at."""
    from dure.app import Dure
    from dure.settings import load_settings

    try:
        settings = load_settings()
        yield _settings()
    except DureError as error:
        yield _failed(say("설정", "settings"), error, say("값을 고치세요", "correct the value"))
        return
    yield _disk(settings)
    async with AsyncExitStack() as stack:
        try:
            dure = await stack.enter_async_context(Dure(settings, take_over=False))
        except Exception as error:
            yield _unopened(error)
            return
        yield await _store(dure, owner)
        answers = False
        async for each in _model(dure):
            answers = each.state == "ok"
            yield each
        if answers and (settings.model_base_url is not None if compare is None else compare):
            yield await _dialects(dure)
        yield await _embeddings(dure)
        yield await _documents(dure, owner)
        for each in await _mcp(dure):
            yield each
        yield await _tools(dure, owner)
        for each in _teams(dure):
            yield each
        yield _reach(settings)


def _settings() -> Finding:
    from dure.settings import config_file, unknown_variables

    part = say("설정", "settings")
    found = str(config_file() or say("환경 변수와 기본값", "environment and defaults"))
    if unknown := ", ".join(unknown_variables()):
        found = say(f"{found}; 없는 설정: {unknown}", f"{found}; no such settings: {unknown}")
        return Finding(part, "warning", found, say("이름을 확인하세요", "check the names"))
    return Finding(part, "ok", found)


def _unopened(error: Exception) -> Finding:
    """Why nothing else could be tried: a team file, a setting that names a file, else the store."""
    if isinstance(error, TeamFileError) or (
        isinstance(error, SettingsError) and error.details.get("key") not in ("DURE_DATABASE_URL", "DURE_DATA_DIR")
    ):
        return _failed(say("설정", "settings"), error, say("값이나 파일을 고치세요", "correct the value or the file"))
    return _failed(say("저장소", "store"), error, "DURE_DATABASE_URL, DURE_DATA_DIR")


def _disk(settings: "Settings") -> Finding:
    part, folder = say("디스크", "disk"), settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".doctor-{os.getpid()}"
        probe.write_bytes(b"dure")
        probe.unlink()
        free = shutil.disk_usage(folder).free / 1e9
    except OSError as error:
        return _failed(
            part, error, say("DURE_DATA_DIR을 쓸 수 있는 폴더로 정하세요", "set DURE_DATA_DIR to a writable folder")
        )
    found = say(f"{folder}, 남은 공간 {free:.1f} GB", f"{folder}, {free:.1f} GB free")
    if free < 1:
        return Finding(part, "warning", found, say("공간을 비우세요", "free some space"))
    return Finding(part, "ok", found)


async def _store(dure: "Dure", owner: str) -> Finding:
    part = say("저장소", "store")
    try:
        kind = await dure.database.state()
        await dure.runs.sessions.list(owner, limit=1)
    except Exception as error:
        return _failed(part, error, "DURE_DATABASE_URL")
    return Finding(part, "ok", kind)


async def _model(dure: "Dure") -> AsyncIterator[Finding]:
    """Whether the model answers, how fast, and in which dialect it is offered tools."""
    from dure.messages import user
    from dure.models.client import without_user

    part, settings = say("모델", "model"), dure.settings
    place = without_user(settings.model_base_url) if settings.model_base_url else say("내장 모델", "bundled model")
    if settings.model_base_url is None:
        from dure.cli.models import missing

        if missing(settings):
            found = say("내장 모델을 아직 받지 않았습니다", "the bundled model was not fetched yet")
            remedy = say("`dure models pull`, 또는 DURE_MODEL_BASE_URL", "`dure models pull`, or DURE_MODEL_BASE_URL")
            yield Finding(part, "failed", found, remedy)
            return
    try:
        async with asyncio.timeout(_PATIENCE):
            await dure.model.ready()
            facts = await dure.model.facts(fresh=True)
            asked = await dure.model.ask([user("1 + 1 = ? Answer with the number only.")], max_tokens=200)
    except Exception as error:
        remedy = say(
            "서버가 켜져 있는지, DURE_MODEL_BASE_URL·NAME·API_KEY가 맞는지",
            "is the server up? check DURE_MODEL_BASE_URL, _NAME, _API_KEY",
        )
        yield _failed(f"{part} ({place})", error, remedy)
        return
    answer = " ".join(asked.reply.content.split())[:40]
    tokens = asked.reply.usage.prompt_tokens + asked.reply.usage.completion_tokens
    found = (
        f"{dure.model.name} ({facts.kind}, {place}): “{answer}” {asked.seconds:.1f} s, {tokens} {say('토큰', 'tokens')}"
    )
    if answer:
        yield Finding(part, "ok", found)
    else:
        yield Finding(part, "warning", found, say("빈 답이 왔습니다", "the answer was empty"))
    chosen = facts.dialect if settings.tool_dialect == "auto" else settings.tool_dialect
    why = facts.why if settings.tool_dialect == "auto" else "DURE_TOOL_DIALECT"
    context = say(f"문맥 {dure.model.context:,} 토큰", f"context {dure.model.context:,} tokens")
    yield Finding(say("방언", "dialect"), "ok", f"{chosen} ({why}), {context}")


async def _dialects(dure: "Dure") -> Finding:
    """How each dialect does with this model, and which is the best."""
    from dure.models import TASKS, compare, recommended

    part = say("방언 비교", "dialects compared")
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
    found = f"{'; '.join(told)} → {say('추천', 'recommended')}: {best}"
    if done[best] > done[chosen]:
        return Finding(part, "warning", found, f"DURE_TOOL_DIALECT={best}")
    return Finding(part, "ok", found)


async def _embeddings(dure: "Dure") -> Finding:
    part = say("임베딩", "embeddings")
    lexical = say("낱말로만 찾습니다", "search is by words only")
    if dure.embedder is None:
        remedy = say("DURE_EMBEDDINGS_BASE_URL로 서버를 정할 수 있습니다", "name a server in DURE_EMBEDDINGS_BASE_URL")
        return Finding(part, "warning", lexical, remedy if dure.settings.embeddings else "DURE_EMBEDDINGS=1")
    try:
        async with asyncio.timeout(_PATIENCE):
            rows = await dure.embedder.queries(["휴가 정책"])
    except Exception as error:
        return Finding(part, "warning", f"{lexical}: {_told(error)}", "DURE_EMBEDDINGS_BASE_URL")
    return Finding(part, "ok", f"{dure.embedder.name}, {rows.shape[1]} {say('차원', 'dimensions')}")


async def _documents(dure: "Dure", owner: str) -> Finding:
    part = say("문서", "documents")
    documents = await dure.knowledge.list(owner)
    failed = [d.name for d in documents if d.status == "failed"]
    ready = sum(d.status == "ready" for d in documents)
    found = say(f"{ready}개를 찾을 수 있음", f"{ready} can be searched")
    if failed:
        return Finding(part, "warning", f"{found}; {say('실패', 'failed')}: {', '.join(failed[:5])}", "dure ingest")
    if not documents:
        return Finding(part, "warning", say("없음", "none"), f"dure ingest {say('폴더', 'FOLDER')}")
    return Finding(part, "ok", found)


async def _tools(dure: "Dure", owner: str) -> Finding:
    """Two tools are run for real: a sum, and a search."""
    from dure.messages import ToolCall
    from dure.tooling import ToolContext
    from dure.tools import lacking, run_call

    part, tools = say("도구", "tools"), dure.tools
    context = ToolContext(owner, language=LANGUAGE)
    for name, args in (("calculate", {"expression": "2 * 21"}), ("search_knowledge_base", {"queries": ["휴가"]})):
        status, result, _ = await run_call(tools, ToolCall(name, args), context)
        if status != "ok":
            return Finding(part, "failed", f"{name}: {result.text[:200]}", say("로그를 보세요", "look at the log"))
    without = lacking(dure.settings)
    working = ", ".join(name for name in tools if name not in without)
    if without:
        libraries = ", ".join(f"{tool} ({library})" for tool, library in without.items())
        found = say(f"{working}; 라이브러리가 없음: {libraries}", f"{working}; lacking a library: {libraries}")
        return Finding(part, "warning", found, install_line("office"))
    return Finding(part, "ok", working)


async def _mcp(dure: "Dure") -> list[Finding]:
    findings = []
    await dure.mcp.ready(_MCP_PATIENCE)
    for each in dure.mcp.status():
        part = f"MCP {each['name']}"
        if each["state"] == "ready":
            tools = len(each.get("tools", ()))
            findings.append(Finding(part, "ok", say(f"도구 {tools}개", f"{tools} tools")))
        else:
            found = f"{each['state']}: {each['error'] or ''}".rstrip(": ")
            state: State = "ok" if each["state"] == "disabled" else "warning"
            findings.append(Finding(part, state, found, str(dure.settings.mcp_config) if state != "ok" else ""))
    return findings


def _teams(dure: "Dure") -> list[Finding]:
    """The teams, and tools their agents name that do not exist."""
    from dure.teams import unknown_tools

    part, missing = say("팀", "teams"), unknown_tools(dure.teams.values(), dure.tools)
    found = ", ".join(dure.teams)
    if missing:
        reason = say("없는 도구", "unknown tools")
        return [Finding(part, "warning", f"{found}; {reason}: {', '.join(missing[:5])}", "DURE_TEAMS_DIR")]
    return [Finding(part, "ok", found)]


def _reach(settings: "Settings") -> Finding:
    part, keys = say("서버", "server"), len(settings.api_keys)
    address = f"{settings.host}:{settings.port}"
    if keys:
        return Finding(part, "ok", say(f"{address}, API 키 {keys}개", f"{address}, {keys} API keys"))
    from dure.api.guard import is_loopback

    if is_loopback(settings.host):
        return Finding(part, "ok", say(f"{address}, 이 컴퓨터에서만", f"{address}, this machine only"))
    return Finding(part, "failed", say(f"{address}, API 키 없음", f"{address}, no API keys"), "DURE_API_KEYS")


def _failed(part: str, error: Exception, remedy: str) -> Finding:
    return Finding(part, "failed", _told(error), remedy)


def _told(error: Exception) -> str:
    if isinstance(error, DureError):
        return error.message(LANGUAGE)
    if isinstance(error, TimeoutError):
        return say(f"{_PATIENCE:g}초 안에 답이 없습니다", f"no answer within {_PATIENCE:g} seconds")
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def _print(finding: Finding) -> None:
    from rich.text import Text

    mark, style = _MARKS[finding.state]
    line = Text.assemble((mark, style), " ", (clean(finding.part), "bold"), "  ", clean(finding.found))
    out().print(line)
    if finding.remedy:
        out().print(Text(f"  → {clean(finding.remedy)}", style))
