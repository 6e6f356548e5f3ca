"""What an answer says was done, though nobody did it."""

import pytest

from dure import Agent, Team, tool
from dure.app import DEFAULT_OWNER
from dure.events import ModelCalled
from dure.sources import Passage
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, Tool, ToolResult

SENT = "김민수 팀장님께 회의 초대를 보냈습니다."
NOT_DONE = f"실행하지 않은 일입니다: “{SENT}”"


@tool
def calendar(day: str) -> str:
    """What stands in the calendar."""
    return "비어 있음"


@tool(effect="external")
def invite(name: str) -> str:
    """Invite somebody."""
    return f"{name}: invited"


def office(*tools: Tool) -> Team:
    agent = Agent(name="desk", description="Invites", prompt="Help.", tools=list(tools), allow=["invite"])
    return Team(name="desk", kind="solo", description="A desk", agents=[agent])


async def asked(opened, *steps, message: str = "김민수 팀장에게 회의 초대 보내줘", **server):
    async with ScriptedServer(*steps, **server) as scripted:
        dure = await opened(scripted, tool_dialect="native", teams=[office(calendar, invite)])
        return await dure.chat(message, team="desk"), scripted.probes


async def test_what_nobody_did_is_told(opened) -> None:
    answer, _ = await asked(opened, say(f"네. {SENT}"), claims=[1])
    assert answer.response == f"네. {SENT}\n\n{NOT_DONE}"
    looked, _ = await asked(opened, call("calendar", day="내일"), say(SENT), claims=[1])
    assert looked.response == f"{SENT}\n\n{NOT_DONE}"
    english, _ = await asked(opened, say("I sent the invitation."), message="Invite Kim to a meeting.", claims=[1])
    assert english.response.endswith("That was not done: “I sent the invitation.”")


async def test_what_the_model_does_not_take_for_a_deed_stands(opened) -> None:
    assert (await asked(opened, say("일정을 표로 정리했습니다.")))[0].response == "일정을 표로 정리했습니다."
    assert (await asked(opened, say(SENT), claims=[7]))[0].response == SENT


async def test_beside_what_was_done_what_nobody_did_is_told(opened) -> None:
    said = f"초대했습니다. {SENT}"
    async with ScriptedServer(call("invite", name="김민수"), say(said), claims=[2]) as server:
        dure = await opened(server, tool_dialect="native", teams=[office(calendar, invite)])
        answer = await dure.chat("김민수를 초대하고 회의 초대 메일도 보내줘", team="desk")
        record = [each async for _, each in dure.runs.events(DEFAULT_OWNER, answer.run_id)]
    [shown] = [e.request["messages"] for e in record if isinstance(e, ModelCalled) and e.purpose == "claims"]
    assert answer.response == f"{said}\n\n{NOT_DONE}"
    [shown] = [
        each.request["messages"] for each in record if isinstance(each, ModelCalled) and each.purpose == "claims"
    ]
    assert "Done:\ninvite {'name': '김민수'}" in shown[-1]["content"]


async def test_beside_a_file_what_nobody_did_is_told(opened) -> None:
    @tool
    def save(name: str) -> ToolResult:
        """Save a file."""
        return ToolResult("saved", files=[File(name, b"x", "text/plain")])

    said = "파일로 저장했습니다. 메일도 보냈습니다."
    async with ScriptedServer(call("save", name="a.txt"), say(said), claims=[2]) as server:
        dure = await opened(server, tool_dialect="native", teams=[office(save, invite)])
        answer = await dure.chat("저장하고 메일로 보내줘", team="desk")
    assert answer.response == f"{said}\n\n실행하지 않은 일입니다: “메일도 보냈습니다.”"


async def test_what_was_done_stands(opened) -> None:
    answer, probes = await asked(opened, call("invite", name="김민수"), say(SENT))
    assert (answer.response, answer.tool_calls[0].status) == (SENT, "ok")
    assert probes == 1 + (await asked(opened, say("무엇을 보낼까요?"), claims=[1]))[1]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("초대는 누가 보냈어?", SENT),
        ("초대를 보내줘", "초대를 보내지 못했습니다."),
        ("초대를 보내줘", "일정이 비어 있습니다. 초대를 보내겠습니다."),
    ],
)
async def test_neither_questions_nor_what_was_not_or_will_be_done(opened, message: str, said: str) -> None:
    assert (await asked(opened, say(said), message=message, claims=[1]))[0].response == said


async def test_what_was_done_needs_no_source_beside_what_has_one(opened) -> None:
    @tool
    def find(queries: list[str]) -> ToolResult:
        """Find passages."""
        return ToolResult(
            "", [Passage("d", "지침", None, 0, 19, "재택근무는 전날 12시까지 신청한다.")], data={"evidence": 0.9}
        )

    said = "재택근무는 전날 12시까지 신청합니다 [1]. 확인한 내용으로 김민수 팀장님께 초대를 보냈습니다."
    agent = Agent(name="desk", description="x", prompt="Help.", tools=[find, invite], allow=["invite"], search="find")
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("invite", name="김민수"), say(said), say(said)) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        done = await dure.decide(await dure.chat("신청 기한을 알려주고 초대해줘", team="desk"), "approve")
        told = await dure.chat("신청 기한을 다시 알려주고 초대해줘", team="desk")
    assert done.metadata.get("checks") is None
    assert [each["missing"] for each in told.metadata["checks"]] == [[]]


@pytest.mark.parametrize(
    ("said", "claims"),
    [
        ("We will send you nine vials. We would be grateful for an answer. We are unable to pay more.", False),
        ("I can draft this, but one detail is missing. What I have so far:\n- the client", False),
        ("I'm glad to help. We'll see. I should add one more.", False),
        ("I have sent the mail.", True),
        ("We have so far sent two mails.", True),
        ("I can confirm that the mail has been sent.", True),
        ("We're done, and I sent the mail.", True),
        ("I sent the mail.", True),
    ],
)
async def test_who_speaks_of_what_is_or_will_be_claims_no_deed(opened, said: str, claims: bool) -> None:
    none = (await asked(opened, say("네."), message="Write to Kim"))[1]
    answer, probes = await asked(opened, say(said), message="Write to Kim", claims=[1])
    assert probes == none + claims
    assert ("That was not done" in answer.response) == claims


LINE = "훈련병 90명을 메트로놈군 45명과 대조군 45명으로 나누고 4주 동안 시험하였다."


@pytest.mark.parametrize(
    ("said", "claims"),
    [
        (f"1. **예비 연구** — 봉하윤 (2024)\n   {LINE}", False),
        (f"{LINE} {SENT}", True),
        ("초대를 보냈다.", True),
        (f"{SENT}\n{LINE}", True),
    ],
)
async def test_what_a_tool_gave_word_for_word_is_no_deed_of_the_answers(opened, said: str, claims: bool) -> None:
    @tool
    def find() -> ToolResult:
        """Find papers."""
        return ToolResult("둘", data={"papers": [{"title": "예비 연구", "abstract": f"{LINE} 초대를 보냈다."}]})

    async with ScriptedServer(call("find"), say(said), claims=[1]) as server:
        dure = await opened(server, tool_dialect="native", teams=[office(find, invite)])
        record = [
            each
            async for _, each in dure.runs.events(
                DEFAULT_OWNER, (await dure.chat("찾아서 초대해줘", team="desk")).run_id
            )
        ]
    asked = [each for each in record if isinstance(each, ModelCalled) and each.purpose == "claims"]
    assert bool(asked) == claims
