"""Any LangChain chat model as a `Client`."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from dure.errors import DureError, ModelError, phrase
from dure.messages import Delta, ToolCall, ToolCallDelta, Usage, wire_call
from dure.models.facts import Facts

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage


class LangChainClient:
    """Streams from a LangChain `BaseChatModel`.

    `tools` go through the model's own `bind_tools`; `response_format`, `temperature`, `max_tokens` and `stop` are
    passed as the call's keyword arguments, which providers take and others ignore. What the model raises becomes a
    ModelError.
    """

    def __init__(self, model: "BaseChatModel") -> None:
        self._chat = model
        found = getattr(model, "model_name", None) or getattr(model, "model", None)
        self.model = found if isinstance(found, str) else type(model).__name__

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """See `Client.stream`."""
        from langchain_core.messages import convert_to_messages

        options = {key: value for key, value in body.items() if key not in ("messages", "tools")}
        used = Usage(1)
        try:
            model: Any = self._chat.bind_tools(body["tools"]) if body.get("tools") else self._chat
            async for message in model.astream(convert_to_messages(body["messages"]), **options):
                delta = _delta(message)
                if delta.usage is not None:
                    used.prompt_tokens += delta.usage.prompt_tokens
                    used.completion_tokens += delta.usage.completion_tokens
                    delta.usage = None
                yield delta
        except DureError:
            raise
        except NotImplementedError:
            raise ModelError(reason=phrase("models_langchain.tools", model=self.model)) from None
        except Exception as error:
            raise ModelError(reason=f"{self.model}: {type(error).__name__}: {error}") from error
        yield Delta(usage=used)

    async def ready(self) -> None:
        """A LangChain model says nothing of itself before it is asked."""

    async def facts(self) -> Facts:
        """Native where the model's class has a `bind_tools` of its own."""
        from langchain_core.language_models import BaseChatModel

        able = type(self._chat).bind_tools is not BaseChatModel.bind_tools
        why = f"the LangChain class {type(self._chat).__name__} has {'a' if able else 'no'} bind_tools of its own"
        return Facts("langchain", self.model, "native" if able else "text", why)

    async def close(self) -> None:
        """The model stays its owner's."""


def _delta(message: "BaseMessage") -> Delta:
    """A message or chunk of LangChain's as a Delta; whole tool calls become one fragment each."""
    delta = Delta()
    if isinstance(message.content, str):
        delta.text = message.content
    else:
        for part in message.content:
            if isinstance(part, str):
                delta.text += part
            elif part.get("type") == "text":
                delta.text += part.get("text") or ""
            elif part.get("type") in ("thinking", "reasoning"):
                delta.reasoning += str(part.get("thinking") or part.get("reasoning") or part.get("text") or "")
    delta.reasoning += message.additional_kwargs.get("reasoning_content") or ""
    calls = getattr(message, "tool_call_chunks", ()) or getattr(message, "tool_calls", ())
    delta.tool_calls = [_call(n, each) for n, each in enumerate(calls)]
    metadata = message.response_metadata
    delta.finish_reason = metadata.get("finish_reason") or metadata.get("stop_reason")
    if found := getattr(message, "usage_metadata", None):
        delta.usage = Usage(1, found["input_tokens"], found["output_tokens"])
    return delta


def _call(number: int, call: dict[str, Any]) -> ToolCallDelta:
    index, args = call.get("index"), call["args"]
    written = wire_call(ToolCall("", args))["function"]["arguments"] if isinstance(args, dict) else args or ""
    return ToolCallDelta(index if isinstance(index, int) else number, call["id"] or "", call["name"] or "", written)
