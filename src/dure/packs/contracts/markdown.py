"""Pieces of a contract in Markdown (CommonMark with tables). All text in them is escaped: no value becomes markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|~&#{}$!]")
# At the start of a line: a bullet, a rule, a quotation, a number with a stop.
_LEADING: Final = re.compile(r"([-+=:]|[0-9]{1,9}(?=[.)]))")
# What GitHub and others make links of without any markup.
_LINK: Final = re.compile(r"(?<=[A-Za-z])(:)(?=//)|(?<=www)(\.)|(@)", re.IGNORECASE)


def listed(items: Iterable[Any]) -> str:
    return "\n".join(f"- {escaped(str(item))}" for item in items)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, the head first; all are as wide."""
    lines = [[escaped(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], ["---"] * len(lines[0]), *lines[1:]))


def escaped(text: str) -> str:
    """`text` (one line) so that Markdown shows it as it is."""
    text = _MARKUP.sub(r"\\\g<0>", text)
    text = _LINK.sub(r"\\\g<0>", text)
    if leading := _LEADING.match(text):
        at = leading.end() if leading[0].isdigit() else 0
        text = f"{text[:at]}\\{text[at:]}"
    return text
