"""Small pieces of Markdown, as tools write them and models do."""

import re
from collections.abc import Sequence


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; bars and line ends in cells are escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    escaped = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def unfenced(code: str) -> str:
    """Code without a Markdown fence around it, and fit for UTF-8."""
    code = code.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    fenced = re.fullmatch(r"\s*```[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*", code, re.DOTALL)
    return fenced[1] if fenced else code
