"""Which papers a message means, by its names, by search and by a model's choice."""

from typing import Any

import pytest

from dure.agents import Earlier
from dure.models import ChatClient, Model
from dure.packs.papers.record import PaperRecord
from dure.packs.papers.stages.meant import Meant, _surer, told_in
from dure.sources import Citation
from dure.testing import ScriptedServer, Step, json

BUS, LSTM, RAIN = ({"id": name, "title": name} for name in ("bus", "LSTM", "rain"))


@pytest.mark.parametrize(
    ("chosen", "named", "near", "meant"),
    [
        pytest.param([BUS], [LSTM], [BUS, RAIN], [BUS], id="model and search agree on a paper that names a method"),
        pytest.param([RAIN], [LSTM], [BUS, RAIN], [LSTM], id="a name is surer than a model alone"),
        pytest.param([LSTM], [LSTM], [LSTM, BUS], [LSTM], id="what is named and chosen"),
        pytest.param([RAIN], [], [BUS, RAIN], [BUS], id="search is surer than a model alone"),
        pytest.param([], [], [BUS], [BUS], id="a question is asked of the best found"),
    ],
)
def test_two_of_name_search_and_model_outweigh_the_third(chosen, named, near, meant) -> None:
    found = Meant("?", wants="question", papers=chosen, named=named)
    assert _surer(found, named, near) == meant


def paper(name: str, *aliases: str) -> dict[str, object]:
    return {"id": name, "title": f"{name}: A Long Title", "document_id": f"card-{name}", "aliases": aliases}


ONE, TWO, THREE, FOUR = paper("One"), paper("Two", "Zwei"), paper("Three"), paper("Four", "Vier")
CITED = [Citation("card-Three", "-", None, 0, 1, "-", marker=1), Citation("card-One", "-", None, 0, 1, "-", marker=2)]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("[1] is first.\n\n1. **One** does it [2], unlike [1].\n2. **Zwei**.\n3. **Thr** [1]", [ONE, TWO, THREE]),
        ("- Vier, zwei\n- One: a long title", [FOUR, ONE]),
        ("It is [2], and three: A long title; Zwei is not told of.", [ONE, THREE]),
        ("None.", []),
    ],
)
def test_an_answer_tells_of_papers_in_its_order(answer, told) -> None:
    assert told_in(Earlier(answer, citations=CITED), [FOUR, THREE, TWO, ONE]) == told


async def test_papers_shown_by_short_names_are_known_by_what_is_cited(opened, make_scholar, ask) -> None:
    scholar = make_scholar(topic="knowledge distillation")
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        words = "A model that distills knowledge, 지식 증류"
        scholar.words = f"1. {words} [5].\n2. {words} [1]."
        answer, _ = await ask(dure, "지식 증류 논문 찾아줘", session_id="s")
        titles = [each["title"] for each in answer.citations]
        scholar.words, scholar.needs = "답", ["summarize"]
        await ask(dure, "2번 논문 요약해줘", session_id="s")
        asked = next(r["messages"][-1]["content"] for r in server.requests if "(shown)" in str(r))
    lines = [line for line in asked.splitlines() if line.endswith("(shown)")]
    assert [titles[n] in line for n, line in enumerate(lines)] == [True, True]


NOTES = [(22, "Rows That Answer"), (11, "Ada Lovelace"), (11, "We propose a model called Gyul for rows of maize.")]


async def test_what_is_missing_is_looked_for_by_its_name_alone(opened, make_scholar, ask, make_pdf) -> None:
    """The line that holds it tells an able model which paper it is; without one it is told to be left out."""
    scholar = make_scholar()
    scholar.needs, lists = ["summarize"], []

    def reply(body: dict[str, Any]) -> Step:
        said = body["messages"][-1]["content"]
        *papers, message = said.splitlines()
        if not message.startswith("Message: "):
            return scholar(body)
        lists.append(said)
        known = "Rows That Answer" if "Rows" in message else "model called Gyul"
        held = [line.partition(".")[0] for line in papers if known in line]
        asks = {"wants": "question", "part": "whole", "also": "-", "third": "-"}
        missing = "Nebulon" if "Nebulon" in message else "" if held else "Gyul"
        return json({**asks, "of": held[0] if held else "none", "missing": missing})

    async with ScriptedServer(respond=reply) as server:
        dure = await opened(server)
        papers = dure.packs["papers"].papers
        paper = await papers.attach("default", "rows.pdf", make_pdf([NOTES]))
        await papers.wait("default", [paper.id])
        scholar.statements = [[("Rows of maize.", ["We propose"])]]
        answer, _ = await ask(dure, "how does Gyul treat attention heads, layers and the learning rate?")
        assert len(lists) == 2
        assert "We propose a model called Gyul for rows of maize." in lists[1]
        assert answer.response.startswith("Rows of maize. [1]")
        answer, _ = await ask(dure, "what do Rows That Answer and Nebulon propose?")
        left, _ = await ask(dure, "what does Nebulon say of BERT?")
    assert answer.response.endswith("Left out, since the library does not have it by this name: Nebulon")
    assert left.response.startswith("No paper of the library was found by this name: Nebulon."), "another is named"


@pytest.mark.parametrize(
    ("name", "title", "message"),
    [
        ("windsketch", "Drawing", "WindSketch 논문을 요약해줘"),
        ("final-2", "WindSketch", "WindSketch와 BERT 논문을 비교해줘"),
        ("final-2", "Drawing the Wind", "Drawing the Wind 호버크라프트 논문 찾아줘"),
    ],
)
@pytest.mark.parametrize("small", [False, True])
async def test_a_paper_that_lies_under_documents_is_told_of(
    opened, make_scholar, ask, make_pdf, name: str, title: str, message: str, small: bool
) -> None:
    """Whoever added it there takes it for one of the library's."""
    scholar = make_scholar("요약", topic="glaciology of hovercraft")
    scholar.means = {"missing": "WindSketch" if "WindSketch" in message else ""}
    scholar.needs = ["search_paper" if "찾아" in message else "summarize"]
    async with ScriptedServer(respond=scholar) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=small)
        dure = await opened(server, model=model)
        added = await dure.knowledge.add("default", f"{name}.pdf", make_pdf([[(22, title), (11, "Ada Lovelace")]]))
        await dure.knowledge.wait("default", [added.id])
        answer, _ = await ask(dure, message)
    assert f"{name}.pdf: 문서에 있고" in answer.response
    assert "dure papers import" in answer.response


async def test_what_is_missing_is_looked_for_in_the_other_language_too(opened, make_scholar, ask) -> None:
    """A paper in English has its authors in Latin letters."""
    scholar = make_scholar("요약")
    scholar.needs = ["summarize"]

    def reply(body: dict[str, Any]) -> Step:
        *papers, message = body["messages"][-1]["content"].splitlines()
        if not message.startswith("Message: "):
            return scholar(body)
        held = [line.partition(".")[0] for line in papers if "Crackle in Tiles" in line]
        means = {"wants": "summary", "part": "whole", "of": held[0] if held else "none", "also": "-", "third": "-"}
        missing = ("", "") if held else ("다나카 논문", "the paper of Tanaka")
        return json({**means, "missing": missing[0], "translated": missing[1]})

    async with ScriptedServer(respond=reply) as server:
        dure = await opened(server)
        crackle = PaperRecord(title="Crackle in Tiles", authors=["Mio Tanaka"], abstract="Crackle of glazes.")
        await dure.packs["papers"].papers.add("default", [crackle], "test")
        answer, _ = await ask(dure, "다나카 논문 요약해줘")
    assert answer.response.startswith("- **Crackle in Tiles** — Mio Tanaka\n\n요약")


async def test_all_that_is_found_first_may_be_meant(opened, make_scholar, ask) -> None:
    scholar = make_scholar("요약", topic="knowledge distillation", papers=4)
    scholar.needs, scholar.means, scholar.fit = ["search_paper", "summarize"], {"of": "found"}, [1, 3, 4]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "지식 증류 논문 네 편 찾아서 각각 뭘 했는지 알려줘")
        asked = next(r for r in server.requests if "missing" in str(r.get("response_format")))
        scholar.needs = ["summarize"]
        await ask(dure, "BERT 논문 요약해줘")
        alone = [r for r in server.requests if "missing" in str(r.get("response_format"))][-1]
    assert answer.response.count("**") == 6, "what the search found besides is none of it"
    assert '"found": all that is searched for' in asked["messages"][0]["content"]
    assert '"found"' not in str(alone["messages"])


async def test_the_papers_of_a_statistic_may_be_meant(opened, make_scholar, ask) -> None:
    """That paper is what is counted first, though nothing was told of before."""
    query = {"answer": "list", "measure": "citations", "order": "highest", "limit": 1}
    scholar = make_scholar("요약", query={"asked": [{"rows": "papers", "filters": [], "also": []} | query], "left": ""})
    scholar.needs, scholar.means = ["text2sql", "summarize"], {"of": "found"}
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "인용수가 제일 높은 논문이 뭔지 보고 그 논문을 요약해 줘")
    assert "**Attention Is All You Need** — Ashish Vaswani" in answer.response


async def test_more_than_three_papers_may_be_meant(opened, make_scholar, ask) -> None:
    scholar = make_scholar("비교")
    scholar.needs, scholar.means = ["summarize"], {"of": "1", "also": "2", "third": "3", "wants": "comparison"}
    scholar.means["others"] = ["4"]
    async with ScriptedServer(respond=scholar) as server:
        answer, _ = await ask(await opened(server), "BERT, T5, GPT-3, RoBERTa 논문 비교해줘")
    assert [answer.response.count(f"- **{title}") for title in ("BERT", "Expl", "Lang", "RoBERTa")] == [1, 1, 1, 1]


@pytest.mark.parametrize("small", [False, True])
async def test_only_what_can_be_chosen_is_explained_to_an_able_model(opened, make_scholar, ask, small: bool) -> None:
    scholar = make_scholar("요약", topic="knowledge distillation")
    scholar.needs = ["summarize"]
    async with ScriptedServer(respond=scholar) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=small)
        dure = await opened(model=model)
        for message in ("BERT 논문 요약해줘", "이거 요약해줘: 우리는 비를 쟀다."):
            await ask(dure, message, session_id="s")
        asked = [r for r in server.requests if "missing" in str(r.get("response_format"))]
    assert len(asked) > (not small)
    for request in asked:
        rules = request["messages"][0]["content"]
        offered = request["response_format"]["json_schema"]["schema"]["properties"]["of"]["enum"]
        assert [f'"{each}": ' in rules for each in ("all", "text", "answer")] == [
            small or each in offered for each in ("all", "text", "answer")
        ]
        assert ('"of":"text"' in rules) == (small or "text" in offered)
