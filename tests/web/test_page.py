"""How the page's files are served: to all, quickly, and nothing else with them."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from dure import Dure
from dure.api import create_app
from dure.web import page


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Of a server with API keys; none is sent."""
    app = create_app(Dure(data_dir=tmp_path, api_keys="kim:1"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://dure.example") as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of our own."""
    folder = tmp_path / "static"
    (folder / "js").mkdir(parents=True)
    (folder / "index.html").write_text('<script type="module" src="static/js/main.js"></script>')
    (folder / "js" / "main.js").write_text("// 두레\n" * 100)
    (folder / "logo.png").write_bytes(bytes(range(256)))
    (folder / ".secret.js").write_text("x")
    (folder / "notes.txt").write_text("x")
    (tmp_path / "outside.js").write_text("x")
    (folder / "link.js").symlink_to(tmp_path / "outside.js")
    (folder / "linked").symlink_to(tmp_path)
    monkeypatch.setattr(page, "FOLDER", folder)
    monkeypatch.setattr(page, "assets", lambda: page_assets(folder))
    return folder


page_assets = page.assets


async def test_the_page_is_open_to_all_and_strict(client: httpx.AsyncClient) -> None:
    reply = await client.get("/")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(p.strip().split(" ", 1) for p in reply.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in str(policy)
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["cache-control"] == "no-cache"
    assert reply.text.lower().startswith("<!doctype html>")


async def test_files_are_kept_for_good_under_the_versions_name(client: httpx.AsyncClient, folder: Path) -> None:
    html = (await client.get("/")).text
    path = html.split('"')[3]
    version = path.split("/")[1]
    assert path == f"static/{version}/js/main.js"
    reply = await client.get(f"/{path}")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in reply.headers["cache-control"]
    assert (await client.get("/static/js/main.js")).headers["cache-control"] == "no-cache"
    assert (await client.get("/static/0123456789ab/js/main.js")).status_code == 404
    page_assets.cache_clear()
    (folder / "logo.png").write_bytes(b"new")
    assert (await client.get("/")).text != html


async def test_a_file_that_is_known_is_not_sent_again(client: httpx.AsyncClient, folder: Path) -> None:
    etag = (await client.get("/")).headers["etag"]
    for given in (etag, f'"x", {etag}', etag.removeprefix("W/"), "*"):
        reply = await client.get("/", headers={"If-None-Match": given})
        assert (reply.status_code, reply.content, reply.headers["etag"]) == (304, b"", etag)
    assert (await client.get("/", headers={"If-None-Match": '"x"'})).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "packed"), [("gzip", True), ("br, GZIP;q=0.5", True), ("", False), ("identity", False)]
)
async def test_compression(client: httpx.AsyncClient, folder: Path, accepted: str, packed: bool) -> None:
    async with client.stream("GET", "/static/js/main.js", headers={"Accept-Encoding": accepted}) as reply:
        raw = b"".join([chunk async for chunk in reply.aiter_raw()])
    data = (folder / "js" / "main.js").read_bytes()
    assert reply.headers["vary"] == "Accept-Encoding"
    assert (reply.headers.get("content-encoding") == "gzip") == packed
    assert (gzip.decompress(raw) if packed else raw) == data
    assert int(reply.headers["content-length"]) == len(raw)
    picture = await client.get("/static/logo.png", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in picture.headers


@pytest.mark.parametrize("path", ["/", "/static/js/main.js"])
async def test_head(client: httpx.AsyncClient, folder: Path, path: str) -> None:
    got, head = await client.get(path), await client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]
    assert head.headers["etag"] == got.headers["etag"]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "js",
            "js/",
            "nothing.js",
            ".secret.js",
            "notes.txt",
            "link.js",
            "linked/outside.js",
            "../outside.js",
            "..%2foutside.js",
        ),
        *(
            "js/../../outside.js",
            "%2e%2e/outside.js",
            "js%2f..%2findex.html",
            "/etc/passwd",
            "//etc/passwd",
            "..\\outside.js",
        ),
        *("js/main.js/", "JS/main.js", "js/main.js%00", "page.py", "../page.py"),
    ],
)
async def test_nothing_else_is_reachable(client: httpx.AsyncClient, folder: Path, path: str) -> None:
    reply = await client.get(httpx.URL("http://dure.example", raw_path=f"/static/{path}".encode()))
    assert reply.status_code in (404, 422)
    assert reply.json()["error"]["code"] in ("not_found", "invalid_text")


async def test_only_reading(client: httpx.AsyncClient) -> None:
    assert (await client.post("/")).status_code == 405
    assert (await client.put("/static/index.html")).status_code == 405


async def test_without_keys_only_names_of_this_machine_see_it(tmp_path: Path) -> None:
    app = create_app(Dure(data_dir=tmp_path))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        assert (await client.get("/")).status_code == 200
        assert (await client.get("/", headers={"Host": "evil.example"})).status_code == 403


def test_every_file_of_the_page_is_served() -> None:
    found = {p.relative_to(page.FOLDER).as_posix() for p in page.FOLDER.rglob("*") if p.is_file()}
    assert found == set(page.assets().files)
    assert "index.html" in found
