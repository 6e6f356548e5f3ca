"""Sessions as users see them: list, read, rename, cut and delete conversations; begin one that holds turns already."""

import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any
from unicodedata import normalize

import sqlalchemy as sa

from dure.errors import InvalidInput, SessionBusy, SessionWaiting, existing, phrase
from dure.messages import Message, named
from dure.runs.answer import row_of
from dure.runs.artifacts import Artifacts
from dure.runs.ask import MADE_TITLE, Ask, check_session, checked_title
from dure.storage import Database
from dure.storage import runs as run_rows
from dure.storage import sessions as session_rows
from dure.teams import team_of

Rows = list[dict[str, Any]]
"""Named before the class: inside it `list` is the method."""
_CITED = ("marker", "title", "page", "sheet", "slide", "quote", "url")
_ALIKE = 20
"""Sessions with the same question that are looked at."""


class Sessions:
    """All sessions of one Dure."""

    def __init__(self, database: Database, artifacts: Artifacts) -> None:
        self._database = database
        self._artifacts = artifacts

    async def begin(self, owner: str, turns: Sequence[Message], session_id: str | None = None) -> str:
        """A new session that holds a conversation already: its id, made up unless given. turns: of the roles user and
        assistant. Raises InvalidSession."""
        session_id = session_id or f"s-{secrets.token_hex(10)}"
        check_session(session_id)
        await self._database.write(_begin, owner, session_id, turns)
        return session_id

    async def known(self, owner: str, session_id: str) -> bool:
        """Whether there is such a session."""
        return await self._database.read(session_rows.get, owner, session_id) is not None

    async def holding(self, owner: str, turns: Sequence[Message]) -> str | None:
        """The last used session of just these turns, whatever their white space; None where there is none."""
        wanted = [(turn["role"], str(turn["content"]).split()) for turn in turns]
        asked = next((str(turn["content"]) for turn in reversed(turns) if turn["role"] == "user"), "")
        for session_id in await self._database.read(session_rows.asked_in, owner, asked, _ALIKE):
            rows = await self._database.read(session_rows.transcript, owner, session_id, len(turns) + 1)
            if [(row["role"], row["content"].split()) for row in rows] == wanted:
                return session_id
        return None

    async def again(self, owner: str, run_id: str) -> Ask:
        """A run's message to be asked again after the turns before it, in its own session. Raises NotFound."""
        row = await row_of(self._database, owner, run_id)
        data = await self._database.read(run_rows.definition, row) if row["options"].get("given") else None
        said = await self._database.read(session_rows.before_run, owner, row["session_id"], run_id)
        before: list[Message] = [{"role": each["role"], "content": each["content"]} for each in said]
        session_id = await self.begin(owner, before) if before else None
        how = {key: each for key, each in row["options"].items() if key not in ("from", "given", "schedule")}
        return Ask(row["message"], session_id, row["team"], given=team_of(data, None) if data else None, **how)

    async def list(
        self,
        owner: str,
        limit: int = 200,
        *,
        q: str | None = None,
        folder: str | None = None,
        before: tuple[str, str] | None = None,
    ) -> Rows:
        """The owner's sessions, pinned ones first, then last used first. q: only those with it in their title or a
        message; folder: only those in it ("": in none); before: time and id of the session after which to go on."""
        return await self._database.read(session_rows.listed, owner, limit, q=q, folder=folder, before=before)

    async def folders(self, owner: str) -> Rows:
        """The owner's folders by name: `{name, sessions}`, how many stand in each. An empty one is none."""
        return await self._database.read(session_rows.folders, owner)

    async def get(self, owner: str, session_id: str) -> dict[str, Any]:
        """`{id, title, created_at, updated_at, shared, folder, pinned}`. Raises NotFound."""
        row = existing(await self._database.read(session_rows.get, owner, session_id), "session", session_id)
        return {key: row[key] for key in session_rows.PUBLIC}

    async def share(self, owner: str, session_id: str, *, shared: bool = True) -> dict[str, Any]:
        """Let whoever has the session's link, `shared`, read it as it is now, or nobody. Raises NotFound."""
        link = secrets.token_urlsafe(24) if shared else None
        await self._database.write(session_rows.share, owner, session_id, link)
        return await self.get(owner, session_id)

    async def read_shared(self, link: str) -> dict[str, Any]:
        """What a link shows: `{title, messages: [{role, content, citations, created_at}]}`. Raises NotFound."""
        session, rows = existing(await self._database.read(session_rows.read_shared, link), "session", link)
        said = [{key: row[key] for key in ("role", "content", "citations", "created_at")} for row in rows]
        for each in said:
            each["citations"] = [{key: cited.get(key) for key in _CITED} for cited in each["citations"] or ()]
        return {"title": session["title"], "messages": said}

    async def change(self, owner: str, session_id: str, **values: Any) -> dict[str, Any]:
        """Give a session another `title`, of 1 to 200 characters, put it into a `folder`, of up to 200, or out of it
        (an empty one), pin it or not (`pinned`). Returns it. Raises NotFound, InvalidInput."""
        for key in values.keys() & {"title", "folder"}:
            if key == "title" or values[key]:
                values[key] = checked_title(normalize("NFC", values[key]), key)
        if values:
            await self._database.write(partial(session_rows.change, **values), owner, session_id)
        return await self.get(owner, session_id)

    async def messages(
        self, owner: str, session_id: str, limit: int | None = None, *, before: int | None = None
    ) -> Rows:
        """A session's transcript, oldest first; `branches`: ids of the questions asked in a message's place;
        `images`: names of its pictures. limit: the last so many, `before` that message's id. Raises NotFound."""
        await self.get(owner, session_id)
        rows = await self._database.read(session_rows.transcript, owner, session_id, limit, before)
        places = await self._database.read(session_rows.beside, owner, session_id)
        keys = ("id", "run_id", "role", "content", "citations", "created_at")
        shown = await self._database.read(session_rows.pictures, owner, session_id)
        return [
            {key: row[key] for key in keys}
            | {"branches": places.get(row["parent"], [])}
            | {"images": shown.get(row["run_id"], []) if row["role"] == "user" else []}
            for row in rows
        ]

    async def show(self, owner: str, session_id: str, message_id: int, *, instead: bool = False) -> None:
        """Go on from a user's message, with what followed it last, in the place of what stands there: that is put
        aside. instead: the message is put aside too, so that something else can be asked there. Raises NotFound,
        InvalidInput for a message that is no user's, SessionBusy and SessionWaiting while the session is answered."""
        await self._database.write(show, owner, session_id, message_id, instead=instead)

    async def delete(self, owner: str, session_id: str, *, unused_since: str | None = None) -> None:
        """Delete a session with its messages and runs, `unused_since` a time. Raises NotFound, and SessionBusy."""
        gone = await self._database.write(_delete, owner, session_id, unused_since)
        await self._artifacts.delete(existing(gone, "session", session_id))


def _begin(connection: sa.Connection, owner: str, session_id: str, turns: Sequence[Message]) -> None:
    session_rows.touch(connection, owner, session_id, named(str(turns[0]["content"]), MADE_TITLE) if turns else "")
    for turn in turns:
        session_rows.add_message(connection, owner, session_id, "-", turn["role"], str(turn["content"]))


def idle(connection: sa.Connection, owner: str, session_id: str) -> session_rows.State | None:
    """How far a session is. Raises SessionBusy and SessionWaiting while it is answered."""
    state = session_rows.state(connection, owner, session_id)
    if state is None or state.open_run is None:
        return state
    raise SessionWaiting(run_id=state.open_run) if state.open_status == "waiting" else SessionBusy()


def show(connection: sa.Connection, owner: str, session_id: str, message_id: int, *, instead: bool) -> None:
    """See `Sessions.show`."""
    idle(connection, owner, session_id)
    role = session_rows.show(connection, owner, session_id, message_id, instead=instead)
    if existing(role, "message", str(message_id)) != "user":
        raise InvalidInput(reason=phrase("runs_sessions.question", id=message_id))


def _delete(connection: sa.Connection, owner: str, session_id: str, unused_since: str | None) -> list[str] | None:
    """The ids of the runs that went with the session; None when there is none that was unused."""
    idle(connection, owner, session_id)
    ids = [row["id"] for row in run_rows.listed(connection, owner, session_id=session_id, limit=1_000_000)]
    return ids if session_rows.delete(connection, owner, session_id, unused_since) else None
