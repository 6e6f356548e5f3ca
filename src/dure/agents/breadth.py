"""What a message asks for: one thing, all there is about a subject, or nothing.

A small model tells of a subject with one sentence, mostly the first of a section, unless it is asked for a line for
each rule; asked so for one thing it adds others beside it. Of what asks for nothing, such as thanks, documents need not
tell. Which of these is meant it says itself, under a schema.
"""

from dure.agents.short import Turn
from dure.messages import assistant, system, user
from dure.tooling import an_object

_TELL = "Tell what a question asks for. one: one particular thing. all: to be told all there is about a subject."
_SURE = 0.8
"""Probability from which it is one thing, or nothing: whoever is told more than was asked misses less."""
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


_TALK = "Tell what a message asks for. something: to be told, found or done. nothing: it greets, thanks or chats."
_TALKS = {
    "주차 요금": "something",
    "오늘 도와준 덕분에 잘 끝났네": "nothing",
    "프린터가 또 안 되네": "something",
    "Nice weather today, isn't it?": "nothing",
    "What's the phone number of the front desk?": "something",
    "이제 퇴근한다": "nothing",
}


async def asks_for_all(turn: Turn) -> bool:
    """Whether the run's message asks for all there is about its subject. Raises the model's typed errors."""
    return await _ask(turn, "breadth", _TELL, _EXAMPLES) != "one"


async def asks_for_nothing(turn: Turn) -> bool:
    """Whether the run's message is small talk. Raises as above."""
    return await _ask(turn, "talk", _TALK, _TALKS) == "nothing"


async def _ask(turn: Turn, purpose: str, rules: str, examples: dict[str, str]) -> str | None:
    """Which of the examples' values the message asks for; None where the model is not sure."""
    schema = an_object({"asks": {"enum": list(dict.fromkeys(examples.values()))}})
    shown = [turn for each, asks in examples.items() for turn in (user(each), assistant(f'{{"asks": "{asks}"}}'))]
    messages = [system(rules), *shown, user(turn.run.message)]
    filled, least = await turn.run.filled(purpose, messages, schema, max_tokens=20, fixed=messages[:-1], **turn.place)
    return filled.get("asks") if isinstance(filled, dict) and least >= _SURE else None
