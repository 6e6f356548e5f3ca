"""`mark_papers`: tags and a note of the user's own on papers of the library."""

from typing import Any

from dure.errors import ToolInputError
from dure.packs.papers import TEXTS
from dure.packs.papers.library.base import Papers
from dure.packs.papers.storage.marks import NAME, NOTE
from dure.tooling import Tool, ToolContext, ToolResult, an_object

_TEXT, _FORM = TEXTS["tools_marks.text"], "tools_marks.form"
_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": NAME}}
_GIVEN: dict[str, Any] = {
    "papers": {**_NAMES, "minItems": 1, "maxItems": 20, "description": TEXTS.phrase(f"{_FORM}.papers")},
    "tags": {**_NAMES, "maxItems": 20, "description": TEXTS.phrase(f"{_FORM}.tags")},
    "untag": {**_NAMES, "maxItems": 20, "description": TEXTS.phrase(f"{_FORM}.untag")},
    "note": {"type": "string", "maxLength": NOTE, "description": TEXTS.phrase(f"{_FORM}.note")},
}


def marks_tool(papers: Papers) -> Tool:
    """The tool `mark_papers` {papers, tags?, untag?, note?}. A write: a person is asked first. Data: `{"papers": […]}`
    as they are then. A name that no paper has, or several have, changes nothing at all."""

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        owner, note, ids = context.owner, args.get("note", "").strip(), dict[str, str]()
        for name in args["papers"]:
            found = await papers.meant(owner, name)
            if len(found) != 1:
                titles = "; ".join(each.title for each in found[:5]) or "-"
                raise ToolInputError(**TEXTS.one("tools_marks.text.unclear").filled(name=name, titles=titles))
            ids[found[0].id] = found[0].title
        for id in ids:
            await papers.mark(owner, id, "tag", add=args.get("tags", ()), drop=args.get("untag", ()))
            if note:
                await papers.note(owner, id, note)
        marked = [await papers.get(owner, id) for id in ids]
        lines = [
            _TEXT.say("marked", context.language, title=each.title, tags=", ".join(each.tags) or "-",
                      notes=" / ".join(text for _, text in each.notes) or "-")
            for each in marked
        ]  # fmt: skip
        return ToolResult("\n".join(lines), data={"papers": [each.as_dict() for each in marked]})

    what = "Put the user's own tags or a note on papers of the library, or take tags off."
    return Tool("mark_papers", what, an_object(_GIVEN, "tags", "untag", "note"), run, effect="write")
