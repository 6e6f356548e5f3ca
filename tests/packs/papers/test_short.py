"""Files of teams `office` and `workplace`: what was found is saved where the words ask for it."""

import pytest

from dure.models import ChatClient, Model
from dure.testing import ScriptedServer, call, json, say

RULES = "제8조 (정산) 출장자는 귀임일부터 7일 이내에 증빙을 첨부하여 정산하여야 한다."


async def _taken(dure) -> None:
    document = await dure.knowledge.add("default", "여비규정.txt", RULES.encode())
    await dure.knowledge.wait("default", [document.id], embedded=False)


async def test_the_office_searches_documents_and_saves_what_it_found(opened) -> None:
    def step(number: int, agent: str, task: str, after: list[int]) -> dict[str, object]:
        common = {"requires_approval": False, "estimated_time": "1분"}
        return {"step": number, "agent": agent, "task": task, "depends_on": after, **common}

    plan = {"steps": [step(1, "documents", "정산 기한을 찾는다", []), step(2, "file", "워드 파일로 저장한다", [1])]}
    found = "정산은 귀임일부터 7일 이내에 한다 [1]."
    saved = call("save_file", name="정산 기한", format="docx", content="정산은 귀임일부터 7일 이내에 한다.")
    intent = json({"category": "documents", "description": "정산 기한"})
    replies = [intent, json(plan), say(found), saved, say("정산 기한.docx"), say(f"{found} 정산 기한.docx")]
    async with ScriptedServer(*replies) as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="native"))
        await _taken(dure)
        answer = await dure.chat("출장비 정산 기한을 찾아서 워드 파일로 저장해줘", team="office")
    assert [each["name"] for each in answer.artifacts] == ["정산 기한.docx"]
    assert [each.quote for each in answer.citations] == [RULES]


@pytest.mark.parametrize("team", ["office", "workplace"])
async def test_a_small_models_file_holds_the_last_answer(opened, team) -> None:
    async with ScriptedServer(respond=lambda _: say("반갑습니다. 정산은 7일 이내입니다.")) as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True))
        told = await dure.chat("안녕하세요", team=team, session_id="s")
        answer = await dure.chat("방금 답을 저장해줘", team=team, session_id="s")
        (kept,) = await dure.runs.artifacts("default", answer.metadata["run_id"])
        path = (await dure.runs.artifact("default", answer.metadata["run_id"], kept["id"]))[1]
    assert path.read_text().strip() == told.response
    assert answer.response == f"저장했습니다: {kept['name']}"
