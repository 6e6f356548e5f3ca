"""The model of `overhead.py`: answers the question of design document 000 for every subject, in its own process.

It calls what the request offers: an agent (or a hand-off to one) first, then search, then it answers from what
search returned. The answer is the same for all, so that subjects differ only in what they ask.
"""

from typing import Any

from dure.testing import Step, call, say

ANSWER = (
    "회사의 연차휴가 정책은 다음과 같습니다:\n\n"
    "- **1년 미만 근속**: 월 1일\n- **1년 이상 근속**: 연 15일\n- **3년 이상 근속**: 연 20일\n\n"
    "단, 출근율 80% 이상 시 전액 부여됩니다. [1]"
)


def respond(body: dict[str, Any]) -> Step:
    """One reply: a delegation, a search or the answer."""
    last = body["messages"][-1]
    offered = [t["function"]["name"] for t in body.get("tools", [])]
    if last["role"] == "user" and "rag_agent" in offered:
        return call("rag_agent", task="회사 휴가 정책을 문서에서 찾아 정리")
    if last["role"] == "user" and "transfer_to_rag_agent" in offered:
        return call("transfer_to_rag_agent")
    if last["role"] == "user" and "search_knowledge_base" in offered:
        return call("search_knowledge_base", queries=["휴가 정책"])
    if any(name.startswith("transfer_to_") for name in offered) and last["role"] == "tool":
        return say(ANSWER)
    if "search_knowledge_base" in offered and "transfer" in (last.get("content") or "").lower():
        return call("search_knowledge_base", queries=["휴가 정책"])
    return say(ANSWER)
