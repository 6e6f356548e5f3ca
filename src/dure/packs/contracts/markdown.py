"""A contract as Markdown (CommonMark with tables). Everything that is text is escaped: no value becomes markup."""

import re
from typing import Final

from dure.packs.contracts.document import Contract

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|~&#{}$!]")
# At the start of a line: a bullet, a rule, a quotation, a number with a stop.
_LEADING: Final = re.compile(r"([-+=:]|[0-9]{1,9}(?=[.)]))")
# What GitHub and others make links of without any markup.
_LINK: Final = re.compile(r"(?<=[A-Za-z])(:)(?=//)|(?<=www)(\.)|(@)", re.IGNORECASE)


def to_markdown(contract: Contract) -> str:
    """The whole contract; ends with a line end."""
    parts = [f"# {escaped(contract.title)}", f"> {escaped(contract.notice)}"]
    for each in contract.blocks:
        # A number such as 1.1 is no list marker, and ① is none either.
        before = "##" if each.heading else each.number
        parts.append(f"{before} {escaped(each.text)}".strip())
        parts.append("\n".join(f"- {escaped(item)}" for item in each.items))
        rows = [[escaped(cell) for cell in row] for row in each.table]
        lines = [*rows[:1], *(["---"] * len(row) for row in rows[:1]), *rows[1:]]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(filter(None, parts)) + "\n"


def escaped(text: str) -> str:
    """`text` (one line) so that Markdown shows it as it is."""
    text = _MARKUP.sub(r"\\\g<0>", text)
    text = _LINK.sub(r"\\\g<0>", text)
    if leading := _LEADING.match(text):
        at = leading.end() if leading[0].isdigit() else 0
        text = f"{text[:at]}\\{text[at:]}"
    return text
