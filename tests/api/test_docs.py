"""docs/http.md is true: its routes are the routes, its codes the codes. Its examples are run by tests/docs."""

import importlib
import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import httpx
import pytest

import dure
from dure import errors

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
TEXT = (Path(__file__).parents[2] / "docs" / "http.md").read_text("utf-8")


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
    assert open_ones == {"/healthz", "/readyz", "/v1/shared/{link}", "/v1/tools/callback"}


def kinds(of: type[errors.DureError]) -> Iterator[type[errors.DureError]]:
    yield of
    for each in of.__subclasses__():
        yield from kinds(each)


# They keep a process from starting, or are met by commands and in Python.
NOT_OVER_HTTP = {
    "already_open",
    "cannot_listen",
    "evaluation_file",
    "invalid_tool",
    "keys_needed",
    "not_open",
    "team_file",
}


def test_the_codes_are_the_codes() -> None:
    """Of all errors but those of tools, which end in a call's result."""
    for module in pkgutil.walk_packages(dure.__path__, "dure."):
        if ".migrations." not in module.name and not module.name.startswith(("dure.__main__", "dure.testing")):
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
