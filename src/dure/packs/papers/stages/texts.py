"""What the stages say in their own words, and what they ask of models."""

import re
from typing import Any

from dure.errors import Language
from dure.packs.papers.texts import TEXTS

_TEXT = TEXTS["stages_texts.text"]


def text(key: str, language: Language, **values: Any) -> str:
    """The text `key` with its values filled in."""
    return _TEXT[key][language].format(**values)


def said_by(told: str, *keys: str) -> bool:
    """Whether something told is one of the texts `keys`, in any language and with any values."""
    patterns = (re.sub(r"\\{\w+\\}", ".*", re.escape(each)) for key in keys for each in _TEXT[key].values())
    return any(re.fullmatch(pattern, told.strip(), re.DOTALL) for pattern in patterns)
