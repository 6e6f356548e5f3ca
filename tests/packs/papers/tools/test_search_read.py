"""`search_papers`, `read_paper` and `papers_named`, called as a model calls them, over the shipped papers and a PDF."""

import itertools

import pytest

from dure import Agent, Team
from dure.data.sandbox import Sandbox
from dure.messages import ToolCall
from dure.packs.papers.library import lookup
from dure.packs.papers.library.base import Papers
from dure.packs.papers.library.glossary import Glossary
from dure.packs.papers.opened import papers_of
from dure.packs.papers.storage.library import shelves
from dure.packs.papers.tools.library import LibraryTools
from dure.testing import ScriptedServer, say
from dure.testing import call as step
from dure.tooling import ToolContext
from dure.toolsets import run_call

PAGES = [
    [(22, "Sowing Seeds by Numbers"), (11, "Ada Lovelace"), (12, "Abstract"), (11, "We harvest twice by counting.")],
    [(12, "1 Introduction"), (11, "Seeds were sown by hand."), (12, "2 Method"), (11, "Every seed has a number.")],
    [(12, "3 Results"), (11, "The zanzibar variety grew best."), (12, "References"), (11, "[1] Nobody. 1900.")],
]


@pytest.fixture
async def papers(database, knowledge):
    knowledge.share(shelves)
    papers = Papers(database, knowledge)
    yield papers
    await papers.close()


@pytest.fixture
async def call(papers, database):
    sandbox = Sandbox()
    tools = LibraryTools(papers, Glossary(database), sandbox).tools()

    async def run(name, language="ko", owner="me", **args):
        result = await run_call(tools, ToolCall(name, args), ToolContext(owner, language=language))
        return result.status, result

    yield run
    await sandbox.close()


async def test_a_search_gives_papers_with_passages_and_filters_hold(call):
    status, found = await call("search_papers", queries=["graph neural networks"], year_from=2017, year_to=2018)
    assert status == "ok"
    papers = found.data["papers"]
    assert papers
    assert all(2017 <= p["year"] <= 2018 for p in papers)
    assert {p.document_id for p in found.passages} <= {p["document_id"] for p in papers}
    assert papers[0]["link"].startswith("https://")
    assert found.data["filters"] == {"year_from": 2017, "year_to": 2018}
    assert 0 <= found.data["evidence"] <= 1


@pytest.mark.parametrize(
    "args",
    [
        {"queries": ["물체 탐지 논문"], "year_to": 2019},
        {"queries": ["find papers on segmentation"], "venue": "CVPR"},
        {"queries": ["그래프"], "field": "graph"},
        {"queries": ["김치"], "author": "Vaswani"},
        {"queries": [], "year_to": 1999},
    ],
)
async def test_what_fits_within_filters_is_found(call, args):
    _, found = await call("search_papers", **args)
    assert found.data["papers"]


async def test_filters_alone_list_papers(call):
    _, found = await call("search_papers", author="Vaswani", k=20)
    assert "Attention Is All You Need" in [p["title"] for p in found.data["papers"]]
    assert all(any("Vaswani" in a for a in p["authors"]) for p in found.data["papers"])
    assert "Attention Is All You Need" in found.text
    assert [p.document_id for p in found.passages] == [p["document_id"] for p in found.data["papers"]], "to be cited"


@pytest.mark.parametrize(
    "args",
    [
        {"queries": ["zqxv wvutz"]},
        {"queries": ["  "]},
        {"queries": [], "author": "Nobody X"},
        {"queries": ["김치 발효 논문"], "year_from": 2019},
        {"queries": ["papers on kimchi fermentation"], "year_from": 2016},
        {"queries": ["요리 논문"], "venue": "CVPR"},
        {"queries": ["부동산 가격"], "field": "nlp"},
    ],
)
async def test_nothing_is_said_to_be_nothing(call, args):
    status, found = await call("search_papers", "en", **args)
    assert status == "ok"
    assert found.text.startswith("The library has nothing that fits")
    assert found.data["papers"] == []
    assert found.passages == []


@pytest.mark.parametrize("args", [{"k": 0}, {"k": 1000}, {"year_from": "x"}, {"unknown": 1}])
async def test_wrong_arguments_are_told(call, args):
    assert (await call("search_papers", **args))[0] == "error"


@pytest.mark.parametrize(
    "named", ["BERT", "1810.04805", "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"]
)
async def test_a_paper_is_read_by_any_of_its_names(call, named):
    status, read = await call("read_paper", paper=named)
    assert status == "ok"
    assert read.data["paper"]["title"].startswith("BERT")
    assert (read.data["full"], read.data["sections"]) == (False, [])
    assert "요약 정보만" in read.text
    again, by_id = await call("read_paper", paper=read.data["paper"]["id"])
    assert (again, by_id.passages) == ("ok", read.passages)


async def test_what_is_not_there_is_told_in_words(call):
    status, read = await call("read_paper", "en", paper="A paper of nobody")
    assert status == "error"
    assert "no paper 'A paper of nobody'" in read.text
    status, read = await call("read_paper", paper="BERT", section="Method")
    assert status == "error"
    assert "절이 없습니다" in read.text


async def test_a_full_text_is_read_by_sections_that_can_be_cited(call, papers, make_pdf):
    paper = await papers.attach("me", "seeds.pdf", make_pdf(PAGES))
    await papers.wait("me", [paper.id])
    _, read = await call("read_paper", paper=paper.id)
    assert read.data["full"]
    assert read.data["sections"][-2:] == ["3 Results", "References"]
    assert read.passages == []
    _, section = await call("read_paper", paper=paper.id, section="3 Results")
    (passage,) = section.passages
    assert "zanzibar" in passage.text
    assert passage.page == 3
    whole = await papers._knowledge.text("me", passage.document_id)
    assert whole[passage.start : passage.end] == passage.text
    assert (await call("read_paper", paper=paper.id, owner="other"))[0] == "error"


async def test_a_long_section_comes_in_pieces_that_leave_nothing_out(call, papers, make_pdf):
    def lines(place):
        return [(8, f"In {place} seeds of kind {n} need water and light every day of the year.") for n in range(50)]

    pages = [
        [(22, "A Long Study of Seeds"), (12, "Abstract"), *lines("spring")],
        [(12, "1 Introduction"), *lines("summer")],
        [(12, "2 End"), *lines("winter")],
    ]
    paper = await papers.attach("me", "long.pdf", make_pdf(pages))
    await papers.wait("me", [paper.id])
    _, section = await call("read_paper", paper=paper.id, section="1 Introduction")
    assert len(section.passages) > 1
    assert all(a.end == b.start for a, b in zip(section.passages, section.passages[1:], strict=False))
    assert "kind 49" in section.passages[-1].text


async def test_a_passage_has_the_page_on_which_it_stands(call, papers, make_pdf):
    """Also where the heading stands on the page before, and but for a sentence that runs on."""
    runs = "Some of the seeds that we had sown in the spring of the second year were not"
    first = [(22, "A Long Study of Seeds"), (12, "Abstract"), (11, "We sow."), (12, "1 Introduction"), (11, "Yes.")]
    second = [(11, "We sow in spring."), (12, "2 Method"), (11, "We counted all seeds."), (12, "3 Results")]
    pages = [first, second, [(11, "Most grew."), (12, "4 Limits"), (11, runs)], [(11, "counted at all. We are sorry.")]]
    paper = await papers.attach("me", "seeds.pdf", make_pdf(pages))
    await papers.wait("me", [paper.id])
    _, read = await call("read_paper", paper=paper.id, whole=True)
    places = [(" ".join(each.text.split()), each.page) for each in read.passages]
    assert places[-6:] == [
        ("1 Introduction Yes.", 1),
        ("We sow in spring.", 2),
        ("2 Method We counted all seeds.", 2),
        ("3 Results Most grew.", 3),
        (f"4 Limits {runs} counted at all.", 3),
        ("We are sorry.", 4),
    ]
    assert all(a.end <= b.start for a, b in itertools.pairwise(read.passages))


async def test_code_reads_all_sections_in_one_call(call, papers, make_pdf):
    paper = await papers.attach("me", "seeds.pdf", make_pdf(PAGES))
    await papers.wait("me", [paper.id])
    _, read = await call("read_paper", paper=paper.id)
    single = [(await call("read_paper", paper=paper.id, section=each))[1].passages for each in read.data["sections"]]
    _, whole = await call("read_paper", paper=paper.id, whole=True)
    assert whole.passages == [passage for each in single for passage in each]
    assert list(dict.fromkeys(whole.data["within"])) == read.data["sections"]


async def test_for_a_question_as_many_passages_come_as_are_wanted(call, papers, make_pdf):
    lines = [(8, f"In spring seeds of kind {n} need water and light every day of the year.") for n in range(50)]
    pages = [[(22, "A Long Study of Seeds"), *lines], lines, lines]
    paper = await papers.attach("me", "long.pdf", make_pdf(pages))
    await papers.wait("me", [paper.id])
    asked = {"paper": paper.id, "question": "how much water do seeds need?"}
    counts = [len((await call("read_paper", **asked, **more))[1].passages) for more in ({}, {"passages": 3})]
    assert counts == [12, 3]
    _, all_of_it = await call("read_paper", **asked, passages=1000)
    assert len(all_of_it.passages) > 12


async def test_names_are_found_in_the_order_of_the_text(call):
    _, found = await call("papers_named", text="ResNet보다 먼저 나온 BERT 말고 AlexNet 논문")
    assert [p["aliases"][0] for p in found.data["papers"]] == ["ResNet", "BERT", "AlexNet"]
    _, none = await call("papers_named", "en", text="nothing of the kind")
    assert none.data == {"papers": [], "near": [], "told": []}
    assert none.text == "It names no paper of the library."


async def test_full_texts_speak_for_a_question_about_what_they_say(call, papers, make_pdf):
    _, found = await call("search_full_texts", queries=["Which variety grew best?"])
    assert (found.data, found.passages) == ({"evidence": 0.0, "odds": 0.0}, [])
    paper = await papers.attach("me", "seeds.pdf", make_pdf(PAGES))
    await papers.wait("me", [paper.id])
    odds = {}
    for asked in (
        "Which zanzibar variety grew best?",
        "Sowing Seeds by Numbers: what grew?",
        "오늘 점심 뭐 먹지",
        "which variety did lovelace like best?",
    ):
        _, found = await call("search_full_texts", queries=[asked])
        odds[asked] = found.data["odds"]
        assert {passage.title for passage in found.passages} == {paper.title}
    told, named, other, by_people = odds.values()
    assert told > 1
    assert named > 2
    assert by_people > 2
    assert other < 1
    _, others = await call("search_full_texts", owner="other", queries=["Which zanzibar variety grew best?"])
    assert others.data["odds"] == 0


async def test_a_text_may_mean_papers_by_their_authors_and_the_one_that_tells_it(call, papers, make_pdf):
    paper = await papers.attach("me", "seeds.pdf", make_pdf(PAGES))
    await papers.wait("me", [paper.id])
    _, found = await call("papers_named", text="what did Lovelace find?", near=4)
    assert found.data["near"][0]["id"] == paper.id
    assert await papers.read(lookup.by_authors, "me", "what did devlin find?", 3)
    assert not await papers.read(lookup.by_authors, "me", "what did DEVLIN find?", 3), "capitals are abbreviations"
    assert await papers.read(lookup.by_authors, "me", "WHAT DID DEVLIN FIND?", 3)
    _, found = await call("papers_named", text="Which zanzibar variety grew best?", near=4)
    assert [each["id"] for each in found.data["told"]] == [paper.id]
    _, found = await call("papers_named", text="Devlin, Chang and Toutanova on pre-training", near=4)
    assert found.data["near"][0]["title"].startswith("BERT"), "most of its authors"
    assert found.data["told"] == []


@pytest.mark.parametrize("way", ["direct", "guided"])
async def test_whoever_searches_documents_finds_what_papers_say_where_the_model_is_able(opened, make_pdf, way):
    """Who asks a team for documents of a paper is not told that there is none."""
    able = way == "direct"
    clerk = Agent(name="clerk", description="x", tools=["search_knowledge_base"], search="search_knowledge_base")
    look = step("search_full_texts", queries=["How many roots does RootNet find?"])
    steps = [look, say("RootNet은 뿌리 96개를 찾습니다 [1].")] * able
    lines = [(22, "RootNet: Roots Seen from Above"), (12, "Abstract"), (11, "RootNet finds 96 roots.")]
    async with ScriptedServer(*steps) as server:
        desk = Team(name="desk", kind="solo", description="x", agents=[clerk])
        dure = await opened(server, teams=[desk], way=way, tool_dialect="native")
        held = await papers_of(dure).attach("default", "roots.pdf", make_pdf([lines]))
        await papers_of(dure).wait("default", [held.id])
        answer = await dure.chat("RootNet은 뿌리를 몇 개 찾아?", team="desk")
        offered = [each["function"]["name"] for sent in server.requests for each in sent.get("tools", [])]
    assert ("search_full_texts" in offered) == able
    assert [each.title for each in answer.citations] == ["RootNet: Roots Seen from Above"] * able
