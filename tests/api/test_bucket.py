"""Servers without a shared folder: one database, one bucket, a data folder for each."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from fixtures.s3 import bucket_on, serving

from dure import Agent, Team, tool
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, ToolResult

Serve = Callable[..., Awaitable[httpx.AsyncClient]]


@tool
def write_report(text: str) -> ToolResult:
    """Write a report."""
    return ToolResult("written", files=[File("보고서.txt", text.encode(), "text/plain")])


DESK = Team(name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=[write_report])])


async def test_what_one_server_keeps_another_reads(
    serve: Serve, postgres_url: str, s3: str, tmp_path: Path, make_pdf: Callable[..., bytes]
) -> None:
    script = call("write_report", text="내용"), say("썼습니다.")
    async with ScriptedServer(*script) as scripted:
        given = {"database_url": postgres_url, "files": s3, "tools": [write_report], "teams": [DESK]}
        one = await serve(scripted, data_dir=tmp_path / "one", **given)
        other = await serve(scripted, data_dir=tmp_path / "other", **given)
        answer = (await one.post("/v1/chat", json={"message": "써 줘", "team": "desk"})).json()
        (made,) = answer["metadata"]["artifacts"]
        way = f"/v1/runs/{answer['metadata']['run_id']}/artifacts/{made['id']}"
        for client in (one, other):
            assert (await client.get(way)).content.decode() == "내용"

        data = make_pdf([[(12, "Holidays are 15 days.")]])
        added = (await one.post("/v1/documents", files={"file": ("rules.pdf", data)})).json()["documents"][0]
        place = f"/v1/documents/{added['id']}"
        while (read := (await other.get(place)).json())["status"] not in ("ready", "failed"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        assert read["status"] == "ready"
        for client in (one, other):
            assert (await client.get(f"{place}/original")).content == data
            assert (await client.get(f"{place}/pages/1.png")).content.startswith(b"\x89PNG")

        assert (await other.delete(place)).status_code == 204
        assert (await other.delete(f"/v1/sessions/{answer['metadata']['thread_id']}")).status_code == 204
        for client in (one, other):
            assert (await client.get(f"{place}/original")).status_code == 404
            assert (await client.get(way)).status_code == 404
        kept = [each for name in ("one", "other") for each in (tmp_path / name).rglob("*") if each.is_file()]
        assert not [each for each in kept if each.parts[-2] in ("files", "artifacts")]


async def test_a_bucket_that_goes_away_is_told_of(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        with serving() as server:
            client = await serve(scripted, files=bucket_on(server, monkeypatch))
            assert (await client.get("/readyz")).json()["store"] == {"status": "ok"}
            assert (await client.post("/v1/documents", files={"file": ("a.txt", b"one")})).status_code == 202
        ready = await client.get("/readyz")
        assert ready.status_code == 503
        store = ready.json()["store"]
        assert store in ({"status": "busy"}, {"status": "failed", "error": {"code": "files_unavailable"}})
        refused = await client.post(
            "/v1/documents", files={"file": ("b.txt", b"two")}, headers={"Accept-Language": "ko"}
        )
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "files_unavailable"
        assert "AWS_ENDPOINT_URL" in refused.json()["error"]["message"]
