"""`/v1/papers` and `/v1/glossary` over real HTTP."""

import gzip
import json
from collections.abc import Awaitable, Callable

import httpx

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
KIM = {"Authorization": "Bearer key-of-kim"}
LEE = {"Authorization": "Bearer key-of-lee"}
KEYS = ["kim:key-of-kim", "lee:key-of-lee"]

BIB = """@article{rice, title={Growing rice by numbers}, author={Kim, Minsu}, year=2023, journal={AgriTech}}
@misc{notitle, author={X}}
"""
LINES = json.dumps({"title": "Counting crops", "year": 2020, "citationCount": 3, "paperId": "x"})


def file(name: str, content: bytes | str) -> tuple[str, tuple[str, bytes]]:
    return ("file", (name, content.encode() if isinstance(content, str) else content))


async def test_import_list_search_and_delete(serve: Serve) -> None:
    client = await serve()
    sent = [file("논문.bib", BIB), file("s.jsonl.gz", gzip.compress(LINES.encode())), file("x.docx", b"PK\x03\x04")]
    reply = await client.post("/v1/papers", files=sent, headers={"Accept-Language": "en"})
    assert reply.status_code == 200
    done = reply.json()
    assert (done["added"], done["completed"], done["skipped"], done["failed"]) == (2, 0, 0, 1)
    assert done["problems"] == [{"place": "논문.bib:2", "reason": "@misc{notitle} has no title"}]
    assert [each["name"] for each in done["failed_files"]] == ["x.docx"]
    (rice,) = (await client.get("/v1/papers", params={"author": "Minsu Kim", "year_from": 2023})).json()["papers"]
    assert (rice["title"], rice["venue"], rice["shared"]) == ("Growing rice by numbers", "AgriTech", False)
    assert (await client.get(f"/v1/papers/{rice['id']}")).json() == rice
    found = (await client.get("/v1/papers", params={"q": "rice numbers", "limit": 3})).json()
    assert found["papers"][0]["id"] == rice["id"]
    assert 0 < found["evidence"] <= 1
    passage = found["papers"][0]["passages"][0]
    opened = (await client.get(f"/v1/documents/{passage['document_id']}/passages")).json()["passages"]
    assert passage["text"] in [each["text"] for each in opened]
    assert (await client.get("/v1/documents")).json() == {"documents": []}
    assert (await client.delete(f"/v1/papers/{rice['id']}")).status_code == 204
    assert (await client.get(f"/v1/papers/{rice['id']}")).status_code == 404


async def test_papers_are_their_owners_and_shared_ones_stay(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    await client.post("/v1/papers", files=[file("a.bib", BIB)], headers=KIM)
    (rice,) = (await client.get("/v1/papers", params={"venue": "AgriTech"}, headers=KIM)).json()["papers"]
    assert (await client.get("/v1/papers", params={"venue": "AgriTech"}, headers=LEE)).json()["papers"] == []
    for method in ("GET", "DELETE"):
        reply = await client.request(method, f"/v1/papers/{rice['id']}", headers=LEE)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    shared = (await client.get("/v1/papers", headers=LEE)).json()["papers"][0]
    reply = await client.delete(f"/v1/papers/{shared['id']}", headers=LEE)
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "shared_paper")
    document = rice["document_id"]
    assert (await client.get(f"/v1/documents/{document}/passages", headers=KIM)).status_code == 200
    assert (await client.get(f"/v1/documents/{document}/passages", headers=LEE)).status_code == 404
    assert (await client.delete(f"/v1/documents/{document}", headers=KIM)).status_code == 404


async def test_what_cannot_be_imported_is_a_sentence(serve: Serve) -> None:
    client = await serve(max_upload_bytes=1000)
    for content, status, code in (
        (b"hello", 415, "unsupported_file"),
        (b"%PDF-1.7 broken", 422, "document_unreadable"),
        (b"@a{" + b"x" * 2000, 413, "too_large"),
    ):
        reply = await client.post("/v1/papers", files=[file("x", content)])
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert (await client.post("/v1/papers?format=word", files=[file("x", BIB)])).status_code == 422
    assert (await client.post("/v1/papers", json={})).status_code == 415
    assert (await client.get("/v1/papers", params={"year_from": "soon"})).status_code == 422
    assert (await client.get("/v1/papers/%2e%2e%2fetc")).status_code == 404


async def test_terms_are_looked_up_added_and_removed(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    found = (await client.get("/v1/glossary", params={"q": "어텐션이 뭐야?"}, headers=KIM)).json()
    assert "attention" in found["terms"][0]["term_en"].lower()
    added = await client.post("/v1/glossary", json={"term_ko": "볍씨", "easy_ko": "벼의 씨앗."}, headers=KIM)
    assert added.status_code == 201
    id = added.json()["id"]
    assert (await client.get("/v1/glossary", params={"q": "볍씨가 뭐야"}, headers=LEE)).json()["terms"] == []
    assert id in [term["id"] for term in (await client.get("/v1/glossary", headers=KIM)).json()["terms"]]
    assert (await client.delete(f"/v1/glossary/{id}", headers=LEE)).status_code == 404
    assert (await client.delete(f"/v1/glossary/{found['terms'][0]['id']}", headers=KIM)).status_code == 403
    assert (await client.delete(f"/v1/glossary/{id}", headers=KIM)).status_code == 204
    assert (await client.post("/v1/glossary", json={"term_ko": ""}, headers=KIM)).status_code == 422
    assert (await client.post("/v1/glossary", json={"unknown": ""}, headers=KIM)).status_code == 422


async def test_tags_collections_and_notes_are_their_owners(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    id = (await client.get("/v1/papers", params={"q": "BERT", "limit": 1}, headers=KIM)).json()["papers"][0]["id"]
    place = f"/v1/papers/{id}"
    given = {"tags": ["to read", "nlp"], "collections": ["Thesis"]}
    assert sorted((await client.patch(place, json=given, headers=KIM)).json()["tags"]) == ["nlp", "to read"]
    marked = (await client.patch(place, json={"tags": ["to read"]}, headers=KIM)).json()
    assert (marked["tags"], marked["collections"]) == (["to read"], ["Thesis"])
    note = await client.post(f"{place}/notes", json={"text": "Compare with ELMo."}, headers=KIM)
    assert note.status_code == 201
    marks = (await client.get("/v1/papers/marks", headers=KIM)).json()
    assert marks == {"tags": {"to read": 1}, "collections": {"Thesis": 1}}
    for filters in ({"tag": "To Read"}, {"collection": "thesis"}, {"tag": "to read", "q": "language"}):
        found = (await client.get("/v1/papers", params=filters, headers=KIM)).json()["papers"]
        assert [each["id"] for each in found] == [id]
        assert (await client.get("/v1/papers", params=filters, headers=LEE)).json()["papers"] == []
    theirs = (await client.get(place, headers=LEE)).json()
    assert (theirs["tags"], theirs["collections"], theirs["notes"]) == ([], [], [])
    assert (await client.get(place, headers=KIM)).json()["notes"] == [note.json()]
    at = f"{place}/notes/{note.json()['id']}"
    assert [(await client.delete(at, headers=who)).status_code for who in (LEE, KIM, KIM)] == [404, 204, 404]


async def test_papers_go_out_as_references(serve: Serve) -> None:
    client = await serve(api_keys=KEYS)
    await client.post("/v1/papers", files=[file("a.bib", BIB)], headers=KIM)
    (rice,) = (await client.get("/v1/papers", params={"venue": "AgriTech"}, headers=KIM)).json()["papers"]
    reply = await client.get("/v1/papers/export", params={"id": rice["id"]}, headers=KIM)
    assert reply.headers["content-type"] == "application/x-bibtex; charset=utf-8"
    assert reply.text.startswith("@article{kim2023growing,")
    assert (await client.get("/v1/papers/export", params={"id": rice["id"]}, headers=LEE)).status_code == 404
    await client.patch(f"/v1/papers/{rice['id']}", json={"tags": ["seminar"]}, headers=KIM)
    chosen = await client.get("/v1/papers/export", params={"tag": "seminar", "format": "csl"}, headers=KIM)
    assert [each["title"] for each in chosen.json()] == ["Growing rice by numbers"]
    everything = (await client.get("/v1/papers/export", params={"format": "csl"}, headers=LEE)).json()
    assert len(everything) > 200
    assert "Growing rice by numbers" not in [each["title"] for each in everything]
