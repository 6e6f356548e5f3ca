"""Tags, collections and notes are their owner's alone, and papers are found by them."""

import pytest

from dure.errors import InvalidInput, NotFound
from dure.packs.papers.library.base import Papers
from dure.packs.papers.record import PaperRecord
from dure.packs.papers.storage import library as versions
from dure.packs.papers.tools.sql import statistics

TITLE = "Marks that people put on what they have read"


async def one(papers: Papers, owner: str, **fields) -> str:
    await papers.add(owner, [PaperRecord(title=TITLE, year=2020, **fields)], "test")
    return (await papers.list(owner, query=TITLE))[0].id


async def test_papers_are_found_by_tag_and_collection(library) -> None:
    papers: Papers = await library()
    id = await one(papers, "a")
    await papers.mark("a", id, "tag", add=["To Read", " to read ", "세미나"])
    paper = await papers.mark("a", id, "collection", add=["Thesis"])
    assert (paper.tags, paper.collections) == (["to read", "세미나"], ["Thesis"]), "the last spelling"
    assert [each.id for each in await papers.list("a", tag="TO READ", collection="thesis")] == [id]
    assert [each.paper.id for each in await papers.search("a", ["people read"], tag="세미나")] == [id]
    assert await papers.list("a", tag="Thesis") == []
    assert await papers.marks("a") == {"tags": {"to read": 1, "세미나": 1}, "collections": {"Thesis": 1}}
    paper = await papers.mark("a", id, "tag", drop=["TO READ"])
    assert paper.tags == ["세미나"]
    assert (await papers.read(statistics, "a"))["marks"] == [(id, "collection", "Thesis"), (id, "tag", "세미나")]


async def test_what_is_counted_is_read_anew_once_a_paper_is_marked(library) -> None:
    papers: Papers = await library()
    id = await one(papers, "a")
    before = await papers.read(versions.version, "a")
    await papers.mark("a", id, "tag", add=["세미나"])
    assert await papers.read(versions.version, "a") != before


async def test_marks_on_everybodys_papers_are_seen_by_their_owner_alone(library) -> None:
    papers: Papers = await library()
    bert = (await papers.resolve("a", "BERT"))[0]
    assert bert.shared
    await papers.mark("a", bert.id, "tag", add=["classic"])
    note = await papers.note("a", bert.id, "Read the appendix.")
    assert (await papers.get("a", bert.id)).as_dict()["notes"] == [{"id": note, "text": "Read the appendix."}]
    other = await papers.get("b", bert.id)
    assert (other.tags, other.notes, await papers.list("b", tag="classic")) == ([], [], [])
    assert await papers.marks("b") == {"tags": {}, "collections": {}}
    with pytest.raises(NotFound):
        await papers.remove_note("b", bert.id, note)
    await papers.remove_note("a", bert.id, note)
    assert (await papers.get("a", bert.id)).notes == []


async def test_marks_go_with_the_paper_that_stands_for_everybodys_and_back(library) -> None:
    papers: Papers = await library()
    bert = (await papers.resolve("a", "BERT"))[0]
    await papers.mark("a", bert.id, "tag", add=["classic"])
    record = PaperRecord(
        title=bert.title, year=bert.year, arxiv_id=bert.arxiv_id, abstract="An abstract.", tags=["new"]
    )
    await papers.add("a", [record], "test")
    own = (await papers.resolve("a", "BERT"))[0]
    assert (own.shared, own.tags) == (False, ["classic", "new"])
    await papers.remove("a", own.id)
    assert (await papers.get("a", bert.id)).tags == ["classic", "new"]


async def test_another_owner_cannot_mark_what_they_do_not_see(library) -> None:
    papers: Papers = await library()
    id = await one(papers, "a")
    with pytest.raises(NotFound):
        await papers.mark("b", id, "tag", add=["x"])
    with pytest.raises(NotFound):
        await papers.note("b", id, "x")
    with pytest.raises(InvalidInput):
        await papers.note("a", id, "  ")
    for text in ("x" * 20_001, "a\x00b", "\ud800"):
        with pytest.raises(InvalidInput):
            await papers.note("a", id, text)
        with pytest.raises(InvalidInput):
            await papers.mark("a", id, "collection", add=[text])
    marked = await papers.get("a", id)
    assert (marked.notes, marked.collections) == ([], [])


async def test_a_record_of_the_same_key_renews_what_it_told(library) -> None:
    papers: Papers = await library()
    first = {"key": "zotero:1/A", "authors": ["Kim"], "venue": "Draft", "notes": [("n1", "old")], "tags": ["t"]}
    id = await one(papers, "a", **first)
    changed = PaperRecord(title="Another title", year=2021, venue="Journal", key="zotero:1/A", notes=[("n1", "new")])
    done = await papers.add("a", [changed], "test")
    paper = await papers.get("a", id)
    assert (done.added, done.completed) == (0, 1)
    assert (paper.title, paper.year, paper.venue, paper.authors) == ("Another title", 2021, "Journal", ["Kim"])
    assert (paper.notes, paper.tags) == ([("n1", "new")], ["t"])
    assert (await papers.add("a", [changed], "test")).skipped == 1
