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
Told = tuple[State, Text] | tuple[State, Text, Text]
"""What was found of a part: its state, the detail, and what to do where there is something."""
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


async def look(
    id: str, part: Text, work: Awaitable[Told], mend: Text = _NOTHING, state: State = "failed", within: float = PATIENCE
) -> Finding:
    """What `work` finds of a part within so many seconds; where it fails, that as `state`, with what may `mend` it."""
    try:
        async with asyncio.timeout(within):
            return Finding(id, part, *await work)
    except Exception as error:
        return failure(id, part, error, mend, state)


async def all_of(dure: Dure, owner: str) -> AsyncIterator[Finding]:
    """All parts but the model: store, embeddings, documents, MCP servers, tools, teams, what packs look at. owner:
    whose documents are looked at."""
    yield await look("store", Text("store", ko="저장소"), _store(dure, owner), _STORE)
    yield Finding("embeddings", Text("embeddings", ko="임베딩"), *await _embeddings(dure))
    yield await look("documents", Text("documents", ko="문서"), _documents(dure, owner), _STORE)
    for server in dure.mcp.status():
        yield Finding(f"mcp:{server['name']}", same(f"MCP {server['name']}"), *_mcp(server))
    yield Finding("tools", Text("tools", ko="도구"), *_tools(dure))
    yield Finding("teams", Text("teams", ko="팀"), *_teams(dure))
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
    counts = await dure.model.forms()
    seen = "".join(f", {form} {count}" for form, count in sorted(counts.items(), key=lambda each: -each[1]))
    window = Text(
        f"{chosen}, context {tokens} tokens" + (f"; calls so far{seen}" if seen else ""),
        ko=f"{chosen}, 문맥 {tokens} 토큰" + (f"; 지금까지 온 호출{seen}" if seen else ""),
    )
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


async def _store(dure: Dure, owner: str) -> Told:
    """Whether the database answers."""
    await dure.runs.sessions.list(owner, limit=1)
    return "ok", same(await dure.database.state())


async def _embeddings(dure: Dure) -> Told:
    """Whether search knows meanings."""
    lexical = Text("search is by words only", ko="낱말로만 찾습니다")
    if dure.embedder is None:
        server = Text(
            "name a server in DURE_EMBEDDINGS_BASE_URL", ko="DURE_EMBEDDINGS_BASE_URL로 서버를 정할 수 있습니다"
        )
        return "warning", lexical, server if dure.settings.embeddings else same("DURE_EMBEDDINGS=1")
    try:
        async with asyncio.timeout(PATIENCE):
            rows = await dure.embedder.queries(["휴가 정책"])
    except Exception as error:
        why = failure("", lexical, error).detail
        told = Text(f"{lexical}: {why}", ko=f"{lexical.ko}: {why.ko}")
        return "warning", told, same("DURE_EMBEDDINGS_BASE_URL")
    name, size = dure.embedder.name, rows.shape[1]
    return "ok", Text(f"{name}, {size} dimensions", ko=f"{name}, {size}차원")


async def _documents(dure: Dure, owner: str) -> Told:
    """What can be searched."""
    there = await dure.knowledge.list(owner)
    if not there:
        mend = Text("`dure ingest FOLDER`, or upload some", ko="`dure ingest 폴더`, 또는 올리세요")
        return "warning", Text("none", ko="없음"), mend
    ready = sum(each.status == "ready" for each in there)
    told = Text(f"{ready} can be searched", ko=f"{ready}개를 찾을 수 있습니다")
    failed = ", ".join([each.name for each in there if each.status == "failed"][:5])
    if not failed:
        return "ok", told
    told = Text(f"{told}; failed: {failed}", ko=f"{told.ko}; 실패: {failed}")
    return "warning", told, Text("see why, and add them again", ko="이유를 보고 다시 넣으세요")


def _mcp(server: dict[str, Any]) -> Told:
    if server["state"] == "ready":
        count = len(server.get("tools", ()))
        return "ok", Text(f"{count} tools", ko=f"도구 {count}개")
    if server["state"] == "disabled":
        return "ok", Text("disabled", ko="꺼져 있습니다")
    mend = Text("check the file that DURE_MCP_CONFIG names", ko="DURE_MCP_CONFIG의 파일을 보세요")
    return "warning", same(f"{server['state']}: {server['error'] or ''}".rstrip(": ")), mend


def _tools(dure: Dure) -> Told:
    """The tools, and the libraries that some lack."""
    lacking = {name: tool.lacks for name, tool in dure.tools.items() if tool.lacks}
    working = ", ".join(name for name in dure.tools if name not in lacking)
    if not lacking:
        return "ok", same(working)
    libraries = ", ".join(f"{name} ({library})" for name, library in lacking.items())
    told = Text(f"{working}; lacking a library: {libraries}", ko=f"{working}; 라이브러리가 없음: {libraries}")
    return "warning", told, same(install_line("office"))


def _teams(dure: Dure) -> Told:
    """The teams, and tools that their agents name and that do not exist."""
    names = ", ".join(dure.teams)
    unknown = ", ".join(unknown_tools(dure.teams.values(), dure.tools)[:5])
    if not unknown:
        return "ok", same(names)
    told = Text(f"{names}; unknown tools: {unknown}", ko=f"{names}; 없는 도구: {unknown}")
    return "warning", told, Text("check the team files in DURE_TEAMS_DIR", ko="DURE_TEAMS_DIR의 팀 파일을 보세요")
