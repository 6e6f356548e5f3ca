"""`/v1/schedules` over real HTTP."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from dure.testing import ScriptedServer, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
DAILY = {"cron": "0 9 * * 1-5", "zone": "Asia/Seoul", "message": "오늘 할 일은?", "team": "assistant"}


async def test_a_schedule_from_its_making_to_its_end(serve: Serve) -> None:
    async with ScriptedServer(say("답")) as scripted:
        client = await serve(scripted)
        reply = await client.post("/v1/schedules", json=DAILY)
        made = reply.json()
        assert (reply.status_code, made["to"], made["runs"], made["team"]) == (201, "session", [], "assistant")
        place = f"/v1/schedules/{made['id']}"
        asked = await client.post(f"{place}/run")
        assert asked.status_code == 202
        run_id = asked.json()["run_id"]
        assert "RUN_FINISHED" in (await client.get(f"/v1/runs/{run_id}/events")).text
        (run,) = (await client.get(place)).json()["runs"]
        assert (run["run_id"], run["due_at"]) == (run_id, None)
        paused = (await client.patch(place, json={"paused": True})).json()
        assert (paused["next_at"], paused["message"]) == (None, DAILY["message"])
        assert [each["id"] for each in (await client.get("/v1/schedules")).json()["schedules"]] == [made["id"]]
        assert (await client.delete(place)).status_code == 204
        assert (await client.get(place)).json()["error"]["code"] == "not_found"
        assert (await client.get(f"/v1/runs/{run_id}")).status_code == 200


async def test_what_is_wrong_is_said_in_the_readers_language(serve: Serve) -> None:
    client = await serve()

    async def refused(language: str, **change: Any) -> tuple[int, str]:
        reply = await client.post("/v1/schedules", json=DAILY | change, headers={"Accept-Language": language})
        return reply.status_code, reply.json()["error"]["message"]

    assert "다섯 칸" in (await refused("ko", cron="아침마다"))[1]
    assert "Five fields" in (await refused("en", cron="아침마다"))[1]
    assert "시간대" in (await refused("ko", zone="Seoul"))[1]
    assert "public internet" in (await refused("en", to="webhook", url="http://10.0.0.1/x"))[1]
    for change in ({"cron": 9}, {"unknown": 1}, {"to": "webhook", "secret": "short"}, {"message": "x" * 100_001}):
        assert (await refused("en", **change))[0] in (413, 422), change


async def test_a_secret_is_told_once(serve: Serve) -> None:
    client = await serve(webhook_hosts=["127.0.0.1:9"])
    hook = DAILY | {"to": "webhook", "url": "http://127.0.0.1:9/hook"}
    made = (await client.post("/v1/schedules", json=hook)).json()
    assert len(made["secret"]) > 30
    place = f"/v1/schedules/{made['id']}"
    assert made["secret"] not in (await client.get(place)).text + (await client.get("/v1/schedules")).text
    assert "secret" not in (await client.patch(place, json={"name": "다른 이름"})).json()
    given = {"secret": "a secret of one's own"}
    assert (await client.patch(place, json=given)).json()["secret"] == given["secret"]


async def test_others_schedules_are_not_there(serve: Serve) -> None:
    client = await serve(api_keys=["kim:1", "lee:2"])
    kim, lee = ({"Authorization": f"Bearer {key}"} for key in "12")
    made = (await client.post("/v1/schedules", json=DAILY, headers=kim)).json()
    assert (await client.get("/v1/schedules", headers=lee)).json() == {"schedules": []}
    place = f"/v1/schedules/{made['id']}"
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/run")):
        body = {"json": {}} if method == "PATCH" else {}
        assert (await client.request(method, place + path, headers=lee, **body)).status_code == 404
    assert (await client.get(place, headers=kim)).status_code == 200
