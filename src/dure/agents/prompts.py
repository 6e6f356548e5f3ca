"""System texts: an agent's own prompt, then the few rules that hold for all."""

from datetime import UTC, datetime

from dure.agents.context import Level, RunContext
from dure.agents.definition import Agent
from dure.errors import Language
from dure.messages import Message, assistant, user

_LANGUAGE: dict[Language, str] = {"ko": "Answer in Korean.", "en": "Answer in English."}
_LEVEL: dict[Level, str] = {
    "easy": "The reader is a beginner: short sentences, plain words, step by step, an everyday comparison; explain "
    "every technical term where it first comes; no formulas.",
    "hard": "The reader is an expert: keep technical terms, formulas and numbers, be dense and exact, explain no "
    "basics.",
}
_CITE = "Answer only from the passages, citing them as [1]; say so when they lack the answer."

STOPPED: dict[Language, str] = {
    "ko": "요청이 너무 복잡합니다. 지금까지 확인한 내용으로 답변드립니다.",
    "en": "This request is too complex. Here is what is known so far.",
}
LAST_ANSWER: dict[Language, str] = {
    "ko": "더 이상 도구를 쓸 수 없습니다. 지금까지 확인한 내용만으로 답하고, 모르는 것은 모른다고 말하세요.",
    "en": "No more tools can be used. Answer from what is known so far, and say what is not known.",
}
NOT_FOUND: dict[Language, str] = {
    "ko": "문서에서 관련 내용을 찾지 못했습니다. 질문을 바꾸거나 관련 문서를 추가해 주세요.",
    "en": "The documents do not seem to hold an answer. Try other words, or add the documents that would.",
}
NO_ANSWER: dict[Language, str] = {
    "ko": "답을 만들지 못했습니다. 질문을 조금 더 자세히 써 주세요.",
    "en": "No answer came of it. Please ask in a little more detail.",
}
TOO_MANY_CALLS: dict[Language, str] = {
    "ko": "실행하지 않았습니다. 한 번에 {most}개까지만 실행하는데 {number}개를 요청했습니다. 필요하면 다시 요청하세요.",
    "en": "Not run: {number} calls were made at once, and {most} of them run. Make it again if it is still needed.",
}
FILES_NOT_KEPT: dict[Language, str] = {
    "ko": "(만든 파일 {number}개를 저장하지 못해 사용자에게 전달할 수 없습니다.)",
    "en": "(Files made that could not be kept, and that the user does not get: {number}.)",
}
QUOTED: dict[Language, str] = {
    "ko": "문서에는 다음과 같이 적혀 있습니다.",
    "en": "The documents say:",
}


def level_rule(context: RunContext) -> str:
    """How easy or hard to write, where that was asked for."""
    return _LEVEL[context.level] if context.level else ""


def style(context: RunContext) -> str:
    """Language and level, as every writing prompt ends."""
    return f"{_LANGUAGE[context.language]} {level_rule(context)}".strip()


def cut_off(unfinished: str) -> list[Message]:
    """What a model is told whose call, `unfinished`, was cut off."""
    return [assistant(f"({unfinished})"), user("The call was cut off before its end. Make it again, shorter.")]


def system_text(agent: Agent, context: RunContext) -> str:
    """The one system message of an agent."""
    today = f"Today is {datetime.now(UTC).astimezone():%Y-%m-%d}."
    rules = " ".join(filter(None, [_CITE if agent.search else "", style(context), today]))
    return f"{agent.prompt.strip()}\n\n{rules}" if agent.prompt.strip() else rules
