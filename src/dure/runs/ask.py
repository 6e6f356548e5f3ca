"""What a user asks for, checked before anything is stored."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, TypedDict, Unpack, cast, get_args, get_origin, get_type_hints

from dure.agents import Agent, Level, OutputFormat
from dure.errors import EmptyMessage, InvalidInput, InvalidSession, InvalidText, MessageTooLong, phrase
from dure.pictures import MOST
from dure.teams import DEFAULT_TEAM, Team, team_named
from dure.tooling import File

MAX_TITLE = 200
"""Characters of a session's title."""
MADE_TITLE = 60
"""Of one that is made of a message."""
MAX_EXPERIMENT = 100
"""Characters of an experiment's name."""
_NAMED = re.compile(r'\n\n"[^"\n]+"(?:, "[^"\n]+")*$')
_SESSION = re.compile(r"(?!\.+$)[A-Za-z0-9._-]{1,128}")


class Manner(TypedDict, total=False):
    """How a message is to be answered, whoever answers it: fields of `Ask`."""

    session_id: str | None
    level: str | None
    output_format: str | None
    model: str | None
    images: Sequence[File | bytes | str]


class How(Manner, total=False):
    """The same with who answers: a team by its name, or an agent that belongs to none."""

    team: str | Agent | None


@dataclass(slots=True)
class Ask:
    """A message and how it is to be answered; None leaves the choice to Dure."""

    message: str
    session_id: str | None = None
    team: str | None = None
    level: str | None = None
    output_format: str | None = None
    model: str | None = None
    """The name of a model, for all of the team."""
    experiment: str | None = None
    """The name of the experiment that the run belongs to."""
    instead_of: int | None = None
    """The id of a user's message in the session: asked in its place, which is put aside with all that followed."""
    schedule: str | None = None
    """The id of the schedule that asks."""
    given: Team | None = None
    """The team itself, where it need not be one of those there are."""
    images: Sequence[File | bytes | str] = ()
    """Pictures that go with the message, a text as a data URL or Base64; a name, `RUN/ID`: one of an earlier run's."""

    def checked(self, teams: Mapping[str, Team], max_chars: int) -> tuple[Team, Level | None, OutputFormat]:
        """The team, level and format meant. Raises the InvalidInput that says what is wrong."""
        check_kinds(_kinds(), {key: getattr(self, key) for key in _kinds()})
        if not self.message.strip():
            raise EmptyMessage()
        if len(self.message) > max_chars:
            raise MessageTooLong(length=len(self.message), limit=max_chars)
        check_text(self.message)
        if self.session_id is not None:
            check_session(self.session_id)
        team = self.given or team_named(teams, self.team or DEFAULT_TEAM)
        level = None if self.level is None else one_of("level", self.level, get_args(Level))
        wanted = "chat" if self.output_format is None else self.output_format
        output_format = one_of("output_format", wanted, get_args(OutputFormat))
        if self.experiment is not None:
            checked_experiment(self.experiment)
        if len(self.images) > MOST:
            raise InvalidInput(reason=phrase("pictures.many", most=MOST), key="images")
        return team, cast("Level | None", level), cast("OutputFormat", output_format)


def asked(
    message: str, result: dict[str, Any] | None = None, *, team: str | Agent | None = None, **how: Unpack[Manner]
) -> Ask:
    """What is asked so in Python. result: the JSON Schema that an agent's answer has. Raises InvalidInput for names of
    arguments that there are not."""
    for name in how:
        one_of("argument", name, How.__annotations__)
    if not isinstance(team, Agent):
        return Ask(message, team=team, **how)
    given = Team(name=team.name, kind="solo", description=team.description, agents=[team], result=result)
    return Ask(message, given=given, **how)


@cache
def _kinds() -> dict[str, Any]:
    hints = get_type_hints(Ask)
    return {key: hint if isinstance(hint, type | UnionType) else get_origin(hint) for key, hint in hints.items()}


def check_kinds(kinds: Mapping[str, type | UnionType], given: Mapping[str, Any]) -> None:
    """Raises InvalidInput for a value that is not of its key's type, None where it is missing, and for other keys."""
    for key, value in {**dict.fromkeys(kinds), **given}.items():
        kind = kinds[one_of("key", key, kinds)]
        if not isinstance(value, kind):
            wanted = kind.__name__ if isinstance(kind, type) else str(kind)
            reason = phrase("runs_ask.kind", key=key, wanted=wanted, found=type(value).__name__)
            raise InvalidInput(reason=reason, key=key)


def check_session(session_id: str) -> None:
    """Raises InvalidSession for what cannot be a session's id."""
    if not _SESSION.fullmatch(session_id):
        raise InvalidSession()


def check_text(text: str) -> None:
    """Raises InvalidText where a database or a model server could not take the text."""
    if "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidText()


def check_length(key: str, text: str, least: int, most: int) -> None:
    """Raises InvalidInput for a text of fewer or more characters, InvalidText."""
    check_text(text)
    if not least <= len(text) <= most:
        reason = phrase("runs_ask.length", key=key, least=least, most=most)
        raise InvalidInput(reason=reason, key=key)


def words_of(message: str) -> str:
    """A message without the titles of the documents that the page names below it (`asked.js`)."""
    return _NAMED.sub("", message)


def checked_title(title: str, key: str = "title") -> str:
    """A session's title or folder, on one line. Raises InvalidInput where it is blank or too long, InvalidText."""
    check_text(title)
    title = " ".join(title.split())
    check_length(key, title, 1, MAX_TITLE)
    return title


def checked_experiment(name: str) -> str:
    """The name of an experiment. Raises InvalidInput where it is blank or too long, InvalidText."""
    check_length("experiment", name if isinstance(name, str) and name.strip() else "", 1, MAX_EXPERIMENT)
    return name


def one_of(key: str, value: str, known: Iterable[str]) -> str:
    """The value. Raises InvalidInput where it is not known."""
    if value not in known:
        reason = phrase("runs_ask.unknown", key=key, value=str(value)[:40], known=", ".join(known))
        raise InvalidInput(reason=reason, key=key)
    return value
