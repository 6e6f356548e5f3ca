"""A call to an MCP server while it is under way, and what the server asks meanwhile: of the person, or of the model.

While a person is asked the run waits and is not there; the call goes on and holds the server's session open until the
run comes back to it with the answer. Where it is not there any more (this process was started anew, another one works
on the run), the call is made again where it may be, and what was answered is answered again from the run's record.
"""

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Literal, TypeVar

from mcp.client.client import Client
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    URL_ELICITATION_REQUIRED,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitationRequiredErrorData,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    EmptyResult,
    ErrorData,
    LoggingMessageNotificationParams,
    PingRequest,
    TextContent,
)

from dure.errors import DureError
from dure.messages import Message, canonical, json_bytes, short, system
from dure.settings import is_address
from dure.texts import TEXTS
from dure.tooling import Asks, InRun, ToolContext, ToolResult
from dure.toolsets.mcp.config import ServerConfig

log = logging.getLogger(__name__)

T = TypeVar("T")
_TEXT = TEXTS["toolsets_mcp"]
_MOST_SHOWN = 2000
_MOST_TOLD = 300
_SILENT = ("debug",)
"""Levels of a server's log that users are not told."""
_LISTENS_SECONDS = 5.0
"""That a server has to answer a ping; one that does not is not asked again."""
_END_SECONDS = 2.0
"""That calls which are given up have to tell the server so."""
_DONE: dict[str, Literal["accept", "decline"]] = {"approve": "accept", "answer": "accept", "reject": "decline"}
MAKING: ContextVar["Call | None"] = ContextVar("dure_mcp_call", default=None)
"""The call that a message of the server came for, where its transport tells."""

Answer = Callable[[InRun], Awaitable[Any]]


class Call:
    """Goes on by itself (`task`), which tells the server when it is cancelled; `made` gives its result. Its time limit
    does not run while somebody is asked."""

    def __init__(self, make: "Callable[[Call], Awaitable[ToolResult]]", context: ToolContext, calls: "Calls"):
        self.context, self._calls, self._config = context, calls, calls.config
        self.sent = False
        self._run: InRun | None = None
        """While it is waited for."""
        self.left = False
        """Its run waits for a person."""
        self._limit = asyncio.timeout(self._config.timeout)
        self.open: list[tuple[Answer, asyncio.Future[Any]]] = []
        """What was asked and is not answered."""
        self._more = asyncio.Event()
        self._parts: Counter[str] = Counter()
        self.task = asyncio.create_task(self._make(make))

    async def _make(self, make: "Callable[[Call], Awaitable[ToolResult]]") -> ToolResult:
        MAKING.set(self)
        try:
            async with self._limit:
                return await make(self)
        finally:
            self._more.set()

    async def made(self, context: ToolContext) -> ToolResult:
        """The result, with the run of `context` to ask. Raises Asks where a person has to answer first: then this is to
        be waited for again."""
        self.context, self._run, self.left = context, context.run, False
        try:
            while True:
                self._more.clear()
                while self.open and self._run:
                    answer, asked = self.open[0]
                    found = await answer(self._run)
                    if not asked.done():
                        asked.set_result(found)
                    self._close(asked)
                if self.task.done():
                    return await self.task
                await self._more.wait()
        except BaseException as error:
            self.left = isinstance(error, Asks)
            if not self.left:
                self.task.cancel()
            raise
        finally:
            self._run = None

    async def hand_over(self, client: Client, tool: str) -> None:
        """To be called right before it is sent: the record is told then, and waits until it can begin. A server that
        does one thing after the other would leave it in its pipe, and after a crash nobody could say whether it was
        begun; such a server answers a ping when it is free. Raises MCPError where the connection is lost."""
        calls, certain = self._calls, self._config.effect(tool) in ("read", "idempotent")
        async with calls.turn:
            if not certain and self._config.transport == "stdio" and calls.listens and calls.busy:
                try:
                    async with asyncio.timeout(_LISTENS_SECONDS):
                        await client.session.send_request(PingRequest(), EmptyResult)
                except TimeoutError:
                    calls.listens = False
                except MCPError as error:
                    if error.code == CONNECTION_CLOSED:
                        raise
            self.sent = True
            self.context.hand_over()

    async def progressed(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell how far it is."""
        place = f"{progress:g}/{total:g}" if total else f"{progress:g}"
        self.tell(f"{place} {message or ''}", brief=progress != total)

    def tell(self, text: str, *, brief: bool = False) -> None:
        """Tell the user something that the server says of it; see `InRun.tell`."""
        if self._run:
            self._run.tell(short(self._config.redact_result(text), _MOST_TOLD), brief=brief)

    async def led(self, send: Callable[[], Awaitable[T]]) -> T:
        """What `send` gives, where the server wants a person to go somewhere first, after they did. Raises MCPError."""
        while True:
            try:
                return await send()
            except MCPError as error:
                if error.code != URL_ELICITATION_REQUIRED:
                    raise
                wanted = ElicitationRequiredErrorData.model_validate(error.data).elicitations
                if not all([(await self.elicited(each)).action == "accept" for each in wanted]):
                    raise

    async def elicited(self, params: ElicitRequestParams) -> ElicitResult:
        """What a person says to what the server asks: a form, or an address that they are led to."""
        if isinstance(params, ElicitRequestFormParams):
            actions: tuple[str, ...] = ("answer", "reject")
            kind, about = "asks", {"schema": params.requested_schema}
        else:
            actions, kind, about = ("approve", "reject"), "leads", {"args": {"url": params.url}}
            if not (is_address(params.url) and params.url.startswith(("https://", "http://"))):
                return ElicitResult(action="decline")

        async def answer(part: str, run: InRun) -> ElicitResult:
            said = run.ask(part, self._title(kind, params.message), *actions, **about)
            content = said.args if said.action == "answer" else None
            return ElicitResult(action=_DONE.get(said.action, "cancel"), content=content)

        return await self._asked(params, answer) or ElicitResult(action="cancel")

    async def sampled(self, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        """What the run's model says to what the server asks it, once a person has seen that and said yes."""
        asked: list[Message] = [system(params.system_prompt)] if params.system_prompt else []
        for each in params.messages:
            texts = [block.text for block in each.content_as_list if isinstance(block, TextContent)]
            if len(texts) < len(each.content_as_list):
                return ErrorData(code=INVALID_PARAMS, message="only text is taken")
            asked.append({"role": each.role, "content": "\n".join(texts)})
        shown = {"messages": asked, "max_tokens": params.max_tokens}

        async def answer(part: str, run: InRun) -> CreateMessageResult | ErrorData:
            said = run.ask(part, self._title("samples", ""), "approve", "reject", args=shown)
            if said.action != "approve":
                return ErrorData(code=-1, message="User rejected sampling request")
            try:
                text, model, why = await run.sample(part, asked, params.max_tokens)
            except DureError as error:
                return ErrorData(code=-1, message=str(error))
            stop = "maxTokens" if why == "length" else "endTurn"
            return CreateMessageResult(role="assistant", content=TextContent(text=text), model=model, stop_reason=stop)

        return await self._asked(params, answer) or ErrorData(code=-1, message="there is nobody to ask")

    async def _asked(self, params: Any, answer: Callable[[str, InRun], Awaitable[Any]]) -> Any:
        """What `answer` finds in the run; None outside of runs. The same question has the same name when it is asked in
        a call that is made again."""
        if self.context.run is None or self.task.done():
            return None
        digest = hashlib.sha256(canonical(params.model_dump(mode="json", exclude={"meta"}))).hexdigest()[:8]
        self._parts[digest] += 1
        part = f"s{digest}-{self._parts[digest]}"
        found: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.open.append((lambda run: answer(part, run), found))
        self._limit.reschedule(None)
        self._more.set()
        try:
            return await found
        finally:
            # The server may have taken it back.
            self._close(found)

    def _close(self, asked: asyncio.Future[Any]) -> None:
        self.open = [each for each in self.open if each[1] is not asked]
        if not self.open and not self.task.done():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._config.timeout)
        self._more.set()

    def _title(self, kind: str, message: str) -> str:
        return _TEXT.say(kind, self.context.language, server=self._config.name, message=message[:_MOST_SHOWN])


class Calls:
    """The calls of one server that are under way, or whose runs wait. Its callbacks find the call that the server
    means: by the stream that a message comes on, else the only one there is. Where it could be several, nobody is
    asked."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.turn, self.listens = asyncio.Lock(), True
        """One after another they are sent; whether the server answers pings."""
        self._calls: list[Call] = []

    @property
    def busy(self) -> bool:
        """Whether the server has a call already."""
        return any(each.sent and not each.task.done() for each in self._calls)

    async def made(self, context: ToolContext, make: Callable[[Call], Awaitable[ToolResult]]) -> ToolResult:
        """What `make` finds, given the call; of a call of this key that waits, what that finds. Raises Asks."""
        call = self.waiting(context.key)
        if call is None:
            call = Call(make, context, self)
            self._calls.append(call)
        try:
            return await call.made(context)
        finally:
            if not call.left:
                self._calls.remove(call)

    def waiting(self, key: str) -> Call | None:
        """The call of that key, where its run waits."""
        return next((each for each in self._calls if each.left and each.context.key == key), None)

    def ended(self, run_id: str) -> None:
        """Give up what waits for a run that has ended."""
        for each in [each for each in self._calls if each.left and each.context.run_id == run_id]:
            self._calls.remove(each)
            each.task.cancel()

    async def close(self) -> None:
        """Give up all."""
        tasks = [each.task for each in self._calls]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_END_SECONDS)

    def _asking(self) -> Call | None:
        call, others = MAKING.get(), [each for each in self._calls if not each.open]
        return call or (others[0] if len(others) == 1 else None)

    async def elicited(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        if (call := self._asking()) is None:
            log.warning("MCP server %s asked a person in none of its calls, or in any of several", self.config.name)
        return await call.elicited(params) if call else ElicitResult(action="cancel")

    async def sampled(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        call = self._asking()
        return await call.sampled(params) if call else ErrorData(code=-1, message="in which call?")

    async def logged(self, params: LoggingMessageNotificationParams) -> None:
        if params.level not in _SILENT and (call := self._asking()):
            text = params.data if isinstance(params.data, str) else json_bytes(params.data).decode()
            call.tell(f"{params.level}: {text}")
