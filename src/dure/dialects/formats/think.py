"""Reasoning in tags: `<think>…</think>` and its like. Nothing in it is a call or an answer.

A closing tag alone means that the opening one stood in the prompt (DeepSeek R1, Qwen3 Thinking, GLM 4.7).
"""

from dure.dialects.formats.base import Format, Found, Region
from dure.dialects.source import Source

_TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<reflection>": "</reflection>",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
}
_CLOSERS = {closing: Region("reasoning", (closing,)) for closing in _TAGS.values()}
_REGIONS = {opening: _CLOSERS[closing] for opening, closing in _TAGS.items()}


def scan(src: Source, at: int, marker: str) -> Found | None:
    region = _REGIONS.get(marker)
    return Found(at + len(marker), enter=region, ends_reasoning=region is None)


PREFILLED = Region("reasoning", tuple(_CLOSERS))
"""Reasoning whose opening tag stands in the prompt."""

FORMAT = Format("think", (*_TAGS, *_CLOSERS), scan)
