"""From a model's fields to a contract: read, ask, check, fill."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from dure.errors import Language, ToolInputError
from dure.packs.contracts import TEXTS
from dure.packs.contracts.checks import Findings, check_values
from dure.packs.contracts.clean import folded
from dure.packs.contracts.document import Contract, assemble
from dure.packs.contracts.faults import WrongValue, hint, nearest, quoted
from dure.packs.contracts.template import Field, Template, templates
from dure.packs.contracts.values import Missing, Value, read_value
from dure.texts import LANGUAGES

_MAX_FIELDS: Final = 100
_TEXT = TEXTS["draft"]


@dataclass(slots=True, kw_only=True)
class Draft(Findings):
    """Either `contract`, or what stands in its way: `missing` fields, and `wrong` ones by the name that was given."""

    template: Template
    language: Language
    values: dict[str, Value] = field(default_factory=dict)
    missing: list[Field] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    """Fields that were filled from the template's defaults."""
    ignored: list[str] = field(default_factory=list)
    """Optional fields whose value was a stand-in."""
    given: dict[str, Any] = field(default_factory=dict)
    """What was given, by the fields' names, with what stays of the draft before."""
    kept: list[str] = field(default_factory=list)
    """Fields that stay as they were there."""
    contract: Contract | None = None


def find_template(name: str) -> Template:
    """By name, title or another name of it. Raises ToolInputError with the nearest one."""
    known = templates()
    words = {word: each for each in known.values() for word in each.called}
    found = words.get(folded(name[:100]))
    if found is None:
        near = nearest(folded(name[:100]), words)
        meant = _TEXT["near"].filled(near=words[near].name) if near else ""
        raise ToolInputError(**_TEXT["no_template"].filled(name=quoted(name), hint=meant, known=", ".join(known)))
    return found


def draft(template: Template, language: Language, given: Mapping[str, Any], before: Mapping[str, Any] = {}) -> Draft:
    """Read `given` (field name → value) and fill the template; see `Draft`. Nothing is guessed or invented:
    what was not given is missing, or comes from a default of the template, which is told. before: what was given for a
    draft before; where that has no other parties what is left out stays as it was, and None takes it out.
    """
    result = Draft(template=template, language=language)
    roles = {role.field: role.words.values() for role in template.roles}
    known = _known(template, given, result)
    if all(_same(known.get(role), before.get(role)) for role in roles):
        result.kept = [name for name in before if name in template.fields and name not in known]
        parties = {role: _together(before[role], known[role]) for role in roles if role in before and role in known}
        known = {**before, **known, **parties}
    result.given = {name: value for name, value in known.items() if value is not None and name in template.fields}
    for name, value in result.given.items():
        each = template.fields[name]
        try:
            result.values[name], notes = read_value(each, value, language, roles.get(name, ()))
            result.warnings += [{lang: f"{each.label[lang]}: {note[lang]}" for lang in LANGUAGES} for note in notes]
        except Missing:
            if not each.required:
                result.ignored.append(name)
        except WrongValue as fault:
            result.wrong[name] = fault
    for name, each in template.fields.items():
        if name in result.values or name in result.wrong:
            continue
        if each.required:
            result.missing.append(each)
        elif each.default is not None:
            result.values[name], _ = read_value(each, each.default_in(language), language)
            result.assumed.append(name)
    check_values(template, result.values, result)
    if not result.missing and not result.wrong:
        result.contract = assemble(template, language, result.values)
        headings = result.contract.headings
        result.note("articles", count=len(headings), titles=", ".join(headings))
        result.note("filled")
    return result


def _known(template: Template, given: Mapping[str, Any], result: Draft) -> dict[str, Any]:
    """The given values by their field's name; labels are taken for names. What is none is noted as wrong."""
    names = {folded(each.replace("_", "")): each for each in template.fields}
    for each in template.fields.values():
        for label in each.label.values():
            names.setdefault(folded(label), each.name)
    found: dict[str, Any] = {}
    for key, value in islice(given.items(), _MAX_FIELDS):
        name = key if key in template.fields else names.get(folded(str(key)[:100]))
        if name is None:
            result.wrong[quoted(key)] = WrongValue("no_field", hint=hint(nearest(str(key), template.fields)))
        elif name in found and found[name] != value:
            result.wrong[name] = WrongValue("twice")
        else:
            found[name] = value
    return found


def _same(party: Any, other: Any) -> bool:
    """Whether two values name one party, or one of them none."""
    names = [each.get("name") if isinstance(each, dict) else each for each in (party, other)]
    return not all(names) or folded(str(names[0])) == folded(str(names[1]))


def _together(before: Any, now: Any) -> Any:
    """A party with what was said of it before."""
    said = before if isinstance(before, dict) else {"name": before}
    return {**said, **now} if isinstance(now, dict) else now
