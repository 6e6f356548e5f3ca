"""Pictures with a message over HTTP: to models that see, to models that do not, in later turns; and what is refused."""

import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from fixtures.pictures import GIF, JPEG, WEBP, png

from dure.models.refusals import UNSEEN
from dure.testing import ScriptedServer, call, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]

PNG = png(b"cats")
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


def ask(message: str = "무슨 그림?", **fields: Any) -> dict[str, Any]:
    return {"message": message, "team": "assistant"} | fields


def urls(body: dict[str, Any]) -> list[str]:
    """The pictures of a request, in order."""
    parts = [part for turn in body["messages"] if isinstance(turn["content"], list) for part in turn["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


async def test_a_picture_goes_to_the_model_and_is_stored_once(serve: Serve, tmp_path: Any) -> None:
    async with ScriptedServer(
        call("calculate", expression="1+1"), say("고양이 둘."), say("둘."), say("셋.")
    ) as scripted:
        client = await serve(scripted)
        first = (await client.post("/v1/chat", json=ask(images=[URL, base64.b64encode(JPEG).decode()]))).json()
        session, run_id = (first["metadata"][key] for key in ("thread_id", "run_id"))
        both = [URL, f"data:image/jpeg;base64,{base64.b64encode(JPEG).decode()}"]
        assert [urls(body) for body in scripted.requests] == [both, both]

        # The next message may be about them still; the one after that is not.
        await client.post("/v1/chat", json=ask("몇 마리?", session_id=session))
        await client.post("/v1/chat", json=ask("그리고?", session_id=session))
        assert [urls(body) for body in scripted.requests[2:]] == [both, []]
    run = (await client.get(f"/v1/runs/{run_id}")).json()
    kept = run["options"]["images"]
    assert [each["media_type"] for each in run["artifacts"]] == ["image/png", "image/jpeg"]
    loaded = await client.get(f"/v1/runs/{run_id}/artifacts/{kept[0].partition('/')[2]}")
    assert loaded.content == PNG
    record = json.dumps(run["events"])
    assert "[image]" in record
    assert base64.b64encode(PNG).decode() not in record
    assert len(list((tmp_path / "data" / "artifacts").rglob("f-*"))) == 2

    said = (await client.get(f"/v1/sessions/{session}/messages")).json()["messages"]
    assert [each["images"] for each in said] == [kept, [], [], [], [], []]
    await client.delete(f"/v1/sessions/{session}")
    assert list((tmp_path / "data" / "artifacts").rglob("f-*")) == []


async def test_a_picture_can_be_sent_again_by_its_name_by_its_owner(serve: Serve) -> None:
    async with ScriptedServer(say("고양이."), say("정말 고양이.")) as scripted:
        client = await serve(scripted, api_keys="kim:1,lee:2")
        kim, lee = ({"Authorization": f"Bearer {key}"} for key in "12")
        first = (await client.post("/v1/chat", json=ask(images=[URL]), headers=kim)).json()
        run = (await client.get(f"/v1/runs/{first['metadata']['run_id']}", headers=kim)).json()
        named = ask(images=run["options"]["images"])
        assert (await client.post("/v1/chat", json=named, headers=lee)).status_code == 404
        assert (await client.post("/v1/chat", json=named, headers=kim)).status_code == 200
        assert urls(scripted.requests[1]) == [URL]


async def test_who_asks_a_blind_model_is_told_and_so_is_the_model(serve: Serve) -> None:
    def refuses(body: dict[str, Any]) -> str | None:
        return "image input is not supported" if urls(body) else None

    async with ScriptedServer(say("못 봤습니다."), refuses=refuses) as scripted:
        client = await serve(scripted)
        reply = await client.post("/v1/chat", json=ask(images=[URL], stream=True))
        assert scripted.requests[0]["messages"][-1]["content"].endswith(UNSEEN)
    notices = [line for line in reply.text.splitlines() if "dure.notice" in line]
    assert len(notices) == 1
    assert "images_unseen" in notices[0]


async def test_who_asks_a_small_model_is_told_too(serve: Serve) -> None:
    async with ScriptedServer(say('{"asks": "nothing"}'), say("안녕하세요.")) as scripted:
        client = await serve(scripted, way="guided")
        reply = await client.post("/v1/chat", json=ask("안녕하세요", images=[URL], stream=True))
    assert len([line for line in reply.text.splitlines() if "images_unseen" in line]) == 1
    assert "안녕하세요." in reply.text


@pytest.mark.parametrize(
    ("images", "status", "code"),
    [
        (["https://example.com/cat.png"], 422, "invalid_input"),
        (["data:image/svg+xml;base64,PHN2Zz4="], 422, "invalid_input"),
        (["data:image/png;base64,%%%"], 422, "invalid_input"),
        ([URL] * 11, 422, "invalid_input"),
        ([base64.b64encode(PNG + bytes(5_000_000)).decode()], 413, "too_large"),
        (["r-" + "0" * 24 + "/f-" + "0" * 24], 404, "not_found"),
        ([1], 422, "invalid_input"),
    ],
)
async def test_what_is_no_picture_is_refused_and_nothing_is_stored(
    serve: Serve, images: list[Any], status: int, code: str
) -> None:
    async with ScriptedServer() as scripted:
        client = await serve(scripted)
        reply = await client.post("/v1/chat", json=ask(images=images))
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
        assert (await client.get("/v1/runs")).json()["runs"] == []


@pytest.mark.parametrize("whole", [PNG, JPEG, GIF, WEBP])
async def test_a_damaged_picture_is_named_before_anybody_is_asked(serve: Serve, whole: bytes) -> None:
    """Its beginning is right; a model server would refuse it with all of the question."""
    async with ScriptedServer(say("네.")) as scripted:
        client = await serve(scripted)
        assert (await client.post("/v1/chat", json=ask(images=[base64.b64encode(whole).decode()]))).status_code == 200
        for damaged in (whole[:12] + bytes(300), whole[:-6] if whole is JPEG else whole[:12]):
            images = [URL, base64.b64encode(damaged).decode()]
            reply = await client.post("/v1/chat", json=ask(images=images), headers={"Accept-Language": "en"})
            assert reply.status_code == 422
            assert "The picture '#2' is damaged" in reply.json()["error"]["message"]


async def test_a_message_to_a_busy_session_leaves_no_picture_behind(serve: Serve, tmp_path: Any) -> None:
    async with ScriptedServer(say("네.")) as scripted:
        client = await serve(scripted)
        first = (await client.post("/v1/chat", json=ask())).json()
        wrong = ask(images=[URL], session_id=first["metadata"]["thread_id"], instead_of=2)
        assert (await client.post("/v1/chat", json=wrong)).status_code == 422
    assert list((tmp_path / "data").rglob("artifacts/*/*")) == []


PARTS = [{"type": "text", "text": "무슨 그림?"}]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/v1/chat/completions",
            {"messages": [{"role": "user", "content": [*PARTS, {"type": "image_url", "image_url": {"url": URL}}]}]},
        ),
        (
            "/v1/responses",
            {
                "input": [
                    {
                        "role": "user",
                        "content": [{"type": "input_text", "text": "?"}, {"type": "input_image", "image_url": URL}],
                    }
                ]
            },
        ),
    ],
)
async def test_openais_clients_send_pictures_as_parts(serve: Serve, path: str, body: dict[str, Any]) -> None:
    async with ScriptedServer(say("고양이.")) as scripted:
        client = await serve(scripted)
        assert (await client.post(path, json={"model": "assistant", **body})).status_code == 200
        assert urls(scripted.requests[0]) == [URL]
        far = json.loads(json.dumps(body).replace(URL, "https://example.com/cat.png"))
        assert (await client.post(path, json={"model": "assistant", **far})).status_code == 400


async def test_ag_uis_clients_send_pictures_as_parts(serve: Serve) -> None:
    picture = {
        "type": "image",
        "source": {"type": "data", "value": base64.b64encode(PNG).decode(), "mimeType": "image/png"},
    }
    body = {"threadId": "t1", "runId": "r1", "messages": [{"id": "m", "role": "user", "content": [*PARTS, picture]}]}
    async with ScriptedServer(say("고양이.")) as scripted:
        client = await serve(scripted)
        assert (await client.post("/v1/agui/assistant", json=body)).status_code == 200
        assert urls(scripted.requests[0]) == [URL]
