"""The scripted model server: real HTTP on loopback, answers by a script.

    async with ScriptedServer(call("search", query="휴가"), say("15일입니다.")) as server:
        async with Dure(model_base_url=server.url, tool_dialect="native") as dure:
            answer = await dure.chat("회사 휴가 정책 알려줘")
    assert server.requests[1]["messages"][-1]["role"] == "tool"

Leaving the block raises AssertionError when steps were left over, or when a request came that no step was for.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self
from zlib import crc32

import orjson
from aiohttp import web

from dure.agents.claimed import RULES
from dure.models.refusals import PROBE_ARGS, PROBE_TOOL, QUESTION
from dure.testing import replies
from dure.testing.steps import Step, fail, say

_DIM = 64
Kind = Literal["openai", "vllm", "llama.cpp", "ollama"]
Respond = Callable[[dict[str, Any]], Step]

NO_TOOLS: dict[str, str] = {
    "openai": "tools are not supported by this model",
    "vllm": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "llama.cpp": "tools param requires --jinja flag",
    "ollama": "registry.ollama.ai/library/scripted does not support tools",
}
"""What servers of each kind say to a request with `tools` that they cannot serve."""


class ScriptedServer:
    """An OpenAI-compatible server on 127.0.0.1 that answers by `steps`, or any number of requests by `respond(body)`.

    kind: whose side routes it has besides `/v1/chat/completions`, `/v1/models` and `/v1/embeddings`: llama.cpp's
    `/props`, Ollama's `/api/version` and `/api/show`, vLLM's `max_model_len`.
    native: False refuses `tools` with that server's own sentence.
    refuses: the sentence with which a body is refused, or None. Refusals use up no step. template: the chat template
    that llama.cpp and vLLM tell.
    latency: seconds before the first byte of every reply; interval: seconds between pieces; chunk: characters a piece.
    api_key: when set, a request without it gets 401. lists: False lets nobody list the models, as restricted keys.
    Dure's own tiny questions, of what the server takes, are answered by the server itself, counted in `probes`; so is
    which sentences of an answer tell of what nobody did: those with the numbers `claims`.
    """

    def __init__(
        self,
        *steps: Step,
        respond: Respond | None = None,
        kind: Kind = "openai",
        model: str = "scripted",
        native: bool = True,
        refuses: Callable[[dict[str, Any]], str | None] = lambda body: None,
        template: str = "",
        context: int = 8192,
        latency: float = 0.0,
        interval: float = 0.0,
        chunk: int = 8,
        api_key: str | None = None,
        lists: bool = True,
        claims: Sequence[int] = (),
    ) -> None:
        if steps and respond:
            raise ValueError("give steps or respond, not both")
        self.requests: list[dict[str, Any]] = []
        """The bodies of all chat requests that reached the script, in order of arrival."""
        self.headers: list[dict[str, str]] = []
        """Their HTTP headers; names in lower case."""
        self.refused: list[dict[str, Any]] = []
        """Bodies refused because of `native`, `refuses` or `api_key`."""
        self.probes = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.kind = kind
        self.model = model
        self.native = native
        self.refuses = refuses
        self.refusal_status = 400
        self._template = template
        self.context = context
        self.latency = latency
        self.interval = interval
        self.chunk = chunk
        self.url = ""
        """`http://127.0.0.1:PORT/v1`, once started."""
        self._key = api_key
        self._lists = lists
        self._claims = list(claims)
        self._left = list(steps)
        self._respond = respond
        self._problems: list[str] = []
        self._count = 0
        self._runner: web.ServerRunner | None = None
        self._closing = asyncio.Event()
        self._arrival = asyncio.Condition()

    async def start(self, port: int = 0) -> Self:
        """Listen on 127.0.0.1; port 0 takes a free one."""
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def close(self) -> None:
        """Stop listening and drop what is open; no check of the script."""
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def check(self) -> None:
        """Raise AssertionError unless every step was used and every request had one."""
        if self._problems:
            raise AssertionError("; ".join(self._problems))
        if self._left:
            raise AssertionError(f"{len(self._left)} scripted steps were not used, first: {self._left[0]}")

    def then(self, *steps: Step) -> None:
        """Append steps to the script."""
        self._left.extend(steps)

    async def arrived(self, count: int = 1) -> None:
        """Wait until `count` chat requests have reached the script."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: len(self.requests) >= count)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await self.close()
        if kind is None:
            self.check()

    # One request

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path == "/v1/chat/completions" and request.method == "POST":
            return await self._chat(request)
        if self._unauthorized(request):
            return _error(401, "invalid API key")
        if path == "/v1/models" and not self._lists:
            return _error(403, "Missing scopes: api.model.read")
        found = await self._side_route(path, request)
        return _error(404, f"no route {path}") if found is None else web.json_response(found)

    def _unauthorized(self, request: web.BaseRequest) -> bool:
        return self._key is not None and request.headers.get("Authorization") != f"Bearer {self._key}"

    async def _side_route(self, path: str, request: web.BaseRequest) -> dict[str, Any] | None:
        if path == "/v1/models":
            entry: dict[str, Any] = {"id": self.model, "object": "model", "owned_by": self.kind}
            if self.kind == "vllm":
                entry["max_model_len"] = self.context
            return {"object": "list", "data": [entry] if self.model else []}
        if path == "/v1/embeddings":
            wanted = orjson.loads(await request.read())
            rows = [{"index": i, "embedding": embedding(text)} for i, text in enumerate(wanted["input"])]
            return {"object": "list", "model": self.model, "data": rows}
        if path == "/scripted":
            return self.counts()
        if path == "/props" and self.kind == "llama.cpp":
            template = self._template or ("{% if tools %}{{ tools }}{% endif %}" if self.native else "{{ messages }}")
            caps = {"supports_tools": self.native, "supports_tool_calls": self.native}
            context = {"n_ctx": self.context}
            return {"default_generation_settings": context, "chat_template": template, "chat_template_caps": caps}
        if path == "/tokenizer_info" and self.kind == "vllm" and self._template:
            return {"chat_template": self._template}
        if path == "/api/version" and self.kind == "ollama":
            return {"version": "0.12.0"}
        if path == "/api/show" and self.kind == "ollama":
            able = ["completion", "tools"] if self.native else ["completion"]
            info = {"scripted.context_length": self.context}
            return {"capabilities": able, "model_info": info, "template": self._template or ""}
        return None

    def counts(self) -> dict[str, Any]:
        """What was served so far; also at `GET /scripted`, for a server in its own process."""
        return {
            "requests": len(self.requests),
            "refused": len(self.refused),
            "probes": self.probes,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "problems": self._problems,
        }

    async def _chat(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            body: dict[str, Any] = orjson.loads(await request.read())
        except orjson.JSONDecodeError:
            return _error(400, "the body is no JSON")
        if self._unauthorized(request):
            self.refused.append(body)
            return _error(401, "invalid API key")
        if refusal := NO_TOOLS[self.kind] if body.get("tools") and not self.native else self.refuses(body):
            self.refused.append(body)
            return _error(self.refusal_status, refusal)
        messages = body.get("messages") or [{}]
        said = messages[-1].get("content")
        if str(said[-1].get("text") if isinstance(said, list) else said).endswith(str(QUESTION[-1]["content"])):
            self.probes += 1
            offered = [each["function"]["name"] for each in body.get("tools") or ()] == [PROBE_TOOL]
            return await self._reply(request, body, Step(calls=((PROBE_TOOL, PROBE_ARGS),)) if offered else say("ok"))
        if RULES in str(messages[0].get("content")):
            self.probes += 1
            return await self._reply(request, body, say(orjson.dumps({"sentences": self._claims}).decode()))
        self.requests.append(body)
        self.headers.append({key.lower(): value for key, value in request.headers.items()})
        async with self._arrival:
            self._arrival.notify_all()
        try:
            return await self._reply(request, body, self._next(body))
        except ConnectionResetError:
            raise
        except Exception as error:
            self._problems.append(f"request {len(self.requests)}: {error!r}")
            return _error(400, str(error))

    def _next(self, body: dict[str, Any]) -> Step:
        if self._respond is not None:
            return self._respond(body)
        text = ""
        for index, step in enumerate(self._left):
            if step.needle is not None and not text:
                text = "\n".join(str(message.get("content") or "") for message in body.get("messages", ()))
            if step.needle is None or step.needle in text:
                return self._left.pop(index)
        last = str(body["messages"][-1].get("content"))[:200] if body.get("messages") else "(no messages)"
        self._problems.append(f"request {len(self.requests)} came beyond the script; its last message: {last!r}")
        return fail(400, "the script has no step for this request")

    async def _reply(self, request: web.BaseRequest, body: dict[str, Any], step: Step) -> web.StreamResponse:
        if step.gate is not None:
            await self._unless_closing(step.gate.wait())
        if self.latency or step.delay:
            await self._pause(self.latency + step.delay)
        if step.status != 200 or step.body:
            return web.Response(
                status=step.status, body=step.body, headers={**step.headers, "Content-Type": step.content_type}
            )
        text, calls = replies.worded(step, body)
        finish = step.finish or ("tool_calls" if calls else "stop")
        self._count += 1
        head: dict[str, Any] = {"id": f"scripted-{self._count}", "created": 0, "model": body.get("model") or self.model}
        reply = replies.message(head["id"], text, step.reasoning, calls)
        used = replies.usage(body, reply)
        self.prompt_tokens += used["prompt_tokens"]
        self.completion_tokens += used["completion_tokens"]
        if not body.get("stream"):
            if step.stall:
                await self._pause(step.stall)
            whole = replies.completion(head, reply, finish, used)
            if step.truncated:
                return await self._truncated(request, web.StreamResponse(), [whole[: len(whole) // 2]])
            return web.Response(body=whole, content_type="application/json")
        pieces = replies.events(head, reply, self.chunk)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        if step.truncated:
            return await self._truncated(request, response, pieces)
        wants_usage = (body.get("stream_options") or {}).get("include_usage")
        end = replies.ending(head, finish, used if wants_usage else None)
        if step.in_stream_error:
            end = replies.error(step.in_stream_error)
        await response.prepare(request)
        half = len(pieces) // 2 if step.halfway else 0
        await self._write(response, pieces[:half])
        if step.halfway:
            await self._unless_closing(step.halfway.wait())
        await self._write(response, pieces[half:])
        if step.stall:
            await self._pause(step.stall)
        await response.write(end)
        return response

    async def _write(self, response: web.StreamResponse, pieces: Sequence[bytes]) -> None:
        if not self.interval:
            await response.write(b"".join(pieces))
            return
        for piece in pieces:
            await response.write(piece)
            await self._pause(self.interval)

    async def _truncated(
        self, request: web.BaseRequest, response: web.StreamResponse, pieces: Sequence[bytes]
    ) -> web.StreamResponse:
        """Sends the pieces, then closes the connection without the end of the chunked body."""
        response.enable_chunked_encoding()
        await response.prepare(request)
        await self._write(response, pieces)
        if request.transport is not None:
            request.transport.close()
        raise ConnectionResetError("cut by the script")

    async def _pause(self, seconds: float) -> None:
        """Sleeps; ends early when the server closes."""
        await self._unless_closing(asyncio.sleep(seconds))

    async def _unless_closing(self, waiting: Any) -> None:
        waits = [asyncio.ensure_future(waiting), asyncio.ensure_future(self._closing.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()


def _error(status: int, message: str) -> web.Response:
    body = {"error": {"message": message, "type": "invalid_request_error", "code": status}}
    return web.json_response(body, status=status)


def embedding(text: str) -> list[float]:
    """A deterministic unit vector: hashed character bigrams, so that like texts are near each other."""
    row = [0.0] * _DIM
    padded = f" {text} "
    for i in range(len(padded) - 1):
        row[crc32(padded[i : i + 2].encode("utf-8", "surrogatepass")) % _DIM] += 1.0
    length = sum(x * x for x in row) ** 0.5
    return [x / length for x in row]
