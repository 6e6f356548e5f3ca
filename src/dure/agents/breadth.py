"""Whether a question asks for one thing, or for all there is about a subject.

A small model tells of a subject with one sentence, mostly the first of a section, unless it is asked for a line for
each rule; asked so for one thing it adds others beside it. Which of the two is meant it says itself, under a schema.
"""

from typing import Any

from dure.agents.context import RunContext
from dure.messages import assistant, system, user

_TELL = "Tell what a question asks for. one: one particular thing. all: to be told all there is about a subject."
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"asks": {"enum": ["one", "all"]}},
    "required": ["asks"],
    "additionalProperties": False,
}
_SURE = 0.8
"""Probability from which it is one thing: whoever is told more than was asked misses less than the other way about."""
_EXAMPLES = {
    "주차장 이용 안내해 줘": "all",
    "주차 요금은 누가 내나요?": "one",
    "What's the phone number of the front desk?": "one",
    "Give me an overview of the safety rules": "all",
    "식당은 어디에 있어?": "one",
    "해외 파견 제도가 궁금해요": "all",
    # Without long ones here long questions are taken for `all`.
    "옆 건물에서 택배가 잘못 왔는데 누구한테 말하면 되고 번호는 뭐야?": "one",
    "What did the board decide about the new office, and at what cost?": "one",
    "사내 동호회 운영 기준 좀 정리해서 보여줘요": "all",
    "노트북 화면에 파란 줄이 떴는데 무슨 뜻이고 어떻게 하죠": "one",
}


async def asks_for_all(run: RunContext, question: str, agent: str, work_id: str) -> bool:
    """Whether the question asks for all there is about its subject. Raises the model's typed errors."""
    shown = [turn for each, asks in _EXAMPLES.items() for turn in (user(each), assistant(f'{{"asks": "{asks}"}}'))]
    messages = [system(_TELL), *shown, user(question)]
    about = {"agent": agent, "work_id": work_id}
    filled = await run.fill_in("breadth", messages, _SCHEMA, max_tokens=20, least=_SURE, **about)
    return not (isinstance(filled, dict) and filled.get("asks") == "one")
