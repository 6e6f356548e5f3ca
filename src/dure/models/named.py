"""The models of the settings, by name, each opened at its first use."""

from collections.abc import Iterator, Mapping

from dure.errors import UnknownModel
from dure.models.model import Model
from dure.models.opening import open_model
from dure.settings import Settings
from dure.storage import Database


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

    async def close(self) -> None:
        for model in self._opened.values():
            await model.close()
