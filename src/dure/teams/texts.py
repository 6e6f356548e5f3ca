"""What a planner team says to people in its own words."""

from typing import Any

from dure.errors import Language
from dure.texts import TEXTS

_TEXT = TEXTS["teams_texts.text"]


def text(key: str, language: Language, **values: Any) -> str:
    """The text `key` with its values filled in."""
    return _TEXT[key][language].format(**values)
