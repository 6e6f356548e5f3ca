import pytest

from dure.messages import ToolCall
from dure.sources import place_of
from dure.tooling import ToolContext
from dure.toolsets import run_call
from dure.toolsets.knowledge import knowledge_tool

POLICY = "# 휴가 규정\n\n연차 휴가는 입사 1년 뒤에 15일을 준다. 연차 휴가는 사흘 전에 신청한다.\n".encode()


@pytest.fixture
def search(knowledge):
    tools = {"search_knowledge_base": knowledge_tool(knowledge)}

    async def call(*queries, owner="me", language="ko", shown=(), **args):
        call = ToolCall("search_knowledge_base", {"queries": list(queries), **args})
        return await run_call(tools, call, ToolContext(owner, language=language, shown=shown))

    return call


async def added(knowledge, name, data, owner="me"):
    document = await knowledge.add(owner, name, data)
    (document,) = await knowledge.wait(owner, [document.id])
    assert document.status == "ready"
    return document


async def test_finds_passages(knowledge, search):
    document = await added(knowledge, "휴가.md", POLICY)
    result = await search("연차 휴가 신청", "annual leave")
    assert result.status == "ok"
    assert result.text == ""
    assert "15일을 준다" in result.passages[0].text
    assert result.passages[0].document_id == document.id
    assert result.data["queries"] == ["연차 휴가 신청", "annual leave"]
    assert 0 <= result.data["evidence"] <= 1


async def test_what_was_shown_takes_no_place_of_others(knowledge, search):
    rules = "\n\n".join(f"# 제{n}조 휴가 {n}\n\n{f'연차 휴가는 {n}일을 준다. ' * 25}" for n in range(1, 9))
    await added(knowledge, "휴가.md", rules.encode())
    first = (await search("연차 휴가는 며칠", count=2)).passages
    shown = [place_of(each) for each in first]
    again = (await search("연차 휴가는 며칠", count=2, shown=shown)).passages
    assert (len(first), [place_of(each) in shown for each in again].count(False)) == (2, 2)
    # Those stay where they are found, for their numbers.
    assert {*shown} <= {place_of(each) for each in again}


async def test_one_query_as_plain_text_is_understood(knowledge, search):
    await added(knowledge, "휴가.md", POLICY)
    tools = {"search_knowledge_base": knowledge_tool(knowledge)}
    call = ToolCall("search_knowledge_base", {"queries": "연차 휴가"})
    result = await run_call(tools, call, ToolContext("me"))
    assert result.status == "ok"
    assert result.passages


async def test_sees_only_the_owners_documents(knowledge, search):
    await added(knowledge, "휴가.md", POLICY, owner="other")
    result = await search("연차 휴가")
    assert result.passages == []
    assert "등록된 문서가 없습니다" in result.text


@pytest.mark.parametrize(("language", "words"), [("ko", "찾지 못했습니다"), ("en", "Nothing was found")])
async def test_says_when_nothing_was_found(knowledge, search, language, words):
    await added(knowledge, "휴가.md", POLICY)
    result = await search("xyzzy", language=language)
    assert result.status == "ok"
    assert words in result.text
    assert "xyzzy" in result.text


async def test_says_when_documents_are_still_being_read(knowledge, search):
    await knowledge.close()
    await knowledge.add("me", "휴가.md", POLICY)
    result = await search("연차")
    assert "아직 읽고 있는 문서가 1개" in result.text


async def test_a_phrasing_that_is_no_text_is_refused(search):
    assert (await search(3)).status == "error"


async def test_more_than_three_phrasings_are_cut(search):
    result = await search("a", "b", "c", "d")
    assert result.data["queries"] == ["a", "b", "c"]


async def test_no_phrasing_finds_nothing(search):
    result = await search()
    assert (result.status, result.passages) == ("ok", [])


async def test_blank_queries_find_nothing(search):
    result = await search(" \n")
    assert result.status == "ok"
    assert result.passages == []


def test_its_results_count_as_data(knowledge):
    assert knowledge_tool(knowledge).untrusted
    assert knowledge_tool(knowledge).effect == "read"


async def test_only_a_kind_a_folder_a_tag_or_an_author(knowledge, search):
    document = await added(knowledge, "인사 - 휴가.md", POLICY)
    await knowledge.tag("me", document.id, ["내규"])
    assert (await search("연차 휴가", tag="내규 ")).passages
    assert (await search("연차 휴가", kind="Markdown", folder=" 인사 ")).passages
    assert (await search("연차 휴가", kind="", folder="")).passages
    # What is asked for and nobody has is told, with what others hold.
    result = await search("연차 휴가", folder="총무", author="kim")
    assert result.passages
    assert "folder: 총무, author: kim" in result.text
    result = await search("zzz", folder="총무")
    assert result.passages == []
    assert "zzz, folder: 총무" in result.text
