"""The tools as an agent uses them: asked first, drafted then; the run keeps the files."""

import docx

from dure import Agent, Dure, Team
from dure.testing import ScriptedServer, call, say

OWNER = "default"


async def test_an_agent_asks_and_then_drafts(tmp_path, fields):
    agent = Agent(name="contract", description="Contracts", prompt="Draft contracts.", tools=["draft_contract"])
    team = Team(name="lawyers", kind="solo", description="Contracts", agents=[agent])
    half = fields("nda", term=None)
    first = call("draft_contract", template="nda", language="ko", fields=half)
    second = call("draft_contract", template="nda", language="ko", fields=fields("nda"))
    server = ScriptedServer(first, say("계약 기간을 알려 주세요."), second, say("초안을 만들었습니다."))
    given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
    async with server, Dure(teams=[team], model_base_url=server.url, **given) as dure:
        asked = await dure.chat("비밀유지계약서를 써줘", team="lawyers")
        made = await dure.chat("1년 6개월", team="lawyers", session_id=asked.metadata["thread_id"])
        assert await dure.runs.artifacts(OWNER, asked.metadata["run_id"]) == []
        kept = await dure.runs.artifacts(OWNER, made.metadata["run_id"])
        path = (await dure.runs.artifact(OWNER, made.metadata["run_id"], kept[1]["id"]))[1]
        assert docx.Document(str(path)).paragraphs[0].text == "비밀유지계약서"
    assert "계약 기간 (term)" in server.requests[1]["messages"][-1]["content"]
    assert [each["name"] for each in kept] == [
        "nda-주식회사-에이컴퍼니-비컴퍼니.md",
        "nda-주식회사-에이컴퍼니-비컴퍼니.docx",
    ]


async def test_who_drafts_can_read_what_a_draft_says_where_the_model_is_able(tmp_path, fields):
    team = Team(name="lawyers", kind="solo", description="x", agents=[Dure().teams["office"].agent("contract")])
    draft = call("draft_contract", template="employment", language="ko", fields=fields("employment", probation="3개월"))
    server = ScriptedServer(draft, say("초안을 만들었습니다."), call("read_saved"), say("제1조에 있습니다."))
    given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native", "way": "direct"}
    async with server, Dure(teams=[team], model_base_url=server.url, **given) as dure:
        made = await dure.chat("근로계약서를 써줘", team="lawyers")
        await dure.chat("수습 조항이 어떻게 돼 있어?", team="lawyers", session_id=made.metadata["thread_id"])
    assert "3개월 동안은 수습 기간으로 한다" in server.requests[-1]["messages"][-1]["content"]


async def test_a_small_model_is_offered_no_more_than_it_had(tmp_path):
    contract = Dure().teams["office"].agent("contract").model_copy(update={"short": None})
    team = Team(name="lawyers", kind="solo", description="x", agents=[contract])
    given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native", "way": "guided"}
    server = ScriptedServer(say("무엇을 써 드릴까요?"))
    async with server, Dure(teams=[team], model_base_url=server.url, **given) as dure:
        await dure.chat("계약서", team="lawyers")
    assert [t["function"]["name"] for t in server.requests[-1]["tools"]] == ["contract_templates", "draft_contract"]
