"""A contract: template and values put together, as Markdown, of which its DOCX is made.

Values enter in one pass and are never looked at again: what a value says cannot become a placeholder or markup.
"""

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dure.errors import Language
from dure.packs.contracts import TEXTS
from dure.packs.contracts.markdown import escaped, listed, table
from dure.packs.contracts.money import Money
from dure.packs.contracts.template import PLACEHOLDER, Article, Clause, Option, Template
from dure.packs.contracts.times import Span, show_date
from dure.packs.contracts.values import Part, Party, Value, total_of
from dure.texts.korean import PARTICLE, josa_after
from dure.tooling import File
from dure.word import MEDIA_TYPE, to_docx

_PLACE: Final = re.compile(rf"{PLACEHOLDER.pattern}({PARTICLE})?")
_ARTICLE: Final = {"ko": ("제{}조", " ({})"), "en": ("Article {}", ". {}")}
_CIRCLED: Final = ord("①") - 1
"""① to ⑳ stand in a row in Unicode; templates have fewer clauses than that."""

_WORDS = TEXTS["document.words"]


Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    language: Language
    title: str
    notice: str
    headings: list[str]
    """Of its articles."""
    markdown: str
    """The whole of it, from the title to the table of signatures; ends with a line end."""


def files_of(contract: Contract, stem: str, *, signed: bool = False) -> list[File]:
    """The contract as Markdown and as DOCX. signed: its last table leaves room to sign in."""
    word = to_docx(contract.markdown, contract.title, contract.language, notice=contract.notice, signed=signed)
    text = contract.markdown.encode("utf-8", "replace")
    return [File(f"{stem}.md", text, "text/markdown"), File(f"{stem}.docx", word, MEDIA_TYPE)]


def hyphened(name: str, most: int) -> str:
    """A name in letters and digits alone, for a file."""
    return re.sub(r"[\W_]+", "-", name).strip("-")[:most].strip("-")


def assemble(template: Template, language: Language, values: Mapping[str, Value]) -> Contract:
    """The contract of checked `values`. A clause whose conditions do not hold is left out, and an article without
    clauses. Raises KeyError for a placeholder that has no value.
    """
    kept: list[tuple[Article, list[Clause]]] = []
    for article in template.articles.values():
        clauses = [each for each in article.clauses if all(_holds(when, values) for when in each.when)]
        if clauses:
            kept.append((article, clauses))
    article_is, title_is = _ARTICLE[language]
    said = {name: shown(value, language) for name, value in values.items()}
    said |= {f"@{article.id}": article_is.format(at) for at, (article, _) in enumerate(kept, 1)}
    title, notice, headings = template.title[language], _WORDS["draft"][language], []
    parts = [f"# {escaped(title)}", f"> {escaped(notice)}", escaped(_filled(template.intro[language], said))]
    parts.append(table(_parties(template, language, values)))
    for number, (article, clauses) in enumerate(kept, 1):
        headings.append(said[f"@{article.id}"] + title_is.format(article.title[language]))
        parts.append(f"## {escaped(headings[-1])}")
        for at, each in enumerate(clauses, 1):
            # A number such as 1.1 is no list marker, and ① is none either.
            mark = "" if len(clauses) == 1 else chr(_CIRCLED + at) if language == "ko" else f"{number}.{at}"
            parts.append(f"{mark} {escaped(_filled(each.words[language], said))}".strip())
            parts += [_below(values[each.items], language)] if each.items else []
    parts += [escaped(_filled(template.closing[language], said)), table(_signatures(template, language, values))]
    return Contract(language, title, notice, headings, "\n\n".join(parts) + "\n")


def _holds(when: str, values: Mapping[str, Value]) -> bool:
    name, equals, option = when.removeprefix("!").partition("=")
    value = values.get(name)
    found = isinstance(value, Option) and value.key == option if equals else value is not None
    return found != when.startswith("!")


def _below(parts: Any, language: Language) -> str:
    """What stands below a clause: the parts of a sum as a table, the items of a list."""
    if not isinstance(parts[0], Part):
        return listed(parts)
    width = 3 if any(each.due for each in parts) else 2
    head = tuple(_WORDS[each][language] for each in ("item", "amount", "due"))
    rows = [(each.name, each.amount.plain(language), each.due) for each in parts]
    rows.append((_WORDS["total"][language], total_of(parts).plain(language), ""))
    return table([row[:width] for row in (head, *rows)])


def _filled(text: str, said: Mapping[str, str]) -> str:
    """`text` with its placeholders filled in one pass, and Korean particles chosen after each value."""

    def fill(match: re.Match[str]) -> str:
        value, josa = said[match[1]], match[2]
        return value + (josa_after(value, josa) if josa else "")

    return _PLACE.sub(fill, text)


def shown(value: Value, language: Language) -> str:
    """A value in the contract's words."""
    says = _SHOWN.get(type(value))
    return says(value, language) if says else str(value)


_SHOWN: Final[dict[type, Callable[[Any, Language], str]]] = {
    Money: Money.shown,
    Part: lambda part, language: f"{part.name} {part.amount.plain(language)}",
    Span: lambda span, language: span.said[language],
    Option: lambda option, language: option.words[language],
    Party: lambda party, language: party.name,
    datetime.date: show_date,
    datetime.time: lambda time, language: f"{time:%H:%M}",
    tuple: lambda parts, language: ", ".join(shown(each, language) for each in parts),
}


def _parties(template: Template, language: Language, values: Mapping[str, Any]) -> list[Row]:
    """Roles across, particulars down; what no party gave has no row."""
    parties = [values[each.field] for each in template.roles]
    rows: list[Row] = [(_WORDS["party"][language], *(each.words[language] for each in template.roles))]
    for name in ("name", "representative", "address", "registration_number"):
        cells = tuple(getattr(each, name) for each in parties)
        if any(cells):
            rows.append((_WORDS[name][language], *cells))
    return rows


def _signatures(template: Template, language: Language, values: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = [tuple(_WORDS[each][language] for each in ("party", "name", "signature", "date"))]
    for role in template.roles:
        party = values[role.field]
        name = f"{party.name} ({party.representative})" if party.representative else party.name
        rows.append((role.words[language], name, "", ""))
    return rows
