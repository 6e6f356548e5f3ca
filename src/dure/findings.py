"""What works in an opened Dure and how to mend the rest: for `dure doctor`, `/v1/status` and the page.

Nothing here raises: a part that cannot be looked at is a finding.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from dure.app import Dure
from dure.errors import DureError, Language, Text, install_line, phrase
from dure.models.client import without_user
from dure.models.diagnosis import mend
from dure.pack import loaded
from dure.settings import BUNDLED
from dure.storage.files import check
from dure.teams import unknown_tools
from dure.texts import LANGUAGES, TEXTS, said

State = Literal["ok", "warning", "failed"]
Told = tuple[State, Text] | tuple[State, Text, Text]
"""What was found of a part: its state, the detail, and what to do where there is something."""
log = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds to wait for one part."""
_NOTHING = Text("", ko="")
_PARTS = TEXTS["findings_parts"]
_WITHOUT = TEXTS["findings_without"]


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
        told: dict[str, str] = said(asdict(self), language)
        return told


def same(text: str) -> Text:
    """What is said alike in both languages, where it is not said in both already."""
    return text if isinstance(text, Text) else Text(text, ko=text)


def _refused(name: str, why: Text) -> Text:
    """What a model's server does not take, and why."""
    called = _WITHOUT.get(name) or dict.fromkeys(LANGUAGES, name)
    return Text(*(f"{called[language]}: {why.said(language)}" for language in ("en", "ko")))


def failure(id: str, part: Text, error: Exception, mend: Text = _NOTHING, state: State = "failed") -> Finding:
    """A typed or a system's error tells its sentence; others only their kind, since they may hold anything."""
    if isinstance(error, DureError):
        told = Text(error.message("en"), error.message("ko"))
    elif isinstance(error, TimeoutError):
        told = phrase("findings.late")
    elif isinstance(error, OSError) and error.strerror:
        told = same(error.strerror)
    else:
        log.warning("a part could not be looked at", exc_info=error)
        told = same(type(error).__name__)
    return Finding(id, part, state, told, mend)


Mend = Text | Callable[[Exception], Awaitable[Text]]
"""What to do where a part fails, or what finds that out."""


async def look(
    id: str, part: Text, work: Awaitable[Told], mend: Mend = _NOTHING, state: State = "failed", within: float = PATIENCE
) -> Finding:
    """What `work` finds of a part within so many seconds; where it fails, that as `state`, with what may `mend` it."""
    try:
        async with asyncio.timeout(within):
            return Finding(id, part, *await work)
    except Exception as error:
        return failure(id, part, error, mend if isinstance(mend, Text) else await mend(error), state)


def part_of(id: str) -> Text:
    """What a part of ours is called."""
    return Text(**_PARTS[id].filled())


async def all_of(dure: Dure, owner: str) -> AsyncIterator[Finding]:
    """All parts but the model: store, embeddings, an owner's documents, budget, MCP servers, tools, teams, packs."""
    store = phrase("findings.mend_store")
    yield await look("store", part_of("store"), _store(dure, owner), store)
    yield await look("embeddings", part_of("embeddings"), _embeddings(dure), phrase("findings.lexical"), "warning")
    yield await look("documents", part_of("documents"), _documents(dure, owner), store)
    if spending := await dure.budgets.of(owner):
        told = spending.told()
        parts = [(f"{spent:,.10g} / {most:,.10g}", unit) for spent, most, unit in told]
        spent = Text(*("; ".join(f"{of} {said(unit, each)}" for of, unit in parts) for each in ("en", "ko")))
        over = any(spent >= most for spent, most, _ in told)
        yield Finding("budget", part_of("budget"), "warning" if over else "ok", spent)
    for server in dure.mcp.status():
        yield Finding(f"mcp:{server['name']}", same(f"MCP {server['name']}"), *_mcp(server))
    yield Finding("tools", part_of("tools"), *_tools(dure))
    yield Finding("teams", part_of("teams"), *_teams(dure))
    for pack in dure.on:
        if pack.doctor:
            try:
                examine: Callable[[Dure, str], Awaitable[list[Finding]]] = loaded(pack.name, pack.doctor)
                async with asyncio.timeout(PATIENCE):
                    found = await examine(dure, owner)
            except Exception as error:
                found = [failure(pack.name, pack.summary, error, state="warning")]
            for each in found:
                yield each


async def model(dure: Dure, ready: Callable[[], Awaitable[object]], *, fresh: bool = False) -> list[Finding]:
    """Whether the model is there and in which dialect it is offered tools. It is not made to answer.

    ready: returns once the model can be asked; may raise `Starting`. fresh: find out again what its server can do."""
    part, wanted = part_of("model"), dure.settings.tool_dialect
    if dure.lacks_weights:
        return [Finding("model", part, "failed", phrase("findings.no_weights"), phrase("findings.mend_weights"))]
    try:
        await ready()
        async with asyncio.timeout(PATIENCE):
            facts = await dure.model.facts(fresh=fresh)
    except Starting:
        return [Finding("model", part, "warning", phrase("findings.starting"))]
    except Exception as error:
        named = model_of(dure)
        named = Text(f"{part} {named}", f"{part.ko} {named.ko}")
        return [await instead(dure, failure("model", named, error, await mend_of(dure, error)))]
    why = same(facts.why) if wanted == "auto" else same("DURE_TOOL_DIALECT")
    dialect = facts.dialect if wanted == "auto" else wanted
    chosen = {language: f"{dialect} ({why.said(language)})" for language in LANGUAGES}
    forms = sorted((await dure.model.forms()).items(), key=lambda each: -each[1])
    kind = "dialect_seen" if forms else "dialect"
    seen = ", ".join(f"{form} {count}" for form, count in forms if count)
    window = phrase(f"findings.{kind}", chosen=chosen, tokens=dure.model.context, seen=seen)
    return [
        Finding("model", part, "ok", model_of(dure, *{facts.kind} - {BUNDLED})),
        Finding("dialect", part_of("dialect"), "ok", window),
        *(
            Finding(f"without:{name}", part_of("without"), "ok", _refused(name, same(said)))
            for name, said in facts.without.items()
        ),
    ]


async def instead(dure: Dure, found: Finding) -> Finding:
    """What fails of the default model as what is amiss, where another is asked in its place."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            if found.state == "failed" and (name := await dure.models.another()):
                told = phrase("findings.instead", model=dure.models.default, why=found.detail, name=name)
                return replace(found, state="warning", detail=told)
    return found


async def mend_of(dure: Dure, error: Exception, name: str = "") -> Text:
    """What mends what a model met; name: which, else the default one."""
    name = name or dure.models.default
    try:
        return await mend(dure.models[name], error, f"models.{name}" if name in dure.settings.models else "")
    except DureError:
        return phrase("models_diagnosis.settings")


def model_of(dure: Dure, *facts: str) -> Text:
    """Which model is asked, and where: `name (facts, place)`."""
    if dure.given_model is not None:
        place = phrase("findings.given")
    elif (chosen := dure.settings.default_model).provider == BUNDLED:
        place = phrase("findings.bundled")
    else:
        place = same(without_user(chosen.base_url) if chosen.base_url else chosen.provider)
    name, told = same(dure.model.name or phrase("findings.first")), "".join(f"{each}, " for each in facts)
    return Text(f"{name} ({told}{place})", f"{name.ko} ({told}{place.ko})")


async def _store(dure: Dure, owner: str) -> Told:
    """Whether the database answers, and files can be written and read."""
    await dure.runs.sessions.list(owner, limit=1)
    await check(dure.files)
    return "ok", same(", ".join(filter(None, (await dure.database.state(), dure.settings.files))))


async def _embeddings(dure: Dure) -> Told:
    """Whether search knows meanings."""
    if dure.embedder is None:
        server = phrase("findings.mend_embeddings")
        return "warning", phrase("findings.lexical"), server if dure.settings.embeddings else same("DURE_EMBEDDINGS=1")
    rows = await dure.embedder.queries(["휴가 정책"])
    return "ok", phrase("findings.vectors", name=dure.embedder.name, size=rows.shape[1])


async def _documents(dure: Dure, owner: str) -> Told:
    """What can be searched."""
    there = await dure.knowledge.list(owner)
    if not there:
        return "warning", phrase("findings.no_documents"), phrase("findings.mend_documents")
    ready = sum(each.status == "ready" for each in there)
    failed = ", ".join([each.name for each in there if each.status == "failed"][:5])
    if not failed:
        return "ok", phrase("findings.documents", ready=ready)
    return "warning", phrase("findings.some_failed", ready=ready, failed=failed), phrase("findings.mend_failed")


def _mcp(server: dict[str, Any]) -> Told:
    if server["changed"]:
        told = {"count": len(server["tools"]), "changed": ", ".join(server["changed"])}
        return "warning", phrase("findings.mcp_changed", **told), phrase("findings.mend_changed", name=server["name"])
    login = server["login"]
    if server["unknown"]:
        told = {"count": len(server["tools"]), "unknown": ", ".join(server["unknown"])}
        return "warning", phrase("findings.mcp_effects", **told), phrase("findings.mend_mcp")
    if server["state"] == "ready" and not login:
        return "ok", phrase("findings.mcp", count=len(server.get("tools", ())))
    if server["state"] == "disabled":
        return "ok", phrase("findings.mcp_off")
    if server["state"] == "connecting" and not server["error"] and not login:
        return "ok", phrase("findings.mcp_begun")
    away = phrase(f"findings.mcp_{'login' if login else server['state']}", reason=server["error"] or "")
    mend = "mend_login" if login else {"key": "mend_mcp_key", "away": "mend_mcp_away"}.get(server["cause"], "mend_mcp")
    return "warning", away, phrase(f"findings.{mend}", name=server["name"])


def _tools(dure: Dure) -> Told:
    """The tools, and the libraries that some lack."""
    lacking = {name: tool.lacks for name, tool in dure.tools.items() if tool.lacks}
    working = ", ".join(name for name in dure.tools if name not in lacking)
    if not lacking:
        return "ok", same(working)
    libraries = ", ".join(f"{name} ({library})" for name, library in lacking.items())
    return "warning", phrase("findings.lacking", working=working, libraries=libraries), same(install_line("office"))


def _teams(dure: Dure) -> Told:
    """The teams, and tools that their agents name and that do not exist."""
    names = ", ".join(dure.teams)
    placed = [pair for t in dure.teams.values() for pair in ((t.name, t.model), *((a.name, a.model) for a in t.agents))]
    models = [f"{name}: {model}" for name, model in placed if model and model not in {*dure.models}]
    servers = [each["name"] for each in dure.mcp.status()]
    unknown = ", ".join([*unknown_tools(dure.teams.values(), dure.tools, servers), *models][:5])
    if not unknown:
        return "ok", same(names)
    return "warning", phrase("findings.unknown", names=names, unknown=unknown), phrase("findings.mend_teams")
