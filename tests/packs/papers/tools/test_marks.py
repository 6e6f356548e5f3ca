"""Tags and notes of the user's own, put on papers in a conversation."""

from typing import Any

from dure import Agent, Team
from dure.app import DEFAULT_OWNER
from dure.packs.papers.opened import papers_of
from dure.testing import ScriptedServer, call, say

BERT, GLOVE = "BERT", "GloVe: Global Vectors for Word Representation"


async def test_papers_are_marked_once_a_person_agreed(opened) -> None:
    agent = Agent(name="marks", description="x", prompt="Help.", tools=["mark_papers"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    steps = [
        *[call("mark_papers", papers=[BERT, GLOVE], tags=["to-read"], note="임베딩 비교"), say("붙였습니다.")],
        *[call("mark_papers", papers=[BERT], untag=["to-read"]), say("뗐습니다.")],
        *[call("mark_papers", papers=[GLOVE, "No Such Paper"], tags=["x"]), say("없는 논문입니다.")],
    ]
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        papers = papers_of(dure)

        async def marks(owner: str = DEFAULT_OWNER) -> list[tuple[list[str], list[str]]]:
            found = [(await papers.meant(owner, name))[0] for name in (BERT, GLOVE)]
            return [(list(each.tags), [text for _, text in each.notes]) for each in found]

        asked = await dure.chat("이 두 편에 to-read 태그와 메모를 붙여줘", team="desk")
        assert (asked.status, await marks()) == ("waiting", [([], []), ([], [])])
        await dure.decide(asked, "approve")
        assert await marks() == [(["to-read"], ["임베딩 비교"])] * 2
        assert await marks("somebody else") == [([], []), ([], [])]
        session = asked.metadata["thread_id"]
        await dure.decide(await dure.chat("BERT에서는 떼어줘", team="desk", session_id=session), "approve")
        assert [tags for tags, _ in await marks()] == [[], ["to-read"]]
        failed = await dure.decide(await dure.chat("둘에 x를", team="desk", session_id=session), "approve")
        assert failed.tool_calls[0].status == "error"
        assert [tags for tags, _ in await marks()] == [[], ["to-read"]], "all of them or none"


async def test_team_papers_marks_what_was_listed(opened, make_scholar) -> None:
    scholar = make_scholar("1. **GloVe: Global Vectors for Word Representation**")

    def model(body: dict[str, Any]) -> Any:
        if not body.get("tools"):
            return scholar(body)
        done = body["messages"][-1]["role"] == "tool"
        return say("태그를 붙였습니다.") if done else call("mark_papers", papers=[GLOVE], tags=["나중에"])

    async with ScriptedServer(respond=model) as server:
        dure = await opened(server, tool_dialect="native")
        scholar.needs = ["search_paper"]
        session = (await dure.chat("단어 벡터 논문 찾아줘", team="papers")).metadata["thread_id"]
        scholar.needs = ["mark_papers"]
        asked = await dure.chat("그 논문에 '나중에' 태그를 붙여줘", team="papers", session_id=session)
        [approval] = asked.approvals
        done = await dure.decide(asked, "approve")
        [glove] = await papers_of(dure).meant(DEFAULT_OWNER, GLOVE)
    assert (done.metadata["agents"], approval["tool"]) == (["mark_papers"], "mark_papers")
    assert list(glove.tags) == ["나중에"]
    assert done.response == "태그를 붙였습니다."
