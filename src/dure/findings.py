"""What works in an opened Dure and how to mend the rest: for `dure doctor`, `/v1/status` and the page.

Nothing here raises: a part that cannot be looked at is a finding.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

from dure.app import Dure
from dure.errors import DureError, Language, Text, install_line
from dure.registry import load
from dure.teams import unknown_tools

State = Literal["ok", "warning", "failed"]
log = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds to wait for one part."""
_NOTHING = Text("", ko="")
_STORE = Text("check DURE_DATABASE_URL and DURE_DATA_DIR", ko="DURE_DATABASE_URL과 DURE_DATA_DIR을 보세요")
_MODEL = Text(
    "is the server up? check DURE_MODEL_BASE_URL, DURE_MODEL_NAME and DURE_MODEL_API_KEY",
    ko="서버가 켜져 있는지, DURE_MODEL_BASE_URL, DURE_MODEL_NAME, DURE_MODEL_API_KEY가 맞는지 보세요",
)


class Starting(Exception):
    """The model is being made ready."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One part. `failed`: it is needed; `warning`: something is missing without it. `mend`: what to do, or nothing."""

    id: str
    part: Text
    state: State
    detail: Text
    mend: Text = _NOTHING

    def as_dict(self, language: Language) -> dict[str, str]:
        """`{id, part, state, detail, mend}` in that language."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: each.said(language) if isinstance(each, Text) else each for name, each in values.items()}


def same(text: str) -> Text:
    """What is said alike in both languages."""
    return Text(text, ko=text)


def failure(id: str, part: Text, error: Exception, mend: Text = _NOTHING, state: State = "failed") -> Finding:
    """A typed error tells what its sentence does; of others only the kind, since they may hold anything."""
    if isinstance(error, DureError):
        told = Text(error.message("en"), ko=error.message("ko"))
    elif isinstance(error, TimeoutError):
        told = Text("no answer in time", ko="제때 답이 없습니다")
    else:
        log.warning("a part could not be looked at", exc_info=error)
        told = same(type(error).__name__)
    return Finding(id, part, state, told, mend)


async def all_of(dure: Dure, owner: str) -> AsyncIterator[Finding]:
    """All parts but the model: store, embeddings, documents, MCP servers, tools, teams, what packs look at. owner:
    whose documents are looked at."""
    for look in (store, embeddings, documents):
        yield await look(dure, owner)
    for server in dure.mcp.status():
        yield _mcp(server)
    yield tools(dure)
    yield teams(dure)
    for pack in dure.on:
        if pack.doctor:
            examine: Callable[[Dure, str], Awaitable[list[Finding]]] = load(pack.doctor)
            try:
                async with asyncio.timeout(PATIENCE):
                    found = await examine(dure, owner)
            except Exception as error:
                found = [failure(pack.name, pack.summary, error, state="warning")]
            for each in found:
                yield each


async def model(dure: Dure, ready: Callable[[], Awaitable[object]], *, fresh: bool = False) -> list[Finding]:
    """Whether the model is there and in which dialect it is offered tools. It is not made to answer.

    ready: returns once the model can be asked; may raise `Starting`. fresh: find out again what its server can do."""
    part, wanted, named = Text("model", ko="모델"), dure.settings.tool_dialect, model_of(dure)
    if dure.lacks_weights:
        detail = Text("the bundled model was not fetched yet", ko="내장 모델을 아직 받지 않았습니다")
        mend = Text("`dure models pull`, or DURE_MODEL_BASE_URL", ko="`dure models pull`, 또는 DURE_MODEL_BASE_URL")
        return [Finding("model", part, "failed", detail, mend)]
    try:
        await ready()
        async with asyncio.timeout(PATIENCE):
            facts = await dure.model.facts(fresh=fresh)
    except Starting:
        told = Text("it is being made ready", ko="준비하고 있습니다")
        return [Finding("model", part, "warning", told)]
    except Exception as error:
        return [failure("model", Text(f"{part} {named}", ko=f"{part.ko} {named.ko}"), error, _MODEL)]
    named = model_of(dure, facts.kind)
    chosen = f"{facts.dialect} ({facts.why})" if wanted == "auto" else f"{wanted} (DURE_TOOL_DIALECT)"
    tokens = f"{dure.model.context:,}"
    window = Text(f"{chosen}, context {tokens} tokens", ko=f"{chosen}, 문맥 {tokens} 토큰")
    return [
        Finding("model", part, "ok", named),
        Finding("dialect", Text("dialect", ko="방언"), "ok", window),
    ]


def model_of(dure: Dure, *facts: str) -> Text:
    """Which model is asked, and where: `name (facts, place)`."""
    from dure.models.client import without_user

    if dure.given_model is not None:
        place = Text("given in Python", ko="파이썬에서 준 모델")
    elif address := dure.settings.model_base_url:
        place = same(without_user(address))
    else:
        place = Text("bundled model", ko="내장 모델")
    name, told = dure.model.name, "".join(f"{each}, " for each in facts)
    return Text(f"{name or 'first listed'} ({told}{place})", ko=f"{name or '첫 모델'} ({told}{place.ko})")


async def store(dure: Dure, owner: str) -> Finding:
    """Whether the database answers."""
    part = Text("store", ko="저장소")
    try:
        async with asyncio.timeout(PATIENCE):
            await dure.runs.sessions.list(owner, limit=1)
            return Finding("store", part, "ok", same(await dure.database.state()))
    except Exception as error:
        return failure("store", part, error, _STORE)


async def embeddings(dure: Dure, owner: str) -> Finding:
    """Whether search knows meanings."""
    part, lexical = Text("embeddings", ko="임베딩"), Text("search is by words only", ko="낱말로만 찾습니다")
    if dure.embedder is None:
        server = Text(
            "name a server in DURE_EMBEDDINGS_BASE_URL", ko="DURE_EMBEDDINGS_BASE_URL로 서버를 정할 수 있습니다"
        )
        mend = server if dure.settings.embeddings else same("DURE_EMBEDDINGS=1")
        return Finding("embeddings", part, "warning", lexical, mend)
    try:
        async with asyncio.timeout(PATIENCE):
            rows = await dure.embedder.queries(["휴가 정책"])
    except Exception as error:
        why = failure("", part, error).detail
        told = Text(f"{lexical}: {why}", ko=f"{lexical.ko}: {why.ko}")
        return Finding("embeddings", part, "warning", told, same("DURE_EMBEDDINGS_BASE_URL"))
    name, size = dure.embedder.name, rows.shape[1]
    return Finding("embeddings", part, "ok", Text(f"{name}, {size} dimensions", ko=f"{name}, {size}차원"))


async def documents(dure: Dure, owner: str) -> Finding:
    """What can be searched."""
    part = Text("documents", ko="문서")
    try:
        async with asyncio.timeout(PATIENCE):
            there = await dure.knowledge.list(owner)
    except Exception as error:
        return failure("documents", part, error, _STORE)
    if not there:
        mend = Text("`dure ingest FOLDER`, or upload some", ko="`dure ingest 폴더`, 또는 올리세요")
        return Finding("documents", part, "warning", Text("none", ko="없음"), mend)
    ready = sum(each.status == "ready" for each in there)
    told = Text(f"{ready} can be searched", ko=f"{ready}개를 찾을 수 있습니다")
    failed = ", ".join([each.name for each in there if each.status == "failed"][:5])
    if not failed:
        return Finding("documents", part, "ok", told)
    told = Text(f"{told}; failed: {failed}", ko=f"{told.ko}; 실패: {failed}")
    mend = Text("see why, and add them again", ko="이유를 보고 다시 넣으세요")
    return Finding("documents", part, "warning", told, mend)


def _mcp(server: dict[str, Any]) -> Finding:
    id, part = f"mcp:{server['name']}", same(f"MCP {server['name']}")
    if server["state"] == "ready":
        count = len(server.get("tools", ()))
        return Finding(id, part, "ok", Text(f"{count} tools", ko=f"도구 {count}개"))
    if server["state"] == "disabled":
        return Finding(id, part, "ok", Text("disabled", ko="꺼져 있습니다"))
    mend = Text("check the file that DURE_MCP_CONFIG names", ko="DURE_MCP_CONFIG의 파일을 보세요")
    return Finding(id, part, "warning", same(f"{server['state']}: {server['error'] or ''}".rstrip(": ")), mend)


def tools(dure: Dure) -> Finding:
    """The tools, and the libraries that some lack."""
    part = Text("tools", ko="도구")
    lacking = {name: tool.lacks for name, tool in dure.tools.items() if tool.lacks}
    working = ", ".join(name for name in dure.tools if name not in lacking)
    if not lacking:
        return Finding("tools", part, "ok", same(working))
    libraries = ", ".join(f"{name} ({library})" for name, library in lacking.items())
    told = Text(f"{working}; lacking a library: {libraries}", ko=f"{working}; 라이브러리가 없음: {libraries}")
    return Finding("tools", part, "warning", told, same(install_line("office")))


def teams(dure: Dure) -> Finding:
    """The teams, and tools that their agents name and that do not exist."""
    part, names = Text("teams", ko="팀"), ", ".join(dure.teams)
    unknown = ", ".join(unknown_tools(dure.teams.values(), dure.tools)[:5])
    if not unknown:
        return Finding("teams", part, "ok", same(names))
    told = Text(f"{names}; unknown tools: {unknown}", ko=f"{names}; 없는 도구: {unknown}")
    mend = Text("check the team files in DURE_TEAMS_DIR", ko="DURE_TEAMS_DIR의 팀 파일을 보세요")
    return Finding("teams", part, "warning", told, mend)
