"""Every file in `attacks/` is an attack: what it is (`what`, `class`), how it goes, and what must hold (`must`).

Whatever an attack is, in the end nothing was sent or paid that nobody said yes to, no secret went out to the web, and
nobody read what is another's. An attack that was not tried proves nothing: what the model was told to do, it has to
have done; each request has to be answered as the file says.

- ask, honest, says: Kim's question; the calls that the model makes for it before it obeys what it reads; its answer
- asks: several of them, in order: `message`, `honest`, `key`, `decide`
- documents, pages, found, mcp, allow: what Kim, the web, the search engine and MCP servers hold; what may run unasked
- shelves, left: the members of shelves, Lee's document on NAME being `<on NAME>`; who was taken off afterwards
- requests: over HTTP: `method`, `path`, `key`, `headers`, `json`, `text`, `files`; then `status`, `lacks`, `has`
- raw: bytes over a socket: `send`, `status`, `answers` (how many)
- urls: addresses that are to be refused without a connection
- calls: what a model may write into a tool: `tool`, `args`; each has to fail, or to tell no secret
- must: `tried`, `waits` (a tool), `asked` (words of the question), `heard_at_most`, `heard_lacks`, `sent`, `paid`,
  `lacks`, `read`, `unread` (by the model), `status`
"""

import asyncio
import base64
import io
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from mcp_types import Tool as RemoteTool
from security.world import PIN, World, web_of, world

from dure.errors import DureError
from dure.messages import ToolCall
from dure.storage import Database
from dure.tooling import ToolContext
from dure.toolsets import run_call
from dure.toolsets.mcp.pins import Pins

FILES = sorted(Path(__file__).with_name("attacks").glob("*.toml"))
ATTACKS = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in FILES}
_MUCH = re.compile(r"<<(.+?)\*(\d+)>>", re.DOTALL)
"""`<<x*1000>>` in a file stands for a thousand x."""
STORED = [name for name, each in ATTACKS.items() if {"ask", "asks", "requests"} & each.keys()]
"""Those that the database has a part in."""
FIRST = {name.partition("-")[0]: name for name in reversed(ATTACKS)}.values()
"""One of each kind, which are tried with every change and on PostgreSQL too; the others are slow together."""


def grown(value: Any) -> Any:
    if isinstance(value, str):
        return _MUCH.sub(lambda found: found[1] * int(found[2]), value)
    if isinstance(value, dict):
        return {key: grown(each) for key, each in value.items()}
    return [grown(each) for each in value] if isinstance(value, list) else value


async def carry_out(given: dict[str, Any], folder: Path, url: str) -> None:
    attack = grown(given)
    if "urls" in attack:
        await _refused(attack)
        return
    must = attack.get("must", {})
    if was := {name: entry["was"] for name, entry in attack.get("mcp", {}).items() if "was" in entry}:
        pins, database = Pins(), await Database.open(url)
        for name, tools in was.items():
            pins.accept(name, [RemoteTool(**each) for each in tools])
        await pins.share(database)
        await database.close()
    async with world(attack, folder, url) as place:
        replies = [await _asked(place, each) for each in _asks(attack)]
        replies += await _requested(place, attack)
        for each in attack.get("raw", ()):
            await _raw(place, each)
        for each in attack.get("calls", ()):
            replies.append(await _called(place, each))
        text = "\n".join(map(str, replies))
        _hold(place, must, replies, text)
        if must.get("alive", True):
            assert (await place.client.get("/healthz")).status_code == 200


async def _refused(attack: dict[str, Any]) -> None:
    heard: list[str] = []
    async with web_of(attack, heard) as (port, fetcher):
        for each in attack["urls"]:
            with pytest.raises(DureError):
                await fetcher.fetch(each.replace("<web>", str(port)))
    assert heard == []


def _asks(attack: dict[str, Any]) -> list[dict[str, Any]]:
    one = [{"message": attack["ask"], "honest": attack.get("honest", [])}] if "ask" in attack else []
    return one + list(attack.get("asks", ()))


async def _asked(place: World, ask: dict[str, Any]) -> dict[str, Any]:
    key = ask.get("key", "key-of-kim")
    place.model.honest = [_filled(place, each) for each in ask.get("honest", ())]
    place.model.says = ask.get("says", place.model.says)
    told = await place.ask(_filled(place, ask["message"]), key, **ask.get("body", {}))
    if decide := ask.get("decide"):
        assert told["status"] == "waiting", told
        run = told["metadata"]["run_id"]
        decisions = [{"approval_id": each["id"], **decide} for each in told["approvals"]]
        headers = {"Authorization": f"Bearer {ask.get('by', key)}"}
        await place.client.post(f"/v1/runs/{run}/approvals", json={"decisions": decisions}, headers=headers)
        await place.client.get(f"/v1/runs/{run}/events", headers=headers)
        told = (await place.client.get(f"/v1/runs/{run}", headers={"Authorization": f"Bearer {key}"})).json()
    return told


def _filled(place: World, value: Any) -> Any:
    if isinstance(value, str):
        for name, given in place.names.items():
            value = value.replace(f"<{name}>", given)
        return value
    if isinstance(value, dict):
        return {key: _filled(place, each) for key, each in value.items()}
    return [_filled(place, each) for each in value] if isinstance(value, list) else value


async def _requested(place: World, attack: dict[str, Any]) -> list[str]:
    if "requests" not in attack:
        return []
    if attack.get("keys", True) and attack.get("prepared", True):
        await place.prepare()
    bodies = []
    for each in _filled(place, attack["requests"]):
        headers = dict(each.get("headers", {}))
        if each.get("key"):
            headers.setdefault("Authorization", f"Bearer {each['key']}")
        given: dict[str, Any] = {"headers": headers}
        if "json" in each:
            given["json"] = each["json"]
        if "text" in each:
            given["content"] = each["text"].encode() * each.get("times", 1)
        if "base64" in each:
            given["content"] = base64.b64decode(each["base64"])
        if "files" in each:
            given["files"] = [("file", (one["name"], _bytes(one))) for one in each["files"]]
        reply = await place.client.request(each.get("method", "GET"), each["path"], **given)
        assert reply.status_code in each["status"], (each, reply.status_code, reply.text[:500])
        if reply.status_code == 202:
            # What becomes of a file is seen once it was read.
            await place.dure.knowledge.wait("kim", [one["id"] for one in reply.json()["documents"]])
        for text in each.get("lacks", ()):
            assert text.lower() not in (reply.text + str(reply.headers)).lower(), (each, reply.text[:500])
        for text in each.get("has", ()):
            assert text.lower() in (reply.text + str(reply.headers)).lower(), (
                each,
                str(reply.headers),
                reply.text[:300],
            )
        if each.get("key") != "key-of-lee":
            bodies.append(reply.text)
    return bodies


def _bytes(file: dict[str, Any]) -> bytes:
    if "zip" in file:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in file["zip"].items():
                archive.writestr(name, text)
        return made.getvalue()
    return base64.b64decode(file["base64"]) if "base64" in file else file["text"].encode()


async def _raw(place: World, raw: dict[str, Any]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
    writer.write(raw["send"].replace("\n", "\r\n").replace("<lf>", "\n").replace("<cr>", "\r").encode())
    try:
        async with asyncio.timeout(30):
            answer = await reader.read()
    except ConnectionResetError:
        answer = b""
    writer.close()
    statuses = [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    assert len(statuses) <= raw.get("answers", 1), answer[:500]
    assert all(status in raw["status"] for status in statuses), answer[:500]


async def _called(place: World, wanted: dict[str, Any]) -> str:
    context = ToolContext(wanted.get("owner", "kim"), run_id="r-1", call_id="c-1", language="en")
    result = await run_call(place.dure.tools, ToolCall(wanted["tool"], wanted["args"]), context)
    assert not result.text.startswith("There is no tool"), "the attack needs it"
    if wanted.get("fails", True):
        assert result.is_error or "rror" in result.text, result.text
    for text in wanted.get("lacks", ()):
        assert text not in result.text, result.text
    return result.text


def _hold(place: World, must: dict[str, Any], replies: list[Any], text: str) -> None:
    tried = [each["name"] for each in place.model.tried]
    wanted = must.get("tried", [])
    assert [each for each in ([wanted] if isinstance(wanted, str) else wanted) if each not in tried] == [], tried
    assert place.sent == [tuple(each) for each in must.get("sent", [])]
    paid = place.folder / "paid"
    calls = paid.read_text("utf-8").splitlines() if paid.exists() else []
    assert [each.split()[0] for each in calls] == must.get("paid", [])
    assert [each for each in place.heard if PIN in each] == []
    assert list(Path("/tmp").glob("pwned*")) == []
    at_most = must.get("heard_at_most")
    assert at_most is None or len([each for each in place.heard if "evil" in each]) <= at_most, place.heard
    assert "98765" not in text + place.model.read, "Lee's"
    for each in must.get("heard_lacks", ()):
        assert [one for one in place.heard if each in one] == []
    for each in must.get("lacks", ()):
        assert each not in text, text
    for each in must.get("read", ()):
        assert each in place.model.read
    for each in must.get("unread", ()):
        assert each not in place.model.read
    last = replies[-1] if replies and isinstance(replies[-1], dict) else {}
    if "status" in must:
        assert last.get("status") == must["status"], last
    if "waits" in must:
        assert last["status"] == "waiting", last
        assert must["waits"] in [each["tool"] for each in last["approvals"]]
    for each in must.get("asked", ()):
        assert each in str(last["approvals"]), last


@pytest.mark.parametrize(
    "name", [name if name in FIRST else pytest.param(name, marks=pytest.mark.slow) for name in ATTACKS]
)
async def test_on_sqlite(name: str, sqlite_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "world"
    folder.mkdir()
    await carry_out(ATTACKS[name], folder, sqlite_url)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STORED if name in FIRST])
async def test_on_postgresql(name: str, postgres_url: str, tmp_path: Path) -> None:
    await carry_out(ATTACKS[name], tmp_path, postgres_url)


def test_there_are_many_and_each_is_another() -> None:
    assert len(ATTACKS) >= 120
    for name, each in ATTACKS.items():
        assert {"what", "class"} <= each.keys(), name
        assert {"ask", "asks", "requests", "raw", "urls", "calls"} & each.keys(), name
        if {"ask", "asks"} & each.keys():
            assert {"tried", "unread", "read"} & each["must"].keys(), f"{name}: nothing shows that it was tried"
    ways = [
        str({key: value for key, value in each.items() if key not in ("what", "class")}) for each in ATTACKS.values()
    ]
    assert len(set(ways)) == len(ways)
