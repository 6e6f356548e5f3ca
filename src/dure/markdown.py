"""Small pieces of Markdown, as tools write them and models do."""

import re
from collections.abc import Container, Sequence

_ENDS = re.compile(r"[.!?。…][\"'”’)*_\]]*\s*\Z")
_CODE = re.compile(r"[{};=<>\\$]|^\s*(?:#!|//|--|@)|\w\(\)", re.MULTILINE)
"""What seldom stands in prose."""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Container[int] = ()) -> str:
    """A Markdown table; bars and line ends in cells are escaped. right: numbers of columns, from 0, whose cells end
    below each other, as figures do."""
    lines = [columns, ["---:" if at in right else "---" for at in range(len(columns))], *rows]
    escaped = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def unfenced(code: str) -> str:
    """Code without a Markdown fence around it, and fit for UTF-8."""
    code = code.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    fenced = re.fullmatch(r"\s*```[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*", code, re.DOTALL)
    return fenced[1] if fenced else code


def opened(answer: str) -> str:
    """What stands in the one fence that an answer is, where that is Markdown, or of no language and ends as a sentence
    does without a character of code in it."""
    lines = answer.strip().split("\n")
    fence = re.fullmatch(r"(`{3,}|~{3,})[ \t]*(\w*)[ \t]*", lines[0])
    if fence is None or len(lines) < 3 or lines[-1].strip() != fence[1]:
        return answer
    within = 0
    for line in lines[1:-1]:
        if line.strip().startswith(fence[1]):
            # A fence in it is opened by a language; any other line of the kind ends the whole one.
            within += 1 if line.strip() != fence[1] else -1
            if within < 0:
                return answer
    inner = "\n".join(lines[1:-1])
    prose = not fence[2] and _ENDS.search(inner) and not _CODE.search(inner)
    return inner if not within and (prose or fence[2].lower() in ("md", "markdown")) else answer
