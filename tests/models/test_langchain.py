"""LangChain chat models as models of ours, with a chat model written here."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from dure.errors import InvalidInput, ModelError
from dure.messages import Usage, assistant, tool_result, user
from dure.models import Model, model_of

TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Searches.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
}


class Scripted(BaseChatModel):
    """Gives its replies in order and notes what it was given."""

    replies: list[AIMessage]
    seen: list[tuple[list[BaseMessage], dict[str, Any]]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        self.seen.append((messages, {**kwargs, "stop": stop}))
        return ChatResult(generations=[ChatGeneration(message=self.replies.pop(0))])


class Binding(Scripted):
    """Takes tools."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind(tools=[convert_to_openai_tool(each) for each in tools], **kwargs)


class Streaming(Binding):
    """Streams in fragments, calls too."""

    async def _astream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for word in ("연차는 ", "15일"):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        for index, (name, args_text) in enumerate([("search", '{"que'), (None, 'ry": "a"}')]):
            fragment = {"name": name, "args": args_text, "id": "c1" if not index else None, "index": 0}
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[fragment]))
        used = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=used))


class Failing(Scripted):
    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise RuntimeError("quota used up")


async def test_native_where_tools_can_be_bound():
    call = {"name": "search", "args": {"query": "연차"}, "id": "c1"}
    chat = Binding(replies=[AIMessage("", tool_calls=[call]), AIMessage("15일")])
    model = model_of(chat)
    asked = await model.ask([user("연차?")], [TOOL])
    wire = [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "연차"}'}}]
    second = await model.ask([user("연차?"), assistant(None, wire), tool_result("c1", "search", "15일")], [TOOL])
    assert (asked.dialect, asked.reply.tool_calls[0].args) == ("native", {"query": "연차"})
    assert second.reply.content == "15일"
    messages, options = chat.seen[1]
    assert isinstance(messages[-1], ToolMessage)
    assert messages[1].tool_calls[0]["args"] == {"query": "연차"}
    assert options["tools"] == [TOOL]


async def test_text_where_they_cannot():
    model = model_of(Scripted(replies=[AIMessage('Thought: t\nAction: search\nAction Input: {"query": "a"}')]))
    asked = await model.ask([user("q")], [TOOL])
    assert (asked.dialect, asked.reply.tool_calls[0].args) == ("text", {"query": "a"})


async def test_arguments_beyond_64_bits_arrive_whole():
    call = {"name": "search", "args": {"query": 2**70}, "id": "c1"}
    asked = await model_of(Binding(replies=[AIMessage("", tool_calls=[call])])).ask([user("q")], [TOOL])
    assert asked.reply.tool_calls[0].args == {"query": 2**70}


async def test_streams_text_calls_and_usage():
    pieces = []
    asked = await model_of(Streaming(replies=[])).ask([user("q")], [TOOL], on_piece=pieces.append)
    assert next(p.text for p in pieces if p.kind == "text").startswith("연차는")
    assert asked.reply.tool_calls[0].args == {"query": "a"}
    assert asked.reply.usage == Usage(1, 7, 3)


async def test_content_in_parts_and_reasoning():
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]
    asked = await model_of(Scripted(replies=[AIMessage(parts)])).ask([user("q")])
    assert (asked.reply.content, asked.reply.reasoning) == ("yes", "hm")


async def test_json_by_the_models_own_options():
    chat = Scripted(replies=[AIMessage('{"a": 1}')])
    asked = await model_of(chat).ask([user("q")], schema={"type": "object"}, max_tokens=9)
    assert asked.reply.content == '{"a": 1}'
    assert chat.seen[0][1]["response_format"]["type"] == "json_schema"
    assert chat.seen[0][1]["max_tokens"] == 9


async def test_what_it_raises_is_a_model_error():
    with pytest.raises(ModelError, match="quota used up"):
        await model_of(Failing(replies=[])).ask([user("q")])


def test_models_and_others():
    model = model_of(Scripted(replies=[]))
    assert isinstance(model, Model)
    assert model_of(model) is model
    assert model.name == "Scripted"
    with pytest.raises(InvalidInput, match="BaseChatModel"):
        model_of("gpt")
