"""What of a form that a model filled in was really said: the rest was made up, and is left out."""

import re
from collections.abc import Mapping
from typing import Any

from dure.numbers import Number, scan
from dure.packs.contracts.clean import folded
from dure.packs.contracts.template import Field, Template

_PAIR = re.compile(
    r"(?<![\w()㈜&.-])([\w()㈜&.-]+?)(?:와|과|하고)\s+([\w()㈜&.-]+?)(?:의|\s?사이|\s?간)(?=\s)"
    r"|\bbetween\s+([\w&.-]+(?: [A-Z][\w&.-]*)*)\s+and\s+([\w&.-]+(?: [A-Z][\w&.-]*)*)"
)
"""Two parties named together. The first begins a word, else each letter of a long one would be tried."""
_NEAR = 0.8
"""Share of a text's pairs of characters that have to stand in the conversation."""


def spoken_fields(template: Template, form: Mapping[str, Any], talk: str, worker: str = "") -> dict[str, Any]:
    """The values of `form` (field name → value) that stand in `talk`. Choices come from the talk itself, by the
    options' words: a model picks one whether or not anybody did. worker: who does the work, the second party."""
    found: dict[str, Any] = {}
    pair = _PAIR.search(talk)
    names = [name for name in (pair.groups() if pair else ()) if name]
    first, second = (role.field for role in template.roles)
    named = dict(zip((first, second), names, strict=False))
    for name, each in template.fields.items():
        value = chosen(each, talk) if each.kind == "choice" else _kept(form.get(name), talk)
        if each.kind == "party" and not isinstance(value, str):
            value = value if value and "name" in value else named.get(name)
        elif each.kind == "amounts":
            value = [row for row in value or () if isinstance(row, dict) and "amount" in row]
        if value:
            found[name] = value
    _unmixed(template, found)
    if first in found and second in found and worker:
        named_first = found[first]["name"] if isinstance(found[first], dict) else found[first]
        if folded(worker) == folded(str(named_first)):
            found[first], found[second] = found[second], found[first]
    return found


def _unmixed(template: Template, found: dict[str, Any]) -> None:
    """Parties without what was mixed up: the word for one, which is nobody's name, and another's name."""
    words = {folded(word) for role in template.roles for word in role.words.values()}
    parties = [found[role.field] for role in template.roles if isinstance(found.get(role.field), dict)]
    for party in parties:
        if folded(str(party["name"])) in words and "representative" in party:
            party["name"] = party.pop("representative")
    for party in parties:
        others = {folded(str(each["name"])) for each in parties if each is not party}
        for key in [key for key, said in party.items() if key != "name" and folded(str(said)) in others]:
            del party[key]


def _kept(value: Any, talk: str) -> Any:
    """What of a value stands in the talk; None where nothing does."""
    if isinstance(value, dict):
        return {key: kept for key, each in value.items() if (kept := _kept(each, talk))} or None
    if isinstance(value, list):
        return [kept for each in value if (kept := _kept(each, talk))] or None
    return value if _said(value, talk) else None


def chosen(choice: Field, talk: str) -> str | None:
    """The option of which a word stands in `talk`, the longest word first."""
    words = {w: o.key for o in choice.options.values() for w in (*o.words.values(), *o.aliases, o.key)}
    heard = folded(talk)
    return next((words[w] for w in sorted(words, key=len, reverse=True) if folded(w) in heard), None)


def _said(value: Any, talk: str) -> bool:
    """Whether a value stands in the talk: its numbers all do, and what it says in words nearly does."""
    if not isinstance(value, str) or not value.strip():
        return False
    found = list(scan(value))
    heard = {(each.value, unit) for each in scan(talk) for unit in ("", _counted(talk, each))}
    if not {(each.value, _counted(value, each)) for each in found if each.value} <= heard:
        return False
    edges = [0, *(at for each in found for at in (each.start, each.end)), len(value)]
    words = [word for start, end in zip(edges[::2], edges[1::2], strict=True) if (word := folded(value[start:end]))]
    if not words:
        return any(each.value for each in found)
    said = folded(talk)
    pairs = [word[n : n + 2] for word in words for n in range(max(len(word) - 1, 1))]
    return folded(value) in said or sum(pair in said for pair in pairs) >= _NEAR * len(pairs)


def _counted(text: str, number: Number) -> str:
    """The first letter of what a number counts: 년 of `3년`, m of `6 months`; empty where none follows."""
    letter = text[number.end : number.end + 2].lstrip()[:1].casefold()
    return letter if letter.isalpha() else ""
