"""Checks over several fields of a contract.

A finding is wrong (the contract is not made), a warning (made, and told), or passed (told as checked).
"""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from dure.packs.contracts import TEXTS
from dure.packs.contracts.clean import folded
from dure.packs.contracts.faults import WrongValue
from dure.packs.contracts.template import Template
from dure.packs.contracts.times import Span
from dure.packs.contracts.values import Value, total_of
from dure.texts import LANGUAGES

Check = dict[str, Any]
Values = Mapping[str, Any]
"""What was given, by the fields' names; each is of its field's type."""
_FINDINGS = TEXTS["checks"]
_LEGAL_FORMS: Final = (
    *("주식회사", "유한회사", "유한책임회사", "합자회사", "합명회사", "사단법인", "재단법인", "(주)", "(유)", "㈜"),
    *("co., ltd.", "co., ltd", "co. ltd", "co.", "ltd.", "ltd", "inc.", "inc", "llc", "corporation", "corp.", "corp"),
    *("limited", "gmbh"),
)


@dataclass(slots=True)
class Findings:
    wrong: dict[str, WrongValue] = field(default_factory=dict)
    """By field."""
    warnings: list[dict[str, str]] = field(default_factory=list)
    passed: list[dict[str, str]] = field(default_factory=list)

    def warn(self, finding: str, **values: Any) -> None:
        """Note one of the texts `checks` as a warning."""
        self.warnings.append(_FINDINGS[finding].filled(**values))

    def note(self, finding: str, **values: Any) -> None:
        """Note one of the texts `checks` as passed."""
        self.passed.append(_FINDINGS[finding].filled(**values))


def check_values(template: Template, values: Mapping[str, Value], found: Findings) -> None:
    """Run the template's checks, and those of dates and parties, over the fields that have a value."""
    _differ(template, values, found)
    for check in template.checks:
        _CHECKS[check["kind"]](template, check, values, found)
    _dates(template, values, found)
    for role in template.roles:
        if role.field in values:
            _party(template, role.field, values, found)


def _differ(template: Template, values: Values, found: Findings) -> None:
    named = [role.field for role in template.roles]
    first, second = (values.get(each) for each in named)
    if first is None or second is None:
        return
    numbers = [folded(each.registration_number) for each in (first, second)]
    if numbers[0] == numbers[1] if all(numbers) else _bare(first.name) == _bare(second.name):
        found.wrong[named[1]] = WrongValue("same_party", label=template.fields[named[0]].label)
    else:
        found.note("differ")


def _bare(name: str) -> str:
    """A name without its legal form, for comparing."""
    name = name.casefold()
    for each in _LEGAL_FORMS:
        name = name.removeprefix(each).removesuffix(each).strip(" ,")
    return folded(name)


def _sum(template: Template, check: Check, values: Values, found: Findings) -> None:
    total, parts = values.get(check["total"]), values.get(check["parts"])
    if total is None or parts is None:
        return
    label, added = template.fields[check["total"]].label, total_of(parts)
    if any(each.amount.currency != total.currency for each in parts):
        found.wrong[check["parts"]] = WrongValue("other_currency", label=label, currency=total.currency)
    elif added != total:
        found.wrong[check["parts"]] = WrongValue("sum", added=added.said, label=label, total=total.said)
    else:
        found.note("sum", label=label, total=total.said)


def _not_zero(template: Template, check: Check, values: Values, found: Findings) -> None:
    value = values.get(check["field"])
    if value is not None and value.amount <= 0:
        found.warn("zero", label=template.fields[check["field"]].label)


def _same_currency(template: Template, check: Check, values: Values, found: Findings) -> None:
    if len({values[each].currency for each in check["fields"] if each in values}) > 1:
        labels = [template.fields[each].label for each in check["fields"]]
        found.warn("currencies", labels={lang: ", ".join(each[lang] for each in labels) for lang in LANGUAGES})


def _working_hours(template: Template, check: Check, values: Values, found: Findings) -> None:
    """Limits of the Labour Standards Act: articles 50 (40 hours), 53 (12 of overtime), 54 (breaks), 55, 18."""
    start, end, pause, days = (values.get(check[key]) for key in ("start", "end", "break", "days"))
    if start is None or end is None or pause is None or days is None:
        return
    # Work that ends at or before its start ends on the next day.
    span = (60 * (end.hour - start.hour) + end.minute - start.minute) % 1440 or 1440
    worked = span - pause
    if worked <= 0:
        found.wrong[check["break"]] = WrongValue("break")
        return
    week = worked * days / 60
    found.note("week", week=week)
    if week > 52:
        found.warn("over_52", week=week)
    elif week > 40 or worked > 480:
        found.warn("over_40", day=worked / 60, week=week)
    needed = 60 if worked >= 480 else 30 if worked >= 240 else 0
    if pause < needed:
        found.warn("short_break", pause=pause, needed=needed)
    if days == 7:
        found.warn("no_holiday")
    if week < 15:
        found.warn("under_15")


def _fixed_term(template: Template, check: Check, values: Values, found: Findings) -> None:
    start, end = values.get(check["start"]), values.get(check["end"])
    if start and end and not _before(end, start, 2):
        found.warn("over_2_years")


def _before(day: datetime.date, start: datetime.date, years: int) -> bool:
    """Whether a day is before the one that so many years begin anew on; of 29 February that is 1 March."""
    return (day.year - years, day.month, day.day) < (start.year, start.month, start.day)


def _probation(template: Template, check: Check, values: Values, found: Findings) -> None:
    """Less in the first months: what the Minimum Wage Act allows, article 5(2)."""
    rate, span, start, end = (values.get(check[key]) for key in ("wage", "span", "start", "end"))
    if rate is None:
        return
    if span is None:
        label = template.fields[check["wage"]].label
        found.wrong.setdefault(check["span"], WrongValue("needed", label=label))
        return
    short = start and end and _before(end + datetime.timedelta(1), start, 1)
    if rate < 90 or (rate < 100 and (short or span.about_days > Span(3).about_days)):
        found.warn("probation", rate=rate)


def _dates(template: Template, values: Values, found: Findings) -> None:
    dates = {name: each for name, each in values.items() if isinstance(each, datetime.date)}
    for name, value in dates.items():
        after = template.fields[name].after
        if after in dates and value < dates[after]:
            first = {"label": template.fields[after].label, "first": str(dates[after])}
            found.wrong[name] = WrongValue("before", **first, date=str(value))
    if dates and not any(name in found.wrong for name in dates):
        found.note("dates")


def _party(template: Template, name: str, values: Values, found: Findings) -> None:
    label, party = template.fields[name].label, values[name]
    if not party.address:
        found.warn("no_address", label=label)
    digits = [int(each) for each in party.registration_number if each.isdecimal()]
    if len(digits) == 10 and not is_business_number(digits):
        found.warn("check_digit", label=label, number=party.registration_number)


def is_business_number(digits: list[int]) -> bool:
    """Whether the last of ten digits is the check digit of a Korean business registration number."""
    weighted = sum(digit * weight for digit, weight in zip(digits, (1, 3, 7, 1, 3, 7, 1, 3, 5), strict=False))
    return (weighted + digits[8] * 5 // 10 + digits[9]) % 10 == 0


_CHECKS: Final[dict[str, Callable[[Template, Check, Values, Findings], None]]] = {
    "sum": _sum,
    "not_zero": _not_zero,
    "same_currency": _same_currency,
    "working_hours": _working_hours,
    "fixed_term": _fixed_term,
    "probation": _probation,
}
