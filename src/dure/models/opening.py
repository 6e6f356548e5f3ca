"""From settings to a `Model`."""

import os
from typing import Any

from pydantic import SecretStr

from dure.errors import SettingsError, phrase
from dure.models.base import Client
from dure.models.bundled.model import BundledClient
from dure.models.client import ChatClient
from dure.models.model import Model
from dure.settings import BUNDLED, COMPATIBLE, ModelSettings, Settings
from dure.storage import Database


def open_model(settings: Settings, database: Database | None = None, chosen: ModelSettings | None = None) -> Model:
    """The model `chosen` of the settings' (None: the default). Connects and starts nothing yet.

    With `database`, what was found out about the server is kept there. Raises SettingsError where a variable or a
    library is missing."""
    chosen = chosen or settings.default_model
    wanted = {"temperature": chosen.temperature, "max_tokens": chosen.max_tokens, "reasoning_effort": chosen.effort}
    asked: dict[str, Any] = {
        "dialect": settings.tool_dialect,
        "context": chosen.context,
        "repair": settings.repair_calls,
        "options": {key: value for key, value in wanted.items() if value is not None},
    }
    if chosen.provider == BUNDLED:
        bundled = BundledClient(settings, chosen)
        return Model(bundled, small=bundled.small, **asked)
    key, headers = _secret(chosen.key), {name: _secret(value) for name, value in chosen.headers.items()}
    if chosen.provider == COMPATIBLE:
        address = chosen.base_url or ""
        client: Client = ChatClient(
            address, chosen.name or "", key, timeout=chosen.timeout, headers=headers, query=chosen.query
        )
    else:
        from dure.models.langchain import LangChainClient, open_provider

        client = LangChainClient(open_provider(chosen, key, headers), [key, *headers.values()])
    return Model(client, place=client.place, database=database, **asked)


def model_of(anything: Any) -> Model:
    """A `Model` as it is, a LangChain `BaseChatModel` as a `Model`. Raises TypeError for anything else."""
    if isinstance(anything, Model):
        return anything
    from langchain_core.language_models import BaseChatModel

    if not isinstance(anything, BaseChatModel):
        raise TypeError(f"not a model: {type(anything).__name__}; give a LangChain BaseChatModel or a Model")
    from dure.models.langchain import LangChainClient

    return Model(LangChainClient(anything))


def _secret(given: SecretStr | None) -> SecretStr | None:
    """The key, or what the variable holds that it names. Raises SettingsError for one that is not set."""
    said = given.get_secret_value() if given else ""
    if not said.startswith("$"):
        return given
    if not os.environ.get(said[1:]):
        raise SettingsError(key=said, reason=phrase("models_opening.unset"))
    return SecretStr(os.environ[said[1:]])
