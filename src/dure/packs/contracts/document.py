"""A contract as structure: template and values put together, before it is written as Markdown or DOCX.

Values enter in one pass and are never looked at again: what a value says cannot become a placeholder or markup.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dure.errors import Language
from dure.packs.contracts.money import Money
from dure.packs.contracts.template import PLACEHOLDER, Article, Clause, Template, condition
from dure.packs.contracts.texts import TEXTS
from dure.packs.contracts.times import Span, show_date
from dure.packs.contracts.values import Chosen, Part, Party, Value

_JOSA: Final = ("은(는)", "이(가)", "을(를)", "과(와)", "(으)로")
_FINAL_OF_DIGIT: Final = {"0": 21, "1": 8, "3": 16, "6": 1, "7": 8, "8": 8}
"""Of a digit read in Korean: its final consonant's number (영 ㅇ, 일 ㄹ, 삼 ㅁ, 육 ㄱ, 칠 ㄹ, 팔 ㄹ)."""
_RIEUL: Final = 8

_WORDS = TEXTS["document.words"]


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` below the head row; every row is as wide as `head`."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A clause: its number in the article (`①`, `1.1`; empty where it stands alone), its text, what is below."""

    number: str
    text: str
    items: tuple[str, ...] = ()
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """An article as it stands in the contract; `id` is the template's."""

    id: str
    heading: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    language: Language
    title: str
    notice: str
    intro: str
    parties: Table
    sections: tuple[Section, ...]
    closing: str
    signatures: Table

    def text(self) -> str:
        """Every word of it, one block a line, without markup; what the checks read."""
        lines = [self.title, self.notice, self.intro, *_cells(self.parties)]
        for section in self.sections:
            lines.append(section.heading)
            for each in section.paragraphs:
                lines += [each.text, *each.items, *(_cells(each.table) if each.table else ())]
        return "\n".join([*lines, self.closing, *_cells(self.signatures)])


def assemble(template: Template, language: Language, values: Mapping[str, Value]) -> Contract:
    """The contract of checked `values`. A clause whose conditions do not hold is left out, and an article without
    clauses. Raises KeyError for a placeholder that has no value.
    """
    kept: list[tuple[Article, list[Clause]]] = []
    for article in template.articles:
        clauses = [each for each in article.clauses if all(_holds(when, values) for when in each.when)]
        if clauses:
            kept.append((article, clauses))
    numbers = {article.id: at for at, (article, _) in enumerate(kept, 1)}
    sections = []
    for article, clauses in kept:
        number = numbers[article.id]
        paragraphs = tuple(
            _paragraph(each, language, values, numbers, _clause_number(number, at, len(clauses), language))
            for at, each in enumerate(clauses, 1)
        )
        title = article.title[language]
        heading = f"제{number}조 ({title})" if language == "ko" else f"Article {number}. {title}"
        sections.append(Section(article.id, heading, paragraphs))
    return Contract(
        language=language,
        title=template.title[language],
        notice=_WORDS["draft"][language],
        intro=_filled(template.intro[language], language, values, numbers),
        parties=_parties(template, language, values),
        sections=tuple(sections),
        closing=_filled(template.closing[language], language, values, numbers),
        signatures=_signatures(template, language, values),
    )


def _holds(when: str, values: Mapping[str, Value]) -> bool:
    name, wanted, option = condition(when)
    value = values.get(name)
    found = value is not None if option is None else isinstance(value, Chosen) and value.key == option
    return found == wanted


def _clause_number(article: int, at: int, of: int, language: Language) -> str:
    if of == 1:
        return ""
    # ① to ⑳ stand in a row in Unicode; templates have fewer clauses than that.
    return chr(0x2460 + at - 1) if language == "ko" else f"{article}.{at}"


def _paragraph(
    clause: Clause, language: Language, values: Mapping[str, Value], numbers: Mapping[str, int], number: str
) -> Paragraph:
    text = _filled(clause.text[language], language, values, numbers)
    below = values[clause.items] if clause.items else ()
    if not isinstance(below, tuple):
        return Paragraph(number, text, (shown(below, language),))
    parts = tuple(each for each in below if isinstance(each, Part))
    if parts:
        return Paragraph(number, text, table=_parts_table(parts, language))
    return Paragraph(number, text, tuple(str(each) for each in below))


def _parts_table(parts: tuple[Part, ...], language: Language) -> Table:
    dated = any(each.due for each in parts)
    head = [_WORDS[each][language] for each in ("item", "amount", "due")[: 3 if dated else 2]]
    rows = [(each.name, each.amount.plain(language), each.due)[: len(head)] for each in parts]
    total = Money(sum((each.amount.amount for each in parts[1:]), parts[0].amount.amount), parts[0].amount.currency)
    rows.append((_WORDS["total"][language], total.plain(language), "")[: len(head)])
    return Table(tuple(head), tuple(rows))


def _filled(text: str, language: Language, values: Mapping[str, Value], numbers: Mapping[str, int]) -> str:
    """`text` with its placeholders filled in one pass, and Korean particles chosen after each value."""
    pieces: list[str] = []
    at = 0
    for match in PLACEHOLDER.finditer(text):
        pieces.append(text[at : match.start()])
        at = match.end()
        name = match[1]
        if name.startswith("@"):
            value = f"제{numbers[name[1:]]}조" if language == "ko" else f"Article {numbers[name[1:]]}"
        else:
            value = shown(values[name], language)
        pieces.append(value)
        josa = next((each for each in _JOSA if text.startswith(each, at)), None)
        if josa:
            pieces.append(josa_after(value, josa))
            at += len(josa)
    pieces.append(text[at:])
    return "".join(pieces)


def josa_after(word: str, josa: str) -> str:
    """The form of `josa` (`을(를)`, `(으)로` …) that follows `word`; as it is where that cannot be known."""
    # What stands in brackets is not read aloud: 3,000원(금 삼천원정)으로.
    bare = word[: word.rfind("(")] if word.endswith(")") and "(" in word[1:] else word
    last = bare.rstrip()[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
    elif last.isascii() and last.isdigit():
        final = _FINAL_OF_DIGIT.get(last, 0)
    else:
        return josa
    if josa == "(으)로":
        return "으로" if final and final != _RIEUL else "로"
    after_consonant, after_vowel = josa[0], josa[2]
    return after_consonant if final else after_vowel


def shown(value: Value, language: Language) -> str:
    """A value in the contract's words."""
    if isinstance(value, Money):
        return value.shown(language)
    if isinstance(value, Span):
        return value.said[language]
    if isinstance(value, Chosen):
        return value.words[language]
    if isinstance(value, Party):
        return value.name
    if isinstance(value, datetime.date):
        return show_date(value, language)
    if isinstance(value, datetime.time):
        return f"{value:%H:%M}"
    if isinstance(value, tuple):
        return ", ".join(_part(each, language) if isinstance(each, Part) else each for each in value)
    return str(value)


def _part(part: Part, language: Language) -> str:
    return f"{part.name} {part.amount.plain(language)}"


def _parties(template: Template, language: Language, values: Mapping[str, Value]) -> Table:
    """Roles across, particulars down; what no party gave has no row."""
    parties = [values[each.field] for each in template.roles]
    head = (_WORDS["party"][language], *(each.name[language] for each in template.roles))
    rows = []
    for name in ("name", "representative", "address", "registration_number"):
        cells = tuple(getattr(each, name) for each in parties)
        if any(cells):
            rows.append((_WORDS[name][language], *cells))
    return Table(head, tuple(rows))


def _signatures(template: Template, language: Language, values: Mapping[str, Value]) -> Table:
    head = tuple(_WORDS[each][language] for each in ("party", "name", "signature", "date"))
    rows = []
    for role in template.roles:
        party = values[role.field]
        assert isinstance(party, Party)
        name = f"{party.name} ({party.representative})" if party.representative else party.name
        rows.append((role.name[language], name, "", ""))
    return Table(head, tuple(rows))


def _cells(table: Table) -> list[str]:
    return [cell for row in (table.head, *table.rows) for cell in row]
