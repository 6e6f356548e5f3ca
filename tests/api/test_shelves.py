"""`/v1/shelves`, and documents on them, over real HTTP."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
KEYS = ["boss:admin:key-of-boss", "kim:key-of-kim", "lee:key-of-lee"]
BOSS, KIM, LEE = ({"Authorization": f"Bearer key-of-{name}"} for name in ("boss", "kim", "lee"))
TEXT = "출장비는 하루 오만원까지 쓸 수 있다."


async def put(client: httpx.AsyncClient, member: str, role: str, **headers: str) -> int:
    path = f"/v1/shelves/인사 규정/members/{member}"
    return (await client.put(path, json={"role": role}, headers=headers)).status_code


async def upload(client: httpx.AsyncClient, shelf: str, **headers: str) -> httpx.Response:
    file = {"file": ("규정.txt", TEXT.encode())}
    return await client.post("/v1/documents", params={"shelf": shelf}, files=file, headers=headers)


async def test_of_a_shelf_made_for_readers_its_maker_is_an_editor(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    assert await put(client, "*", "reader", **BOSS) == 204
    (shelf,) = (await client.get("/v1/shelves", headers=BOSS)).json()["shelves"]
    assert (shelf["members"], shelf["role"]) == ({"*": "reader", "boss": "editor"}, "editor")
    assert (await upload(client, "인사 규정", **BOSS)).status_code == 202
    assert (await upload(client, "인사 규정", **KIM)).status_code == 403
    # Whoever is taken off is not put on again by the next member.
    assert (await client.delete("/v1/shelves/인사 규정/members/boss", headers=BOSS)).status_code == 204
    assert await put(client, "lee", "reader", **BOSS) == 204
    (shelf,) = (await client.get("/v1/shelves", headers=BOSS)).json()["shelves"]
    assert shelf["members"] == {"*": "reader", "lee": "reader"}


async def test_a_shelf_from_its_making_to_its_end(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    assert await put(client, "kim", "editor", **BOSS) == 204
    assert await put(client, "lee", "reader", **BOSS) == 204
    reply = await upload(client, "인사 규정", **KIM)
    assert (reply.status_code, reply.json()["documents"][0]["shelf"]) == (202, "인사 규정")
    id = reply.json()["documents"][0]["id"]

    owners = (await client.get("/v1/shelves", headers=BOSS)).json()["owners"]
    assert owners == [["boss", "admin"], ["kim", "owner"], ["lee", "owner"]]
    assert "owners" not in (await client.get("/v1/shelves", headers=KIM)).json()

    async def shelves(**headers: str) -> Any:
        return (await client.get("/v1/shelves", headers=headers)).json()["shelves"]

    assert await shelves(**LEE) == [{"name": "인사 규정", "documents": 1, "role": "reader"}]
    members = {"kim": "editor", "lee": "reader"}
    assert await shelves(**BOSS) == [{"name": "인사 규정", "documents": 1, "role": None, "members": members}]
    assert (await client.get(f"/v1/documents/{id}", headers=BOSS)).status_code == 404, "who manages reads nothing"
    assert (await client.get(f"/v1/documents/{id}/text", headers=LEE)).json()["text"] in ("", TEXT)
    assert (await upload(client, "인사 규정", **LEE)).json()["error"]["code"] == "forbidden"
    assert (await client.delete(f"/v1/documents/{id}", headers=LEE)).status_code == 403
    assert (await client.delete("/v1/shelves/인사 규정/members/lee", headers=BOSS)).status_code == 204
    assert (await client.get(f"/v1/documents/{id}/text", headers=LEE)).status_code == 404
    assert await shelves(**LEE) == []
    assert (await upload(client, "인사 규정", **LEE)).status_code == 404
    assert (await client.delete("/v1/shelves/인사 규정/members/kim", headers=BOSS)).status_code == 409
    assert (await client.delete("/v1/shelves/인사 규정", headers=BOSS)).status_code == 204
    assert (await client.get("/v1/documents", headers=KIM)).json() == {"documents": []}


async def test_what_is_told_of_a_member_is_read_with_a_limit_and_after_the_key(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    path, long = "/v1/shelves/인사 규정/members/kim", b'{"role":' + b" " * 200_000 + b'"reader"}'
    json = {"Content-Type": "application/json"}
    assert (await client.put(path, content=long, headers=BOSS | json)).status_code == 413
    assert (await client.put(path, content=b"{", headers=json)).status_code == 401
    assert (await client.put(path, content=b'{"role":"reader"}', headers=BOSS)).status_code == 415


async def test_only_admins_manage_shelves(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    assert await put(client, "kim", "editor", **KIM) == 403
    assert await put(client, "kim", "reader", **BOSS) == 204
    assert await put(client, "kim", "editor", **KIM) == 403
    for path in ("/v1/shelves/인사 규정", "/v1/shelves/인사 규정/members/kim"):
        assert (await client.delete(path, headers=KIM)).status_code == 403
    assert await put(client, "kim", "owner", **BOSS) == 422
    assert await put(client, "*", "reader", **BOSS) == 204
    assert [each["role"] for each in (await client.get("/v1/shelves", headers=LEE)).json()["shelves"]] == ["reader"]


async def test_search_in_some_documents_and_what_is_near(serve: Serve) -> None:
    client = await serve()
    files = [("file", ("a.txt", TEXT.encode())), ("file", ("b.md", f"# 규정\n\n{TEXT}".encode()))]
    first, second = (await client.post("/v1/documents", files=files)).json()["documents"]
    while any(d["status"] != "ready" for d in (await client.get("/v1/documents")).json()["documents"]):
        pass

    async def found(**given: str) -> list[str]:
        reply = await client.get("/v1/search", params={"q": "출장비 하루", **given})
        assert reply.status_code == 200, reply.text
        assert all(set(p["why"]) == {"words", "meaning", "context"} for p in reply.json()["passages"])
        return sorted(p["document_id"] for p in reply.json()["passages"])

    assert await found() == await found(shelf="personal", since="2000-01-01") == sorted([first["id"], second["id"]])
    assert await found(kind="markdown") == [second["id"]]
    assert await found(folder="x") == await found(until="2000-01-01") == []
    for wrong in ({"since": "yesterday"}, {"until": "2026-13-01"}):
        assert (await client.get("/v1/search", params={"q": "출장비", **wrong})).status_code == 422
    assert (await client.get("/v1/search", params={"q": "출장비", "shelf": "x"})).status_code == 404
    near = (await client.get(f"/v1/documents/{first['id']}/nearest")).json()["documents"]
    assert [(d["id"], "출장비" in d["passage"]["text"]) for d in near] == [(second["id"], True)]
