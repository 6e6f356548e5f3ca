"""`/v1/status`: what works and how to mend the rest; `dure doctor` for those who have no terminal on the server."""

import asyncio
import logging
from dataclasses import asdict, dataclass
from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from dure.api.auth import Caller, Who
from dure.api.health import Readiness
from dure.api.replies import Json
from dure.errors import DureError, install_line
from dure.teams import unknown_tools
from dure.tools import lacking

router = APIRouter(prefix="/v1", tags=["health"])

log = logging.getLogger("dure.api")

State = Literal["ok", "warning", "failed"]
_PATIENCE = 10.0
"""Seconds to wait for one part."""


@dataclass(slots=True)
class Finding:
    """One part. `failed`: it is needed; `warning`: something is missing without it. `mend`: what to do, else ""."""

    id: str
    part: str
    state: State
    detail: str
    mend: str = ""


@router.get("/status")
async def status(request: Request, who: Who) -> Response:
    """What works and what does not: model, dialect, store, embeddings, documents, MCP servers, tools and teams."""
    found = await asyncio.gather(
        _model(who, request.app.state.readiness), _store(who), _embeddings(who), _documents(who)
    )
    findings = [each for part in (*found, _mcp(who), _tools(who), _teams(who)) for each in part]
    return Json({"findings": [asdict(each) for each in findings]})


async def _model(who: Caller, readiness: Readiness) -> list[Finding]:
    """Whether the model is there, and in which dialect it is offered tools. It is not made to answer."""
    dure, part = who.dure, who.pick("모델", "Model")
    settings = dure.settings
    bundled = settings.model_base_url is None
    if bundled and settings.bundled_path is None:
        from dure.models import path_of

        if not path_of(settings.bundled_model, settings.cache_dir).is_file():
            detail = who.pick("내장 모델을 아직 받지 않았습니다", "the bundled model was not fetched yet")
            mend = who.pick(
                "`dure models pull`, 또는 DURE_MODEL_BASE_URL", "`dure models pull`, or DURE_MODEL_BASE_URL"
            )
            return [Finding("model", part, "failed", detail, mend)]
    found = await readiness.model()
    if found.status == "starting":
        return [Finding("model", part, "warning", who.pick("준비하고 있습니다", "it is being made ready"))]
    try:
        if found.error is not None:
            raise found.error
        async with asyncio.timeout(_PATIENCE):
            facts = await dure.model.facts()
    except Exception as error:
        mend = who.pick(
            "모델 서버가 켜져 있는지, DURE_MODEL_BASE_URL, DURE_MODEL_NAME, DURE_MODEL_API_KEY가 맞는지 보세요.",
            "Is the model server up? Check DURE_MODEL_BASE_URL, DURE_MODEL_NAME and DURE_MODEL_API_KEY.",
        )
        return [Finding("model", part, "failed", _told(who, error), mend)]
    place = who.pick("내장", "bundled") if bundled else who.pick("서버", "server")
    context = who.pick(f"문맥 {dure.model.context:,} 토큰", f"context {dure.model.context:,} tokens")
    wanted = settings.tool_dialect
    chosen, why = (facts.dialect, facts.why) if wanted == "auto" else (wanted, "DURE_TOOL_DIALECT")
    return [
        Finding("model", part, "ok", f"{dure.model.name} ({facts.kind}, {place})"),
        Finding("dialect", who.pick("방언", "Dialect"), "ok", f"{chosen} ({why}), {context}"),
    ]


async def _store(who: Caller) -> list[Finding]:
    part = who.pick("저장소", "Store")
    try:
        async with asyncio.timeout(_PATIENCE):
            return [Finding("store", part, "ok", await who.dure.database.state())]
    except Exception as error:
        return [_store_failed(who, "store", part, error)]


def _store_failed(who: Caller, id: str, part: str, error: Exception) -> Finding:
    mend = who.pick("DURE_DATABASE_URL과 DURE_DATA_DIR을 보세요.", "Check DURE_DATABASE_URL and DURE_DATA_DIR.")
    return Finding(id, part, "failed", _told(who, error), mend)


async def _embeddings(who: Caller) -> list[Finding]:
    dure, part = who.dure, who.pick("임베딩", "Embeddings")
    lexical = who.pick("낱말로만 찾습니다", "search is by words only")
    if dure.embedder is None:
        server = who.pick(
            "DURE_EMBEDDINGS_BASE_URL로 서버를 정할 수 있습니다.", "Name a server in DURE_EMBEDDINGS_BASE_URL."
        )
        mend = server if dure.settings.embeddings else "DURE_EMBEDDINGS=1"
        return [Finding("embeddings", part, "warning", lexical, mend)]
    try:
        async with asyncio.timeout(_PATIENCE):
            rows = await dure.embedder.queries(["휴가 정책"])
    except Exception as error:
        mend = who.pick("DURE_EMBEDDINGS_BASE_URL을 보세요.", "Check DURE_EMBEDDINGS_BASE_URL.")
        return [Finding("embeddings", part, "warning", f"{lexical}: {_told(who, error)}", mend)]
    dimensions = who.pick(f"{rows.shape[1]}차원", f"{rows.shape[1]} dimensions")
    return [Finding("embeddings", part, "ok", f"{dure.embedder.name}, {dimensions}")]


async def _documents(who: Caller) -> list[Finding]:
    part = who.pick("문서", "Documents")
    try:
        async with asyncio.timeout(_PATIENCE):
            documents = await who.dure.knowledge.list(who.owner)
    except Exception as error:
        return [_store_failed(who, "documents", part, error)]
    failed = [d.name for d in documents if d.status == "failed"]
    ready = sum(d.status == "ready" for d in documents)
    detail = who.pick(f"{ready}개를 찾을 수 있습니다", f"{ready} can be searched")
    if failed:
        names = ", ".join(failed[:5])
        mend = who.pick("이유를 보고 다시 올리세요.", "See why, and upload them again.")
        return [
            Finding(
                "documents", part, "warning", who.pick(f"{detail}; 실패: {names}", f"{detail}; failed: {names}"), mend
            )
        ]
    if not documents:
        mend = who.pick("문서를 올리면 그것을 근거로 답합니다.", "Upload documents, and answers are taken from them.")
        return [Finding("documents", part, "warning", who.pick("없습니다", "none"), mend)]
    return [Finding("documents", part, "ok", detail)]


def _mcp(who: Caller) -> list[Finding]:
    return [_mcp_server(who, each) for each in who.dure.mcp.status()]


def _mcp_server(who: Caller, server: dict[str, Any]) -> Finding:
    id, part = f"mcp:{server['name']}", f"MCP {server['name']}"
    if server["state"] == "ready":
        tools = len(server.get("tools", ()))
        return Finding(id, part, "ok", who.pick(f"도구 {tools}개", f"{tools} tools"))
    if server["state"] == "disabled":
        return Finding(id, part, "ok", who.pick("꺼져 있습니다", "disabled"))
    detail = f"{server['state']}: {server['error'] or ''}".rstrip(": ")
    mend = who.pick("DURE_MCP_CONFIG의 파일을 보세요.", "Check the file that DURE_MCP_CONFIG names.")
    return Finding(id, part, "warning", detail, mend)


def _tools(who: Caller) -> list[Finding]:
    part, without = who.pick("도구", "Tools"), lacking(who.dure.settings)
    working = ", ".join(name for name in who.dure.tools if name not in without)
    if without:
        libraries = ", ".join(f"{tool} ({library})" for tool, library in without.items())
        detail = who.pick(f"{working}; 라이브러리가 없음: {libraries}", f"{working}; lacking a library: {libraries}")
        return [Finding("tools", part, "warning", detail, install_line("office"))]
    return [Finding("tools", part, "ok", working)]


def _teams(who: Caller) -> list[Finding]:
    """The teams, and tools that their agents name and that do not exist."""
    part, tools, teams = who.pick("팀", "Teams"), who.dure.tools, who.dure.teams
    unknown = unknown_tools(teams.values(), tools)
    names = ", ".join(teams)
    if unknown:
        detail = who.pick(
            f"{names}; 없는 도구: {', '.join(unknown[:5])}", f"{names}; unknown tools: {', '.join(unknown[:5])}"
        )
        mend = who.pick("DURE_TEAMS_DIR의 팀 파일을 보세요.", "Check the team files in DURE_TEAMS_DIR.")
        return [Finding("teams", part, "warning", detail, mend)]
    return [Finding("teams", part, "ok", names)]


def _told(who: Caller, error: Exception) -> str:
    """A typed error tells what its sentence does; of others only the kind, since they may hold anything."""
    if not isinstance(error, DureError):
        log.warning("a part could not be looked at", exc_info=error)
    if isinstance(error, TimeoutError):
        return who.pick(f"{_PATIENCE:g}초 안에 답이 없습니다", f"no answer within {_PATIENCE:g} seconds")
    return error.message(who.language or "ko") if isinstance(error, DureError) else type(error).__name__
