"""What surrounds every request."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route, Router

from dure.api.guard import Guard, is_loopback

Ask = Callable[..., Awaitable[httpx.Response]]


async def _fine(request: Request) -> JSONResponse:
    return JSONResponse({"ok": True})


async def _broken(request: Request) -> JSONResponse:
    raise RuntimeError("a secret of the inside")


@pytest.fixture
async def ask(request: pytest.FixtureRequest) -> AsyncIterator[Ask]:
    app = Router(routes=[Route("/", _fine, methods=["GET", "POST"]), Route("/broken", _broken)])
    guarded = Guard(app, open_to_all=getattr(request, "param", True))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guarded), base_url="http://localhost:8321") as client:
        yield client.request


async def test_headers_for_browsers(ask: Ask) -> None:
    reply = await ask("GET", "/")
    assert reply.status_code == 200
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in reply.headers


async def test_an_unforeseen_failure_is_a_500_that_tells_nothing(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    reply = await ask("GET", "/broken")
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal_error")
    assert "secret" not in reply.text
    assert "a secret of the inside" in caplog.text
    assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8321", "127.0.0.1.evil.example", "10.0.0.1", "", "[::"])
async def test_without_keys_only_this_machines_names(ask: Ask, host: str) -> None:
    reply = await ask("GET", "/", headers={"Host": host})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8321", "[::1]:8321", "dure.localhost"])
async def test_names_of_this_machine(ask: Ask, host: str) -> None:
    assert (await ask("GET", "/", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("ask", [False], indirect=True)
async def test_with_keys_any_name(ask: Ask) -> None:
    assert (await ask("GET", "/", headers={"Host": "dure.example"})).status_code == 200


@pytest.mark.parametrize("path", ["/%00", "/?q=a%00b"])
async def test_nul_is_refused_before_a_store_chokes_on_it(ask: Ask, path: str) -> None:
    reply = await ask("GET", path)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_text")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://[", ""])
async def test_foreign_pages_cannot_act(ask: Ask, origin: str) -> None:
    reply = await ask("POST", "/", headers={"Origin": origin})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")


async def test_our_own_page_can(ask: Ask) -> None:
    assert (await ask("POST", "/", headers={"Origin": "http://localhost:8321"})).status_code == 200


def test_loopback() -> None:
    assert is_loopback("127.8.8.8")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("::")
    assert not is_loopback("localhost.example")


@pytest.mark.parametrize(
    ("below", "path", "address"),
    [
        ("", "/where", "/"),
        ("", "/mounted/where", "/mounted/"),
        ("/out", "/where", "/out/"),
        ("/out", "/out/where", "/out/"),
        ("/out", "/mounted/where", "/out/"),
    ],
)
async def test_links_lead_below_the_path(below: str, path: str, address: str) -> None:
    """Where another app has mounted this one, or where a proxy serves it, which takes the path off or leaves it."""

    async def where(request: Request) -> JSONResponse:
        return JSONResponse(str(request.base_url))

    app: Any = Guard(Starlette(routes=[Route("/where", where)]), open_to_all=True, root_path=below)
    if path.startswith("/mounted"):
        app = Starlette(routes=[Mount("/mounted", app)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:8321") as client:
        assert (await client.get(path)).json() == f"http://localhost:8321{address}"
