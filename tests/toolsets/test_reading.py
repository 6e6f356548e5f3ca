"""`read_document`: a document in order, as much at once as has room."""

import pytest

from dure import Agent, Team
from dure.messages import ToolCall
from dure.testing import ScriptedServer, call, say
from dure.tooling import ToolContext
from dure.toolsets import reading_tool, run_call
from dure.toolsets.knowledge import READ

PARTS = [f"## 안건 {n}. 제목{n}\n\n" + f"{n}번 안건의 내용을 길게 적는다. " * 30 for n in range(1, 7)]
MINUTES = ("# 3월 경영회의\n\n" + "\n\n".join(PARTS)).encode()


@pytest.fixture
def read(knowledge):
    async def ask(document=None, room=12_000, language="en", **args):
        context = ToolContext("me", language=language, room=room)
        asked = ToolCall(READ, ({"document": document} if document else {}) | args)
        return await run_call({READ: reading_tool(knowledge)}, asked, context)

    return ask


@pytest.fixture
async def minutes(knowledge):
    document = await knowledge.add("me", "경영회의_2026-03.md", MINUTES)
    other = await knowledge.add("me", "여비규정.md", "# 여비\n\n하루 5만 원이다.\n".encode())
    found, _ = await knowledge.wait("me", [document.id, other.id])
    return found


async def test_all_of_it_in_order(knowledge, minutes, read):
    result = await read("경영회의_2026-03")
    assert result.passages == await knowledge.passages("me", minutes.id)
    assert result.text == f"{minutes.name}: passages 1–{len(result.passages)} of {len(result.passages)}."
    assert len(result.passages) > 1
    assert reading_tool(knowledge).untrusted
    assert reading_tool(knowledge).effect == "read"


@pytest.mark.parametrize("place", ["경영회의_2026-03.md", "3월 경영회의 › 안건 2. 제목2"])
async def test_by_name_and_by_the_heading_of_a_passage(minutes, read, place):
    assert (await read(place)).data["document"] == minutes.id


async def test_what_has_no_room_is_read_after(minutes, read):
    whole = (await read(minutes.id)).passages
    got, first, room = [], 1, 1200
    while len(got) < len(whole):
        result = await read(minutes.id, room=room, **{"from": first})
        assert sum(len(p.text) for p in result.passages) <= room or len(result.passages) == 1
        got += result.passages
        first = result.data["to"] + 1
        assert ("Go on with from=" in result.text) == (len(got) < len(whole))
    assert got == whole
    assert first > 2, "in more than one go"


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_an_unknown_name_is_told_with_the_nearest(minutes, read, language):
    result = await read("경영회의_2026_03", language=language)
    assert result.is_error
    assert minutes.id in result.text
    assert "여비규정" not in result.text


async def test_nothing_like_it_and_nothing_from_there_on(minutes, read):
    assert (await read("xyz")).text == "There is no document 'xyz'."
    assert (await read(minutes.id, **{"from": 900})).is_error
    assert (await read(minutes.id, page=900)).is_error


async def test_of_two_of_one_name_one_is_chosen_by_id(knowledge, minutes, read):
    twin = await knowledge.add("me", "경영회의_2026-03.txt", b"other")
    await knowledge.wait("me", [twin.id])
    told = (await read("경영회의_2026-03")).text
    assert minutes.id in told
    assert twin.id in told


async def test_others_documents_are_not_read(knowledge, minutes, read):
    theirs = await knowledge.add("you", "secret.txt", b"theirs")
    await knowledge.wait("you", [theirs.id])
    assert (await read(theirs.id)).is_error
    assert (await read("secret.txt")).is_error


@pytest.mark.parametrize("way", ["direct", "guided"])
async def test_whoever_searches_documents_may_read_one_where_the_model_is_able(opened, tmp_path, way):
    (tmp_path / "minutes.md").write_bytes(MINUTES)
    clerk = Agent(name="clerk", description="x", tools=["search_knowledge_base"])
    desk = Team(name="desk", kind="solo", description="x", agents=[clerk])
    cited = "1번 안건의 내용을 길게 적는다 [1]."
    able = way == "direct"
    async with ScriptedServer(*([call(READ, document="minutes")] * able), say(cited)) as server:
        dure = await opened(server, teams=[desk], way=way)
        await dure.ingest(tmp_path / "minutes.md")
        answer = await dure.chat("회의록을 요약해줘", team="desk")
        asked = server.requests
    assert (READ in [each["function"]["name"] for each in asked[0]["tools"]]) == able
    assert len(answer.citations) == able
    if able:
        assert "[2] " in asked[1]["messages"][-1]["content"], "numbered as what a search finds"


async def test_without_a_name_it_tells_which_documents_there_are(read, knowledge, minutes) -> None:
    """Who is asked what there is finds it by no search."""
    assert (await read()).text == "2 documents: 경영회의_2026-03.md; 여비규정.md"
    short = await read(room=25, language="ko")
    assert (short.text, short.data) == ("문서 2개: 경영회의_2026-03.md … 1개 더", {"of": 2})
    for each in await knowledge.list("me"):
        await knowledge.delete("me", each.id)
    assert (await read()).text == "There are no documents."
