"""From settings to a `Model`."""

from typing import Any

from dure.models.bundled.model import BundledClient
from dure.models.client import ChatClient
from dure.models.model import Model
from dure.settings import Settings
from dure.storage import Database


def open_model(settings: Settings, database: Database | None = None) -> Model:
    """The model of `settings`: behind `model_base_url`, or the bundled one. Connects and starts nothing yet.

    With `database`, what was found out about the server is kept there."""
    asked: dict[str, Any] = {
        "dialect": settings.tool_dialect,
        "context": settings.model_context,
        "repair": settings.repair_calls,
    }
    if settings.model_base_url is None:
        bundled = BundledClient(settings)
        return Model(bundled, small=bundled.small, **asked)
    key, name = settings.model_api_key, settings.model_name or ""
    client = ChatClient(settings.model_base_url, name, key, timeout=settings.model_timeout)
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
