"""Contract templates: data files with typed fields and clauses in Korean and English, read from `templates/`.

A clause is text with `{field}` and `{@article}` (that article's number) and nothing else: substituted, never evaluated.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from dure.errors import Language
from dure.packs.contracts.clean import folded

Line: TypeAlias = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Words: TypeAlias = dict[Language, Line]
Kind: TypeAlias = Literal["text", "party", "date", "time", "money", "amounts", "integer", "duration", "choice", "list"]

NAMES: Final = ("nda", "service", "employment")
PLACEHOLDER: Final = re.compile(r"\{(@?[a-z_]+)\}")


def _keyed(key: str) -> BeforeValidator:
    """Entries of a table are told what they are called in it."""
    return BeforeValidator(lambda held: {name: {key: name, **each} for name, each in held.items()})


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Worded(_Part):
    """`words`: as it stands in the contract."""

    ko: Line
    en: Line

    @property
    def words(self) -> Words:
        return {"ko": self.ko, "en": self.en}


class Option(_Worded):
    """One value of a choice: `key` as in calls, its wording in the contract, other words for it."""

    key: str
    aliases: list[str] = []


class Field(_Part):
    """A typed field. `min`, `max`: of an integer its value, of money its amount, of a duration a text such as
    `3 months`; `max` of a text its characters.
    """

    name: str
    kind: Kind
    label: Words
    help: Words
    required: bool = False
    default: Any = None
    """A value, or one for each language; what was filled from it is told to the user."""
    min: Any = None
    max: Any = None
    after: str | None = None
    """Of a date: another date field that must not be later."""
    person: bool = False
    """Of a party: a natural person."""
    options: Annotated[dict[str, Option], _keyed("key")] = {}

    def default_in(self, language: Language) -> Any:
        """The default for a contract in a language; None without one."""
        return self.default[language] if isinstance(self.default, dict) else self.default


class Clause(_Worded):
    """Its words, and below them the lines of the list field `items`. Stands only where all of `when` hold: `field`
    (given), `!field` (not given), `field=option`, `!field=option`."""

    when: list[str] = []
    items: str | None = None


class Article(_Part):
    id: str
    title: Words
    clauses: list[Clause]
    required: bool = True


class Role(_Worded):
    """A party of the contract: its field, and what the contract calls it."""

    field: str


class Template(_Part):
    name: str
    title: Words
    description: Words
    aliases: list[str] = []
    intro: Words
    closing: Words
    roles: list[Role]
    fields: Annotated[dict[str, Field], _keyed("name")]
    articles: Annotated[dict[str, Article], _keyed("id")]
    checks: list[dict[str, Any]] = []
    """Checks over several fields, see `dure.packs.contracts.checks`; their other keys name fields."""

    @property
    def called(self) -> list[str]:
        """What it goes by, folded."""
        return [folded(word) for word in (self.name, *self.title.values(), *self.aliases)]


@cache
def templates() -> dict[str, Template]:
    """All templates by name."""
    folder = files("dure.packs.contracts") / "templates"
    held = {name: tomllib.loads((folder / f"{name}.toml").read_text("utf-8")) for name in NAMES}
    return {name: Template(name=name, **each) for name, each in held.items()}
