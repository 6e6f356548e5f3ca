"""The language of the terminal: Korean where the locale says so, else English."""

import os
from datetime import datetime

from dure.errors import Language


def language() -> Language:
    """The language that the locale names."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "ko" if value.lower().startswith("ko") else "en"
    return "en"


def say(ko: str, en: str) -> str:
    """The sentence in the terminal's language."""
    return ko if language() == "ko" else en


def clock(at: str) -> str:
    """A time of UTC (ISO 8601) by this machine's clock, to the minute, with its zone."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M %Z}"
