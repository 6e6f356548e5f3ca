"""Currencies by their ISO 4217 code, and as people write them."""

import re
from typing import Final

PLACES: Final = {
    **dict.fromkeys(("USD", "EUR", "GBP", "CNY", "AUD", "CAD", "CHF", "HKD", "SGD"), 2),
    **dict.fromkeys(("KRW", "JPY", "VND"), 0),
}
"""Those that are known, and their decimal places."""
NAMES: Final = {
    **dict.fromkeys(("₩", "원화", "원", "korean won", "won"), "KRW"),
    **dict.fromkeys(("us$", "$", "미화", "미국 달러", "미국달러", "미달러", "달러", "us dollars", "dollars"), "USD"),
    **dict.fromkeys(("€", "유로", "euros", "euro"), "EUR"),
    **dict.fromkeys(("£", "파운드", "pounds"), "GBP"),
    **dict.fromkeys(("일본 엔", "엔화", "엔", "yen"), "JPY"),
    **dict.fromkeys(("위안", "yuan"), "CNY"),
    "hk$": "HKD",
}
"""Casefolded; their codes."""
WRITTEN: Final = "|".join(map(re.escape, sorted(NAMES, key=len, reverse=True)))
"""A pattern of the names, the longest first."""
CODES: Final = "|".join(PLACES)
_FIRST: Final = "".join({name[0] for name in (*NAMES, *PLACES)})
_BESIDE: Final = re.compile(
    rf"(?<!\w)(?=[{_FIRST}])({WRITTEN}|{CODES}) ?(?=\d)|(?<=[\d천만억조]) ?({WRITTEN}|{CODES})", re.IGNORECASE
)


def currencies(text: str) -> set[str]:
    """The codes of the currencies that stand beside figures.

    >>> sorted(currencies("USD 30, 40,000원"))
    ['KRW', 'USD']
    """
    written = (before or behind for before, behind in _BESIDE.findall(text))
    return {NAMES.get(each.casefold(), each.upper()) for each in written}
