"""`/v1/documents` and `/v1/search` over real HTTP."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
Pour = Callable[..., Awaitable[tuple[int, Any]]]

TEXT = "연차휴가는 1년에 15일이다. 3년이 지나면 2년마다 하루가 늘어난다.\n\n출장비는 하루 5만 원까지 쓸 수 있다."


async def settled(client: httpx.AsyncClient, document_id: str) -> dict[str, Any]:
    """The document once it is ready or failed."""
    async with asyncio.timeout(30):
        while True:
            found: dict[str, Any] = (await client.get(f"/v1/documents/{document_id}")).json()
            if found["status"] in ("ready", "failed"):
                return found
            await asyncio.sleep(0.01)


def file(name: str, content: bytes | str) -> tuple[str, tuple[str, bytes]]:
    return ("file", (name, content.encode() if isinstance(content, str) else content))


async def test_upload_search_and_delete(serve: Serve) -> None:
    client = await serve()
    reply = await client.post("/v1/documents", files=[file("규정.txt", TEXT)])
    assert reply.status_code == 202
    (taken,) = reply.json()["documents"]
    assert taken["name"] == "규정.txt"
    assert taken["status"] in ("queued", "indexing", "ready")
    document = await settled(client, taken["id"])
    assert document["status"] == "ready"
    passages = (await client.get(f"/v1/documents/{taken['id']}/passages")).json()["passages"]
    assert passages
    for each in passages:
        assert TEXT[each["start"] : each["end"]] == each["text"]
    found = (await client.get("/v1/search", params={"q": "연차휴가는 며칠", "k": 1})).json()
    assert "15일" in found["passages"][0]["text"]
    assert found["passages"][0]["document_id"] == taken["id"]
    assert 0 <= found["evidence"] <= 1
    again = (await client.post("/v1/documents", files=[file("규정.txt", TEXT)])).json()["documents"]
    assert [d["id"] for d in again] == [taken["id"]]
    assert (await client.delete(f"/v1/documents/{taken['id']}")).status_code == 204
    assert (await client.get("/v1/documents")).json() == {"documents": []}
    assert (await client.get("/v1/search", params={"q": "연차"})).json()["passages"] == []


async def test_several_files_at_once_and_one_that_cannot_be_taken(serve: Serve) -> None:
    client = await serve()
    files = [file("a.txt", TEXT), file("b.exe", b"MZ\x90\x00\x03" * 40), file("c.md", "# 제목\n\n본문이다.")]
    reply = await client.post("/v1/documents", files=files)
    assert reply.status_code == 202
    assert [d["name"] for d in reply.json()["documents"]] == ["a.txt", "c.md"]
    (failed,) = reply.json()["failed"]
    assert (failed["name"], failed["error"]["code"]) == ("b.exe", "unsupported_file")


async def test_tags_of_a_form_and_changed_afterwards(serve: Serve) -> None:
    client = await serve()
    files = [file("규정.txt", "연차휴가는 15일이다."), file("여비.txt", "출장비와 연차휴가 수당은 5만 원이다.")]
    for each, tags in zip(files, (["HR", "내규"], []), strict=True):
        made = (await client.post("/v1/documents", files=[each], data={"tag": tags})).json()["documents"][0]
        assert made["tags"] == [tag.lower() for tag in tags]
        await settled(client, made["id"])

    async def found(**only: str) -> list[str]:
        passages = (await client.get("/v1/search", params={"q": "연차휴가", **only})).json()["passages"]
        return sorted(each["title"] for each in passages)

    assert await found(tag="hr") == ["규정"]
    changed = await client.patch(f"/v1/documents/{made['id']}", json={"tags": ["HR"]})
    assert changed.json()["tags"] == ["hr"]
    assert await found(tag="hr") == ["규정", "여비"]
    assert await found(author="kim") == []
    assert (await client.patch("/v1/documents/none", json={"tags": []})).status_code == 404
    assert (await client.patch(f"/v1/documents/{made['id']}", json={"tags": ["x" * 101]})).status_code == 422


async def test_a_broken_file_fails_and_harms_no_other(serve: Serve) -> None:
    client = await serve()
    reply = await client.post("/v1/documents", files=[file("a.pdf", b"%PDF-1.7 broken"), file("b.txt", TEXT)])
    broken, good = [await settled(client, d["id"]) for d in reply.json()["documents"]]
    assert (broken["status"], good["status"]) == ("failed", "ready")
    assert broken["error"]["code"]
    assert broken["error"]["message"]


@pytest.mark.parametrize(
    ("files", "status", "code"),
    [
        ([file("a.exe", b"MZ\x90\x00\x03" * 40)], 415, "unsupported_file"),
        ([file("big.txt", "가" * 2000)], 413, "too_large"),
        ([file("../..", b"x")], 422, "invalid_input"),
        ([("note", (None, b"no file"))], 422, "invalid_input"),
    ],
)
async def test_uploads_that_cannot_be_taken(serve: Serve, files: Any, status: int, code: str) -> None:
    client = await serve(max_upload_bytes=5000)
    reply = await client.post("/v1/documents", files=files)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert (await client.get("/v1/documents")).json() == {"documents": []}


async def test_an_endless_upload_is_ended(serve: Serve, pour: Pour) -> None:
    client = await serve(max_upload_bytes=100_000)
    head = b'--X\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    status, body = await pour(client, "/v1/documents", "multipart/form-data; boundary=X", head, b"x" * 65_536)
    assert (status, body["error"]["code"]) == (413, "too_large")
    assert (await client.get("/healthz")).status_code == 200


async def test_a_hostile_name_is_only_a_name(serve: Serve) -> None:
    client = await serve()
    reply = await client.post("/v1/documents", files=[file("../../../tmp/규정\u202e.txt", TEXT)])
    assert reply.json()["documents"][0]["name"] == "규정.txt"


@pytest.mark.parametrize(
    "params", [{}, {"q": ""}, {"q": "  "}, {"q": "x" * 2001}, {"q": "a", "k": 0}, {"q": "a", "k": 51}, {"q": "a\x00"}]
)
async def test_wrong_searches(serve: Serve, params: dict[str, Any]) -> None:
    reply = await (await serve()).get("/v1/search", params=params)
    assert reply.status_code == 422
    assert reply.json()["error"]["code"] in ("invalid_input", "invalid_text")


def two_pages() -> bytes:
    """A PDF of two pages with a line of Latin text each."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 2 /Kids [4 0 R 6 0 R] >>", font]
    for number, line in enumerate((b"Leave is fifteen days a year.", b"Travel costs are paid back.")):
        shown = b"BT /F1 12 Tf 50 700 Td (" + line + b") Tj ET"
        place = b"/MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(b"<< /Type /Page /Parent 2 0 R %b /Contents %d 0 R >>" % (place, 5 + 2 * number))
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(shown), shown))
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer << /Root 1 0 R /Size 8 >>\n%%EOF"


async def test_a_pdf_as_text_as_pictures_and_as_it_was(serve: Serve) -> None:
    client = await serve(api_keys=["kim:1", "lee:2"])
    client.headers["Authorization"] = "Bearer 1"
    name = 'leave"\u202efdp.pdf'
    added = await client.post("/v1/documents", files=[("file", (name, two_pages()))])
    document = await settled(client, added.json()["documents"][0]["id"])
    assert (document["status"], document["pages"]) == ("ready", 2)
    base = f"/v1/documents/{document['id']}"

    whole = (await client.get(f"{base}/text")).json()
    assert whole["text"] == "Leave is fifteen days a year.\n\nTravel costs are paid back."
    assert (whole["start"], whole["end"], whole["chars"]) == (0, len(whole["text"]), len(whole["text"]))
    second = whole["text"].index("Travel")
    assert [(p["page"], p["start"]) for p in whole["pages"]] == [(1, 0), (2, second)]
    part = (await client.get(f"{base}/text", params={"start": second, "end": second + 6})).json()
    assert (part["text"], [p["page"] for p in part["pages"]]) == ("Travel", [2])
    for params in ({"start": 9999}, {"start": 5, "end": 3}, {"start": 5, "end": 5}):
        assert (await client.get(f"{base}/text", params=params)).json()["text"] == ""
    assert (await client.get(f"{base}/text", params={"start": -1})).status_code == 422

    picture = await client.get(f"{base}/pages/2.png", params={"width": 300})
    assert picture.status_code == 200
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    assert int.from_bytes(picture.content[16:20]) == 300
    known = {"If-None-Match": picture.headers["etag"]}
    again = await client.get(f"{base}/pages/2.png", params={"width": 300}, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert (await client.get(f"{base}/pages/1.png", params={"width": 300}, headers=known)).status_code == 200
    missing = await client.get(f"{base}/pages/3.png")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    found = {}
    for n, line in enumerate(("Leave is", "Travel costs are paid back."), 1):
        at = {"start": whole["text"].index(line), "end": whole["text"].index(line) + len(line)}
        ((left, top, right, bottom),) = (await client.get(f"{base}/pages/{n}/boxes", params=at)).json()["boxes"]
        assert 0 < left < right < 1
        assert 0 < top < bottom < 0.5
        found[n] = right - left
        # What stands on another page stands on this one nowhere.
        assert (await client.get(f"{base}/pages/{3 - n}/boxes", params=at)).json() == {"boxes": []}
    assert found[1] < found[2]
    for bad in ("0.png", "-1.png", "x.png", "1.png?width=1", "1.png?width=99999"):
        assert (await client.get(f"{base}/pages/{bad}")).status_code == 422

    original = await client.get(f"{base}/original")
    assert original.content == two_pages()
    assert original.headers["content-type"] == "application/octet-stream"
    assert original.headers["x-content-type-options"] == "nosniff"
    assert original.headers["content-security-policy"].startswith("sandbox;")
    saved = original.headers["content-disposition"]
    assert saved.startswith("attachment; ")
    assert "%E2%80%AE" not in saved

    for path in ("/text", "/pages/2.png", "/pages/2/boxes?start=0&end=9", "/original"):
        reply = await client.get(base + path, headers={"Authorization": "Bearer 2"} | known)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")


async def test_what_is_no_pdf_has_no_pictures(serve: Serve) -> None:
    client = await serve()
    added = await client.post("/v1/documents", files=[file("규정.txt", TEXT)])
    document = await settled(client, added.json()["documents"][0]["id"])
    reply = await client.get(f"/v1/documents/{document['id']}/pages/1.png", headers={"Accept-Language": "en"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_file")
    boxes = await client.get(f"/v1/documents/{document['id']}/pages/1/boxes", params={"start": 0, "end": 3})
    assert boxes.status_code == 415
    slice = (await client.get(f"/v1/documents/{document['id']}/text", params={"start": 6, "end": 9})).json()
    assert (slice["text"], slice["pages"]) == (TEXT[6:9], [])


async def test_a_document_that_could_not_be_read_has_an_original_alone(serve: Serve) -> None:
    client = await serve()
    added = await client.post("/v1/documents", files=[("file", ("broken.pdf", b"%PDF-1.7 nothing"))])
    document = await settled(client, added.json()["documents"][0]["id"])
    base = f"/v1/documents/{document['id']}"
    assert document["status"] == "failed"
    assert (await client.get(f"{base}/text")).json()["text"] == ""
    assert (await client.get(f"{base}/original")).content == b"%PDF-1.7 nothing"
    picture = await client.get(f"{base}/pages/1.png")
    assert (picture.status_code, picture.json()["error"]["code"]) == (422, "document_unreadable")
