"""Sessions over HTTP: found, renamed, read piece by piece, cut, exported."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import httpx
import pytest

from dure.testing import ScriptedServer, call, fail, say, slow

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
KIM = {"Authorization": "Bearer 1"}
LEE = {"Authorization": "Bearer 2"}


async def ask(client: httpx.AsyncClient, message: str, session: str, **more: Any) -> dict[str, Any]:
    body = {"message": message, "team": "assistant", "session_id": session}
    reply = await client.post("/v1/chat", json=body, **more)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def test_search_and_paging(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("15일입니다.")) as scripted:
        client = await serve(scripted)
        for number in range(5):
            await ask(client, f"질문 {number}: 휴가", f"s{number}")

    async def listed(**params: Any) -> dict[str, Any]:
        found: dict[str, Any] = (await client.get("/v1/sessions", params=params)).json()
        return found

    assert [s["id"] for s in (await listed(q="질문 3"))["sessions"]] == ["s3"]
    # Decomposed, as macOS writes it.
    assert len((await listed(q="\u1112\u1172\u1100\u1161"))["sessions"]) == 5
    assert (await listed(q="없는 말")) == {"sessions": [], "next": None}
    assert len((await listed(q=" "))["sessions"]) == 5
    first = await listed(limit=2)
    second = await listed(limit=2, before=first["next"])
    third = await listed(limit=2, before=second["next"])
    seen = [s["id"] for page in (first, second, third) for s in page["sessions"]]
    assert seen == ["s4", "s3", "s2", "s1", "s0"]
    assert third["next"] is None


async def test_its_first_title_is_the_words_without_the_files(serve: Serve) -> None:
    named = '"요금표_2026", "windsketch"'
    async with ScriptedServer(respond=lambda _: say("네.")) as scripted:
        client = await serve(scripted)
        for session, message in {
            "one": f"한도는?\n\n{named}",
            "two": named,
            "three": f"무엇이 다를까: {named}",
        }.items():
            await ask(client, message, session)
    titles = {each["id"]: each["title"] for each in (await client.get("/v1/sessions")).json()["sessions"]}
    assert titles == {"one": "한도는?", "two": named, "three": f"무엇이 다를까: {named}"}


@pytest.mark.parametrize("params", [{"limit": 0}, {"limit": 1001}, {"before": "x"}, {"q": "x" * 201}, {"before": ","}])
async def test_bad_lists(serve: Serve, params: dict[str, Any]) -> None:
    client = await serve()
    for path in ("/v1/sessions", "/v1/runs"):
        reply = await client.get(path, params=params)
        assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_input")


async def test_rename(serve: Serve) -> None:
    async with ScriptedServer(say("답")) as scripted:
        client = await serve(scripted, api_keys=["kim:1", "lee:2"])
        await ask(client, "안녕", "s", headers=KIM)
    reply = await client.patch("/v1/sessions/s", json={"title": "  새\n이름 "}, headers=KIM)
    assert reply.status_code == 200
    assert reply.json()["title"] == "새 이름"
    assert reply.json() == (await client.get("/v1/sessions", headers=KIM)).json()["sessions"][0]
    assert (await client.patch("/v1/sessions/s", json={"title": "x"}, headers=LEE)).status_code == 404
    for title in ("", " \n ", "x" * 201, 1, None):
        bad = await client.patch("/v1/sessions/s", json={"title": title}, headers=KIM)
        assert (bad.status_code, bad.json()["error"]["code"]) == (422, "invalid_input"), title
    nul = await client.patch("/v1/sessions/s", json={"title": "a\x00"}, headers=KIM)
    assert nul.json()["error"]["code"] == "invalid_text"
    foreign = KIM | {"Origin": "http://evil.example"}
    assert (await client.patch("/v1/sessions/s", json={"title": "x"}, headers=foreign)).status_code == 403


async def test_a_title_that_was_cut_says_so(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("20")) as scripted:
        client = await serve(scripted)
        await ask(client, "How many days of annual leave do I get after three years, and why?", "long")
        await ask(client, "How many\ndays?", "short")
    listed = (await client.get("/v1/sessions")).json()["sessions"]
    assert [each["title"] for each in listed] == [
        "How many days?",
        "How many days of annual leave do I get after three years…",
    ]


async def test_folders_and_pins(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as scripted:
        client = await serve(scripted, api_keys=["kim:1", "lee:2"])
        for session in ("a", "b", "c"):
            await ask(client, "안녕", session, headers=KIM)

    async def listed(**how: str) -> list[str]:
        reply = await client.get("/v1/sessions", params=how, headers=KIM)
        return [each["id"] for each in reply.json()["sessions"]]

    # Decomposed, as a Mac writes it: the same folder.
    for session, given in (("a", {"pinned": True}), ("b", {"folder": " 규정 "}), ("c", {"folder": "\u1100\u1172정"})):
        reply = await client.patch(f"/v1/sessions/{session}", json=given, headers=KIM)
        assert (reply.status_code, reply.json()["title"]) == (200, "안녕")
    assert (reply.json()["folder"], reply.json()["pinned"]) == ("\uaddc정", False)
    assert await listed() == ["a", "c", "b"]
    assert await listed(folder="규정") == ["c", "b"]
    assert await listed(folder="") == ["a"]
    assert (await client.get("/v1/folders", headers=KIM)).json() == {"folders": [{"name": "규정", "sessions": 2}]}
    assert (await client.get("/v1/folders", headers=LEE)).json() == {"folders": []}
    assert (await client.patch("/v1/sessions/a", json={"pinned": True}, headers=LEE)).status_code == 404
    for bad in ({"folder": None}, {"folder": " "}, {"folder": "x" * 201}, {"pinned": 1}, {"folders": "x"}):
        assert (await client.patch("/v1/sessions/a", json=bad, headers=KIM)).status_code == 422, bad
    for session in ("b", "c"):
        await client.patch(f"/v1/sessions/{session}", json={"folder": ""}, headers=KIM)
    assert (await client.get("/v1/folders", headers=KIM)).json() == {"folders": []}


async def test_messages_from_the_end(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as scripted:
        client = await serve(scripted)
        for number in range(3):
            await ask(client, f"질문 {number}", "s")
    path = "/v1/sessions/s/messages"
    whole = (await client.get(path)).json()
    assert whole["next"] is None
    said = {"id", "run_id", "role", "content", "citations", "created_at", "branches", "images"}
    assert set(whole["messages"][0]) == said
    last = (await client.get(path, params={"limit": 2})).json()
    assert last["messages"] == whole["messages"][-2:]
    assert last["next"] == whole["messages"][-2]["id"]
    earlier = (await client.get(path, params={"limit": 5, "before": last["next"]})).json()
    assert earlier == {"messages": whole["messages"][:4], "next": None}
    for params in ({"limit": 0}, {"before": 0}, {"before": 2**31}, {"before": "x"}):
        assert (await client.get(path, params=params)).status_code == 422
    assert (await client.get("/v1/sessions/none/messages")).status_code == 404


async def test_edit_and_ask_again(serve: Serve) -> None:
    """The question and what followed leave the conversation, for the model too; they stay beside it."""
    async with ScriptedServer(say("답 1"), say("답 2"), say("답 3")) as scripted:
        client = await serve(scripted, api_keys=["kim:1", "lee:2"])
        await ask(client, "첫째", "s", headers=KIM)
        gone = await ask(client, "둘째", "s", headers=KIM)
        path = "/v1/sessions/s/messages"
        said = (await client.get(path, headers=KIM)).json()["messages"]
        assert (await client.delete(path, params={"from": said[2]["id"]}, headers=LEE)).status_code == 404
        answer = await client.delete(path, params={"from": said[1]["id"]}, headers=KIM)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
        for wrong in ({}, {"from": 0}, {"from": "x"}):
            assert (await client.delete(path, params=wrong, headers=KIM)).status_code == 422
        assert (await client.delete(path, params={"from": 999}, headers=KIM)).status_code == 404
        assert (await client.delete(path, params={"from": said[2]["id"]}, headers=KIM)).status_code == 204
        await ask(client, "둘째, 다르게", "s", headers=KIM)
        assert "다르게" in str(scripted.requests[-1])
        assert "답 2" not in str(scripted.requests[-1])
        said = (await client.get(path, headers=KIM)).json()["messages"]
    assert [m["content"] for m in said] == ["첫째", "답 1", "둘째, 다르게", "답 3"]
    # Nothing is lost: one walks back, and goes on from there.
    old, new = said[2]["branches"]
    assert new == said[2]["id"]
    assert [m["branches"] for m in said[:2]] == [[said[0]["id"]], []]
    branch = "/v1/sessions/s/branch"
    assert (await client.post(branch, params={"to": old}, headers=LEE)).status_code == 404
    assert (await client.post(branch, params={"to": 999}, headers=KIM)).status_code == 404
    assert (await client.post(branch, params={"to": said[1]["id"]}, headers=KIM)).status_code == 422
    assert (await client.post(branch, params={"to": old}, headers=KIM)).status_code == 204
    said = (await client.get(path, headers=KIM)).json()["messages"]
    assert [m["content"] for m in said] == ["첫째", "답 1", "둘째", "답 2"]
    assert said[3]["run_id"] == gone["metadata"]["run_id"]


async def test_asked_in_a_place(serve: Serve) -> None:
    """The same in one request; where it is refused, all stays."""
    async with ScriptedServer(respond=lambda _: say("답")) as scripted:
        client = await serve(scripted)
        for message in ("첫째", "둘째"):
            await ask(client, message, "s")
        path = "/v1/sessions/s/messages"
        said = (await client.get(path)).json()["messages"]
        for wrong, status in ((999, 404), (said[1]["id"], 422), (0, 422), ("1", 422)):
            body = {"message": "x", "team": "assistant", "session_id": "s", "instead_of": wrong}
            assert (await client.post("/v1/chat", json=body)).status_code == status
        body = {"message": "x", "team": "assistant", "session_id": "other", "instead_of": said[0]["id"]}
        assert (await client.post("/v1/chat", json=body)).status_code == 404
        assert (await client.get(path)).json()["messages"] == said
        body = {"message": "첫째, 다르게", "team": "assistant", "session_id": "s", "instead_of": said[0]["id"]}
        assert (await client.post("/v1/chat", json=body)).status_code == 200
        assert "둘째" not in str(scripted.requests[-1])
        now = (await client.get(path)).json()["messages"]
        assert [m["content"] for m in now] == ["첫째, 다르게", "답"]
        assert now[0]["branches"] == [said[0]["id"], now[0]["id"]]


async def test_what_is_being_answered_is_not_cut(serve: Serve) -> None:
    async with ScriptedServer(slow(1, say("느린 답"))) as scripted:
        client = await serve(scripted)
        body = {"message": "안녕", "team": "assistant", "session_id": "s", "stream": True}
        async with client.stream("POST", "/v1/chat", json=body) as stream:
            lines = stream.aiter_lines()
            await anext(lines)
            first = (await client.get("/v1/sessions/s/messages")).json()["messages"][0]["id"]
            reply = await client.delete("/v1/sessions/s/messages", params={"from": first})
            assert (reply.status_code, reply.json()["error"]["code"]) == (409, "session_busy")
            reply = await client.post("/v1/sessions/s/branch", params={"to": first})
            assert (reply.status_code, reply.json()["error"]["code"]) == (409, "session_busy")
            async for _ in lines:
                pass
        assert (await client.delete("/v1/sessions/s/messages", params={"from": first})).status_code == 204


async def test_export(serve: Serve) -> None:
    script = call("search_knowledge_base", queries=["연차휴가"]), say("15일입니다. [1]")
    async with ScriptedServer(*script) as scripted:
        client = await serve(scripted)
        files = {"file": ("규정.txt", "연차휴가는 1년에 15일이다.".encode())}
        document = (await client.post("/v1/documents", files=files)).json()["documents"][0]["id"]
        for _ in range(500):
            if (await client.get(f"/v1/documents/{document}")).json()["status"] == "ready":
                break
            await asyncio.sleep(0.02)
        await ask(client, "연차휴가는 며칠이야?", "s")
    title = 'a"\u202e\u200b;\u2066 연차/휴가'
    await client.patch("/v1/sessions/s", json={"title": title})
    reply = await client.get("/v1/sessions/s/export")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert reply.headers["content-security-policy"].startswith("sandbox;")
    named = reply.headers["content-disposition"]
    assert unquote(named.partition("filename*=UTF-8''")[2]) == 'a"; 연차/휴가.md'
    text = reply.content.decode()
    assert text.startswith("# a")
    assert "## 질문 (" in text
    assert "연차휴가는 며칠이야?" in text
    assert "15일입니다. [1]" in text
    assert "- [1] 규정: “연차휴가는 1년에 15일이다.”" in text
    english = await client.get("/v1/sessions/s/export", headers={"Accept-Language": "en"})
    assert "## Answer (" in english.text
    await client.patch("/v1/sessions/s", json={"title": "연차휴가는 며칠인가 " * 12})
    reply = await client.get("/v1/sessions/s/export", params={"format": "docx"})
    named = unquote(reply.headers["content-disposition"].partition("filename*=UTF-8''")[2])
    assert named == f"{' '.join(['연차휴가는 며칠인가'] * 7)}.docx"
    assert (await client.get("/v1/sessions/none/export")).status_code == 404


async def test_an_export_has_the_times_of_whoever_asks(serve: Serve) -> None:
    async with ScriptedServer(say("15일입니다.")) as scripted:
        client = await serve(scripted)
        await ask(client, "연차휴가는?", "s")
        asked_at = (await client.get("/v1/sessions/s/messages")).json()["messages"][0]["created_at"]
        at = datetime.fromisoformat(asked_at)
        for zone, shown in (("Asia/Seoul", "KST"), ("America/Sao_Paulo", "-03"), (None, "UTC")):
            reply = await client.get("/v1/sessions/s/export", params={"tz": zone} if zone else {})
            local = at.astimezone(ZoneInfo(zone or "UTC"))
            assert f"## 질문 ({local:%Y-%m-%d %H:%M} {shown})\n" in reply.text
        for wrong in ("Asia/Nowhere", "../etc", "x" * 101):
            refused = await client.get("/v1/sessions/s/export", params={"tz": wrong})
            assert refused.status_code in (400, 422)
            assert "tz" in refused.text


async def test_an_export_says_what_was_not_answered_in_full(serve: Serve) -> None:
    async with ScriptedServer(fail(400, "no"), say("답")) as scripted:
        client = await serve(scripted, max_iterations=1)
        await client.post("/v1/chat", json={"message": "첫째", "session_id": "s"})
        await ask(client, "둘째", "s")
        text = (await client.get("/v1/sessions/s/export")).text
        english = (await client.get("/v1/sessions/s/export", headers={"Accept-Language": "en"})).text
    first, second = text.split("둘째")
    assert "\n> 실패: 모델 서버" in first
    assert "\n> " not in second
    assert "\n> failed: " in english


async def test_a_link_shows_what_was_said_and_no_more(serve: Serve) -> None:
    async with ScriptedServer(respond=lambda _: say("답")) as scripted:
        client = await serve(scripted, api_keys=["kim:1", "kim:reader:3", "lee:2"])
        await ask(client, "첫째", "s", headers=KIM)
        await ask(client, "둘째", "s", headers=KIM)
        path = "/v1/sessions/s/share"
        assert (await client.put(path, headers=LEE)).status_code == 404
        assert (await client.put(path)).status_code == 401
        assert (await client.put(path, headers={"Authorization": "Bearer 3"})).status_code == 403
        link = (await client.put(path, headers=KIM)).json()["shared"]
        assert (await client.get("/v1/sessions/s", headers=KIM)).json()["shared"] == link
        assert (await client.get("/v1/sessions/s", headers=LEE)).status_code == 404
        # What is asked there instead, or later, is not what was shared.
        said = (await client.get("/v1/sessions/s/messages", headers=KIM)).json()["messages"]
        await ask(client, "셋째", "s", headers=KIM)
        body = {"message": "다르게", "team": "assistant", "session_id": "s", "instead_of": said[0]["id"]}
        await client.post("/v1/chat", json=body, headers=KIM)
        shown = (await client.get(f"/v1/shared/{link}")).json()
        assert shown["title"] == "첫째"
        assert [each["content"] for each in shown["messages"]] == ["첫째", "답", "둘째", "답"]
        assert set(shown["messages"][0]) == {"role", "content", "citations", "created_at"}
        assert (await client.put(path, headers=KIM)).json()["shared"] == link
        shown = (await client.get(f"/v1/shared/{link}")).json()
        assert [each["content"] for each in shown["messages"]] == ["다르게", "답"]
        assert (await client.delete(path, headers=LEE)).status_code == 404
        assert (await client.delete(path, headers=KIM)).json()["shared"] is None
        assert (await client.get(f"/v1/shared/{link}")).status_code == 404
        again = (await client.put(path, headers=KIM)).json()["shared"]
        assert again != link
        await client.delete("/v1/sessions/s", headers=KIM)
        for gone in (link, again, "None", "x", "x" * 65):
            assert (await client.get(f"/v1/shared/{gone}")).status_code in (404, 422)


async def test_what_no_table_of_faults_has_is_said_in_the_readers_language(serve) -> None:
    client = await serve()
    for method, path, body in (
        ("GET", "/v1/search?q=a&since=2026-02-30", None),
        ("PATCH", "/v1/sessions/s-1", b'{"folder": "\\ud800"}'),
        ("POST", "/v1/model/try", b'{"base_url": "ftp://x"}'),
    ):
        for language, spoken in (("ko", r"[가-힣]{3}"), ("en", r"[a-z]{4} [a-z]")):
            told = {"Accept-Language": language, "Content-Type": "application/json"}
            reply = await client.request(method, path, content=body, headers=told)
            message = reply.json()["error"]["message"]
            assert (reply.status_code, bool(re.search(spoken, message.partition(": ")[2]))) == (422, True), message


async def test_how_long_they_are_kept_is_taken_back_only_outright(serve: Serve) -> None:
    client = await serve(retention_days=400)
    assert (await client.put("/v1/retention?days=90")).json() == {"days": 90, "deleted": 0}
    for path in ("/v1/retention", "/v1/retention?day=30", "/v1/retention?days="):
        assert (await client.put(path)).status_code == 422, path
    assert (await client.get("/v1/retention")).json() == {"days": 90, "limit": 400, "due": 0}
    assert (await client.delete("/v1/retention")).json() == {"days": None, "deleted": 0}
    assert (await client.get("/v1/retention")).json()["days"] is None
