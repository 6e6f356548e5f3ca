"""The tools of the glossary, called as a model calls them."""

import pytest

from dure.messages import ToolCall
from dure.packs.papers.tools.library import glossary_tools
from dure.tooling import ToolContext
from dure.toolsets import run_call


@pytest.fixture
def call(glossary):
    tools = {each.name: each for each in glossary_tools(glossary)}

    async def run(name, language="ko", **args):
        result = await run_call(tools, ToolCall(name, args), ToolContext("me", language=language))
        return result.status, result

    return run


def test_adding_asks_first(glossary):
    assert {each.name: each.effect for each in glossary_tools(glossary)} == {"lookup_term": "read", "add_term": "write"}


async def test_a_term_in_the_users_language(call):
    status, korean = await call("lookup_term", term="어텐션이 뭐야?")
    assert status == "ok"
    assert korean.text.startswith("**어텐션** (attention mechanism)\n쉬운 설명: 답을 만들 때")
    assert "\n전문 설명: 질의 Q" in korean.text
    assert "\n다른 이름: attention, 주의 집중" in korean.text
    _, english = await call("lookup_term", "en", term="What is 어텐션?")
    assert english.text.startswith("**attention mechanism** (어텐션)\nIn plain words: Letting")
    assert "\nFor experts: A weighted average" in english.text
    assert korean.data == english.data
    (term,) = korean.data["terms"]
    assert korean.data["near"] == []
    assert all(term[f"{kind}_{language}"] for kind in ("easy", "expert") for language in ("ko", "en"))
    assert term["shared"]


async def test_several_terms(call):
    _, result = await call("lookup_term", term="정밀도와 재현율의 차이")
    assert [each["term_en"] for each in result.data["terms"]] == ["precision", "recall"]
    assert "**정밀도**" in result.text
    assert "**재현율**" in result.text


async def test_a_misspelled_term_is_answered_and_said_so(call):
    _, result = await call("lookup_term", term="어탠션")
    assert result.text.startswith("'어탠션'은 용어집에 없습니다. 철자가 가장 비슷한 용어이고, 다른")
    assert "\n\n**어텐션** (" in result.text
    assert [each["term_ko"] for each in result.data["near"]][:1] == ["어텐션"]
    assert (result.data["terms"], result.data["misspelled"]) == ([], True)
    _, result = await call("lookup_term", "en", term="정규화")
    assert (result.data["terms"], result.data["misspelled"]) == ([], False)
    assert "Perhaps meant: regularization" in result.text


async def test_a_missing_term(call):
    status, result = await call("lookup_term", term="양자컴퓨터")
    assert (status, result.data) == ("ok", {"terms": [], "near": [], "misspelled": False})
    assert result.text == "'양자컴퓨터'는 용어집에 없습니다. 아는 대로 설명하고, 용어집에 추가할지 물어보세요."
    _, result = await call("lookup_term", "en", term="qubit")
    assert "offer to add it" in result.text


async def test_adding_a_term(call):
    term = {
        "term_ko": "큐비트",
        "term_en": "qubit",
        "aliases": ["양자 비트"],
        "easy_ko": "양자컴퓨터의 가장 작은 정보.",
    }
    status, added = await call("add_term", **term)
    assert (status, added.text) == ("ok", "'큐비트'를 용어집에 추가했습니다.")
    assert added.data["term"]["aliases"] == ["양자 비트"]
    _, found = await call("lookup_term", "en", term="What is a qubit?")
    assert found.text == "**qubit** (큐비트)\nIn plain words: 양자컴퓨터의 가장 작은 정보.\nAlso called: 양자 비트"
    status, again = await call("add_term", **term)
    assert (status, again.text) == ("error", "'큐비트'는 이미 내 용어집에 있습니다.")


@pytest.mark.parametrize(
    "args", [{}, {"term_ko": "큐비트"}, {"easy_ko": "설명"}, {"term_ko": "큐비트", "easy_ko": "설명", "owner": "you"}]
)
async def test_what_is_no_term(call, args):
    status, result = await call("add_term", **args)
    assert status == "error"
    assert result.is_error
