"""Tries everything out that `dure doctor` tells of."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

from dure import configured, findings
from dure.api.guard import is_loopback
from dure.app import Dure
from dure.cli.words import language, say
from dure.errors import DureError, SettingsError, TeamFileError, Text
from dure.findings import Finding, Told, failure, look, same
from dure.messages import ToolCall, user
from dure.models import TASKS, compare, recommended
from dure.settings import Settings, load_settings, unknown_variables
from dure.tooling import ToolContext
from dure.toolsets import run_call

_PATIENCE = 120.0
"""Seconds for the model to start and to answer one small question."""
_MCP_PATIENCE = 30.0
_SETTINGS = Text("settings", ko="설정")
_CORRECT = Text("correct the value or the file", ko="값이나 파일을 고치세요")


async def examine(compared: bool | None, owner: str) -> AsyncIterator[Finding]:
    """All findings, in the order they are made. compared: whether to try every dialect; None: where it is quick.
    owner: whose documents are looked at."""
    try:
        settings = load_settings()
        yield Finding("settings", _SETTINGS, *_settings())
    except DureError as error:
        yield failure("settings", _SETTINGS, error, _CORRECT)
        return
    writable = Text("set DURE_DATA_DIR to a writable folder", ko="DURE_DATA_DIR을 쓸 수 있는 폴더로 정하세요")
    yield await look("disk", Text("disk", ko="디스크"), _disk(settings), writable)
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
            server = same("DURE_MODEL_BASE_URL, DURE_MODEL_NAME")
            asked = await look("answer", Text("answer", ko="답변"), _asked(dure), server, within=_PATIENCE)
            yield asked
            answers = asked.state == "ok"
        if answers and (settings.model_base_url is not None if compared is None else compared):
            yield Finding("dialects", Text("dialects compared", ko="방언 비교"), *await _dialects(dure))
        await dure.mcp.ready(_MCP_PATIENCE)
        async for each in findings.all_of(dure, owner):
            yield each
        yield Finding("tools called", Text("tools called", ko="도구 실행"), *await _called(dure, owner))
        yield Finding("server", Text("server", ko="서버"), *_reach(settings))


def _settings() -> Told:
    file = configured.config_file()
    found = same(str(file)) if file else Text("environment and defaults", ko="환경 변수와 기본값")
    if unknown := ", ".join(unknown_variables()):
        found = Text(f"{found}; no such settings: {unknown}", ko=f"{found.ko}; 없는 설정: {unknown}")
        return "warning", found, Text("check the names", ko="이름을 확인하세요")
    return "ok", found


def _unopened(error: Exception) -> Finding:
    """Why nothing else could be tried: a team file, a setting that names a file, else the store."""
    if isinstance(error, TeamFileError) or (
        isinstance(error, SettingsError) and error.details.get("key") not in ("DURE_DATABASE_URL", "DURE_DATA_DIR")
    ):
        return failure("settings", _SETTINGS, error, _CORRECT)
    return failure("store", Text("store", ko="저장소"), error, same("DURE_DATABASE_URL, DURE_DATA_DIR"))


async def _disk(settings: Settings) -> Told:
    folder = settings.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".doctor-{os.getpid()}"
    probe.write_bytes(b"dure")
    probe.unlink()
    free = shutil.disk_usage(folder).free / 1e9
    found = Text(f"{folder}, {free:.1f} GB free", ko=f"{folder}, 남은 공간 {free:.1f} GB")
    if free < 1:
        return "warning", found, Text("free some space", ko="공간을 비우세요")
    return "ok", found


async def _awake(dure: Dure) -> None:
    async with asyncio.timeout(_PATIENCE):
        await dure.model.ready()


async def _asked(dure: Dure) -> Told:
    """Whether the model answers, and how fast."""
    asked = await dure.model.ask([user("1 + 1 = ? Answer with the number only.")], max_tokens=200)
    answer = " ".join(asked.reply.content.split())[:40]
    tokens = asked.reply.usage.prompt_tokens + asked.reply.usage.completion_tokens
    told = f"“{answer}” {asked.seconds:.1f} s, {tokens} "
    found = Text(f"{told}tokens", ko=f"{told}토큰")
    if not answer:
        return "warning", found, Text("the answer was empty", ko="빈 답이 왔습니다")
    return "ok", found


async def _dialects(dure: Dure) -> Told:
    """How each dialect does with this model, and which is the best."""
    scores = [score async for score in compare(dure.model)]
    told = "; ".join(
        f"{s.dialect} {s.done}/{len(TASKS)} ({s.seconds:.1f} s, {s.tokens} {say('토큰', 'tokens')})"
        if s.error is None
        else f"{s.dialect} ✗ {' '.join(s.error.split())[:80]}"
        for s in scores
    )
    best = recommended(scores)
    wanted = dure.settings.tool_dialect
    chosen = (await dure.model.facts()).dialect if wanted == "auto" else wanted
    done = {s.dialect: s.done for s in scores}
    found = Text(f"{told} → recommended: {best}", ko=f"{told} → 추천: {best}")
    if done[best] > done[chosen]:
        return "warning", found, same(f"DURE_TOOL_DIALECT={best}")
    return "ok", found


async def _called(dure: Dure, owner: str) -> Told:
    """Tools that change nothing are run for real: a search, and a sum where there is a calculator."""
    context = ToolContext(owner, language=language())
    wanted: dict[str, dict[str, Any]] = {
        "calculate": {"expression": "2 * 21"},
        "search_knowledge_base": {"queries": ["휴가"]},
    }
    calls = {name: args for name, args in wanted.items() if name in dure.tools}
    for name, args in calls.items():
        result = await run_call(dure.tools, ToolCall(name, args), context)
        if result.status != "ok":
            return "failed", same(f"{name}: {result.text[:200]}"), Text("look at the log", ko="로그를 보세요")
    return "ok", same(", ".join(calls))


def _reach(settings: Settings) -> Told:
    keys, address = len(settings.api_keys), f"{settings.host}:{settings.port}"
    if keys:
        return "ok", Text(f"{address}, {keys} API keys", ko=f"{address}, API 키 {keys}개")
    if is_loopback(settings.host):
        return "ok", Text(f"{address}, this machine only", ko=f"{address}, 이 컴퓨터에서만")
    return "failed", Text(f"{address}, no API keys", ko=f"{address}, API 키 없음"), same("DURE_API_KEYS")
