"""`dure ingest`, `dure documents`, `dure watch`, `dure reindex` and `dure search`."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dure.cli.terminal import (
    DEFAULT_OWNER,
    AsJson,
    Owner,
    clean,
    err,
    fail,
    note,
    path_of,
    print_json,
    put,
    run,
    with_dure,
)
from dure.cli.words import language, say
from dure.errors import DureError, InvalidInput, phrase
from dure.sources import placed
from dure.texts import TEXTS

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.knowledge.document import Document
    from dure.knowledge.search import Found

app = typer.Typer(no_args_is_help=False)
_DAY = {"metavar": "DATE"}
_COUNTED = TEXTS["cli_documents"]
_SHELF = typer.Option(metavar="NAME")
Failed = tuple[str, DureError]
"""A file that could not be taken in."""


def ingest(
    paths: list[str],
    shelf: Annotated[str, _SHELF] = "personal",
    tag: list[str] | None = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Add documents and wait until their text can be searched."""

    async def work() -> tuple[list["Document"], list[Failed]]:
        from dure.app import Dure

        files = files_of(paths, links.append)
        async with Dure(take_over=False) as dure:
            return await take_in(dure, owner, files, shelf=shelf, tags=tag, quiet=as_json)

    links: list[str] = []
    documents, failed = run(work, as_json)
    broken = [d for d in documents if d.status == "failed"]
    if as_json:
        told = [{"name": name, **error.as_dict(language())} for name, error in failed]
        print_json(_shape(documents) | {"failed": told, "links": links})
    else:
        _summary(documents, failed, links)
    if failed or broken:
        raise typer.Exit(1)


@app.callback(invoke_without_command=True)
def documents(context: typer.Context, as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    """Show the documents: id, name, what became of each."""
    if context.invoked_subcommand is not None:
        return
    found = with_dure(lambda dure: dure.knowledge.list(owner), as_json, _shape)
    for each in found:
        put(f"{each.id}  {'' if each.shelf == 'personal' else f'[{each.shelf}] '}{each.name}  ({_state(each)})")
    if not found:
        note(say("문서가 없습니다. `dure ingest`로 넣습니다.", "No documents. Add some: `dure ingest`."))


@app.command()
def remove(
    which: list[str],
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Delete documents with their files."""

    async def work(dure: "Dure") -> None:
        found = await dure.knowledge.list(owner)
        for each in which:
            named = [d.id for d in found if d.name == each]
            await dure.knowledge.delete(owner, named[0] if len(named) == 1 else each)
            put(f"- {each}")

    with_dure(work)


def watch(
    folder: str,
    shelf: Annotated[str, _SHELF] = "personal",
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Keep documents as the files of a folder are, until interrupted."""

    async def work(dure: "Dure") -> None:
        if not path_of(folder).is_dir():
            raise InvalidInput(reason=phrase("cli.no_folder", folder=folder))
        await dure.watch(path_of(folder), told, owner=owner, shelf=shelf)

    def told(name: str, error: DureError | None) -> None:
        put(f"✗ {name}: {error.message(language())}" if error else name if name.startswith("- ") else f"✓ {name}")

    with_dure(work)


def reindex(
    ids: Annotated[list[str] | None, typer.Argument()] = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Read documents anew from their files."""

    async def work(dure: "Dure") -> list["Document"]:
        asked = await dure.knowledge.reindex(owner, ids or None)
        with ExitStack() as shown:
            progress = _bar(shown, len(asked), as_json)
            return await dure.knowledge.wait(owner, [each.id for each in asked], progress=progress)

    documents = with_dure(work, as_json, _shape)
    _summary(documents, [])
    if any(d.error for d in documents):
        raise typer.Exit(1)


def files_of(paths: list[str], left_out: Callable[[str], object] = str) -> list[tuple[str, Path]]:
    """The files meant by paths as they were typed; see `knowledge.files`."""
    from dure.knowledge import files

    return files.files_of(map(path_of, paths), left_out)


async def take_in(
    dure: "Dure", owner: str, files: list[tuple[str, Path]], *, quiet: bool = False, **given: Any
) -> tuple[list["Document"], list[Failed]]:
    """`Dure.take_in`, showing how far it has come."""
    with ExitStack() as shown:
        return await dure.take_in(owner, files, progress=_bar(shown, len(files), quiet), **given)


def _bar(shown: ExitStack, total: int, quiet: bool) -> Callable[[list["Document"]], None]:
    """A function to call with the documents whenever they have changed; draws a bar where there is a terminal."""
    if quiet or not err().is_terminal:
        return lambda documents: None
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    label = TextColumn("{task.description}", markup=False)
    bar = shown.enter_context(Progress(label, BarColumn(), MofNCompleteColumn(), console=err(), transient=True))
    task = bar.add_task(say("문서 읽는 중", "reading documents"), total=total)

    def advance(documents: list["Document"]) -> None:
        busy = next((d.name for d in documents if d.status in ("queued", "indexing")), "")
        done = sum(d.status in ("ready", "failed") for d in documents)
        bar.update(task, completed=done, total=len(documents), description=clean(busy)[:40])

    return advance


def _shape(documents: list["Document"]) -> dict[str, Any]:
    return {"documents": [each.as_dict(language()) for each in documents]}


def _summary(documents: list["Document"], failed: list[Failed], links: Sequence[str] = ()) -> None:
    for each in documents:
        put(f"✗ {each.name}: {each.error[language()]}" if each.error else f"✓ {each.name} ({_state(each)})")
    for name, error in failed:
        put(f"✗ {name}: {error.message(language())}")
    for name in links:
        put(say(f"- {name}: 링크라서 넣지 않았습니다", f"- {name}: left out, it is a link"))
    ready = sum(d.status == "ready" for d in documents)
    bad = len(failed) + sum(d.error is not None for d in documents)
    told = say(f"문서 {ready}개를 찾을 수 있습니다. 실패 {bad}개.", f"Can be searched: {ready}. Failed: {bad}.")
    told += say(f" 링크 {len(links)}개는 넣지 않았습니다.", f" Links left out: {len(links)}.") if links else ""
    put(told, "bold")


def _state(document: "Document") -> str:
    """How long it is, or what became of it."""
    if document.error:
        return document.error[language()]
    if document.status != "ready":
        return say("읽는 중", "being read")
    from dure.knowledge.parse.kinds import KINDS

    pages = ""
    if document.pages:
        pages = _COUNTED.say(KINDS[document.kind].pages, language(), n=document.pages) + ", "
    return pages + say(f"단락 {document.passages}개", f"passages: {document.passages}")


def search(
    query: str,
    k: Annotated[int, typer.Option("-k", min=1, max=50)] = 6,
    shelf: Annotated[str | None, _SHELF] = None,
    kind: str | None = None,
    folder: str | None = None,
    since: Annotated[str | None, typer.Option(**_DAY)] = None,
    until: Annotated[str | None, typer.Option(**_DAY)] = None,
    tag: str | None = None,
    author: str | None = None,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    """Show the passages that say most about the query, and why."""
    from dure.records.export import moment

    def day(key: str, text: str | None) -> date | None:
        return date.fromisoformat(moment(text, key)[:10]) if text else None

    async def work(dure: "Dure") -> "Found":
        from dure.runs.ask import check_text
        from dure.storage.only import Only

        check_text(query)
        only = Only(shelf, kind, folder, day("since", since), day("until", until), tag, author)
        return await dure.knowledge.search(owner, [query], k, only)

    if not query.strip():
        fail(InvalidInput(reason=phrase("cli.query")), as_json)
    found = with_dure(work, as_json, lambda found: {"query": query, **found.as_dict()})
    for number, passage in enumerate(found.as_dict()["passages"], 1):
        why = passage["why"]
        said = f"{say('낱말', 'words')} {why['words']:.1f} · {say('뜻', 'meaning')} {why['meaning']:.1f}"
        said += f" · {passage['context'] or passage['title']}" if why["context"] else ""
        put(f"[{number}] {placed(passage, language())}  {passage['score']:.3f}  ({said})", "bold")
        put("    " + " ".join(passage["text"].split()))
    if not found.passages and any((shelf, kind, folder, since, until, tag, author)):
        note(say("그런 문서에서는 찾은 것이 없습니다.", "Nothing found in such documents."))
    elif not found.passages:
        note(
            say(
                "찾은 것이 없습니다. 무엇이 있는지는 `dure documents`로 보고, `dure ingest`로 넣습니다.",
                "Nothing found. `dure documents` lists what is there, `dure ingest` adds to it.",
            )
        )
