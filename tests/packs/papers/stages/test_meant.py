"""Which papers a message means, by its names, by search and by a model's choice."""

import pytest

from dure.agents import Earlier
from dure.packs.papers.stages.meant import Meant, _surer, told_in
from dure.sources import Citation
from dure.testing import ScriptedServer

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
