"""docs/http.md is true: its examples are run, its routes are the routes, its samples have the replies' fields."""

import importlib
import pkgutil
import re
import shlex
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import dure
from dure import errors
from dure.testing import ScriptedServer, call, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
TEXT = (Path(__file__).parents[2] / "docs" / "http.md").read_text("utf-8")
CURLS = re.findall(r"^curl .*$", TEXT, re.MULTILINE)


def request_of(command: str, known: dict[str, str]) -> dict[str, Any]:
    """A curl command as arguments of `httpx.AsyncClient.request`."""
    for name, value in known.items():
        command = command.replace(f"${name}", value)
    words = iter(shlex.split(command)[1:])
    method, data, params, headers = "", "", [], {}
    found: dict[str, Any] = {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, value = next(words).split(": ", 1)
            headers[name] = value
        elif word in ("-d", "--data-urlencode"):
            data = next(words)
            params.append(tuple(data.split("=", 1)))
        elif word == "-F":
            field, path = next(words).split("=@")
            found["files"] = [(field, (path, "연차휴가는 1년에 15일이다.".encode()))]
        elif not word.startswith("-"):
            found["url"] = word
    if "-G" in shlex.split(command):
        found |= {"method": "GET", "params": params}
    else:
        found["method"] = method or ("POST" if data or "files" in found else "GET")
        if data:
            found["content"] = data.encode()
    return found | {"headers": headers}


async def test_every_example_works(serve: Serve) -> None:
    known: dict[str, str] = {"DURE": ""}
    replies: dict[str, Any] = {}
    script = call("search_knowledge_base", queries=["연차휴가"]), say("15일입니다. [1]"), say("안녕하세요.")
    async with ScriptedServer(*script) as scripted:
        client = await serve(scripted)
        for command in CURLS:
            reply = await client.request(**request_of(command, known))
            assert reply.status_code < 300, (command, reply.text)
            path = str(reply.request.url.path)
            if reply.headers.get("content-type") == "application/json":
                replies[f"{reply.request.method} {path}"] = reply.json()
            if path == "/v1/chat" and "RUN" not in known:
                known["RUN"] = reply.json()["metadata"]["run_id"]
                known["SESSION"] = reply.json()["metadata"]["thread_id"]
            if reply.request.method == "POST" and path == "/v1/documents":
                known["DOCUMENT"] = reply.json()["documents"][0]["id"]
    samples = [httpx.Response(200, text=s).json() for s in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]
    same_fields(samples[0], replies["POST /v1/chat"])
    same_fields(samples[1], replies["POST /v1/documents"])
    same_fields(samples[2], replies["POST /v1/render"])


def same_fields(sample: Any, real: Any) -> None:
    """Every field of the sample is one of the real reply's, in depth; lists by their first entries."""
    if isinstance(sample, dict) and "queries" not in sample:
        assert set(sample) <= set(real)
        for key, value in sample.items():
            same_fields(value, real[key])
    elif isinstance(sample, list) and sample and real:
        same_fields(sample[0], real[0])


async def test_the_routes_are_the_routes(serve: Serve) -> None:
    paths = (await (await serve()).get("/openapi.json")).json()["paths"]
    real = {f"{m.upper()} {p}" for p, methods in paths.items() for m in methods if m != "head"}
    assert set(re.findall(r"^\| `([A-Z]+ /\S+)` \|", TEXT, re.MULTILINE)) == real


async def test_the_machines_description_says_where_a_key_is_needed(serve: Serve) -> None:
    described = (await (await serve()).get("/openapi.json")).json()
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    open_ones = {
        path for path, methods in described["paths"].items() for m in methods.values() if not m.get("security")
    }
    assert open_ones == {"/healthz", "/readyz"}


def kinds(of: type[errors.DureError]) -> Iterator[type[errors.DureError]]:
    yield of
    for each in of.__subclasses__():
        yield from kinds(each)


# They keep a process from starting, or are met by commands.
NOT_OVER_HTTP = {"cannot_listen", "evaluation_file", "keys_needed", "team_file"}


def test_the_codes_are_the_codes() -> None:
    """Of all errors but those of tools, which end in a call's result."""
    for module in pkgutil.walk_packages(dure.__path__, "dure."):
        if module.name.startswith(("dure.papers", "dure.knowledge", "dure.runs", "dure.models")):
            importlib.import_module(module.name)
    tools = {e.code for e in kinds(errors.ToolError)}
    known = {e.code: e.status for e in kinds(errors.DureError) if e.__module__.startswith("dure.")}
    rows = re.findall(r"^\| ([0-9, ]+) \| (.*) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 8
    told = {code for _, codes in rows for code in re.findall(r"`(\w+)`", codes)}
    assert told == known.keys() - tools - NOT_OVER_HTTP
    for statuses, codes in rows:
        for code in re.findall(r"`(\w+)`", codes):
            assert str(known[code]) in statuses, code


@pytest.mark.parametrize("limit", ["100,000", "DURE_MAX_UPLOAD_BYTES", "DURE_MAX_MESSAGE_CHARS", "100 files"])
def test_the_limits_are_told(limit: str) -> None:
    assert limit in TEXT
