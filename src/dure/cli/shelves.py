"""`dure shelves`: which there are, and who reads and changes what stands on them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure.cli.terminal import DEFAULT_OWNER, AsJson, note, put, with_dure
from dure.cli.words import say

if TYPE_CHECKING:
    from dure.app import Dure

app = typer.Typer(no_args_is_help=False)


@app.callback(invoke_without_command=True)
def shelves(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the shelves and their members."""
    if context.invoked_subcommand is not None:
        return

    async def work(dure: "Dure") -> list[dict[str, Any]]:
        return await dure.knowledge.shelves.list(DEFAULT_OWNER)

    found = with_dure(work, as_json, lambda found: {"shelves": found})
    for each in found:
        count = each["documents"]
        put(f"{each['name']}  ({say(f'문서 {count}개', f'documents: {count}')})", "bold")
        for member, role in each["members"].items():
            put(f"  {member}  {role}")
    if not found:
        note(say("서가가 없습니다. `dure shelves add 이름 구성원`", "No shelves: `dure shelves add NAME MEMBER`"))


@app.command()
def add(
    name: str,
    member: str,
    editor: Annotated[bool, typer.Option("--editor")] = False,
) -> None:
    """Make an owner a member; the first one makes the shelf."""
    role = "editor" if editor else "reader"
    with_dure(lambda dure: dure.knowledge.shelves.put(name, member, role))
    note(say(f"서가 {name}: {member} ({role})", f"Shelf {name}: {member} ({role})"))


@app.command()
def remove(name: str, member: str) -> None:
    """Take a member off, at once."""
    with_dure(lambda dure: dure.knowledge.shelves.remove(name, member))
    note(say(f"서가 {name}의 구성원이 아닙니다: {member}", f"No member of shelf {name} any more: {member}"))


@app.command()
def delete(name: str) -> None:
    """Delete a shelf and all documents on it."""
    with_dure(lambda dure: dure.knowledge.shelves.delete(name))
    note(say(f"서가를 지웠습니다: {name}", f"Shelf deleted: {name}"))
