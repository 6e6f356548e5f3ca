"""What Dure says and what it writes to models, in both languages: `ko.toml` and `en.toml`, a table for each module.

    _TEXT = TEXTS["toolsets_execute.text"]
    _TEXT["failed"]["ko"].format(name="search")

A pack has a catalogue of its own. Files are read when the first text is wanted.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from dure.texts.korean import Template, filled

Language = Literal["ko", "en"]
LANGUAGES: tuple[Language, ...] = ("ko", "en")


class Text(str):
    """A detail in both languages: English as a string, which is what is stored and sent, and Korean beside it, which
    is what the Korean sentence says."""

    ko: str

    def __new__(cls, en: str, ko: str) -> "Text":
        made = super().__new__(cls, en)
        made.ko = ko
        return made

    def said(self, language: Language) -> str:
        """It in that language."""
        return self.ko if language == "ko" else str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of."""
        return Text, (str(self), self.ko)


def said(value: Any, language: Language) -> Any:
    """A JSON-like value with each `Text` in it in that language."""
    if isinstance(value, Mapping):
        return {key: said(each, language) for key, each in value.items()}
    if isinstance(value, list):
        return [said(each, language) for each in value]
    return value.said(language) if isinstance(value, Text) else value


class Said(Mapping[Language, str]):
    """One text by language."""

    def __init__(self, catalogue: "Catalogue", table: str, key: str) -> None:
        self._catalogue = catalogue
        self._table = table
        self._key = key

    def __getitem__(self, language: Language) -> str:
        text: str = self._catalogue.table(language, self._table)[self._key]
        return Template(text) if "{" in text else text

    def __iter__(self) -> Iterator[Language]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)

    def filled(self, **values: Any) -> dict[str, str]:
        """By language, with the values in it: `Text(**said.filled())`. A value that is said by language itself, as a
        mapping, is filled in as the language has it."""
        return {
            language: filled(
                text, {k: v[language] if isinstance(v, Mapping) else said(v, language) for k, v in values.items()}
            )
            for language, text in self.items()
        }


class Texts(Mapping[str, Said]):
    """The texts of one table by key."""

    def __init__(self, catalogue: "Catalogue", place: str) -> None:
        self._catalogue = catalogue
        self._place = place

    def __getitem__(self, key: str) -> Said:
        if key not in self._keys:
            raise KeyError(key)
        return Said(self._catalogue, self._place, key)

    def say(self, key: str, language: Language, **values: Any) -> str:
        """A text in a language, with the values in it."""
        return filled(self[key][language], values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def _keys(self) -> Mapping[str, Any]:
        return self._catalogue.table("en", self._place)


class Catalogue:
    """The texts in `ko.toml` and `en.toml` of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, place: str) -> Texts:
        """The table at a place such as `module.table`."""
        return Texts(self, place)

    def one(self, place: str) -> Said:
        """The text at a place such as `module.name`."""
        table, _, key = place.rpartition(".")
        return Said(self, table, key)

    def phrase(self, place: str, /, **values: Any) -> Text:
        """The text at `module.name` with the values in it. Values are filled in as they are, not as templates."""
        return Text(**self.one(place).filled(**values))

    def table(self, language: Language, place: str) -> Mapping[str, Any]:
        """The table at a place, of that language. Raises KeyError."""
        found: Mapping[str, Any] = self._all[language]
        for name in place.split("."):
            found = found[name]
        return found

    @cached_property
    def _all(self) -> Mapping[Language, Any]:
        import tomllib

        return {each: tomllib.loads((self.folder / f"{each}.toml").read_text("utf-8")) for each in LANGUAGES}


TEXTS = Catalogue(Path(__file__).parent)
phrase = TEXTS.phrase
