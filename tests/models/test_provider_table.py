"""The table of providers in docs/models.md is what came of asking each here. Where it differs, the failure shows the
right one."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from fixtures.providers import ASKED, TOOL, serving

from dure.errors import ModelRefused, ModelUnavailable
from dure.messages import user
from dure.models import Model, Models
from dure.models.client import ChatClient
from dure.settings import Settings
from dure.testing import ScriptedServer, Step, call, fail, say

if not find_spec("langchain_openai") or not find_spec("langchain_anthropic"):
    pytest.skip("needs the extras openai and anthropic", allow_module_level=True)

DOC = Path(__file__).parents[2] / "docs" / "models.md"
SCHEMA = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
COUNTED: dict[str, Any] = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "15일"}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 40,
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 30},
        "completion_tokens_details": {"reasoning_tokens": 5},
    },
}
"""What servers of OpenAI's kind say that count these, such as vLLM."""
PICTURES = ["data:image/png;base64,iVBORw0KGgo="]


def counted(*, streamed: bool) -> bytes:
    """`COUNTED` as a whole reply, or as the chunks of one."""
    if not streamed:
        return json.dumps(COUNTED).encode()
    head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    (choice,) = COUNTED["choices"]
    delta = {"index": 0, "delta": choice["message"], "finish_reason": "stop"}
    chunks = head | {"choices": [delta]}, head | {"choices": [], "usage": COUNTED["usage"] | {"total_tokens": 49}}
    return b"".join(b"data: %b\n\n" % json.dumps(each).encode() for each in chunks) + b"data: [DONE]\n\n"


VERSION = "2025-04-01-preview"


class Azure(ScriptedServer):
    """Takes what Azure takes: the deployment in the path, the version in the query, the key in a header of its own
    (https://learn.microsoft.com/azure/ai-foundry/openai/reference)."""

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        assert (request.path, request.query["api-version"]) == ("/openai/deployments/m/chat/completions", VERSION)
        assert request.headers["api-key"] == "sk-secret-key"
        return await super()._handle(request.clone(rel_url="/v1/chat/completions"))


class Asked:
    """A provider's server and a model on it, asked alike whichever it is."""

    def __init__(self, server: Any, model: Model) -> None:
        self.server, self.model = server, model

    def then(self, text: str = "", query: str = "", status: int = 200) -> None:
        """What the server says next, as often as it is asked."""
        if isinstance(self.server, ScriptedServer):
            step = fail(status) if status != 200 else call("search", query=query) if query else say(text)
            self.server._left[:] = [step.thinking("생각") if status == 200 else step]
        else:
            self.server.steps[:] = [(status, "no") if status != 200 else self.server.says(text, query)] * 5

    async def stream(self) -> bool:
        self.then("연차는 15일입니다. " * 5)
        pieces: list[Any] = []
        await self.model.ask(ASKED, on_piece=pieces.append)
        return len([each for each in pieces if each.kind == "text"]) > 1

    async def tools(self) -> bool:
        self.then(query="연차")
        asked = await self.model.ask(ASKED, [TOOL])
        return asked.dialect == "native" and asked.reply.tool_calls[0].args == {"query": "연차"}

    async def reasoning(self) -> bool:
        self.then("15일")
        return (await self.model.ask(ASKED)).reply.reasoning == "생각"

    async def _usage(self) -> Any:
        self.then("15일")
        if isinstance(self.server, ScriptedServer):
            streamed = isinstance(self.server, Azure)
            kind = "text/event-stream" if streamed else "application/json"
            self.server._left[:] = [Step(body=counted(streamed=streamed), content_type=kind)]
        return (await self.model.ask(ASKED)).reply.usage

    async def usage(self) -> bool:
        used = await self._usage()
        return used.prompt_tokens > 0 and used.completion_tokens > 0

    async def cached(self) -> bool:
        return (await self._usage()).cached_tokens > 0

    async def thoughts_counted(self) -> bool:
        return (await self._usage()).reasoning_tokens > 0

    async def schema(self) -> bool:
        self.then('{"days": 15}')
        return (await self.model.ask(ASKED, schema=SCHEMA)).reply.content.replace(" ", "") == '{"days":15}'

    async def pictures(self) -> bool:
        self.then("고양이")
        await self.model.ask([user("?") | {"images": PICTURES}])
        return "iVBORw0KGgo=" in str(self.server.requests[-1])

    async def errors(self) -> bool:
        for status, kind in ((401, ModelRefused), (529, ModelUnavailable)):
            self.then(status=status)
            with pytest.raises(kind):
                await self.model.ask(ASKED)
        return True


COLUMNS = ("stream", "tools", "reasoning", "usage", "cached", "thoughts_counted", "schema", "pictures", "errors")


@asynccontextmanager
async def opened(name: str) -> AsyncIterator[Asked]:
    if name == "azure_openai":
        azure = await Azure(say("")).start()
        place = {"azure_endpoint": azure.url.removesuffix("/v1"), "api_version": VERSION, "max_retries": 0}
        named = {"provider": name, "name": "m", "key": "sk-secret-key", "options": place}
        models = Models(Settings(models={"theirs": named}))
        yield Asked(azure, models["theirs"])
        await models.close()
        await azure.close()
        return
    if name != "compatible":
        async with serving(name) as (server, model):
            yield Asked(server, model)
        return
    scripted = await ScriptedServer(say(""), interval=0.01).start()
    model = Model(ChatClient(scripted.url, "m", tries=1))
    yield Asked(scripted, model)
    await model.close()
    await scripted.close()


async def test_the_table_is_what_came_of_asking() -> None:
    rows = [
        f"| provider | {' | '.join(each.replace('_', ' ') for each in COLUMNS)} |",
        "|---" * (len(COLUMNS) + 1) + "|",
    ]
    for name in ("compatible", "openai", "anthropic", "azure_openai"):
        async with opened(name) as asked:
            came = ["yes" if await getattr(asked, column)() else "no" for column in COLUMNS]
        rows.append(f"| `{name}` | {' | '.join(came)} |")
    table = "\n".join(rows)
    assert table in DOC.read_text("utf-8"), f"\n{table}\n"
