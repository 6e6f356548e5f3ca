"""What a tool is: something a model may call, with a JSON Schema of its arguments and an effect class; what it is told
of the run and what it gives back. How functions and others become tools: `dure.toolsets`."""

import asyncio
import contextvars
import hashlib
import re
import threading
from collections.abc import Awaitable, Callable, Collection, Container, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any, Literal, Protocol, TypeVar, get_args

from dure.errors import InvalidInput, Language, phrase
from dure.messages import canonical, json_bytes
from dure.sources import Passage, Place

T = TypeVar("T")

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What OpenAI-compatible servers take as a tool's name (matched whole)."""

Effect = Literal["read", "idempotent", "write", "external"]
"""read: looks only. write: changes something of the user's. external: acts outside (sends, buys). idempotent: either of
these, but whoever is told the same `ToolContext.key` twice does it once."""

Verify = Callable[[str], Awaitable['Literal["done", "not done", "unknown"] | ToolResult']]
"""Whether the call with that `ToolContext.key` had its effect, or what it gave."""

Outgoing = Literal["address", "query"]
"""address: a web address, which tells whoever holds it all that stands in it. query: what a search engine is asked."""


class InvalidTool(InvalidInput, code="invalid_tool"):
    """Something was given as a tool that cannot be one."""


class Asks(Exception):
    """A person has to be asked before a call can go on; then it is made again, with the same `ToolContext.key`."""


class InRun(Protocol):
    """What a call may do in the run that makes it."""

    def ask(self, part: str, title: str, *actions: Any, **about: Any) -> Any:
        """What a person decided about a question of the call's (`action`: one of `actions`, or `expire` when nobody did
        in time; `args`, `message`). part: which of its questions, the same when the call is made again; about: more of
        the question. Raises Asks while nobody has decided."""

    async def sample(self, part: str, messages: list[Any], max_tokens: int) -> tuple[str, str, str]:
        """Ask the agent's model, within the owner's budget: what it says, its name, and why it ended (`stop`,
        `length`). part: as of `ask`. Raises the model's typed errors."""

    async def found(self, tool: str = "") -> list[Any]:
        """The `data` of what a tool, or any where none is named, found in this run and in those of the session before
        it, newest first."""

    async def file(self, name: str) -> "File | None":
        """The file that a tool made under that name in this run or in those of the session before it, the newest."""

    def tell(self, text: str, *, brief: bool = False) -> None:
        """Tell the user how the call gets on; brief: soon followed by more, which may stand for it."""


@dataclass(slots=True)
class ToolContext:
    """What a tool may know of the run that calls it."""

    owner: str
    session_id: str = ""
    run_id: str = ""
    agent: str = ""
    language: Language = "ko"
    call_id: str = ""
    """Of the call, unique in the run and the same when that is played again."""
    work_id: str = ""
    """Of the piece of work that the call belongs to."""
    run: InRun | None = None
    """None outside of runs, where nobody can be asked."""
    room: int = 12_000
    """Characters that a long result may have, so that it leaves room in the model's window."""
    shown: Collection[Place] = ()
    """The passages that whoever calls was shown already: a search finds as many others."""
    cite: Callable[[str], Awaitable[Any]] | None = None
    """What the model wrote, as an answer is cited: its text, its citations and its checks. None where code wrote it."""
    hand_over: Callable[[], None] = lambda: None
    """Called right before what the call does can begin, by the tool's `run` where that `hands_over`. Until then it is
    sure that nothing was done, whatever becomes of this process."""

    @property
    def key(self) -> str:
        """The call's idempotency key: the same each time it is made, no other call's."""
        return f"{self.run_id}.{self.call_id}"


@dataclass(slots=True)
class File:
    """A file that a tool made; the run keeps it as an artefact, under a name made safe."""

    name: str
    data: bytes
    media_type: str = "application/octet-stream"
    seen: bool = False
    """A picture that is shown to the model, where that sees."""


@dataclass(slots=True)
class ToolResult:
    """What a tool found. `text` is what the model reads."""

    text: str
    passages: list[Passage] = field(default_factory=list)
    """What was found in documents. The run numbers them, shows them to the model as [1], [2] … and cites from them."""
    is_error: bool = False
    places: list[Passage] = field(default_factory=list)
    """What in documents `text` was made of, as rows of a table: numbered and cited as passages are, and not shown."""
    data: Any = None
    """JSON-like extra for the record and the page; models do not see it."""
    files: list[File] = field(default_factory=list)
    """What it made for the user. Making a file of the run's own is no effect: nothing of the user's changes."""
    images: list[str] = field(default_factory=list)
    """Names of the pictures among them that are shown to the model, once they are kept."""
    ended: str = ""
    """How the call ended, where `is_error` does not say it: `timeout`, `declined`."""
    seconds: float = 0.0
    """How long the tool was at work."""

    @property
    def fields(self) -> dict[str, Any]:
        """Its `data` where that is an object, else an empty one."""
        return self.data if isinstance(self.data, dict) else {}

    @property
    def status(self) -> str:
        """How the call ended: ok, error, timeout or declined."""
        return self.ended or ("error" if self.is_error else "ok")


Run = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]


def hands_over(run: Run) -> Run:
    """Mark a tool's `run` that may wait before it does anything, and calls `ToolContext.hand_over` when it does. The
    function is marked, not the tool: where another stands in its place calls are handed over before that begins."""
    run.hands_over = True  # type: ignore[attr-defined]
    return run


@dataclass(frozen=True, slots=True)
class Tool:
    """Raises InvalidTool for an effect, a timeout or a `verify` that is none."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments, kept as given. Who is asked about a call reads `Text` descriptions in theirs."""
    run: Run
    effect: Effect = "read"
    timeout: float = 60.0
    """Seconds after which a call is given up and reported to the model."""
    untrusted: bool = False
    """Its results come from outside (web, MCP, documents) and are marked as data for the model."""
    outgoing: Mapping[str, Outgoing] = field(default_factory=dict)
    """Of a tool for the public web: which arguments go out to it, and what they are."""
    server: str | None = None
    """Of an MCP tool: its server's name in the configuration."""
    changed: str = ""
    """What an MCP tool says of itself by now that is not as it was accepted: each of its calls is asked about."""
    verify: Verify | None = None
    """Asked what became of a call that was under way when the process died, before people are."""
    takes: Callable[[dict[str, Any]], object] | None = None
    """Raises for arguments that the schema lets pass and the tool does not take: nobody is asked about such a call."""
    own: frozenset[str] = frozenset()
    """Arguments that code gives, and that no model is shown."""
    words: str = ""
    """The argument that takes what is to be found out in the words of a message. An agent whose first tool this is gets
    what it finds with the message before its first turn, which spares a model that is up to it the call."""
    languages: Callable[[str], Awaitable[Collection[Language]]] | None = None
    """Of a search: the languages that the documents of an owner are in. Where one is not the message's, whoever gives
    an agent that searches its work words the question in it too, and so does the agent."""
    beside: str = ""
    """A tool that it goes with: whoever has that one has this one too, but for small models."""
    there: Callable[[str], Awaitable[bool]] | None = None
    """Whether an owner has what it looks at; where that is not so nobody has it `beside` another."""
    lists: bool = False
    """It tells what another tool can be asked, and counts nothing itself."""
    needs: str = ""
    """A library of the extra `office`: where it is not installed, calls only say so."""

    def __post_init__(self) -> None:
        effects = get_args(Effect)
        for key, fits in (
            ("effect", self.effect in effects),
            ("timeout", isinstance(self.timeout, int | float) and self.timeout > 0),
            ("verify", self.verify is None or callable(self.verify)),
        ):
            if not fits:
                reason = phrase(f"tooling.{key}", given=repr(getattr(self, key)), effects=", ".join(effects))
                raise InvalidTool(tool=f"'{self.name}'", reason=reason)

    @property
    def lacks(self) -> str:
        """The library that it needs and that is not installed here, if any."""
        return self.needs if self.needs and find_spec(self.needs) is None else ""

    @property
    def digest(self) -> str:
        """SHA-256 of all that a person who is asked about it may count on."""
        parts = [self.name, self.description, self.parameters, self.effect, self.server, self.changed]
        return hashlib.sha256(canonical(parts)).hexdigest()

    @property
    def shown(self) -> dict[str, Any]:
        """The schema of its arguments as models see it."""
        shown = {name: each for name, each in self.parameters.get("properties", {}).items() if name not in self.own}
        return {**self.parameters, "properties": shown} if self.own else self.parameters

    async def of_run(self, owner: str) -> "Tool":
        """The same tool, which does not look for the languages of an owner's documents again."""
        if self.languages is None:
            return self
        found = await self.languages(owner)

        async def known(owner: str) -> Collection[Language]:
            return found

        return replace(self, languages=known)

    async def foreign(self, owner: str, language: Language) -> Language | None:
        """Of a search: another language than this one that an owner's documents are in, if any."""
        return next(iter({*await self.languages(owner)} - {language}), None) if self.languages else None

    def as_openai(self) -> dict[str, Any]:
        return openai_tool(self.name, self.description, self.shown)


def beside(tools: Container[str], known: Mapping[str, Tool]) -> dict[str, Tool]:
    """What of the `known` tools whoever has these has besides, with a model that is up to it."""
    return {name: tool for name, tool in known.items() if tool.beside in tools}


async def owned(tools: Mapping[str, Tool], owner: str) -> dict[str, Tool]:
    """Those of the tools for which the owner has what they look at."""
    return {name: tool for name, tool in tools.items() if tool.there is None or await tool.there(owner)}


def openai_tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A tool in the shape of OpenAI's `tools` parameter."""
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def an_object(properties: Mapping[str, Any], *optional: str) -> dict[str, Any]:
    """The JSON Schema of an object with these properties and no others; all but the `optional` ones are required."""
    required = [name for name in properties if name not in optional]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {key: value for key, value in schema.items() if value or key != "required"}


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a daemon thread of its own and hand on what it returns or raises.

    Not `asyncio.to_thread`: a tool that hangs would keep one of the pool's few threads, and the program from ending.
    """
    done: Future[T] = Future()
    # Whoever waits may be cancelled; the thread is not.
    done.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def target() -> None:
        try:
            done.set_result(context.run(work))
        except StopIteration as stop:
            # asyncio's futures do not take StopIteration: the waiting coroutine would never wake.
            done.set_exception(RuntimeError(f"StopIteration: {stop}"))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=target, name="dure-tool", daemon=True).start()
    return await asyncio.wrap_future(done)


def as_result(value: Any) -> ToolResult:
    """A return value as a result: `ToolResult` as it is, text as text, `File` or bytes as a file, all else as JSON, in
    which a sentence stands in the place of each file."""
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, bytes | bytearray):
        value = File("result.bin", bytes(value))
    files: list[File] = []
    told = _without_files(value, files)
    if isinstance(told, str):
        return ToolResult(told, files=files)
    from pydantic_core import to_jsonable_python

    data = to_jsonable_python(told, fallback=str, bytes_mode="base64")
    return ToolResult(json_bytes(data).decode(), files=files, data=data)


def _without_files(value: Any, files: list[File]) -> Any:
    """`value` with what the model is told of it in the place of each file, which is added to `files`."""
    if isinstance(value, File):
        files.append(value)
        return f"The user got the file {value.name} ({len(value.data):,} bytes)."
    if isinstance(value, Mapping):
        return {key: _without_files(each, files) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_files(each, files) for each in value]
    return value
