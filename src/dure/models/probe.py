"""What a model server can do, found out by asking it.

llama.cpp tells at `/props`, Ollama at `/api/show`, some gateways in `/v1/models`; of any other server it is concluded
from one tiny request with a dummy tool. The others are sent that too, where tools are said to work: what refuses them,
or loses the arguments of a call, does not work.
"""

import asyncio
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dure.dialects import DIALECTS, Reply
from dure.dialects.learnt import learn
from dure.errors import ModelError, ModelTimeout, ModelUnavailable, phrase
from dure.models.facts import Facts, Kind
from dure.models.refusals import IMAGES, PROBE_ARGS, PROBE_TOOL, QUESTION, changed, find_out, may_be_form
from dure.tooling import openai_tool

_OLLAMA_DEFAULT = 4096
"""Tokens of context that Ollama gives a model whose Modelfile does not set `num_ctx`, whatever the model could do."""

_NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
_TOOL = openai_tool(PROBE_TOOL, "Reports that tools work.", _NUMBER)
_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length")


async def probe(client: Any) -> Facts:
    """Ask the server behind a `ChatClient`. Raises the client's errors when it cannot be reached or refuses the key."""
    model = await client.resolve()
    props, version, models = await asyncio.gather(
        _quietly(client.get("/props")), _quietly(client.get("/api/version")), client.get("models")
    )
    if isinstance(props, dict) and ("chat_template" in props or "default_generation_settings" in props):
        facts = await _held_to(client, _llama_cpp(model, props))
        return await taught(facts, props.get("chat_template_tool_use") or props.get("chat_template"))
    if isinstance(version, dict) and "version" in version:
        shown = await _quietly(client.get("/api/show", {"model": model}))
        if isinstance(shown, dict) and "capabilities" in shown:
            return await taught(await _held_to(client, _ollama(model, shown)), shown.get("template"))
    status, listed = models
    # A key may be good for questions and not for the list.
    entry = next((each for each in entries(listed if status == 200 else None) if each.get("id") == model), {})
    kind: Kind = "vllm" if "max_model_len" in entry else "openai"
    context = next((int(entry[key]) for key in _CONTEXT_KEYS if isinstance(entry.get(key), int)), None)
    if "tools" in (entry.get("supported_parameters") or ()):
        return await _held_to(client, Facts(kind, model, "native", phrase("models_probe.listed"), context))
    dialect, why, without, _ = await _try_native(client)
    shown = await _quietly(client.get("/tokenizer_info")) if kind == "vllm" else None
    facts = Facts(kind, model, dialect, why, context, without)
    return await taught(facts, isinstance(shown, dict) and shown.get("chat_template"))


async def _held_to(client: Any, facts: Facts) -> Facts:
    """The facts of a server that says itself what it can, unless a call with it does not work. A model that calls
    nothing, or cannot be asked just now, says nothing against that."""
    if facts.dialect != "native":
        return facts
    with suppress(ModelError, ModelUnavailable, ModelTimeout):
        dialect, why, without, works = await _try_native(client)
        facts = replace(facts, without=facts.without | without)
        if works is False:
            return replace(facts, dialect=dialect, why=phrase("models_probe.but", told=facts.why, why=why))
    return facts


async def taught(facts: Facts, template: Any) -> Facts:
    """The facts, with how the model writes calls where its template tells."""
    written, thinks = await learn(template) if isinstance(template, str) else (None, False)
    if written is None:
        return replace(facts, thinks=thinks)
    head = f"{written.get('section', '')}{written['head']}"
    why = phrase("models_probe.template", told=facts.why, head=head)
    return replace(facts, written=written, thinks=thinks, why=why)


async def _quietly(request: Any) -> Any:
    """The JSON of a side route; None where the server does not have it."""
    try:
        status, value = await request
    except ModelUnavailable:
        return None
    return value if status == 200 else None


def _llama_cpp(model: str, props: dict[str, Any]) -> Facts:
    settings = props.get("default_generation_settings") or {}
    context = settings.get("n_ctx") or props.get("n_ctx")
    caps = props.get("chat_template_caps") or {}
    templates = f"{props.get('chat_template') or ''}{props.get('chat_template_tool_use') or ''}"
    able = caps.get("supports_tools", caps.get("supports_tool_calls", "tools" in templates))
    why = phrase("models_probe.able" if able else "models_probe.unable")
    sees = (props.get("modalities") or {}).get("vision") is not False
    blind: dict[str, str] = {} if sees else {IMAGES: phrase("models_probe.blind")}
    return Facts("llama.cpp", model, "native" if able else "schema", why, context or None, blind)


def _ollama(model: str, shown: dict[str, Any]) -> Facts:
    able = "tools" in shown["capabilities"]
    why = phrase("models_probe.capabilities", names=", ".join(shown["capabilities"]) or "–")
    info = shown.get("model_info") or {}
    most = next((int(v) for k, v in info.items() if k.endswith(".context_length") and isinstance(v, int)), None)
    given = re.search(r"^\s*num_ctx\s+(\d+)\s*$", str(shown.get("parameters") or ""), re.MULTILINE)
    context = int(given[1]) if given else min(most, _OLLAMA_DEFAULT) if most else None
    blind: dict[str, str] = {} if "vision" in shown["capabilities"] else {IMAGES: why}
    return Facts("ollama", model, "native" if able else "schema", why, context, blind)


def entries(listed: Any) -> list[dict[str, Any]]:
    """What a server's list of models holds; some send the list bare."""
    found = listed.get("data") if isinstance(listed, dict) else listed
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


async def _try_native(client: Any) -> tuple[str, str, dict[str, str], bool | None]:
    """The dialect, why, what the server does not take, and whether a call works with it; None where none was made."""
    # Enough for a call; a model that thinks first is cut off, which says nothing against it.
    body = {**DIALECTS["native"].request(QUESTION, [_TOOL]), "temperature": 0.0, "max_tokens": 64}
    without: dict[str, str] = {}
    try:
        reply = await _asked(client, body)
    except ModelError as error:
        if may_be_form(error):
            without = await find_out(client, body, str(error.details["reason"]))
        if not without:
            raise
        if "tools" in without:
            return "schema", phrase("models_probe.refused", form="tools", told=without["tools"]), without, False
        reply = await _asked(client, changed(body, without))
    calls = [call for call in reply.tool_calls if call.name == PROBE_TOOL]
    if any(str(call.args.get("number")) == str(PROBE_ARGS["number"]) for call in calls):
        return "native", phrase("models_probe.called"), without, True
    if calls and reply.finish_reason != "length":
        return "schema", phrase("models_probe.lost"), without, False
    if reply.finish_reason == "length":
        return "native", phrase("models_probe.thinking"), without, None
    return "schema", phrase("models_probe.uncalled"), without, None


async def _asked(client: Any, body: dict[str, Any]) -> Reply:
    reader = DIALECTS["native"].reader([_TOOL])
    async for delta in client.stream(body):
        reader.feed(delta)
    return reader.finish()
