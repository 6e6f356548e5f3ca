"""Tries everything out that `dure doctor` tells of."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from dure import configured, findings
from dure.app import Dure
from dure.cli.words import language
from dure.errors import DatabaseUnavailable, DureError, SettingsError, TeamFileError, phrase
from dure.findings import Finding, Told, failure, look, part_of, same
from dure.messages import ToolCall, user
from dure.models.diagnosis import TRIAL, measure, solved
from dure.settings import BUNDLED, Settings, is_loopback, load_settings, unknown_variables
from dure.storage.sqlite import FULL, unwritable
from dure.tooling import ToolContext
from dure.toolsets import run_call

_PATIENCE = 120.0
"""Seconds for the model to start and to answer one small question."""
_MCP_PATIENCE = 30.0


async def examine(owner: str) -> AsyncGenerator[Finding, None]:
    """All findings, in the order they are made. owner: whose documents are looked at."""
    try:
        settings = load_settings()
        yield Finding("settings", part_of("settings"), *_settings())
    except DureError as error:
        yield failure("settings", part_of("settings"), error, phrase("findings.mend_settings"))
        return
    yield await look("disk", part_of("disk"), _disk(settings), phrase("findings.mend_disk"))
    async with AsyncExitStack() as stack:
        try:
            dure = await stack.enter_async_context(Dure(settings, take_over=False))
        except Exception as error:
            yield _unopened(error)
            return
        answers = False
        for each in await findings.model(dure, lambda: asyncio.wait_for(dure.model.ready(), _PATIENCE), fresh=True):
            yield each
            answers = each.state == "ok"
        if answers:
            mend = partial(findings.mend_of, dure)
            asked = await look("answer", part_of("answer"), _asked(dure), mend, within=_PATIENCE)
            yield await findings.instead(dure, asked)
            answers = asked.state != "failed"
        if answers and settings.default_model.provider != BUNDLED:
            yield await look("solves", part_of("solves"), _solves(dure), mend, within=_PATIENCE)
        for name in list(dure.models)[1:]:
            mend = partial(findings.mend_of, dure, name=name)
            yield await look(f"model:{name}", same(name), _other(dure, name), mend, "warning", _PATIENCE)
        if answers and settings.default_model.provider != BUNDLED:
            yield await look("window", part_of("measured"), _window(dure), state="warning", within=_PATIENCE)
        await dure.mcp.ready(_MCP_PATIENCE)
        async for each in findings.all_of(dure, owner):
            yield each
        yield Finding("tools called", part_of("called"), *await _called(dure, owner))
        yield Finding("server", part_of("server"), *_reach(settings))


def _settings() -> Told:
    file = configured.config_file()
    found = same(str(file)) if file else phrase("findings.environment")
    if unknown := ", ".join(unknown_variables()):
        told = {"ko": found.ko, "en": str(found)}
        return "warning", phrase("findings.no_settings", found=told, unknown=unknown), phrase("findings.mend_names")
    return "ok", found


def _unopened(error: Exception) -> Finding:
    """Why nothing else could be tried: a team file, a setting that names a file, else the store."""
    if isinstance(error, TeamFileError) or (
        isinstance(error, SettingsError) and error.details.get("key") not in ("DURE_DATABASE_URL", "DURE_DATA_DIR")
    ):
        return failure("settings", part_of("settings"), error, phrase("findings.mend_settings"))
    full = isinstance(error, DatabaseUnavailable) and error.details.get("kind") == "full"
    mend = phrase("findings.mend_space") if full else same("DURE_DATABASE_URL, DURE_DATA_DIR")
    return failure("store", part_of("store"), error, mend)


async def _disk(settings: Settings) -> Told:
    folder = settings.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    if (error := unwritable(folder)) is not None and error.errno not in FULL:
        raise error
    free = shutil.disk_usage(folder).free / 1e9
    found = phrase("findings.disk", folder=folder, free=free)
    return ("failed" if error else "warning", found, phrase("findings.mend_space")) if free < 1 else ("ok", found)


async def _asked(dure: Dure) -> Told:
    """Whether the model answers, and how fast."""
    asked = await dure.model.ask([user("1 + 1 = ? Answer with the number only.")], max_tokens=200)
    answer = " ".join(asked.reply.content.split())[:40]
    tokens = asked.reply.usage.prompt_tokens + asked.reply.usage.completion_tokens
    found = phrase("findings.answered", answer=answer, seconds=asked.seconds, tokens=tokens)
    return ("ok", found) if answer else ("warning", found, phrase("findings.empty"))


async def _solves(dure: Dure) -> Told:
    """Whether the model understands what every model that is worth asking does."""
    right, most = await solved(dure.model), len(TRIAL)
    found = phrase("findings.solves", right=right, most=most)
    if right >= most - 1:
        return "ok", found
    return "warning" if right else "failed", found, phrase("findings.mend_solves")


async def _other(dure: Dure, name: str) -> Told:
    """Whether one of the models that are not the default can be asked."""
    model = dure.models[name]
    await model.ready()
    facts = await model.facts(fresh=True)
    return "ok", same(f"{model.name} ({facts.kind}, {facts.dialect})")


async def _window(dure: Dure) -> Told:
    """Whether as many tokens arrive as are counted on, and in time."""
    found, believed, limit = await measure(dure.model), dure.model.context, dure.settings.default_model.timeout
    if found is None:
        return "ok", phrase("findings.window_unknown")
    tokens, seconds, whole = found
    full = seconds * believed / max(tokens, 1)
    told = {"tokens": tokens, "believed": believed, "seconds": seconds, "full": full, "limit": limit}
    if not whole:
        return "warning", phrase("findings.window", **told), same(f"DURE_MODEL_CONTEXT={tokens}")
    if full > limit:
        return "warning", phrase("findings.slow_full", **told), same("DURE_MODEL_TIMEOUT")
    return "ok", phrase("findings.window_ok", **told)


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
            return "failed", same(f"{name}: {result.text[:200]}"), phrase("findings.mend_tools")
    return "ok", same(", ".join(calls))


def _reach(settings: Settings) -> Told:
    keys, address = len(settings.api_keys), f"{settings.host}:{settings.port}"
    if keys:
        return "ok", phrase("findings.keys", address=address, keys=keys)
    if is_loopback(settings.host):
        return "ok", phrase("findings.here", address=address)
    return "failed", phrase("findings.open", address=address), same("DURE_API_KEYS")
