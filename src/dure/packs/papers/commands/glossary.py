"""`dure glossary …`: the terms there are, what they mean, and one's own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, Owner, note, out, print_json, put, run, with_dure
from dure.cli.words import argument, language, option, say
from dure.errors import InvalidInput, Language, NotFound
from dure.messages import language_of
from dure.packs.papers.opened import glossary_of

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.packs.papers.library.glossary import Looked
    from dure.packs.papers.library.term import Term

app = typer.Typer(no_args_is_help=True)


@app.command("list", help=say("용어 목록", "List the terms"))
def list_(
    field: Annotated[str | None, option("분야만(예: nlp)", "Only of this field", "--field")] = None,
    own: Annotated[bool, option("내가 더한 것만", "Only one's own", "--own")] = False,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work(dure: "Dure") -> list["Term"]:
        found = await glossary_of(dure).list(owner)
        return [
            each for each in found if (field is None or each.field == field.casefold()) and not (own and each.shared)
        ]

    found = with_dure(work, as_json, lambda terms: {"terms": [each.as_dict() for each in terms]})
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in (say("용어", "term"), say("다른 언어", "other language"), say("분야", "field"), say("누구의", "whose")):
        table.add_column(head)
    for each in found:
        whose = say("기본", "shipped") if each.shared else say("내 것", "own")
        table.add_row(each.name(language()), each.name(_other()), each.field, whose)
    out().print(table)
    put(say(f"용어 {len(found)}개", f"{len(found)} terms"), "bold")


@app.command(help=say("용어의 뜻 보기", "Show what a term means"))
def show(
    term: Annotated[str, argument("용어나 질문", "A term, or a question that holds one")],
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work() -> "Looked":
        from dure.app import Dure
        from dure.runs.ask import check_text

        check_text(term)
        async with Dure(take_over=False) as dure:
            return await glossary_of(dure).lookup(owner, term)

    found = run(work, as_json)
    if as_json:
        print_json({"terms": [t.as_dict() for t in found.terms], "near": [t.as_dict() for t in found.near]})
    for each in found.terms if not as_json else ():
        first, *told = each.entry(language(), "easy", "expert").split("\n")
        put(first.replace("**", ""), "bold")
        put("\n".join(f"  {line}" for line in told))
        put(f"  {say('분야', 'field')}: {each.field or '–'}   id: {each.id}", "dim")
        put()
    if not (found.terms or as_json):
        note(say(f"'{term}'은(는) 용어집에 없습니다.", f"The glossary has no '{term}'."))
        if found.near:
            names = ", ".join(each.name(language()) for each in found.near)
            note(say(f"혹시 이 용어인가요: {names}", f"Perhaps meant: {names}"))
    if not found.terms:
        raise typer.Exit(1)


@app.command(help=say("내 용어 더하기", "Add a term of one's own"))
def add(
    term: Annotated[str, argument("용어의 이름", "The term's name")],
    easy: Annotated[str, option("쉬운 설명", "What it means in plain words")] = "",
    expert: Annotated[str, option("전문 설명", "What it means to experts")] = "",
    other: Annotated[str, option("영어(한국어) 이름", "Its name in Korean (English)")] = "",
    alias: Annotated[list[str] | None, option("다른 이름", "Another name; repeatable")] = None,
    field: Annotated[str, option("분야", "Field of research")] = "",
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """The language of name and texts is told by their letters."""

    async def work(dure: "Dure") -> "Term":
        from dure.packs.papers.library.term import Term
        from dure.runs.ask import check_text

        texts: dict[str, Any] = {"aliases": list(alias or ()), "field": field}
        for what, values in (("term", (term, other)), ("easy", (easy,)), ("expert", (expert,))):
            for text in filter(None, values):
                check_text(text)
                name = f"{what}_{language_of(text)}"
                if name in texts:
                    raise InvalidInput(reason=say("두 이름이 같은 언어입니다", "both names are of one language"))
                texts[name] = text
        return await glossary_of(dure).add(owner, Term(**texts))

    name = with_dure(work, as_json, lambda term: term.as_dict()).name(language())
    put(say(f"더했습니다: {name}", f"Added: {name}"))


def _other() -> Language:
    return "en" if language() == "ko" else "ko"


@app.command(help=say("내 용어 지우기", "Remove a term of one's own"))
def remove(
    term: Annotated[str, argument("용어의 이름이나 id", "The term's name or id")],
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work(dure: "Dure") -> "Term":
        return await glossary_of(dure).remove(owner, _id(await glossary_of(dure).list(owner), term))

    name = with_dure(work, as_json, lambda term: term.as_dict()).name(language())
    put(say(f"지웠습니다: {name}", f"Removed: {name}"))


def _id(terms: Sequence["Term"], given: str) -> str:
    """The id of the term of that id or name. Raises NotFound."""
    from dure.packs.papers.keys import title_key

    key = title_key(given)
    # One's own are listed last, and are what can be removed.
    for each in reversed(terms):
        if each.id == given or key in each.keys:
            return each.id
    raise NotFound(what="term", id=given)
