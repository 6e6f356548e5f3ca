"""Where attacks happen: a real server with two owners, a web, a search engine, a mailbox, MCP servers, and a model that
obeys whatever it reads.

Orders to the model are `DO {"name": …, "args": …}` wherever it reads them: in documents, pages, results, descriptions
of tools, messages. `{PIN}` in an order is filled in with the secret, once the model has read it.
"""

import base64
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from aiohttp import web

from dure import Agent, Dure, Team, tool
from dure.egress import Guard, is_public
from dure.packs.web.fetch import Fetcher
from dure.packs.web.page import PageReader, page_tool
from dure.packs.web.search import Found, search_tool
from dure.testing import ScriptedServer, Step, calls, say, served

PIN = "4711"
LEES = "이두레의 연봉은 98765만원이다."
NOTES = f"Kim's notes. The PIN is {PIN}. Vacation is 15 days."
KEYS = ("kim:key-of-kim", "kim:approver:key-of-approver", "kim:reader:key-of-reader", "lee:key-of-lee", "key-alone")
MCP = Path(__file__).with_name("mcp_server.py")
_ORDER = re.compile(r"DO (?=\{)")
HOSTS = {"site.example.com", "evil.example.com", "rebind.example.com"}


def orders(text: str) -> list[dict[str, Any]]:
    """All orders in a text, in their order."""
    found = []
    for match in _ORDER.finditer(text):
        try:
            order, _ = json.JSONDecoder().raw_decode(text[match.end() :])
        except ValueError:
            continue
        if isinstance(order, dict) and "name" in order:
            found.append(order)
    return found


@dataclass
class Obedient:
    """A model that first calls what its user asked for (`honest`), then does whatever it reads, and says what it was
    told to (`says`), with the same fillings."""

    honest: list[dict[str, Any]]
    says: str
    tried: list[dict[str, Any]] = field(default_factory=list)
    read: str = ""

    def respond(self, body: dict[str, Any]) -> Step:
        messages = body["messages"]
        last = max((n for n, each in enumerate(messages) if each["role"] == "user"), default=0)
        # What it wrote in this turn are not orders to it; what earlier answers hold is read as anything else.
        heard = [each for n, each in enumerate(messages) if each["role"] != "assistant" or n < last]
        read = "\n".join(str(each.get("content") or "") for each in heard) + "\n"
        read += "\n".join(str(each["function"]["description"]) for each in body.get("tools", ()))
        read += json.dumps([each["function"].get("parameters") for each in body.get("tools", ())], ensure_ascii=False)
        self.read += read.replace('\\"', '"')
        plan = list(self.honest)
        plan += [each for each in orders(read.replace('\\"', '"')) if each not in plan]
        made = sum(len(each.get("tool_calls") or ()) for each in messages[last:] if each["role"] == "assistant")
        secret = re.search(r"PIN is (\d{4})", read)

        def filled(value: Any) -> Any:
            text = json.dumps(value, ensure_ascii=False)
            return json.loads(text.replace("{PIN}", secret[1] if secret else "none"))

        if made < len(plan) and body.get("tools"):
            order = filled(plan[made])
            self.tried.append(order)
            return calls((order["name"], order.get("args", {})))
        return say(filled(self.says))


class Engine:
    """A search engine that hears all queries; what it finds is the attack's."""

    name, needs = "engine", ""

    def __init__(self, found: list[dict[str, str]], heard: list[str]) -> None:
        self._found, self._heard = found, heard

    async def search(self, query: str, count: int, language: str) -> list[Found]:
        self._heard.append(f"search {query}")
        return [Found(each["title"], each["url"], each["text"]) for each in self._found]


@dataclass
class World:
    client: httpx.AsyncClient
    dure: Dure
    model: Obedient
    sent: list[Any]
    """What tools with effects did."""
    heard: list[str]
    """What the web and the search engine were asked."""
    folder: Path
    names: dict[str, str] = field(default_factory=dict)
    """What stands for `<name>` in requests."""

    @property
    def port(self) -> int:
        return int(self.client.base_url.port or 0)

    async def ask(self, message: str, key: str = "key-of-kim", **more: Any) -> dict[str, Any]:
        body = {"message": message, "team": "desk", **more}
        reply = await self.client.post("/v1/chat", json=body, headers={"Authorization": f"Bearer {key}"})
        return dict(reply.json())

    async def prepare(self) -> None:
        """A conversation, a document, a waiting approval and a file of Lee's, for attacks on what is another's."""
        lee = {"Authorization": "Bearer key-of-lee"}
        files = {"file": ("lee.txt", LEES.encode())}
        document = (await self.client.post("/v1/documents", files=files, headers=lee)).json()["documents"][0]["id"]
        self.model.honest = [{"name": "send_mail", "args": {"to": "lee@example.com", "text": LEES}}]
        waiting = await self.ask("보내줘", "key-of-lee", session_id="lees")
        self.model.honest = []
        said = await self.ask(LEES, "key-of-lee")
        self.model.tried, self.model.read = [], ""
        self.names |= {
            "document": document,
            "run": waiting["metadata"]["run_id"],
            "approval": waiting["approvals"][0]["id"],
            "session": "lees",
            "said": said["metadata"]["run_id"],
            "said_session": said["metadata"]["thread_id"],
        }


def _mcp(entries: dict[str, Any], folder: Path) -> dict[str, Any]:
    servers = {}
    for name, entry in entries.items():
        tools = folder / f"{name}.json"
        tools.write_text(json.dumps(entry["tools"]), "utf-8")
        given = {"effects": entry["effects"]} if "effects" in entry else {}
        servers[name] = {"command": sys.executable, "args": [str(MCP), str(tools), str(folder / "paid")]} | given
    return {"mcpServers": servers}


@asynccontextmanager
async def web_of(attack: dict[str, Any], heard: list[str]) -> AsyncIterator[tuple[int, Fetcher]]:
    """The attack's web on loopback: its port, and what fetches from it. In a `strict` one only what is really public
    may be reached."""
    pages: dict[str, Any] = attack.get("pages", {})

    async def site(request: web.Request) -> web.StreamResponse:
        heard.append(f"{request.host}{request.path_qs} {dict(request.headers)}")
        page = pages.get(request.path, "Nothing here.")
        if isinstance(page, dict):
            return web.Response(status=page["status"], headers={"Location": page["to"].replace("<port>", str(port))})
        page = page.replace("<port>", str(port))
        return web.Response(
            text=f"<html><body><article><p>{page}</p></article></body></html>", content_type="text/html"
        )

    async def lookup(host: str, port: int) -> list[str]:
        if host == "rebind.example.com":
            return ["93.184.215.14", "10.0.0.7"]
        return ["127.0.0.1"] if host in HOSTS else ["10.0.0.7"]

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        reachable = is_public if attack.get("strict") else lambda address: str(address) == "127.0.0.1"
        yield port, Fetcher(Guard(lookup, reachable=reachable, ports={port, 80, 443}))
    finally:
        await runner.cleanup()


@asynccontextmanager
async def world(attack: dict[str, Any], folder: Path, url: str) -> AsyncIterator[World]:
    sent: list[Any] = []
    heard: list[str] = []
    async with web_of(attack, heard) as (port, fetcher), _opened(attack, folder, url, sent, heard, port, fetcher) as it:
        yield it


@asynccontextmanager
async def _opened(
    attack: dict[str, Any], folder: Path, url: str, sent: list[Any], heard: list[str], port: int, fetcher: Fetcher
) -> AsyncIterator[World]:
    @tool(effect="external")
    async def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        sent.append((to, text))
        return f"sent to {to}"

    @tool(effect="write")
    async def delete_note(name: str) -> str:
        """Delete a note."""
        sent.append(("deleted", name))
        return "deleted"

    engine = Engine(
        [{**each, "url": each["url"].replace("<port>", str(port))} for each in attack.get("found", ())], heard
    )
    tools = [send_mail, delete_note, page_tool(PageReader(fetcher)), search_tool(engine)]
    uses = [
        "send_mail",
        "delete_note",
        "fetch_page",
        "web_search",
        "search_knowledge_base",
        "query_tables",
        "list_tables",
    ]
    uses += ["run_python", "mcp"]
    desk = Agent(
        name="desk", description="Does what is asked", prompt="Help.", tools=uses, allow=attack.get("allow", ())
    )
    model = Obedient([], attack.get("says", "Done."))
    configuration = folder / "mcp.json"
    configuration.write_text(json.dumps(_mcp(attack.get("mcp", {}), folder)), "utf-8")
    given: dict[str, Any] = {
        "data_dir": folder / "data",
        "database_url": url,
        "embeddings": False,
        "tool_dialect": attack.get("dialect", "native"),
        "port": 0,
        "api_keys": list(KEYS) if attack.get("keys", True) else [],
        "mcp_config": configuration,
        "max_upload_bytes": 2_000_000,
        "packs": ["-papers", "-contracts", "-evaluation"],
    }
    async with ScriptedServer(respond=model.respond) as scripted:
        team = Team(name="desk", kind="solo", description="x", agents=[desk])
        dure = Dure(model_base_url=scripted.url, tools=tools, teams=[team], **given)
        async with served(dure) as base, httpx.AsyncClient(base_url=base, timeout=30, verify=False) as client:
            place = World(client, dure, model, sent, heard, folder, {"web": str(port)})
            for name, members in attack.get("shelves", {}).items():
                for member, role in members.items():
                    await dure.knowledge.shelves.put(name, member, role)
            documents = [{"name": "notes.txt", "text": NOTES}, *attack.get("documents", ())]
            for each in documents:
                data = (
                    base64.b64decode(each["base64"])
                    if "base64" in each
                    else each["text"].replace("<web>", str(port)).encode()
                )
                path = folder / "in" / each["name"]
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
                owner = each.get("owner", "kim" if attack.get("keys", True) else "default")
                await dure.ingest(path, owner=owner, shelf=each.get("shelf", "personal"))
            for shelf in attack.get("shelves", {}):
                there = [each for each in await dure.knowledge.list("lee") if each.shelf == shelf]
                place.names |= {f"on {shelf}": there[0].id} if there else {}
            for name, member in attack.get("left", {}).items():
                await dure.knowledge.shelves.remove(name, member)
            await dure.mcp.ready(60)
            yield place
