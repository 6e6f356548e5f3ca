"""What a user asks for, checked before anything is stored."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from dure.agents import Level, OutputFormat
from dure.errors import (
    EmptyMessage,
    InvalidInput,
    InvalidSession,
    InvalidText,
    Language,
    MessageTooLong,
    Text,
    UnknownTeam,
)
from dure.teams import DEFAULT_TEAM, Team

MAX_TITLE = 200
"""Characters of a session's title."""
MAX_EXPERIMENT = 100
"""Characters of an experiment's name."""
_SESSION = re.compile(r"(?!\.+$)[A-Za-z0-9._-]{1,128}")


@dataclass(slots=True)
class Ask:
    """A message and how it is to be answered; None leaves the choice to Dure."""

    message: str
    session_id: str | None = None
    team: str | None = None
    level: str | None = None
    output_format: str | None = None
    language: Language = "ko"
    experiment: str | None = None
    """The name of the experiment that the run belongs to."""

    def checked(self, teams: Mapping[str, Team], max_chars: int) -> tuple[Team, Level | None, OutputFormat]:
        """The team, level and format meant. Raises the InvalidInput that says what is wrong."""
        if not isinstance(self.message, str) or not self.message.strip():
            raise EmptyMessage()
        if len(self.message) > max_chars:
            raise MessageTooLong(length=len(self.message), limit=max_chars)
        check_text(self.message)
        if self.session_id is not None and not _SESSION.fullmatch(self.session_id):
            raise InvalidSession()
        name = self.team or DEFAULT_TEAM
        if name not in teams:
            raise UnknownTeam(team=name[:80], known=", ".join(teams))
        level = _one_of("level", self.level, get_args(Level))
        output_format = _one_of("output_format", self.output_format, get_args(OutputFormat)) or "chat"
        if self.experiment is not None:
            checked_experiment(self.experiment)
        return teams[name], cast("Level | None", level), cast("OutputFormat", output_format)


def check_text(text: str) -> None:
    """Raises InvalidText where a database or a model server could not take the text."""
    if "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidText()


def checked_title(title: str) -> str:
    """A session's title, on one line. Raises InvalidInput where it is blank or too long, InvalidText."""
    check_text(title)
    title = " ".join(title.split())
    if not 1 <= len(title) <= MAX_TITLE:
        raise InvalidInput(reason=Text(f"title: 1 to {MAX_TITLE} characters", ko=f"title: 1~{MAX_TITLE}자여야 합니다"))
    return title


def checked_experiment(name: str) -> str:
    """The name of an experiment. Raises InvalidInput where it is blank or too long, InvalidText."""
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_EXPERIMENT:
        raise InvalidInput(
            reason=Text(
                f"experiment: a name of 1 to {MAX_EXPERIMENT} characters is needed",
                ko=f"experiment: 1~{MAX_EXPERIMENT}자의 이름이 필요합니다",
            ),
            key="experiment",
        )
    check_text(name)
    return name


def _one_of(key: str, value: str | None, known: tuple[Any, ...]) -> str | None:
    if value is not None and value not in known:
        raise InvalidInput(
            reason=Text(
                f"{key}: '{value[:40]}' is none of {', '.join(known)}",
                ko=f"{key}: '{value[:40]}'은(는) 없습니다. 쓸 수 있는 것: {', '.join(known)}",
            ),
            key=key,
        )
    return value
