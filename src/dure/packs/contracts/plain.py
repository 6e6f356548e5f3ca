"""A contract of a kind that no template is for: the model writes it, the file says that nothing stands behind it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dure.errors import Language, ToolInputError
from dure.packs.contracts import TEXTS
from dure.packs.contracts.clean import folded
from dure.packs.contracts.document import Contract, files_of, hyphened
from dure.packs.contracts.faults import quoted
from dure.packs.contracts.template import templates
from dure.tooling import ToolResult

PLAIN: Final = "plain"
"""What a draft without a template is called in a template's place."""
_GAP: Final = re.compile(r"_{3,}")
_MAX_GAPS: Final = 20
_MAX_NAME_CHARS: Final = 60
_HEADING: Final = re.compile(r"\s*# .*\n")
_TEXT = TEXTS["plain"]
_NOTICE = TEXTS["document.words"]["plain"]


def describe(language: Language) -> str:
    """How a contract is drafted without a template."""
    return _TEXT.say("described", language)


def draft_plain(
    language: Language, fields: Mapping[str, Any], speaks: Language, before: Sequence[Mapping[str, Any]] = ()
) -> ToolResult:
    """The contract that `fields` hold (`title`; `text`, the articles in Markdown) as two files, with the notice at its
    head; before: the data of drafts before, newest first, whose title stays where none is given.

    Raises ToolInputError where either is not there, and for a title that a template has."""
    last = next((each.get("given") or {} for each in before if each.get("template") == PLAIN), {})
    title, text = (str(fields.get(key) or last.get(key) or "").strip() for key in ("title", "text"))
    if not (title and str(fields.get("text") or "").strip()):
        raise ToolInputError(**_TEXT["needed"].filled())
    for each in templates().values():
        if folded(title) in map(folded, (each.name, *each.title.values(), *each.aliases)):
            raise ToolInputError(**_TEXT["known"].filled(title=quoted(title), name=each.name))
    title, notice = " ".join(title.split()), _NOTICE[language]
    body = _HEADING.sub("", f"{text}\n", count=1) if _HEADING.match(f"{text}\n") else text
    contract = Contract(language, title, notice, [], f"# {title}\n\n> {notice}\n\n{body.strip()}\n")
    files = files_of(contract, hyphened(title, _MAX_NAME_CHARS) or PLAIN)
    names, gaps = [each.name for each in files], [line.strip() for line in body.splitlines() if _GAP.search(line)]
    lines = [_TEXT.say("made", speaks, title=title, files=", ".join(names))]
    if gaps:
        lines += [_TEXT.say("gaps", speaks, count=len(gaps)), *(f"- {quoted(each)}" for each in gaps[:_MAX_GAPS])]
    data = {"template": PLAIN, "language": language, "given": {"title": title, "text": text}, "gaps": gaps}
    data |= {"files": names, "content": contract.markdown, "missing": [], "wrong": []}
    return ToolResult("\n".join(lines), data=data, files=files)
