"""`dure papers`: the library of papers."""

import re
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from dure.cli.terminal import (
    DEFAULT_OWNER,
    AsJson,
    Owner,
    clean,
    err,
    given_path,
    note,
    path_of,
    print_json,
    put,
    run,
    with_dure,
)
from dure.cli.words import language, say
from dure.errors import DureError, InvalidInput, NotFound
from dure.packs.papers.keys import ARXIV
from dure.packs.papers.opened import papers_of
from dure.packs.papers.record import Added, Paper, credit
from dure.runs.ask import one_of
from dure.texts import said

if TYPE_CHECKING:
    from dure.app import Dure
    from dure.packs.papers.library.base import Papers

app = typer.Typer(no_args_is_help=True)

Failed = dict[str, Any]
"""What failed: `name`, and its `error`."""
Asked = tuple[str, Callable[..., Awaitable[Added]]]
"""A source's name, and its import."""
_ARXIV = re.compile(rf"(?:arxiv:\s*|https?://arxiv\.org/(?:abs|pdf)/)?(?:{ARXIV})(?:v\d+)?(?:\.pdf)?", re.IGNORECASE)
_SUFFIXES = (".bib", ".json", ".jsonl", ".ndjson", ".xml", ".atom", ".rdf", ".pdf", ".gz")
"""Of the files in a folder that are taken."""
_NEAR = 5
"""Titles that are told where a name means several."""
Year = Annotated[int | None, typer.Option(min=1000, max=2200)]


@app.command("import")
def import_(
    sources: Annotated[list[str] | None, typer.Argument()] = None,
    format: str | None = None,
    query: str = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
    files: bool = False,
    zotero: bool = False,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work() -> tuple[Added, list[Failed]]:
        from dure.app import Dure

        paths, ids = _sources(sources or [])
        if not (paths or ids or query.strip() or zotero):
            raise InvalidInput(reason=say("가져올 것이 없습니다", "nothing to import"))
        async with Dure(take_over=False) as dure:
            papers, asked = papers_of(dure), list[Asked]()
            for path in paths:
                asked.append((path.name, partial(papers.import_file, owner, path, format=format, files=files)))
            if ids or query.strip():
                asked.append(("arXiv", partial(papers.import_arxiv, owner, ids, query=query, limit=limit)))
            if zotero:
                asked.append(("Zotero", partial(papers.import_zotero, owner)))
            return await _take_in(papers, owner, asked, as_json)

    counts, failed = run(work, as_json)
    if as_json:
        print_json({**counts.as_dict(language()), "failed_sources": failed})
    else:
        _summary(counts, failed)
    if failed:
        raise typer.Exit(1)


def _sources(given: list[str]) -> tuple[list[Path], list[str]]:
    """The files and the arXiv ids meant. Raises InvalidInput for what is neither."""
    files: dict[Path, None] = {}
    ids: list[str] = []
    for each in given:
        path = path_of(each)
        if path.is_dir():
            # As documents' folders: no links, which lead to files that were not meant.
            inside = (p for p in sorted(path.rglob("*")) if p.is_file() and p.suffix.lower() in _SUFFIXES)
            files |= dict.fromkeys(p for p in inside if not (p.name.startswith(".") or p.is_symlink()))
        elif path.is_file():
            files[path] = None
        elif _ARXIV.fullmatch(each.strip()):
            ids.append(each)
        else:
            reason = say(f"'{each}', 파일도 arXiv 번호도 아닙니다", f"'{each}' is neither a file nor an arXiv id")
            raise InvalidInput(reason=reason)
    return list(files), ids


async def _take_in(papers: "Papers", owner: str, asked: list[Asked], quiet: bool) -> tuple[Added, list[Failed]]:
    """Import one source after the other, and wait for the text of PDFs. One that fails keeps out no other."""
    counts, failed = Added(), list[Failed]()
    for name, start in asked:
        with err().status(_Read(name, counts)) if not quiet and err().is_terminal else nullcontext():
            try:
                await start(counts=counts)
            except DureError as error:
                failed.append({"name": name, **error.as_dict(language())})
            except OSError as error:
                failed.append({"name": name, **InvalidInput(reason=f"{name}: {error.strerror}").as_dict(language())})
    if counts.attached:
        if not quiet:
            note(say("PDF 본문을 읽는 중…", "reading the text of PDFs…"))
        for document in await papers.wait(owner, list(dict.fromkeys(counts.attached))):
            if document.error:
                message = {"code": document.error["code"], "message": document.error[language()], "details": {}}
                failed.append({"name": document.name, "error": message})
    return counts, failed


@dataclass(slots=True)
class _Read:
    """How many records were read so far, whenever the terminal draws it."""

    name: str
    counts: Added

    def __rich__(self) -> str:
        read = self.counts.read
        return escape(f"{clean(self.name)[:60]}: {say(f'{read:,}건', f'{read:,} records')}")


def _summary(counts: Added, failed: list[Failed]) -> None:
    for problem in counts.problems:
        put(f"✗ {problem.place}: {said(problem.reason, language())}")
    if counts.failed > len(counts.problems):
        more = counts.failed - len(counts.problems)
        put(say(f"  … 그 밖에 {more:,}건", f"  … and {more:,} more"))
    for each in failed:
        put(f"✗ {each['name']}: {each['error']['message']}")
    put(
        say(
            f"새 논문 {counts.added:,}편, 보완 {counts.completed:,}편, 이미 있음 {counts.skipped:,}편, "
            f"읽지 못함 {counts.failed + len(failed):,}건",
            f"{counts.added:,} added, {counts.completed:,} completed, {counts.skipped:,} already there, "
            f"{counts.failed + len(failed):,} not readable",
        ),
        "bold",
    )


@app.command("list")
def list_(
    query: Annotated[str | None, typer.Argument()] = None,
    year_from: Year = None,
    year_to: Year = None,
    author: str | None = None,
    venue: str | None = None,
    field: str | None = None,
    tag: str | None = None,
    collection: str | None = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    filters: dict[str, Any] = {"query": query, "limit": limit + 1, "year_from": year_from, "year_to": year_to}
    filters |= {"author": author, "venue": venue, "field": field, "tag": tag, "collection": collection}
    found = with_dure(
        lambda dure: papers_of(dure).list(owner, **filters),
        as_json,
        lambda papers: {"papers": [paper.as_dict() for paper in papers[:limit]]},
    )
    for paper in found[:limit]:
        put(f"{paper.id}  {paper.title} — {credit(paper.as_dict())}")
    if not found:
        note(say("맞는 논문이 없습니다.", "No paper fits."))
    if len(found) > limit:
        note(say(f"더 있습니다: --limit {limit * 2}", f"There are more: --limit {limit * 2}"))


@app.command()
def show(paper: str, as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    _show(with_dure(lambda dure: _meant(dure, owner, paper), as_json, lambda paper: paper.as_dict()))


def _show(found: Paper) -> None:
    put(found.title, "bold")
    texts = {
        say("저자", "authors"): ", ".join(found.authors),
        say("연도", "year"): str(found.year or ""),
        say("학회·학술지", "venue"): found.venue,
        say("분야", "field"): found.field,
        "DOI": found.doi,
        "arXiv": found.arxiv_id,
        "ACL": found.acl_id,
        say("링크", "link"): found.link or "",
        say("인용", "cited"): f"{found.citations:,}" if found.citations is not None else "",
        say("다른 이름", "also"): ", ".join(found.aliases),
        say("태그", "tags"): ", ".join(found.tags),
        say("컬렉션", "collections"): ", ".join(found.collections),
        say("전문", "full text"): found.status if found.full_text_id else "",
        "ID": found.id,
    }
    for name, value in texts.items():
        if value:
            put(f"  {name}: {value}")
    for id, note_ in found.notes:
        put(say(f"  메모 {id}: {note_}", f"  note {id}: {note_}"))
    for text in (say(found.summary_ko, found.summary_en) or found.summary_en or found.summary_ko, found.abstract):
        if text:
            put()
            put(text)


@app.command()
def mark(
    paper: str,
    tag: list[str] | None = None,
    collection: list[str] | None = None,
    text: Annotated[str, typer.Option("--note")] = "",
    drop: bool = False,
    as_json: AsJson = False,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    async def work(dure: "Dure") -> Paper:
        papers, id = papers_of(dure), (await _meant(dure, owner, paper)).id
        how = "drop" if drop else "add"
        await papers.mark(owner, id, "tag", **{how: tag or []})
        await papers.mark(owner, id, "collection", **{how: collection or []})
        if text:
            await (papers.remove_note if drop else papers.note)(owner, id, text)
        return await papers.get(owner, id)

    _show(with_dure(work, as_json, lambda paper: paper.as_dict()))


@app.command()
def marks(as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    for kind, names in with_dure(lambda dure: papers_of(dure).marks(owner), as_json, dict).items():
        for name, count in names.items():
            put(f"{say(*_KINDS[kind])}  {name}  {count:,}")


_KINDS = {"tags": ("태그", "tag"), "collections": ("컬렉션", "collection")}


async def _meant(dure: "Dure", owner: str, name: str) -> Paper:
    """The paper of an id, or that a name means, or words of the title or authors of one alone. Raises NotFound, and
    InvalidInput where these are of several."""
    papers = papers_of(dure)
    named = await papers.meant(owner, name)
    found = named or await papers.list(owner, query=name, limit=_NEAR + 1)
    if not found:
        raise NotFound(what="paper", id=name)
    if len(found) > 1 and not named:
        titles = "; ".join(each.title for each in found[:_NEAR])
        raise InvalidInput(reason=say(f"'{name}', 여럿일 수 있습니다: {titles}", f"'{name}' may be several: {titles}"))
    return found[0]


@app.command()
def export(
    papers: Annotated[list[str] | None, typer.Argument()] = None,
    format: str = "bibtex",
    tag: str | None = None,
    collection: str | None = None,
    output: Annotated[Path | None, typer.Option(parser=given_path)] = None,
    owner: Owner = DEFAULT_OWNER,
) -> None:
    import asyncio

    from dure.packs.papers.formats.export import EXPORTS

    async def work(dure: "Dure") -> bytes:
        write = EXPORTS[one_of("format", format, EXPORTS)][0]
        chosen = [await _meant(dure, owner, each) for each in papers or ()]
        found = chosen or await papers_of(dure).all(owner, tag=tag, collection=collection)
        if not found:
            raise InvalidInput(reason=say("맞는 논문이 없습니다", "no paper fits"))
        data = write(found)
        try:
            if output is not None:
                await asyncio.to_thread(output.write_bytes, data)
        except OSError as error:
            raise InvalidInput(reason=f"{output}: {error.strerror}") from None
        return data

    data = with_dure(work)
    if output is None:
        typer.echo(data)


@app.command()
def remove(papers: list[str], as_json: AsJson = False, owner: Owner = DEFAULT_OWNER) -> None:
    async def work(dure: "Dure") -> list[Paper]:
        # All are looked up first: a wrong id removes nothing.
        found = [await papers_of(dure).get(owner, id) for id in papers]
        for each in found:
            await papers_of(dure).remove(owner, each.id)
        return found

    for paper in with_dure(work, as_json, lambda removed: {"removed": [paper.id for paper in removed]}):
        put(say(f"지웠습니다: {paper.title}", f"Removed: {paper.title}"))
