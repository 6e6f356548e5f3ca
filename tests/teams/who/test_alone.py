"""A follow-up is written out before anybody is chosen; what a model makes up on the way is not taken."""

import pytest

from dure import Agent, Team
from dure.events import Routed
from dure.models import ChatClient, Model
from dure.teams.who.alone import checked, written_out
from dure.testing import ScriptedServer, Step, json, raw, say

TURNS = [{"role": "user", "content": "2018년 논문 몇 편이야?"}, {"role": "assistant", "content": "17편입니다."}]
SPOKEN = [{"role": "user", "content": "Who wrote the guide?"}, {"role": "assistant", "content": "Mina Park, in 2022."}]

BLANKS = [{"role": "user", "content": "멀티 헤드 어텐션이 뭐야?"}, {"role": "assistant", "content": "나눠서 봅니다."}]
LIST = "세 편입니다.\n\n1. **DistilBERT** — 작다 [1].\n2. **DeepSeek-R1** — 추론 [2].\n3. **Waiting**: 기다림"
LISTED = [{"role": "user", "content": "논문 찾아줘"}, {"role": "assistant", "content": LIST}]


def test_many_numbers_of_a_long_message_are_looked_for_once_each(assert_linear):
    def message(size: int) -> str:
        return " ".join(f"문장 {n}번입니다." for n in range(size))

    assert_linear(lambda long: checked("요약해줘", long, TURNS), message, 2000)


@pytest.mark.parametrize(
    ("asked", "message", "request_"),
    [
        ("8월에 호텔 취소 몇 건 났어?", "9월은?", "9월에 호텔 취소 몇 건 났어?"),
        ("2018년 논문 몇 편이야?", "그럼 2019년은?", "2019년 논문 몇 편이야?"),
        ("How many orders came in August?", "and in October?", "How many orders came in October?"),
    ],
)
async def test_a_message_that_only_names_a_day_is_written_out_without_a_model(asked, message, request_):
    turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": "-"}]
    assert await written_out(None, message, turns) == request_


@pytest.mark.parametrize(
    ("turns", "message", "request_"),
    [
        (TURNS, "그럼 2019년은?", "2019년 논문 몇 편이야?"),
        (SPOKEN, "what else did she write?", "What else did Mina Park write, besides the guide?"),
        (LISTED, "2번 논문 한계가 뭐라고 해?", "DeepSeek-R1 논문의 한계가 뭐라고 해?"),
        (LISTED, "1번과 2번 논문 비교해줘", "DistilBERT 논문과 DeepSeek-R1 논문 비교해줘"),
        (BLANKS, "단점은?", "멀티헤드어텐션의 단점은?"),
    ],
)
def test_what_was_said_fills_a_message_up(turns, message, request_):
    assert checked(request_, message, turns) == request_


@pytest.mark.parametrize(
    ("turns", "message", "request_"),
    [
        (TURNS, "그럼 2019년은?", "2020년 논문 몇 편이야?"),  # another number
        (TURNS, "그럼 2019년은?", "2018년 논문 몇 편이야?"),  # the message's own is lost
        (TURNS, "그럼 작년은?", "작년 BERT 논문 몇 편이야?"),  # a name that nobody said
        (TURNS, "CVPR은?", "2018년 논문 몇 편이야?"),  # the message's name is lost
        (TURNS, "그럼 2019년은?", "How many papers are there from 2019?"),  # another language
        (TURNS, "고마워", "2018년 논문 몇 편이야?"),  # the question before once more
        (TURNS, "저자 목록 보여줘", "2018년 논문 몇 편이야? 저자 목록 보여줘"),  # the question before as well
        (TURNS, "그럼 작년은?", "오늘 서울 날씨를 알려 주시겠어요?"),  # something else
        (LISTED, "3번 논문 한계가 뭐라고 해?", "DeepSeek-R1 논문의 한계가 뭐라고 해?"),  # another item
        (LISTED, "4번 논문 한계가 뭐라고 해?", "DeepSeek-R1 논문의 한계가 뭐라고 해?"),  # none
        (LISTED, "2번 논문은 2019년 거야?", "DeepSeek-R1 논문은 언제 거야?"),  # no item's number
        (SPOKEN, "what else did she write?", "What else did Jane Doe write?"),
        (SPOKEN, "what else did she write?", ""),
        (SPOKEN, "what else did she write?", "what else did she write?"),
    ],
)
def test_what_nobody_said_is_not_taken(turns, message, request_):
    assert checked(request_, message, turns) == ""


READ = [
    {"role": "user", "content": "종아리 부상을 다룬 논문은?"},
    {
        "role": "assistant",
        "content": "1. **Steps per Minute** — Lindqvist\n2. **Stronger Calves First** — Solheim (2023)",
    },
]
TITLE = "손목시계로 잰 정강이 부하와 메트로놈 훈련"
TITLED = [
    {"role": "user", "content": "Which papers use a watch?"},
    {"role": "assistant", "content": f"Two.\n\n1. **Drawing the Wind**: gauges\n2. **{TITLE}**: 45 recruits"},
]


@pytest.mark.parametrize(
    ("turns", "message", "written", "request_"),
    [
        (
            READ,
            "두 논문을 한계로 비교해줘",
            "Lindqvist 2019 논문(Steps per Minute)과 Solheim 2023 논문(Stronger Calves First)을 한계로 비교해줘",
            "Lindqvist 논문(Steps per Minute)과 Solheim 2023 논문(Stronger Calves First)을 한계로 비교해줘",
        ),
        (
            READ,
            "두 논문을 한계로 비교해줘",
            "Lindqvist(2019)와 Solheim(Doe, 2023) 논문을 한계로 비교해줘",
            "Lindqvist와 Solheim(2023) 논문을 한계로 비교해줘",
        ),
        (TURNS, "그럼 작년은?", "작년 BERT 논문 몇 편이야?", "작년 논문 몇 편이야?"),
        (
            SPOKEN,
            "what else did she write?",
            "What else did Mina Park write in 2024?",
            "What else did Mina Park write in?",
        ),
        (SPOKEN, "what else did she write?", "What else did Jane Doe write?", ""),
        (TURNS, "그럼 2019년은?", "2020년 논문 몇 편이야?", ""),
        (READ, "두 논문을 한계로 비교해줘", "Lindqvist 2019와 Berg 2020, Solheim 2021 논문을 한계로 비교해줘", ""),
        (
            TITLED,
            "who wrote the second?",
            f"Who wrote the second paper, “{TITLE}”?",
            f"Who wrote the second paper, “{TITLE}”?",
        ),
        (TITLED, "what about its limits?", f"What are the limits of {TITLE}?", f"What are the limits of {TITLE}?"),
        (TITLED, "and its limits?", f"{TITLE}의 한계는 뭐야?", ""),
        (TURNS, "and of BERT?", "BERT 논문 몇 편이야?", ""),
    ],
)
def test_of_an_able_model_one_slip_is_left_out_and_a_title_is_no_other_language(turns, message, written, request_):
    assert checked(written, message, turns, able=True) == request_
    if written != request_:
        assert checked(written, message, turns) == ""


async def test_a_question_with_a_title_in_another_language_is_answered_in_its_own(opened):
    papers = Agent(name="papers", description="papers", examples=COUNT)
    talk = Agent(name="talk", description="small talk", examples=TALK)
    team = Team(name="own", kind="router", description="-", agents=[papers, talk])
    written = f"What are the limits of {TITLE}?"
    route = {"agents": ["papers"], "effect": False, "request": ""}
    steps: list[Step] = [json(route), say(TITLED[1]["content"]), json(route | {"request": written}), say("None.")]
    async with ScriptedServer(respond=lambda body: steps.pop(0)) as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted")), teams=[team])
        await dure.chat(TITLED[0]["content"], team="own", session_id="s")
        await dure.chat("what about its limits?", team="own", session_id="s")
        told = server.requests[-1]["messages"]
    assert written in str(told[-1]["content"])
    assert "English" in str(told)
    assert "Korean" not in str(told[0]["content"])


PAID = [{"role": "user", "content": "연봉이 5000만원 넘는 직원은?"}, {"role": "assistant", "content": "6명입니다."}]


@pytest.mark.parametrize(
    ("message", "written", "request_"),
    [
        (
            "그럼 6000만원 넘는?",
            "연봉이 5000만원 넘고 6000만원 넘는 직원은?",
            "연봉이 6000만원 넘고 6000만원 넘는 직원은?",
        ),
        # A range.
        ("그럼 6000만원 이하는?", "연봉이 5000만원 넘고 6000만원 이하인 직원은?", ""),
    ],
)
def test_a_bound_stands_for_the_one_that_it_replaces(message: str, written: str, request_: str) -> None:
    assert checked(written, message, PAID) == (request_ or written)


COUNT = ["논문 몇 편이야?", "2018년 논문 수를 알려줘", "How many papers are there?"]
TALK = ["안녕하세요", "고마워요", "좋은 하루 되세요"]


@pytest.mark.parametrize("kind", ["router", "supervisor", "planner"])
async def test_a_small_models_team_works_on_the_message_written_out(opened, kind):
    agents = [
        Agent(name="count", description="counts papers", examples=COUNT),
        Agent(name="talk", description="small talk", examples=TALK),
    ]
    team = Team(name="own", kind=kind, description="-", agents=agents)
    steps: list[Step] = []
    async with ScriptedServer(respond=lambda body: steps.pop(0)) as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True), teams=[team])
        steps[:] = answers(kind)
        await dure.chat(COUNT[0], team="own", session_id="s")
        steps[:] = [
            json({"about": "2019년 논문 수", "alone": False, "request": "2019년 논문 몇 편이야?"}),
            *answers(kind),
        ]
        events = [e async for e in dure.stream("그럼 2019년은?", team="own", session_id="s")]
        asked, worked = server.requests[-len(answers(kind)) - 1], server.requests[-1]
    chosen = next(e for e in events if isinstance(e, Routed))
    assert (chosen.agents, chosen.request) == (["count"], "2019년 논문 몇 편이야?")
    assert asked["messages"][-1]["content"].endswith("마지막 메시지: 그럼 2019년은?")
    assert "2019년 논문 몇 편이야?" in worked["messages"][-1]["content"]


def answers(kind: str) -> list[Step]:
    planned = [json({"wants": "count", "then": "nothing", "ask_me": "no"})] if kind == "planner" else []
    return [*planned, raw('{"answer": "17편입니다."}')]
