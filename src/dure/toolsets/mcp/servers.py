"""All MCP servers of a configuration, and their tools as ours."""

import asyncio
import hashlib
from collections.abc import Callable, Collection, Mapping
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from dure.errors import Forbidden, NotFound, existing, phrase
from dure.messages import json_bytes
from dure.storage.vault import Vault
from dure.tooling import Tool, ToolContext, ToolResult, hands_over
from dure.toolsets.mcp.config import read_config
from dure.toolsets.mcp.failures import McpError
from dure.toolsets.mcp.naming import unique_names
from dure.toolsets.mcp.pins import Definition, Pins
from dure.toolsets.mcp.server import Server
from dure.toolsets.toolset import Toolset

if TYPE_CHECKING:
    from mcp_types import Tool as RemoteTool

    from dure.toolsets.mcp.login import Login

# The server's own timeout comes first and says more.
_GRACE_SECONDS = 5.0
_LOOK_SECONDS = 0.5
_LOOKS = 120
_TAKEN_SECONDS = 5.0
"""After which whoever waited for it knows how a login ended."""
LOGIN_SECONDS = 600
"""That a person has for a login."""


class McpServers(Toolset):
    """The servers of a `mcpServers` file (see `dure.toolsets.mcp.config`), each with a session of its own, held open.

    A server that is down, slow or wrongly configured costs only its own tools; it is tried again in the background.
    """

    def __init__(
        self,
        config: Path | Mapping[str, Any] | None,
        *,
        vault: Vault | None = None,
        late: Path | None = None,
    ) -> None:
        """Reads the configuration; starts nothing. vault: keeps logins, for all who use this server, as they share its
        sessions; None: nobody can log in. late: a folder for how calls ended that outlived the process (`late.py`).
        Raises SettingsError naming file and key when it is unusable."""
        self.pins = Pins()
        self.vault = vault
        self.servers = [Server(each, vault, late) for each in read_config(config)]
        self._logins: dict[str, Login] = {}
        self._looking: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin to connect to all servers; returns at once."""
        for each in self.servers:
            each.start()

    async def ready(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109
        """Wait until each server is connected or has failed once; False when that took more than `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                for each in self.servers:
                    await each.settled.wait()
        except TimeoutError:
            return False
        return True

    async def wait_for(self, wanted: Callable[[str], bool]) -> bool:
        """Wait for those of a name that is wanted, asked again after each: until it is connected or has failed once,
        or was started some seconds ago. Returns whether there was any to wait for."""
        any_waited = False
        while waited := [each for each in self.servers if each.patience > 0 and wanted(each.config.name)]:
            any_waited, settled = True, [asyncio.ensure_future(each.settled.wait()) for each in waited]
            try:
                patience = min(each.patience for each in waited)
                await asyncio.wait(settled, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in settled:
                    each.cancel()
        return any_waited

    async def close(self) -> None:
        """End all sessions and the processes of stdio servers; takes up to some five seconds when one does not obey."""
        for task in [*(login.task for login in self._logins.values()), *self._looking]:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)
        await asyncio.gather(*(each.close() for each in self.servers))

    async def __aenter__(self) -> "McpServers":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def tools(self, taken: Collection[str] = ()) -> Mapping[str, Tool]:
        """The tools of the servers that are connected (or were a moment ago), in the configuration's order.

        A tool whose name several servers have, or that is in `taken`, is called `server_tool`. A server that is away
        keeps its claim on names, so that names do not change when it comes and goes. Each is as it was accepted
        (`pins.py`); those that were not are left out.
        """
        listed = [
            (server, kept, changed)
            for server in self.servers
            for remote in server.listed
            for kept, changed in [self._pinned(server, remote)]
            if kept is not None
        ]
        names = unique_names(((server.config.name, kept["name"]) for server, kept, _ in listed), taken)
        return {
            name: _tool(server, kept, name, changed)
            for server, kept, changed in listed
            if server.state in ("ready", "connecting")
            for name in [names[server.config.name, kept["name"]]]
        }

    def accept(self, name: str) -> None:
        """Take the tools of a server for what they are by now. Raises NotFound for one that lists none."""
        server = self.named(name)
        if not server.listed:
            raise NotFound(what="MCP server", id=name[:64])
        self.pins.accept(name, server.listed)

    async def login(self, name: str, redirect: str, whose: str = "") -> str:
        """Begin a person's login at a server, in place of one that was begun there: the address where it goes on, from
        which the person comes back to `redirect` for `logged_in`. whose: a secret that has to come back as well.
        Raises NotFound, and McpError where the server has no OAuth that can be used."""
        from dure.toolsets.mcp.login import Login

        server = self.named(name)
        if self.vault is None or not server.config.logs_in:
            raise NotFound(what="MCP server", id=name[:64])
        if (before := self._logins.pop(name, None)) is not None:
            before.task.cancel()
        challenge = server.challenge or ""
        login = self._logins[name] = Login(server.config, self.vault, redirect, whose, LOGIN_SECONDS, challenge)
        address = await login.begin()
        await self.vault.put(_place(login.state), json_bytes({"whose": whose}))
        self._looking.add(looking := asyncio.create_task(self._look(login)))
        looking.add_done_callback(self._looking.discard)
        return address

    async def _look(self, login: "Login") -> None:
        """Whether the person came back to another process, which leaves what they brought in the vault and waits for
        what comes of it."""
        assert self.vault is not None
        place, server = _place(login.state), login.config.name
        try:
            while self._logins.get(server) is login:
                await asyncio.sleep(_LOOK_SECONDS)
                if back := orjson.loads(await self.vault.get(place) or b"{}").get("back"):
                    try:
                        ended = {"server": await self.logged_in(back, login.whose)}
                    except McpError as error:
                        ended = {"server": server, "reason": error.details["reason"]}
                    await self.vault.put(place, json_bytes(ended))
                    await asyncio.sleep(_TAKEN_SECONDS)
        finally:
            await self.vault.put(place, None)

    async def _left(self, back: Mapping[str, str], whose: str) -> str:
        """End a login that another process began; as `logged_in`."""
        place = _place(back.get("state", ""))
        kept = orjson.loads((self.vault and await self.vault.get(place)) or b"{}")
        # Where nobody began one nothing is kept, and nothing may be: who comes back needs no key.
        if self.vault is None or "whose" not in kept or not compare_digest(kept["whose"].encode(), whose.encode()):
            raise Forbidden(reason=phrase("toolsets_mcp.state"))
        await self.vault.put(place, json_bytes({"back": dict(back)}))
        for _ in range(_LOOKS):
            await asyncio.sleep(_LOOK_SECONDS)
            kept = orjson.loads(await self.vault.get(place) or b"{}")
            if "server" in kept:
                break
        else:
            raise Forbidden(reason=phrase("toolsets_mcp.state"))
        server = self.named(kept["server"])
        if reason := kept.get("reason"):
            raise McpError(server=server.config.name, reason=reason)
        server.resume()
        return server.config.name

    async def logged_in(self, back: Mapping[str, str], whose: str = "") -> str:
        """End a login with what came to the redirect: `state` with `code` or `error`, and `iss`. Returns the server's
        name. Raises Forbidden for a login that nobody began, or somebody else, and McpError for one that failed."""
        state = back.get("state", "").encode()
        found = [each for each in self._logins.values() if each.state and compare_digest(each.state.encode(), state)]
        if not found:
            return await self._left(back, whose)
        if not compare_digest(found[0].whose.encode(), whose.encode()):
            raise Forbidden(reason=phrase("toolsets_mcp.state"))
        login, server = found[0], self.named(found[0].config.name)
        del self._logins[server.config.name]
        if self.vault is not None:
            # It is good for one time, for other processes too.
            await self.vault.put(_place(login.state), None)
        told = " ".join(filter(None, (back.get("error"), back.get("error_description"))))
        try:
            await login.finish(back.get("code", ""), back.get("iss"), told)
        except McpError as error:
            server.error = error.details["reason"]
            raise
        server.resume()
        return server.config.name

    def ended(self, run_id: str) -> None:
        """Give up the calls that wait for a run which has ended."""
        for each in self.servers:
            each.ended(run_id)

    def named(self, name: str) -> Server:
        """Raises NotFound."""
        return existing(next((each for each in self.servers if each.config.name == name), None), "MCP server", name)

    def _pinned(self, server: Server, remote: "RemoteTool") -> tuple[Definition | None, str]:
        self.pins.met(server.config.name, server.listed)
        return self.pins.of(server.config.name, remote)

    def status(self) -> list[dict[str, Any]]:
        """What each server is at: name, transport, state (disabled, connecting, ready, login, failed, closed), error,
        its cause where that is known (key, away), whether a login is wanted (also by some calls alone), version, the
        names its tools have on it, of those that are not as they were accepted what changed, and the names in `effects`
        that none of them has."""
        return [
            {
                "name": each.config.name,
                "transport": each.config.transport,
                "state": each.state,
                "error": each.amiss,
                "cause": each.cause if each.error else "",
                "login": each.state == "login" or each.challenge is not None,
                "version": each.version,
                "tools": [remote.name for remote in each.listed] if each.state == "ready" else [],
                "unknown": [n for n in each.config.effects if n not in names | {"*"}] if each.state == "ready" else [],
                "changed": {r.name: told for r in each.listed if (told := self._pinned(each, r)[1])},
            }
            for each in self.servers
            for names in [{remote.name for remote in each.listed}]
        ]


def _place(state: str) -> str:
    return f"mcp login {hashlib.sha256(state.encode()).hexdigest()}"


def _tool(server: Server, kept: Definition, name: str, changed: str) -> Tool:
    own: str = kept["name"]

    @hands_over
    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        return await server.call(own, args, context)

    return Tool(
        name=name,
        description=kept.get("description") or kept.get("title") or own,
        parameters=kept["input_schema"],
        run=run,
        # Not by its annotations: a server's word for itself grants nothing.
        effect=server.config.effect(own),
        timeout=server.config.timeout + _GRACE_SECONDS,
        untrusted=True,
        server=server.config.name,
        changed=changed,
        verify=server.verify,
    )
