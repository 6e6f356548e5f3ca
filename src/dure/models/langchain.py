"""Any LangChain chat model as a `Client`, and the providers that LangChain has integrations for."""

import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from importlib.metadata import distribution
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from dure.errors import (
    DureError,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    SettingsError,
    missing,
    phrase,
)
from dure.messages import Delta, ToolCall, ToolCallDelta, Usage, wire_call
from dure.models.client import BUSY
from dure.models.deltas import hidden, outcome_of, text_of
from dure.models.facts import Client, Facts
from dure.settings import ModelSettings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

_MOST_REMEMBERED = 256
"""Replies with calls that are kept as the provider gave them."""


def open_provider(
    chosen: ModelSettings, key: SecretStr | None, headers: Mapping[str, SecretStr | None]
) -> "BaseChatModel":
    """The model by `init_chat_model`. OpenAI's is asked over its Responses API. Raises SettingsError."""
    given: dict[str, Any] = {
        "base_url": chosen.base_url,
        "api_key": key,
        "timeout": chosen.timeout,
        "default_headers": {name: value.get_secret_value() for name, value in headers.items() if value} or None,
        "default_query": chosen.query or None,
        **({"use_responses_api": True} if chosen.provider == "openai" else {}),
    }
    options = {name: value for name, value in given.items() if value is not None} | chosen.options
    _forget_connections()
    try:
        from langchain.chat_models import init_chat_model

        model: BaseChatModel = init_chat_model(chosen.name or "", model_provider=chosen.provider, **options)
        return model
    except ImportError as error:
        if chosen.provider in (distribution("dure").metadata.get_all("Provides-Extra") or ()):
            raise missing(f"provider {chosen.provider}", chosen.provider) from None
        # LangChain says which package it is.
        raise SettingsError(key=f"provider {chosen.provider}", reason=str(error)) from None
    except Exception as error:
        secrets = [each.get_secret_value() for each in (key, *headers.values()) if each]
        raise SettingsError(key=f"provider {chosen.provider}", reason=hidden(str(error), secrets)) from None


def _forget_connections() -> None:
    """Of the integration packages, which keep them for each address as long as the process lives: whoever asks there
    from another event loop would be given one of a loop that is closed."""
    for package in ("langchain_openai.chat_models", "langchain_anthropic"):
        for each in vars(sys.modules.get(f"{package}._client_utils", sys)).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


class LangChainClient(Client):
    """Streams from a LangChain `BaseChatModel`.

    `tools` go through the model's own `bind_tools`; what else the body holds is passed as the call's keyword arguments.
    What the model raises becomes a typed error, without `secrets`; an argument that it does not know is a refusal.
    """

    def __init__(
        self, model: "BaseChatModel", secrets: Sequence[SecretStr | None] = (), *, owned: bool = False
    ) -> None:
        """owned: its connections are closed with this."""
        self._chat, self._owned = model, owned
        found = getattr(model, "model_name", None) or getattr(model, "model", None)
        self.model = found if isinstance(found, str) else type(model).__name__
        self.place = f"langchain {type(model).__name__}"
        self._secrets = [each.get_secret_value() for each in secrets if each]
        self._replies: dict[str, AIMessage] = {}
        """Replies by their first call's id: some providers want their signed thoughts back with the results."""

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Delta, None]:
        """See `Client.stream`."""
        from langchain_core.messages import convert_to_messages

        streamed = body.get("stream", True)
        options = {key: value for key, value in body.items() if key not in _OURS and value is not None}
        used = Usage(1)
        whole: Any = None
        try:
            model: Any = self._chat.bind_tools(body["tools"]) if body.get("tools") else self._chat
            made = convert_to_messages(body["messages"])
            messages = [self._replies.get((getattr(m, "tool_calls", None) or [{}])[0].get("id", ""), m) for m in made]
            if not streamed:
                whole = await model.ainvoke(messages, **options)
                yield _delta(whole, used)
            else:
                async for message in model.astream(messages, **options):
                    whole = message if whole is None else whole + message
                    yield _delta(message, used)
        except DureError:
            raise
        except NotImplementedError:
            raise ModelError(reason=phrase("models_langchain.tools", model=self.model)) from None
        except Exception as error:
            raise self._typed(error) from error
        if calls := getattr(whole, "tool_calls", None):
            while len(self._replies) >= _MOST_REMEMBERED:
                self._replies.pop(next(iter(self._replies)))
            self._replies[calls[0]["id"] or ""] = whole
        yield Delta(usage=used)

    async def ready(self) -> None:
        """A LangChain model says nothing of itself before it is asked."""

    async def facts(self) -> Facts:
        """Native where the model's class has a `bind_tools` of its own."""
        from langchain_core.language_models import BaseChatModel

        able = type(self._chat).bind_tools is not BaseChatModel.bind_tools
        name = type(self._chat).__name__
        why = phrase("models_langchain.able" if able else "models_langchain.unable", name=name)
        return Facts("langchain", self.model, "native" if able else "text", why)

    async def close(self) -> None:
        """A model that was given stays its owner's."""
        client = getattr(self._chat, "root_async_client", None) or getattr(self._chat, "_async_client", None)
        if self._owned and client is not None:
            await client.close()

    def _typed(self, error: Exception) -> DureError:
        """By the HTTP status that the providers' packages give, else by their names for what happened."""
        response = getattr(error, "response", None)
        found = response.get("ResponseMetadata", {}).get("HTTPStatusCode") if isinstance(response, dict) else None
        status = getattr(error, "status_code", None) or getattr(error, "code", None) or found
        reason = hidden(f"{self.model}: {type(error).__name__}: {error}", self._secrets)
        names = [each.__name__ for each in type(error).__mro__]
        if isinstance(error, TimeoutError) or any("Timeout" in name for name in names):
            return ModelTimeout(reason=reason)
        if status in BUSY or isinstance(error, OSError) or any("Connect" in name for name in names):
            return ModelUnavailable(reason=reason, http_status=status)
        if isinstance(error, TypeError) and "keyword argument" in str(error):
            status = 400
        if isinstance(status, int) and 400 <= status < 500:
            return ModelRefused(http_status=status, reason=reason)
        return ModelError(reason=reason)


_OURS = frozenset({"messages", "tools", "stream", "stream_options"})


def _delta(message: "BaseMessage", used: Usage) -> Delta:
    """A message or chunk of LangChain's as a Delta; whole tool calls become one fragment each. Its usage is added."""
    text, thought = text_of(message.content)
    thought += message.additional_kwargs.get("reasoning_content") or ""
    calls = getattr(message, "tool_call_chunks", ()) or getattr(message, "tool_calls", ())
    if found := getattr(message, "usage_metadata", None):
        cached = (found.get("input_token_details") or {}).get("cache_read") or 0
        reasoning = (found.get("output_token_details") or {}).get("reasoning") or 0
        used.add(Usage(0, found["input_tokens"], found["output_tokens"], cached, reasoning))
    metadata = message.response_metadata
    details = metadata.get("incomplete_details") or {}
    said = details.get("reason") or metadata.get("finish_reason") or metadata.get("stop_reason")
    return Delta(text, thought, [_call(n, each) for n, each in enumerate(calls)], outcome_of(said))


def _call(number: int, call: dict[str, Any]) -> ToolCallDelta:
    index, args = call.get("index"), call["args"]
    written = wire_call(ToolCall("", args))["function"]["arguments"] if isinstance(args, dict) else args or ""
    return ToolCallDelta(index if isinstance(index, int) else number, call["id"] or "", call["name"] or "", written)
