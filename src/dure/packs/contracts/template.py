"""Contract templates: data files with typed fields and clauses in Korean and English, read from `templates/`.

A clause is text with `{field}` and `{@article}` (that article's number) and nothing else: substituted, never evaluated.
"""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias, get_args

from dure.errors import Language
from dure.texts import LANGUAGES

Words: TypeAlias = dict[Language, str]
Kind: TypeAlias = Literal["text", "party", "date", "time", "money", "amounts", "integer", "duration", "choice", "list"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NAMES: Final = ("nda", "service", "employment")
CHECKS: Final = {
    "differ": ("fields",),
    "sum": ("total", "parts"),
    "not_zero": ("field",),
    "same_currency": ("fields",),
    "working_hours": ("start", "end", "break", "days"),
    "fixed_term": ("start", "end"),
}
"""The checks over several fields (`dure.packs.contracts.checks`), and which of their keys name fields."""
PLACEHOLDER: Final = re.compile(r"\{(@?[a-z_]+)\}")


class TemplateError(ValueError):
    """A template's file is wrong; says where."""


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a choice: `key` as in calls, its wording in the contract, other words for it."""

    key: str
    words: Words
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
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
    options: tuple[Option, ...] = ()

    def default_in(self, language: Language) -> Any:
        """The default for a contract in a language; None without one."""
        return self.default[language] if isinstance(self.default, dict) else self.default


@dataclass(frozen=True, slots=True)
class Clause:
    """`text`, and below it the lines of the list field `items`. Stands only where all of `when` hold."""

    text: Words
    when: tuple[str, ...] = ()
    items: str | None = None


@dataclass(frozen=True, slots=True)
class Article:
    id: str
    title: Words
    clauses: tuple[Clause, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Role:
    """A party of the contract: its field, and what the contract calls it."""

    field: str
    name: Words


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    title: Words
    description: Words
    aliases: tuple[str, ...]
    intro: Words
    closing: Words
    roles: tuple[Role, ...]
    fields: dict[str, Field]
    articles: tuple[Article, ...]
    checks: tuple[dict[str, Any], ...] = field(default=())
    """Checks over several fields; `kind` is one of `CHECKS`."""


@cache
def templates() -> dict[str, Template]:
    """All templates by name. Raises TemplateError."""
    folder = files("dure.packs.contracts") / "templates"
    return {name: read_template(name, (folder / f"{name}.toml").read_text("utf-8")) for name in NAMES}


def read_template(name: str, text: str) -> Template:
    """The template in the TOML `text`. Raises TemplateError for what is missing, unknown or leads nowhere."""
    try:
        data = tomllib.loads(text)
        template = Template(
            name=name,
            title=_words(data.pop("title")),
            description=_words(data.pop("description")),
            aliases=tuple(data.pop("aliases", ())),
            intro=_words(data.pop("intro")),
            closing=_words(data.pop("closing")),
            roles=tuple(Role(each["field"], _words(each)) for each in data.pop("roles")),
            fields={key: _field(key, value) for key, value in data.pop("fields").items()},
            articles=tuple(_article(key, value) for key, value in data.pop("articles").items()),
            checks=tuple(data.pop("checks", ())),
        )
    except tomllib.TOMLDecodeError as error:
        raise TemplateError(f"template {name}: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise TemplateError(f"template {name}: {type(error).__name__} {error}") from None
    if data:
        raise TemplateError(f"template {name}: unknown keys {', '.join(data)}")
    _check(template)
    return template


def _words(data: dict[str, Any]) -> Words:
    return {language: " ".join(data[language].split()) for language in LANGUAGES}


def _field(name: str, data: dict[str, Any]) -> Field:
    given = dict(data)
    options = tuple(
        Option(key, _words(each), tuple(each.get("aliases", ()))) for key, each in given.pop("options", {}).items()
    )
    kind = given.pop("kind")
    if kind not in KINDS:
        raise KeyError(f"{name}.kind: {kind}")
    return Field(name, kind, _words(given.pop("label")), _words(given.pop("help")), options=options, **given)


def _article(id: str, data: dict[str, Any]) -> Article:
    clauses = tuple(Clause(_words(each), tuple(each.get("when", ())), each.get("items")) for each in data["clauses"])
    return Article(id, _words(data["title"]), clauses, data.get("required", True))


def _check(template: Template) -> None:
    """Everything that is named exists, and both languages say the same fields."""
    wrong = [each.field for each in template.roles if each.field not in template.fields]
    ids = {each.id for each in template.articles}
    for article in template.articles:
        for clause in article.clauses:
            ko, en = ({*PLACEHOLDER.findall(clause.text[language])} for language in LANGUAGES)
            wrong += [f"{article.id}: {each} in one language" for each in ko ^ en]
            wrong += [
                each for each in ko | en if (each[1:] not in ids if each[0] == "@" else each not in template.fields)
            ]
            wrong += [each for each in clause.when if condition(each)[0] not in template.fields]
            wrong += [clause.items] if clause.items and clause.items not in template.fields else []
    wrong += [each.name for each in template.fields.values() if each.after and each.after not in template.fields]
    wrong += [each.field for each in template.roles if template.fields[each.field].kind != "party"] if not wrong else []
    for check in template.checks:
        keys = CHECKS.get(check.get("kind", ""))
        wrong += [f"check {check.get('kind')}"] if keys is None or {*check} != {"kind", *keys} else []
        named = [check.get(key, "") for key in keys or ()]
        flat = [str(each) for some in named for each in (some if isinstance(some, list) else [some])]
        wrong += [each for each in flat if each not in template.fields]
    if wrong:
        raise TemplateError(f"template {template.name}: {', '.join(map(str, wrong))}")


def condition(text: str) -> tuple[str, bool, str | None]:
    """A `when`: `field` (given), `!field` (not given), `field=option`, `!field=option` → (field, wanted, option)."""
    wanted = not text.startswith("!")
    name, equals, option = text.removeprefix("!").partition("=")
    return name, wanted, option if equals else None
