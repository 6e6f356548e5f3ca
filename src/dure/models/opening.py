"""From settings to models: one, or all by name."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pydantic import SecretStr

from dure.errors import DureError, InvalidInput, Language, SettingsError, UnknownModel, phrase
from dure.models.bundled.model import BundledClient
from dure.models.client import LONGEST_WAIT, ChatClient
from dure.models.facts import Client
from dure.models.model import Model
from dure.settings import BUNDLED, COMPATIBLE, ModelSettings, Settings
from dure.storage import Database
from dure.texts import TEXTS

_INSTEAD = TEXTS.one("models_opening.instead")
_SHORT_WAIT = 2.0
"""Seconds that a server may ask to wait while another model stands by."""


def open_model(settings: Settings, database: Database | None = None, chosen: ModelSettings | None = None) -> Model:
    """The model `chosen` of the settings' (None: the default). Connects and starts nothing yet.

    With `database`, what was found out about the server is kept there. Raises SettingsError where a variable or a
    library is missing."""
    chosen = chosen or settings.default_model
    wanted = {"temperature": chosen.temperature, "max_tokens": chosen.max_tokens, "reasoning_effort": chosen.effort}
    # Other providers keep what they have read unasked.
    marked = {"cache_control": {"type": "ephemeral"}} if chosen.provider == "anthropic" else {}
    asked: dict[str, Any] = {
        "dialect": settings.tool_dialect,
        "context": chosen.context,
        "repair": settings.repair_calls,
        "sees": chosen.sees,
        "options": {key: value for key, value in wanted.items() if value is not None} | marked,
    }
    if chosen.provider == BUNDLED:
        bundled = BundledClient(settings, chosen)
        return Model(bundled, small=bundled.small, **asked)
    key, headers = _secret(chosen.key), {name: _secret(value) for name, value in chosen.headers.items()}
    if chosen.provider == COMPATIBLE:
        address = chosen.base_url or ""
        # Who waits for one while another stands by waits for nothing.
        patience = _SHORT_WAIT if chosen.fallbacks else LONGEST_WAIT
        server = partial(ChatClient, address, chosen.name or "", key, headers=headers, query=chosen.query)
        client: Client = server(timeout=chosen.timeout, patience=patience)
    else:
        from dure.models.langchain import LangChainClient, open_provider

        client = LangChainClient(open_provider(chosen, key, headers), [key, *headers.values()], owned=True)
    return Model(client, place=client.place, database=database, **asked)


class Models(Mapping[str, Model]):
    """Connects and starts nothing; with `database`, what was found out about servers is kept there.

    given: a model in place of the default one. Raises SettingsError where the default one cannot be opened."""

    def __init__(self, settings: Settings, database: Database | None = None, given: Model | None = None) -> None:
        self._settings = settings
        self._database = database
        self._named = settings.by_name
        self.default = next(iter(self._named))
        self._opened = {self.default: given or open_model(settings, database)}

    def __getitem__(self, name: str) -> Model:
        """Raises UnknownModel; SettingsError where a key or a library is missing."""
        self.line(name)
        if name not in self._opened:
            self._opened[name] = open_model(self._settings, self._database, self._named[name])
        return self._opened[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def line(self, name: str | None = None) -> list[str]:
        """The name (None: the default's) and those of the models to ask in its place, in order. Raises UnknownModel."""
        name = name or self.default
        if name not in self._named:
            raise UnknownModel(model=name[:80], known=", ".join(self))
        return list(dict.fromkeys([name, *self._named[name].fallbacks]))

    def window(self, names: Iterable[str | None]) -> int | None:
        """The smallest context window, in tokens, of the models of these names (None: the default) and of those that
        stand by for them; None where one is not known yet. Opens none. Raises UnknownModel."""
        line = {each for name in names for each in self.line(name)}
        windows = [
            opened.window if (opened := self._opened.get(each)) else self._named[each].context for each in sorted(line)
        ]
        known = [window for window in windows if window]
        return min(known) if known and len(known) == len(windows) else None

    async def ready(self) -> None:
        """Raises what asking the default model would; where others stand by, also what it met when last asked, as far
        as it is not about that question: the list of models says nothing of whoever answers."""
        model = self[self.default]
        await model.ready()
        if model.met and len(self.line()) > 1 and (model.met.status > 502 or _closed(model.met)):
            raise model.met

    async def another(self) -> str:
        """The first of the default model's fallbacks that can be asked; empty where there is none."""
        for name in self.line()[1:]:
            with suppress(DureError):
                await self[name].ready()
                return name
        return ""

    async def close(self) -> None:
        for model in self._opened.values():
            await model.close()


def model_of(anything: Any) -> Model:
    """A `Model` as it is, a LangChain `BaseChatModel` as a `Model`. Raises InvalidInput for anything else."""
    if isinstance(anything, Model):
        return anything
    from langchain_core.language_models import BaseChatModel

    if not isinstance(anything, BaseChatModel):
        raise InvalidInput(reason=phrase("models_opening.given", kind=type(anything).__name__), key="model")
    from dure.models.langchain import LangChainClient

    return Model(LangChainClient(anything))


def instead(models: Mapping[str, Model], name: str, other: str, error: DureError, language: Language) -> str:
    """That `other` was asked since `name` met an error: by their names on their servers."""
    status = f" ({error.details['http_status']})" if "http_status" in error.details else ""
    named = {"model": models[name].name or name, "asked": models[other].name or other}
    return _INSTEAD[language].format(**named, status=status)


def _closed(error: DureError) -> bool:
    """Whether nobody is let in, or nobody any more."""
    return error.details.get("http_status") in (401, 402, 403, 429)


def _secret(given: SecretStr | None) -> SecretStr | None:
    """The key, or what the variable holds that it names. Raises SettingsError for one that is not set."""
    said = given.get_secret_value() if given else ""
    if not said.startswith("$"):
        return given
    if not os.environ.get(said[1:]):
        raise SettingsError(key=said, reason=phrase("models_opening.unset"))
    return SecretStr(os.environ[said[1:]])
