"""The library on both stores: what is imported is there once, found, and its owner's alone."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dure import Dure
from dure.errors import InvalidInput, NotFound, TooLarge, UnsupportedFile
from dure.knowledge.sentences import sentences
from dure.packs.papers.library.base import Papers, SharedPaper
from dure.packs.papers.library.card import card_of
from dure.packs.papers.library.glossary import Term
from dure.packs.papers.opened import glossary_of, papers_of
from dure.packs.papers.record import Added, PaperRecord, Problem
from dure.packs.papers.storage import CHAIN
from dure.packs.papers.storage.library import SHARED, shelf, version
from dure.packs.papers.tools.sql import statistics
from dure.sources import Citation
from dure.storage import Database

RICE = PaperRecord(
    title="Growing rice on terraces with drones", authors=["Kimsoo, Minsu", "Jane Doe"], year=2023, venue="AgriTech"
)
CROPS = PaperRecord(
    title="Counting crops from the air", authors=["Jane Doe"], year=2020, venue="CVPR", field="vision", citations=7
)


def record(title: str, **fields: Any) -> PaperRecord:
    return PaperRecord(title=title, **fields)


async def test_records_are_added_once_and_completed(library) -> None:
    papers: Papers = await library()
    done = await papers.add("alice", [RICE, RICE, Problem("x", "y"), record("???"), CROPS], "test")
    assert (done.added, done.completed, done.skipped, done.failed) == (2, 0, 1, 2)
    more = record("growing RICE on terraces, with drones", year=2024, doi="https://doi.org/10.1234/RICE", citations=5)
    assert (await papers.add("alice", [more, more], "test")).completed == 1
    (paper,) = await papers.list("alice", query="rice")
    assert (paper.doi, paper.year, paper.citations, paper.title) == ("10.1234/rice", 2023, 5, RICE.title)
    assert paper.authors == ["Minsu Kimsoo", "Jane Doe"]
    # The same DOI under another title is the same paper.
    assert (await papers.add("alice", [record("Rice!", doi="10.1234/rice")], "test")).skipped == 1


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"year": 2022}, True),
        ({"year": 2019}, False),
        ({"year": 2023, "doi": "10.1234/b"}, False),
        ({"doi": "10.1234/a"}, True),
        ({}, True),
    ],
)
async def test_one_title_is_one_paper_unless_something_speaks_against_it(opened, other, same) -> None:
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    title = "A title that is long enough"
    await papers.add("a", [record(title, year=2023, doi="10.1234/a")], "test")
    assert (await papers.add("a", [record(title, **other)], "test")).added == (0 if same else 1)


async def test_short_titles_need_an_author_in_common(opened) -> None:
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    await papers.add("a", [record("Preface", year=2020, authors=["Ann Lee"])], "test")
    done = await papers.add("a", [record("Preface", year=2020, authors=["Bo Kim"])], "test")
    assert done.added == 1
    assert (await papers.add("a", [record("Preface", year=2020, authors=["A. Lee"])], "test")).skipped == 1


@pytest.mark.parametrize(
    ("author", "found"),
    [("Ashish Vaswani", 1), ("Vaswani, Ashish", 1), ("A. Vaswani", 1), ("Bo Vaswani", 0), ("Ashish Vaswano", 0)],
)
async def test_a_first_name_finds_its_initial(library, author: str, found: int) -> None:
    papers: Papers = await library()
    await papers.add("alice", [record("On drones", authors=["A. Vaswani"])], "test")
    assert len(await papers.list("alice", author=author, query="drones")) == found


@pytest.mark.parametrize(
    ("asked", "found", "others"),
    [
        (
            "Ashish Vaswani",
            ["Ashish Vaswani", "A. Vaswani", "A. K. Vaswani", "Ashish K. Vaswani", "Vaswani Ashish", "Vaswani A"],
            ["Peter A. Vaswani", "Ashish V. Kumar", "Anna Vaswani", "Vaswani"],
        ),
        ("A. Vaswani", ["Ashish Vaswani", "A. Vaswani", "Anna K. Vaswani", "Vaswani A"], ["Peter A. Vaswani", "A. V."]),
        ("Vaswani A", ["Ashish Vaswani", "A. Vaswani"], ["Peter A. Vaswani"]),
        ("Ashish K. Vaswani", ["Ashish Vaswani", "A. Vaswani", "Ashish B. Vaswani"], ["K. Vaswani", "Ashish K."]),
        ("Ashish", ["Ashish Vaswani", "Vaswani, Ashish", "Peter Ashish Kumar"], ["A. Vaswani"]),
        ("Jan van der Berg", ["J. van der Berg", "Berg, Jan"], ["Jan van der Velde"]),
        ("김 민수", ["김 민수", "민수 김"], ["김 민지", "박 민수", "김민지"]),
        ("민수 김", ["김 민수", "민수 김"], ["김 민지", "박 민수"]),
        ("김민수", ["김민수"], ["김 민지", "김민지"]),
    ],
)
async def test_whom_an_author_is_found_as(library, asked: str, found: list[str], others: list[str]) -> None:
    papers: Papers = await library()
    records = [record(f"On drones, by {name}", year=2020, authors=[name]) for name in found + others]
    assert (await papers.add("alice", records, "test")).added == len(records)
    titles = {paper.title for paper in await papers.list("alice", author=asked, query="drones")}
    assert titles == {f"On drones, by {name}" for name in found}


async def test_filters_hold_and_list(library) -> None:
    papers: Papers = await library()
    await papers.add("alice", [RICE, CROPS, record("Rice and drones in the news", year=2021)], "test")
    for filters in (
        {"author": "kimsoo minsu"},
        {"author": "Kimsoo", "year_from": 2023, "year_to": 2023},
        {"venue": "agritech"},
    ):
        assert [p.title for p in await papers.list("alice", **filters)] == [RICE.title]
        found = await papers.search("alice", ["drones"], 5, **filters)
        assert [f.paper.title for f in found] == [RICE.title]
    found = await papers.search("alice", ["rice drones"], 20, year_to=2021)
    assert "Rice and drones in the news" in [f.paper.title for f in found]
    assert all(f.paper.year <= 2021 for f in found)
    assert await papers.search("alice", ["rice"], 5, author="Nobody Atall") == []
    for author in ("Doe et al.", "J. Doe", "Doe, J.", "doe 외 2명"):
        assert [p.title for p in await papers.list("alice", author=author)] == [RICE.title, CROPS.title], author
    assert await papers.list("alice", author="K. Doe") == []
    assert await papers.list("alice", venue="nowhere") == []
    # A blank filter is none, a filter alone lists by citations, and nothing asked finds nothing.
    assert len(await papers.list("alice", author=" ", venue="", field="")) == 50
    by_citations = await papers.search("alice", [""], 3, author="Doe")
    assert [f.paper.title for f in by_citations] == [CROPS.title, RICE.title]
    assert await papers.search("alice", ["", " "], 3) == []


async def test_search_finds_passages_that_can_be_opened_and_checked(library) -> None:
    papers: Papers = await library()
    await papers.add("alice", [RICE, record("On bread", abstract="Sourdough rises slowly in the cold cellar.")], "test")
    found = await papers.search("alice", ["sourdough in the cellar"], 3)
    assert found[0].paper.title == "On bread"
    assert found[0].evidence > 0.3
    passage = found[0].passages[0]
    knowledge = papers._knowledge
    text = await knowledge.text("alice", passage.document_id)
    assert text[passage.start : passage.end] == passage.text
    place = (passage.document_id, passage.title, None, passage.start, passage.end, passage.text)
    assert await knowledge.check("alice", Citation(*place))
    assert not await knowledge.check("bob", Citation(*place))
    assert (await knowledge.get("alice", passage.document_id)).status == "ready"
    assert await knowledge.passages("alice", passage.document_id)
    with pytest.raises(NotFound):
        await knowledge.text("bob", passage.document_id)
    with pytest.raises(NotFound):
        await knowledge.delete("alice", passage.document_id)
    with pytest.raises(NotFound):
        await knowledge.original("alice", passage.document_id)
    assert await knowledge.list("alice") == []


async def test_nobody_sees_or_removes_anothers_papers(library) -> None:
    papers: Papers = await library()
    await papers.add("alice", [record("The secret of alice", aliases=["Secretpaper"], arxiv_id="2401.99999")], "test")
    (secret,) = await papers.list("alice", query="secret of alice")
    assert await papers.list("bob", query="secret of alice") == []
    assert all("secret of" not in f.paper.title for f in await papers.search("bob", ["the secret of alice"], 50))
    assert await papers.resolve("bob", "Secretpaper, 2401.99999, The secret of alice") == []
    assert [p.id for p in await papers.resolve("alice", "Secretpaper")] == [secret.id]
    for act in (papers.get, papers.remove, papers.text):
        with pytest.raises(NotFound):
            await act("bob", secret.id)
    assert secret.id not in {row[0] for row in (await papers.read(statistics, "bob"))["papers"]}
    before = await papers.read(version, "bob")
    await papers.add("alice", [CROPS], "test")
    assert await papers.read(version, "bob") == before
    # The same paper is another one for bob.
    assert (await papers.add("bob", [record("The secret of alice")], "test")).added == 1
    await papers.remove("alice", secret.id)
    assert await papers.list("alice", query="secret of alice") == []
    assert len(await papers.list("bob", query="secret of alice")) == 1


@pytest.mark.parametrize("owner", ["", "a/b", "papers/", "papers/bob", "x" * 57])
async def test_owners_that_could_be_mistaken_for_shelves_are_refused(opened, owner: str) -> None:
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(InvalidInput):
        await papers.add(owner, [RICE], "test")
    with pytest.raises(InvalidInput):
        await papers.attach(owner, "x.pdf", b"%PDF-")
    assert shelf("bob") != SHARED


async def test_shared_papers_stay_and_an_owners_own_stands_for_one(library) -> None:
    papers: Papers = await library()
    (shared,) = await papers.resolve("alice", "BERT")
    assert shared.shared
    with pytest.raises(SharedPaper, match="BERT"):
        await papers.remove("alice", shared.id)
    # Nothing new is nothing; an abstract makes it the owner's own, with all that was known.
    assert (await papers.add("alice", [record(shared.title, year=shared.year)], "test")).skipped == 1
    told = record(shared.title, year=shared.year, abstract="We introduce a new model for gardeners.")
    assert (await papers.add("alice", [told], "test")).added == 1
    (own,) = await papers.resolve("alice", "BERT")
    assert not own.shared
    assert own.summary_ko == shared.summary_ko
    assert own.references == shared.references
    titles = [f.paper.id for f in await papers.search("alice", [shared.title], 10)]
    assert own.id in titles
    assert shared.id not in titles
    assert [p.id for p in await papers.resolve("bob", "BERT")] == [shared.id]
    tables = await papers.read(statistics, "alice")
    ids = [row[0] for row in tables["papers"]]
    assert own.id in ids
    assert shared.id not in ids
    assert {a for pair in tables["citations"] for a in pair} <= set(ids)
    assert own.id in {cited for _, cited in tables["citations"]}
    await papers.remove("alice", own.id)
    assert [p.id for p in await papers.resolve("alice", "BERT")] == [shared.id]


async def test_citations_are_made_whenever_both_papers_are_there(library) -> None:
    papers: Papers = await library()
    citing = record(
        "One that cites", references=["10.1234/later", "Attention is all you need", "a lonely unknown title"]
    )
    await papers.add("alice", [citing, record("Another citer", references=["key:s2:1"])], "test")
    await papers.add("alice", [record("Comes later", doi="10.1234/LATER", key="s2:1")], "test")
    (later,) = await papers.list("alice", query="later")
    attention = (await papers.resolve("alice", "Attention is all you need"))[0]
    (one,) = await papers.list("alice", query="cites")
    assert set(one.references) == {later.id, attention.id}
    (another,) = await papers.list("alice", query="citer")
    assert another.references == [later.id]


async def test_authors_that_are_not_all_stay_marked_until_all_are_known(library) -> None:
    papers: Papers = await library()
    some = record("A paper of many hands", authors=["Ann Lee", "Bo Kim", "and others"])
    await papers.add("alice", [some, record("By one and his friends", authors=["Vaswani, A. et al."])], "test")
    (paper,) = await papers.list("alice", query="hands")
    assert paper.authors == ["Ann Lee", "Bo Kim", "et al."]
    (other,) = await papers.list("alice", author="Vaswani", query="friends")
    assert other.authors == ["A. Vaswani", "et al."]
    assert (await papers.text("alice", paper.id)).sections[0].text.endswith("Ann Lee, Bo Kim et al.")
    names = {row[1] for row in (await papers.read(statistics, "alice"))["authors"]}
    assert {"Ann Lee", "Bo Kim", "A. Vaswani"} <= names
    assert not {name for name in names if "et al" in name}
    assert (await papers.add("alice", [some], "test")).skipped == 1
    whole = record(some.title, authors=["Ann Lee", "Bo Kim", "Cy Park"])
    assert (await papers.add("alice", [whole, some], "test")).completed == 1
    assert (await papers.get("alice", paper.id)).authors == whole.authors
    (gpt3,) = await papers.resolve("alice", "GPT-3")
    assert gpt3.authors[-1] == "et al."


async def test_references_that_come_alone_are_kept_and_counted_once(library) -> None:
    papers: Papers = await library()
    plain = [record("One that cites much"), record("Cited by another paper", doi="10.1234/cited")]
    told = record(
        plain[0].title,
        references=["10.1234/cited", "Cited by another paper", "10.1234/nowhere", "One that cites much"],
    )
    await papers.add("alice", plain, "test")
    assert (await papers.add("alice", [told], "test")).completed == 1
    (cited,) = await papers.list("alice", query="another")
    (citing,) = await papers.list("alice", query="much")
    assert citing.references == [cited.id]
    assert (await papers.add("alice", [told, told], "test")).skipped == 2
    await papers.add("alice", [record("Found at last", doi="10.1234/nowhere")], "test")
    (last,) = await papers.list("alice", query="last")
    assert set((await papers.get("alice", citing.id)).references) == {cited.id, last.id}


async def test_the_tables_have_what_is_known(library) -> None:
    papers: Papers = await library()
    await papers.add("alice", [RICE, CROPS], "test")
    tables = await papers.read(statistics, "alice")
    crops = next(row for row in tables["papers"] if row[1] == CROPS.title)
    assert crops[2:] == (2020, "CVPR", "vision", 7, None, None, None, True)
    name_of = dict(tables["authors"])
    written = [name_of[a] for p, a, _ in sorted(tables["paper_authors"], key=lambda r: r[2]) if p == crops[0]]
    assert written == ["Jane Doe"]
    assert list(name_of.values()).count("Jane Doe") == 1


async def test_a_term_of_ones_own_is_in_the_tables_instead_of_everybodys(opened) -> None:
    dure: Dure = await opened(model_base_url="http://127.0.0.1:9/v1")
    shared = (await glossary_of(dure).list("alice"))[0]
    await glossary_of(dure).add("alice", Term(term_ko=shared.term_ko, term_en=shared.term_en, easy_ko="우리 뜻"))
    rows = (await papers_of(dure).read(statistics, "alice"))["glossary"]
    assert rows == [(each.term_ko, each.term_en, each.field) for each in await glossary_of(dure).list("alice")]
    assert [row[0] for row in rows].count(shared.term_ko) == 1


async def test_the_starter_set_is_loaded_once_by_several_at_once(database_url: str, tmp_path: Path) -> None:
    first = await Database.open(database_url, packs=[CHAIN])
    databases = [first, *await asyncio.gather(*(Database.open(database_url, packs=[CHAIN]) for _ in range(2)))]

    class Silent:
        def embed(self) -> None: ...

    libraries = [Papers(database, Silent()) for database in databases]  # type: ignore[arg-type]
    await asyncio.gather(*(papers.ready() for papers in libraries))
    counts = {len(await papers.list("a", limit=1000)) for papers in libraries}
    assert len(counts) == 1
    ids = [p.id for p in await libraries[0].list("a", limit=1000)]
    assert len(ids) == len(set(ids)) >= 150
    for database in databases:
        await database.close()


async def test_another_version_of_the_starter_set_keeps_ids_and_documents(library, monkeypatch) -> None:
    from dure.packs.papers.library import starter

    papers: Papers = await library()
    shipped = starter.shipped("papers")
    before = {p.id: p for p in await papers.list("a", limit=1000)}
    await papers.add(
        "a", [record("Cites BERT", references=["BERT: Pre-training of Deep Bidirectional Transformers"])], "t"
    )
    lines = shipped.splitlines()
    changed = [lines[0].replace(b'"title": "', b'"title": "Renamed ', 1), *lines[2:]]
    monkeypatch.setattr(starter, "shipped", lambda name: b"\n".join(changed))
    again = Papers(papers._database, papers._knowledge)
    after = {p.id: p for p in await again.list("a", limit=1000) if p.shared}
    assert set(after) < set(before)
    assert len(before) - len(after) == 1
    renamed = [p for p in after.values() if p.title.startswith("Renamed ")]
    assert len(renamed) == 1
    assert renamed[0].document_id == before[renamed[0].id].document_id
    assert (await again.text("a", renamed[0].id)).sections[0].text.startswith("Renamed ")
    same = next(p for p in after.values() if p.id != renamed[0].id)
    assert same.aliases == before[same.id].aliases


PAGES = [
    [
        (22, "Sowing Seeds by Numbers"),
        (11, "Ada Lovelace, Mina Park"),
        (11, "University of Somewhere"),
        (11, "Abstract"),
        (11, "We sow seeds by numbers and harvest twice as much wheat as those who sow by hand. It works."),
        (11, "1 Introduction"),
        (11, "Seeds have been sown by hand since the first farmers. We ask whether numbers sow better."),
    ],
    [
        (11, "2 Method"),
        (11, "Every seed has a number."),
        (11, "3 Results"),
        (11, "The zanzibar variety grew best of all."),
    ],
    [(11, "References"), (11, "[1] Nobody. On hands. 1900.")],
]


async def test_a_pdf_makes_a_paper_with_sections(library, make_pdf: Callable[..., bytes]) -> None:
    papers: Papers = await library()
    paper = await papers.attach("alice", "2301.01234v2.pdf", make_pdf(PAGES, Title="untitled", Author=""))
    assert paper.title == "Sowing Seeds by Numbers"
    assert paper.authors == ["Ada Lovelace", "Mina Park"]
    assert (paper.arxiv_id, paper.year, paper.source) == ("2301.01234", 2023, "pdf")
    assert "harvest twice" in paper.abstract
    (document,) = await papers.wait("alice", [paper.id])
    assert document.status == "ready"
    text = await papers.text("alice", paper.id)
    assert text.full
    titles = [section.title for section in text.sections]
    assert titles == ["Sowing Seeds by Numbers", "Abstract", "1 Introduction", "2 Method", "3 Results", "References"]
    results = text.sections[4]
    assert results.page == 2
    whole = await papers._knowledge.text("alice", results.document_id)
    assert whole[results.start : results.end] == results.text
    found = await papers.search("alice", ["zanzibar variety"], 3)
    assert found[0].paper.id == paper.id
    assert found[0].passages[0].document_id == document.id
    # Once more, under another name: the same paper, and its newer file replaces the older.
    again = await papers.attach("alice", "copy.pdf", make_pdf([*PAGES, [(11, "Appendix"), (11, "More.")]]))
    assert again.id == paper.id
    await papers.wait("alice", [paper.id])
    assert (await papers.text("alice", paper.id)).sections[-1].title == "Appendix"
    await papers.remove("alice", paper.id)
    assert await papers.search("alice", ["zanzibar variety"], 3, author="Lovelace") == []
    with pytest.raises(NotFound):
        await papers._knowledge.get("alice", again.full_text_id)


async def test_a_pdf_finds_its_paper(opened: Callable[..., Any], make_pdf: Callable[..., bytes]) -> None:
    dure: Dure = await opened(model_base_url="http://127.0.0.1:9/v1")
    await papers_of(dure).add("a", [record("Another title altogether", doi="10.1234/seeds", citations=3)], "test")
    pages = [[(22, "Sowing Seeds by Numbers"), (11, "doi: 10.1234/SEEDS"), *PAGES[0][3:]]]
    paper = await papers_of(dure).attach("a", "x.pdf", make_pdf(pages))
    assert (paper.title, paper.citations) == ("Another title altogether", 3)
    bert = [
        [
            (22, "BERT: Pre-training of Deep Bidirectional"),
            (22, "Transformers for Language Understanding"),
            (10, "x" * 90),
        ]
    ]
    own = await papers_of(dure).attach("a", "bert.pdf", make_pdf(bert))
    assert not own.shared
    assert own.summary_ko
    assert [p.id for p in await papers_of(dure).resolve("a", "BERT")] == [own.id]


async def test_files_that_are_no_papers_are_refused(opened, tmp_path: Path, make_pdf) -> None:
    dure: Dure = await opened(model_base_url="http://127.0.0.1:9/v1", max_upload_bytes=100_000)
    papers = papers_of(dure)
    with pytest.raises(UnsupportedFile):
        await papers.attach("a", "../../etc/passwd", b"root")
    with pytest.raises(TooLarge):
        await papers.attach("a", "x.pdf", b"%PDF-" + b"x" * 100_001)
    with pytest.raises(Exception, match="cannot be read"):
        await papers.attach("a", "x.pdf", b"%PDF-1.7 broken")
    with pytest.raises(InvalidInput):
        await papers.import_file("a", tmp_path / "x", format="word")
    assert await papers.list("a", query="passwd") == []
    odd = "../../\x00\u202e" + "가" * 400 + "\ud800<script>'; DROP TABLE papers; --.pdf"
    paper = await papers.attach("a", odd, make_pdf([[(11, "no headline here at all")]]))
    assert "\x00" not in paper.title
    assert (await papers.wait("a", [paper.id]))[0].status == "ready"


async def test_hostile_texts_are_stored_as_texts(library) -> None:
    papers: Papers = await library()
    odd = [
        "'; DROP TABLE papers; --",
        "%_\\",
        "\x00nul\ud800",
        "\u202eright",
        "<script>alert(1)</script>",
        "a" * 5000,
        "\n\n논문\t\n",
    ]
    records = [
        record(f"{text} number {i}", authors=[text], venue=text, doi=text, url="javascript:x")
        for i, text in enumerate(odd)
    ]
    assert (await papers.add("a", records, "test")).added == len(odd)
    for text in odd:
        await papers.list("a", query=text, author=text, venue=text, field=text)
        await papers.search("a", [text], 3, author=text)
        await papers.resolve("a", text)
    assert all(paper.url == "" for paper in await papers.list("a", query="number"))


async def test_counts_grow_batch_by_batch_while_records_are_read(opened) -> None:
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    counts, seen = Added(), set[int]()

    def records() -> Iterator[PaperRecord]:
        for i in range(450):
            seen.add(counts.read)
            yield record(f"Paper of number {i} in a row")

    done = await papers.add("a", records(), "t", counts)
    assert seen == {0, 200, 400}
    assert (done.added, done is counts) == (450, True)


def test_a_title_is_no_part_of_the_sentence_below_it() -> None:
    """Both were cited as one."""
    title = "SowNet: Sowing Seeds by Numbers, Counted from Above and Below the Ground"
    names = [f"Sowing Network Number {n}" for n in range(4)]
    paper = record(title, aliases=names, summary_en="It sows. It counts.", summary_ko="씨를 뿌립니다. 셉니다.")
    card = card_of(paper, "d", "p")
    said = [each.text[start:end] for each in card.passages for start, end in sentences(each.text)]
    assert said.count(title) == 2
    assert {"It sows.", "씨를 뿌립니다."} <= {*said}
    assert [card.text[each.start : each.end] for each in card.passages] == [each.text for each in card.passages]
