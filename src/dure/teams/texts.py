"""What a planner team says to people in its own words."""

from typing import Any

from dure.errors import Language

_TEXT: dict[str, dict[Language, str]] = {
    "ask_step": {
        "ko": "{step}단계 ({agent}): {task} 진행할까요?",
        "en": "Step {step} ({agent}): {task} Go on?",
    },
    "ask_hitl": {"ko": "{step}단계에서 확인이 필요합니다: {task}", "en": "Step {step} needs you: {task}"},
    "approved": {"ko": "사람이 승인했습니다.", "en": "A person approved."},
    "approved_as": {"ko": "사람이 다음과 같이 바꾸어 승인했습니다: {task}", "en": "A person approved it as: {task}"},
    "reject": {"ko": "사람이 거절했습니다.", "en": "A person declined it."},
    "expire": {"ko": "정해진 시간 안에 승인을 받지 못했습니다.", "en": "Nobody approved it in time."},
    "lacks": {"ko": "{step}단계의 결과가 없어 진행하지 못했습니다.", "en": "It needs the result of step {step}."},
    "failed": {"ko": "실패했습니다: {reason}", "en": "It failed: {reason}"},
    "nothing": {"ko": "요청하신 일을 진행하지 못했습니다.", "en": "What you asked for could not be done."},
}


def text(key: str, language: Language, **values: Any) -> str:
    """The text `key` with its values filled in."""
    return _TEXT[key][language].format(**values)
