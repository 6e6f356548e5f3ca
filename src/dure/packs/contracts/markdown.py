"""A contract as Markdown (CommonMark with tables). Everything that is text is escaped: no value becomes markup."""

import re
from typing import Final

from dure.packs.contracts.document import Contract, Paragraph, Table

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|~&#{}$!]")
# At the start of a line: a bullet, a rule, a quotation, a number with a stop.
_LEADING: Final = re.compile(r"([-+=:]|[0-9]{1,9}(?=[.)]))")
# What GitHub and others make links of without any markup.
_LINK: Final = re.compile(r"(?<=[A-Za-z])(:)(?=//)|(?<=www)(\.)|(@)", re.IGNORECASE)


def to_markdown(contract: Contract) -> str:
    """The whole contract; ends with a line end."""
    blocks = [f"# {escaped(contract.title)}", f"> {escaped(contract.notice)}", escaped(contract.intro)]
    blocks.append(_table(contract.parties))
    for section in contract.sections:
        blocks.append(f"## {escaped(section.heading)}")
        for each in section.paragraphs:
            blocks += _paragraph(each)
    blocks += [escaped(contract.closing), _table(contract.signatures)]
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """`text` (one line) so that Markdown shows it as it is."""
    text = _MARKUP.sub(r"\\\g<0>", text)
    text = _LINK.sub(r"\\\g<0>", text)
    if leading := _LEADING.match(text):
        at = leading.end() if leading[0].isdigit() else 0
        text = f"{text[:at]}\\{text[at:]}"
    return text


def _paragraph(paragraph: Paragraph) -> list[str]:
    # A number such as 1.1 is no list marker, and ① is none either.
    blocks = [f"{paragraph.number} {escaped(paragraph.text)}" if paragraph.number else escaped(paragraph.text)]
    if paragraph.items:
        blocks.append("\n".join(f"- {escaped(each)}" for each in paragraph.items))
    if paragraph.table:
        blocks.append(_table(paragraph.table))
    return blocks


def _table(table: Table) -> str:
    lines = [table.head, ("---",) * len(table.head), *table.rows]
    cells = [[each if row == 1 else escaped(each) for each in line] for row, line in enumerate(lines)]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)
