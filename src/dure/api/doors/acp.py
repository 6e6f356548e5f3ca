"""The teams as an agent in an editor (https://agentclientprotocol.com), over standard input and output."""

import asyncio
import json
import secrets
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any

import acp

from dure import __version__
from dure.api.approvals import worded
from dure.api.auth import Caller
from dure.api.doors.acp_updates import Updates, said
from dure.api.doors.turns import Turn
from dure.api.following import record
from dure.api.paging import next_of, place
from dure.api.wires import Wire
from dure.errors import Conflict, DureError, NotFound, SessionWaiting
from dure.events import ArtifactMade, Event
from dure.messages import json_bytes, language_of
from dure.runs import AnswerRecord, Ask
from dure.runs.ask import one_of
from dure.teams import DEFAULT_TEAM
from dure.texts import TEXTS

_LINE = 50 << 20
"""Bytes of a message."""
_PAGE = 50
"""Sessions of a list."""
_KINDS = {"approve": "allow_once", "reject": "reject_once", "edit": "reject_once", "answer": "reject_once"}
_REASONS = {"content_filter": "refusal", "length": "max_tokens"}
_TEXT = TEXTS["api_acp"]
_ACTIONS = TEXTS["cli_approvals.actions"]


async def serve(who: Caller, *streams: Any) -> None:
    """Answer the client at standard input and output, or at the two `streams`, until it closes; runs that it waits for
    end with it."""
    await acp.run_agent(Agent(who), _Lines(*streams or await acp.stdio_streams(_LINE)))  # type: ignore[arg-type]


class Agent:
    """The agent's side of the protocol. A client's MCP servers are not used: what tools may do stands in Dure's own
    configuration."""

    def __init__(self, who: Caller) -> None:
        self._who, self._runs = who, who.dure.runs
        self._teams: dict[str, str] = {}
        """Of the sessions that are open."""
        self._at_work: dict[str, str] = {}
        """Their runs at work."""
        self._asking: dict[str, asyncio.Future[Any]] = {}
        """What their people are asked."""

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> Wire:
        prompts = {"image": True, "embeddedContext": True}
        able = {"loadSession": True, "promptCapabilities": prompts, "sessionCapabilities": {"list": {}}}
        about = {"name": "dure", "title": "Dure", "version": __version__}
        return {"protocolVersion": acp.PROTOCOL_VERSION, "agentCapabilities": able, "agentInfo": about}

    async def new_session(self, cwd: str, **_: Any) -> Wire:
        """It is stored with its first message."""
        self._teams[id := f"s-{secrets.token_hex(10)}"] = DEFAULT_TEAM
        return {"sessionId": id, **self._options(id)}

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> Wire:
        with self._refusals():
            before = await self._runs.sessions.messages(self._who.owner, session_id)
            last = await self._runs.list(self._who.owner, session_id=session_id, limit=1)
            self._teams[session_id] = last[0]["team"] if last else DEFAULT_TEAM
            for each in before:
                await self._replay(session_id, each)
        return self._options(session_id)

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: Any) -> Wire:
        """All of the owner's: a folder has none of its own."""
        with self._refusals():
            found = await self._runs.sessions.list(self._who.owner, _PAGE, before=place(cursor))
        where = cwd or str(Path.cwd())
        rows = [{"sessionId": s["id"], "title": s["title"], "updatedAt": s["updated_at"], "cwd": where} for s in found]
        return {"sessions": rows, "nextCursor": next_of(found, _PAGE, "updated_at")}

    async def set_config_option(self, config_id: str, session_id: str, value: str | bool, **_: Any) -> Wire:
        with self._refusals():
            one_of("configId", config_id, ["team"])
            self._open(session_id)
            self._teams[session_id] = one_of("value", str(value), self._who.dure.teams)
        return self._options(session_id)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Wire:
        """Ask. Where the session waits for people, the message decides what can be decided by words, and what is open
        then is asked again."""
        with self._refusals():
            turn = Turn(role="user", content=[each.model_dump(by_alias=True) for each in prompt])
            ask = Ask(turn.text, session_id, self._open(session_id), output_format="markdown", images=turn.images)
            after = 0
            try:
                run_id = (await self._runs.start(self._who.owner, ask)).id
                updates = Updates(run_id)
            except SessionWaiting as error:
                updates = Updates(run_id := str(error.details["run_id"]))
                for event in await record(self._who, run_id):
                    updates.of(event)
                    after += 1
                await self._decide(run_id, worded(await self._runs.approvals(self._who.owner, run_id), turn.text))
            self._at_work[session_id] = run_id
            try:
                return await self._turn(session_id, run_id, updates, after)
            finally:
                del self._at_work[session_id]

    async def cancel(self, session_id: str, **_: Any) -> None:
        if session_id in self._at_work:
            await self._runs.cancel(self._who.owner, self._at_work[session_id])
        if session_id in self._asking:
            self._asking[session_id].cancel()

    async def _turn(self, session_id: str, run_id: str, updates: Updates, after: int) -> Wire:
        while True:
            async with aclosing(self._who.dure.runs.followed(self._who.owner, run_id, after)) as events:
                async for number, event in events:
                    after = number
                    await self._tell(session_id, event, updates)
            answer = await self._runs.answer(self._who.owner, run_id)
            if answer.status != "waiting" or not await self._decided(session_id, run_id, updates, answer):
                break
        status = (await self._runs.brief(self._who.owner, run_id))["status"]
        reason = _REASONS.get(str(answer.metadata.get("reason")), "max_turn_requests")
        return {"stopReason": {"cancelled": "cancelled", "stopped": reason}.get(status, "end_turn")}

    async def _decided(self, session_id: str, run_id: str, updates: Updates, answer: AnswerRecord) -> bool:
        """Ask the person what the run waits for; False where something is left open: how it is decided by words is
        told then. A question that is given up ends the run."""
        decisions, left = [], []
        for each in answer.approvals:
            language, call_id = language_of(each["title"]), each.get("call_id") or each["id"]
            about = updates.call(call_id, each["title"], "pending", rawInput=each["args"])
            await self._client.session_update(session_id, about)
            options = [
                {"optionId": action, "name": _ACTIONS[action][language], "kind": kind}
                for action, kind in _KINDS.items()
                if action in each["actions"]
            ]
            asking = asyncio.ensure_future(self._client.request_permission(session_id, about, options))
            self._asking[session_id] = asking
            reply = (await asyncio.gather(asking, return_exceptions=True))[0]
            del self._asking[session_id]
            action = getattr(getattr(reply, "outcome", None), "option_id", None)
            if action is None:
                await self._runs.cancel(self._who.owner, run_id)
                return False
            if action in ("edit", "answer"):
                left.append(_TEXT[action][language].format(args=json_bytes(each["args"]).decode()))
                continue
            decisions.append({"approval_id": each["id"], "action": action})
            if not each.get("call_id"):
                done = updates.call(call_id, each["title"], "completed" if action == "approve" else "failed")
                await self._client.session_update(session_id, done)
        await self._decide(run_id, decisions)
        if left:
            await self._client.session_update(session_id, said("agent_message_chunk", "\n\n".join(left)))
        return not left

    async def _decide(self, run_id: str, decisions: list[Wire]) -> None:
        try:
            await self._runs.decide(self._who.owner, run_id, decisions) if decisions else None
        except Conflict:
            # Somebody else was quicker, as on the page.
            if await self._runs.approvals(self._who.owner, run_id):
                raise

    async def _replay(self, session_id: str, message: Wire) -> None:
        """A message of before; with a question, all that its run told."""
        run_id, user = message["run_id"], message["role"] == "user"
        if user or run_id == "-":
            kind = "user_message_chunk" if user else "agent_message_chunk"
            await self._client.session_update(session_id, said(kind, message["content"]))
        if user and run_id != "-":
            updates = Updates(run_id)
            for event in await record(self._who, run_id):
                await self._tell(session_id, event, updates)

    async def _tell(self, session_id: str, event: Event, updates: Updates) -> None:
        for each in updates.of(event):
            await self._client.session_update(session_id, each)
        if isinstance(event, ArtifactMade):
            row, path = await self._runs.artifact(self._who.owner, updates.run_id, event.artifact["id"])
            link = {"type": "resource_link", "name": row["name"], "uri": path.as_uri(), "mimeType": row["media_type"]}
            await self._client.session_update(session_id, {"sessionUpdate": "agent_message_chunk", "content": link})

    def _open(self, session_id: str) -> str:
        """The team of an open session. Raises NotFound."""
        if session_id not in self._teams:
            raise NotFound(what="session", id=session_id[:128])
        return self._teams[session_id]

    def _options(self, session_id: str) -> Wire:
        teams = [
            {"value": name, "name": team.title or name, "description": team.description}
            for name, team in self._who.dure.teams.items()
        ]
        option = {"id": "team", "name": _TEXT["team"][self._who.language or "en"], "category": "mode", "type": "select"}
        return {"configOptions": [option | {"currentValue": self._teams[session_id], "options": teams}]}

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Our errors as the protocol has them."""
        try:
            yield
        except DureError as error:
            code = -32002 if isinstance(error, NotFound) else -32602 if error.status < 500 else -32603
            told = error.as_dict(self._who.language or "en")["error"]
            raise acp.RequestError(code, told["message"], told) from None


class _Lines:
    """Messages, one a line. What is none is answered so, and the next is read; the library's own reader ends there."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, message: Wire) -> None:
        self._writer.write(json_bytes(message) + b"\n")
        await self._writer.drain()

    async def receive(self) -> Wire | None:
        while line := await self._reader.readline():
            try:
                if isinstance(message := json.loads(line), dict):
                    return message
            except ValueError:
                pass
            await self.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
        return None

    async def close(self) -> None:
        self._writer.close()
