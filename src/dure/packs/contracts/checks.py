"""Checks over several fields of a contract, and over its finished text.

A finding is wrong (the contract is not made), a warning (made, and told), or passed (told as checked).
"""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, TypeAlias

from dure.packs.contracts.clean import folded
from dure.packs.contracts.document import Contract, josa_after
from dure.packs.contracts.faults import WrongValue
from dure.packs.contracts.money import Money
from dure.packs.contracts.template import PLACEHOLDER, Template, TemplateError
from dure.packs.contracts.values import Part, Party, Value

Said: TypeAlias = tuple[str, str]
"""A sentence in Korean and in English."""

_LEGAL_FORMS: Final = (
    *("주식회사", "유한회사", "유한책임회사", "합자회사", "합명회사", "사단법인", "재단법인", "(주)", "(유)", "㈜"),
    *("co., ltd.", "co., ltd", "co. ltd", "co.", "ltd.", "ltd", "inc.", "inc", "llc", "corporation", "corp.", "corp"),
    *("limited", "gmbh"),
)


@dataclass(slots=True)
class Findings:
    wrong: dict[str, WrongValue] = field(default_factory=dict)
    """By field."""
    warnings: list[Said] = field(default_factory=list)
    passed: list[Said] = field(default_factory=list)


def check_values(template: Template, values: Mapping[str, Value]) -> Findings:
    """Run the template's checks, and those of dates and parties, over the fields that have a value."""
    found = Findings()
    for check in template.checks:
        _CHECKS[check["kind"]](template, check, values, found)
    _dates(template, values, found)
    for role in template.roles:
        party = values.get(role.field)
        if isinstance(party, Party):
            _party(template, role.field, party, found)
    return found


def check_text(template: Template, contract: Contract, values: Mapping[str, Value]) -> list[Said]:
    """What was checked in the finished text. Raises TemplateError where the template lets something out."""
    text = contract.text()
    lines = set(text.splitlines())
    standing = {each.id for each in contract.sections if each.heading in lines and each.paragraphs}
    absent = [each.id for each in template.articles if each.required and each.id not in standing]
    left = [each for each in PLACEHOLDER.findall(text) if each in template.fields or each.startswith("@")]
    unsaid = [
        name
        for name, value in values.items()
        if isinstance(value, Party | Money | str)
        and template.fields[name].required
        and not _said(value, contract, text)
    ]
    if absent or left or unsaid:
        raise TemplateError(f"template {template.name}: absent {absent}, unfilled {left}, unsaid {unsaid}")
    count = len(contract.sections)
    return [
        (f"필수 조항이 모두 있음(총 {count}개 조)", f"all required clauses are present ({count} articles)"),
        ("채워지지 않은 자리가 없음", "no placeholder is left unfilled"),
    ]


def _said(value: Party | Money | str, contract: Contract, text: str) -> bool:
    if isinstance(value, Party):
        given = (value.name, value.representative, value.address, value.registration_number)
        return all(each in text for each in given)
    return (value.plain(contract.language) if isinstance(value, Money) else value) in text


def _differ(template: Template, check: dict[str, Any], values: Mapping[str, Value], found: Findings) -> None:
    first, second = (values.get(each) for each in check["fields"])
    if not isinstance(first, Party) or not isinstance(second, Party):
        return
    same_number = bool(first.registration_number) and _digits(first) == _digits(second)
    told_apart = first.registration_number and second.registration_number and not same_number
    if same_number or (_bare(first.name) == _bare(second.name) and not told_apart):
        label = template.fields[check["fields"][0]].label
        found.wrong[check["fields"][1]] = WrongValue(
            f"{label['ko']}{josa_after(label['ko'], '과(와)')} 같은 당사자입니다. 두 당사자는 달라야 합니다",
            f"the same party as {label['en']}; the parties must differ",
        )
    else:
        found.passed.append(("두 당사자가 서로 다르고 이름이 있음", "the parties are named and differ"))


def _bare(name: str) -> str:
    """A name without its legal form, for comparing."""
    name = name.casefold()
    for each in _LEGAL_FORMS:
        name = name.removeprefix(each).removesuffix(each).strip(" ,")
    return folded(name)


def _digits(party: Party) -> str:
    return "".join(each for each in party.registration_number if each.isalnum()).casefold()


def _sum(template: Template, check: dict[str, Any], values: Mapping[str, Value], found: Findings) -> None:
    total, parts = values.get(check["total"]), values.get(check["parts"])
    if not isinstance(total, Money) or not isinstance(parts, tuple):
        return
    amounts = [each.amount for each in parts if isinstance(each, Part)]
    label = template.fields[check["total"]].label
    if any(each.currency != total.currency for each in amounts):
        found.wrong[check["parts"]] = WrongValue(
            f"{label['ko']}({total.currency})와(과) 통화가 다릅니다",
            f"not in the currency of {label['en']} ({total.currency})",
        )
        return
    added = Money(sum((each.amount for each in amounts), Decimal(0)), total.currency)
    if added != total:
        found.wrong[check["parts"]] = WrongValue(
            f"합이 {added.plain('ko')}입니다. {label['ko']}: {total.plain('ko')}",
            f"they add up to {added.plain('en')}, not to {label['en']}, {total.plain('en')}",
        )
    else:
        found.passed.append(
            (
                f"항목의 합이 {label['ko']}{josa_after(label['ko'], '과(와)')} 같음: {total.plain('ko')}",
                f"the parts add up to {label['en']}: {total.plain('en')}",
            )
        )


def _not_zero(template: Template, check: dict[str, Any], values: Mapping[str, Value], found: Findings) -> None:
    value = values.get(check["field"])
    if isinstance(value, Money) and value.amount <= 0:
        label = template.fields[check["field"]].label
        found.warnings.append((f"{label['ko']}{josa_after(label['ko'], '이(가)')} 0입니다", f"{label['en']} is zero"))


def _same_currency(template: Template, check: dict[str, Any], values: Mapping[str, Value], found: Findings) -> None:
    amounts = [each for name in check["fields"] if isinstance(each := values.get(name), Money)]
    if len({each.currency for each in amounts}) > 1:
        ko, en = (
            ", ".join(template.fields[each].label[language] for each in check["fields"]) for language in ("ko", "en")
        )
        found.warnings.append((f"통화가 서로 다릅니다: {ko}", f"the currencies differ: {en}"))


def _working_hours(template: Template, check: dict[str, Any], values: Mapping[str, Value], found: Findings) -> None:
    """Limits of the Labour Standards Act: articles 50 (40 hours), 53 (12 of overtime), 54 (breaks), 55, 18."""
    start, end = values.get(check["start"]), values.get(check["end"])
    pause, days = values.get(check["break"]), values.get(check["days"])
    if not (isinstance(start, datetime.time) and isinstance(end, datetime.time)):
        return
    if not (isinstance(pause, int) and isinstance(days, int)):
        return
    # Work that ends at or before its start ends on the next day.
    span = (60 * (end.hour - start.hour) + end.minute - start.minute) % 1440 or 1440
    worked = span - pause
    if worked <= 0:
        found.wrong[check["break"]] = WrongValue(
            "휴게시간이 근무시간보다 짧아야 합니다", "the break must be shorter than the time between start and end"
        )
        return
    week = worked * days / 60
    shown = f"{week:g}"
    found.passed.append((f"1주 근로시간 {shown}시간", f"{shown} working hours a week"))
    if week > 52:
        found.warnings.append(
            (
                f"1주 {shown}시간은 연장근로를 포함한 법정 한도 52시간을 넘습니다",
                f"{shown} hours a week exceed 52, the legal limit with overtime",
            )
        )
    elif week > 40 or worked > 480:
        found.warnings.append(
            (
                f"1일 {worked / 60:g}시간, 1주 {shown}시간은 법정 8시간, 40시간을 넘습니다(넘는 시간은 연장근로)",
                f"{worked / 60:g} hours a day, {shown} a week exceed the legal 8 and 40; the excess is overtime",
            )
        )
    needed = 60 if worked >= 480 else 30 if worked >= 240 else 0
    if pause < needed:
        found.warnings.append(
            (
                f"휴게시간 {pause}분이 법정 기준 {needed}분보다 짧습니다",
                f"a break of {pause} minutes is shorter than the legal {needed}",
            )
        )
    if days == 7:
        found.warnings.append(
            ("1주에 7일을 일하면 주휴일이 없습니다", "seven working days a week leave no weekly holiday")
        )
    if week < 15:
        found.warnings.append(
            (
                "1주 15시간 미만이면 주휴일과 연차유급휴가의 법 규정이 적용되지 않습니다",
                "below 15 hours a week the law's rules on weekly holidays and annual leave do not apply",
            )
        )


def _fixed_term(template: Template, check: dict[str, Any], values: Mapping[str, Value], found: Findings) -> None:
    start, end = values.get(check["start"]), values.get(check["end"])
    if not (isinstance(start, datetime.date) and isinstance(end, datetime.date)):
        return
    # Two years run out on the eve of the day; 29 February has its day on 1 March.
    if (end + datetime.timedelta(1)) > _years_later(start, 2):
        found.warnings.append(
            (
                "2년을 넘는 기간제 근로는 원칙적으로 기간의 정함이 없는 근로로 봅니다(기간제법 제4조)",
                "a fixed term of more than two years counts as open-ended employment, with exceptions",
            )
        )


def _years_later(day: datetime.date, years: int) -> datetime.date:
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return datetime.date(day.year + years, 3, 1)


def _dates(template: Template, values: Mapping[str, Value], found: Findings) -> None:
    dates = {name: each for name, each in values.items() if isinstance(each, datetime.date)}
    for name, value in dates.items():
        after = template.fields[name].after
        if after in dates and value < dates[after]:
            label = template.fields[after].label
            found.wrong[name] = WrongValue(
                f"{label['ko']}({dates[after]})보다 앞설 수 없습니다: {value}",
                f"{value} is before {label['en']} ({dates[after]})",
            )
    if dates and not any(name in found.wrong for name in dates):
        found.passed.append(("날짜가 실제로 있고 순서가 맞음", "the dates exist and are in order"))


def _party(template: Template, name: str, party: Party, found: Findings) -> None:
    label = template.fields[name].label
    if not party.address:
        found.warnings.append((f"{label['ko']}의 주소가 없습니다", f"{label['en']} has no address"))
    digits = [int(each) for each in party.registration_number if each.isdecimal()]
    if len(digits) == 10 and not is_business_number(digits):
        found.warnings.append(
            (
                f"{label['ko']}의 사업자등록번호가 검증 규칙에 맞지 않습니다: {party.registration_number}",
                f"the Korean business number of {label['en']} fails its check digit: {party.registration_number}",
            )
        )


def is_business_number(digits: list[int]) -> bool:
    """Whether the last of ten digits is the check digit of a Korean business registration number."""
    weighted = sum(digit * weight for digit, weight in zip(digits, (1, 3, 7, 1, 3, 7, 1, 3, 5), strict=False))
    return (weighted + digits[8] * 5 // 10 + digits[9]) % 10 == 0


_CHECKS: Final[dict[str, Callable[[Template, dict[str, Any], Mapping[str, Value], Findings], None]]] = {
    "differ": _differ,
    "sum": _sum,
    "not_zero": _not_zero,
    "same_currency": _same_currency,
    "working_hours": _working_hours,
    "fixed_term": _fixed_term,
}
