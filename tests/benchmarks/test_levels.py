"""The levels differ where a small model answers from the glossary: plain words against exact ones."""

import levels

from dure.models import ChatClient, Model
from dure.packs.papers.opened import glossary_of
from dure.testing import ScriptedServer

ASKED = ("어텐션", "과적합", "임베딩", "지식 증류", "beam search", "perplexity", "transfer learning", "dropout")


async def test_easy_answers_leave_fewer_terms_unexplained(opened):
    async with ScriptedServer() as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True))
        terms = levels.names(await glossary_of(dure).list("default"))
        found = {}
        for level in ("easy", "hard"):
            questions = [f"{t}라는 용어의 뜻을 설명해줘" if t[0] > "z" else f"explain the term {t}" for t in ASKED]
            answers = [(await dure.chat(q, team="papers", level=level)).response for q in questions]
            # The first line is the term's name, the last its other names.
            found[level] = levels.measure([a.split("\n\n")[1] for a in answers], terms)
    assert found["easy"].unexplained < found["hard"].unexplained
    assert found["easy"].terms < found["hard"].terms


def test_what_is_measured():
    first = "Attention weighs words. A softmax (weights that sum to one) follows."
    text = f"{first} 드롭아웃이 먼저다.\n\n- **드롭아웃**: 끄기다."
    terms = [["attention"], ["softmax"], ["어텐션"], ["dropout", "드롭아웃"], ["max"]]
    found = levels.measure([text], terms)
    assert (round(found.length, 2), found.terms) == (4.0, 3)
    assert round(found.unexplained, 2) == 0.33
