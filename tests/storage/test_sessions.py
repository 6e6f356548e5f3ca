"""Sessions and runs as every database must keep them alike: found, read piece by piece, walked."""

import sqlalchemy as sa

from dure.storage import runs, sessions
from dure.storage.database import Database
from dure.storage.schema import sessions as table

A, B = "owner-a", "owner-b"


async def session(database: Database, owner: str, id: str, title: str, at: str, *said: str) -> None:
    def make(connection: sa.Connection) -> None:
        sessions.touch(connection, owner, id, title)
        for number, content in enumerate(said):
            role = "assistant" if number % 2 else "user"
            sessions.add_message(connection, owner, id, f"r-{id}-{number // 2}", role, content)
        mine = sa.and_(table.c.owner == owner, table.c.id == id)
        connection.execute(sa.update(table).where(mine).values(updated_at=at))

    await database.write(make)


async def found(database: Database, owner: str, **how: object) -> list[str]:
    return [row["id"] for row in await database.read(lambda c: sessions.listed(c, owner, **how))]


async def test_sessions_by_what_was_said(database: Database) -> None:
    await session(database, A, "s1", "연차휴가 일수", "2026-01-01", "연차휴가는 며칠?", "15일, 100% 확실")
    await session(database, A, "s2", "Travel", "2026-01-02", "How far?", "Ask the Travel_Desk")
    await session(database, B, "s3", "연차휴가", "2026-01-03", "연차", "15일")
    assert await found(database, A) == ["s2", "s1"]
    assert await found(database, A, q="연차휴") == ["s1"]
    assert await found(database, A, q="15일") == ["s1"]
    assert await found(database, A, q="TRAVEL_desk") == ["s2"]
    assert await found(database, B, q="연차") == ["s3"]
    # What LIKE would read as signs of its own.
    assert await found(database, A, q="_") == ["s2"]
    assert await found(database, A, q="100%") == ["s1"]
    assert await found(database, A, q="1%일") == []
    assert await found(database, A, q="\\") == []
    assert await found(database, A, q="'; DROP TABLE sessions; --") == []


async def test_sessions_piece_by_piece(database: Database) -> None:
    for number, at in enumerate(["1", "2", "2", "2", "3"]):
        await session(database, A, f"s{number}", "t", at)
    seen: list[str] = []
    before = None
    while rows := await database.read(lambda c, place=before: sessions.listed(c, A, 2, before=place)):
        seen += [row["id"] for row in rows]
        before = (rows[-1]["updated_at"], rows[-1]["id"])
    assert seen == ["s4", "s3", "s2", "s1", "s0"]


async def test_pinned_ones_come_first_and_folders_alone(database: Database) -> None:
    for number in range(6):
        await session(database, A, f"s{number}", "t", f"{number}")
    await session(database, B, "s0", "t", "1")
    for id, values in (("s1", {"pinned": True}), ("s3", {"pinned": True, "folder": "나"}), ("s4", {"folder": "나"})):
        await database.write(lambda c, id=id, values=values: sessions.change(c, A, id, **values))
    seen: list[str] = []
    before = None
    while rows := await database.read(lambda c, place=before: sessions.listed(c, A, 1, before=place)):
        seen += [row["id"] for row in rows]
        before = (rows[-1]["updated_at"], rows[-1]["id"])
    assert seen == ["s3", "s1", "s5", "s4", "s2", "s0"]
    assert await found(database, A, folder="나") == ["s3", "s4"]
    assert await found(database, A, folder="") == ["s1", "s5", "s2", "s0"]
    assert await database.read(sessions.folders, A) == [{"name": "나", "sessions": 2}]
    assert await database.read(sessions.folders, B) == []


async def test_rename(database: Database) -> None:
    await session(database, A, "s", "old", "1")
    await session(database, B, "s", "old", "1")
    assert await database.write(lambda c: sessions.change(c, A, "s", title="new")) is True
    assert await database.write(lambda c: sessions.change(c, A, "none", title="new")) is False
    kept = await database.read(sessions.get, B, "s")
    assert kept is not None
    assert kept["title"] == "old"


async def shown(database: Database, owner: str, id: str) -> list[str]:
    return [row["content"] for row in await database.read(sessions.transcript, owner, id)]


async def test_branches(database: Database) -> None:
    await session(database, A, "s", "t", "1", "q1", "a1", "q2", "a2", "q3", "a3")
    await session(database, A, "other", "t", "1", "q")
    await session(database, B, "s", "t", "1", "q")
    ids = [row["id"] for row in await database.read(sessions.transcript, A, "s")]
    await database.write(sessions.summarize, A, "s", "about q1 and q2", 0, ids[3])

    async def show(owner: str, id: str, message: int, instead: bool = False) -> str | None:
        return await database.write(lambda c: sessions.show(c, owner, id, message, instead=instead))

    async def summary() -> tuple[str | None, int]:
        row = await database.read(sessions.get, A, "s")
        assert row is not None
        return row["summary"], row["summarized_to"]

    assert await show(A, "s", ids[1], instead=True) == "assistant"
    assert await show(B, "s", ids[2], instead=True) is None
    assert await show(A, "other", ids[2]) is None
    assert await show(A, "s", ids[4], instead=True) == "user"
    assert await summary() == ("about q1 and q2", ids[3])
    assert await show(A, "s", ids[2], instead=True) == "user"
    assert await summary() == (None, 0)
    assert await shown(database, A, "s") == ["q1", "a1"]
    for role, said in (("user", "q2b"), ("assistant", "a2b"), ("user", "q3b")):
        await database.write(sessions.add_message, A, "s", f"r-{said}", role, said)
    assert await shown(database, A, "s") == ["q1", "a1", "q2b", "a2b", "q3b"]
    last = [m["content"] for m in await database.read(sessions.last_messages, A, "s", ids[0], 9)]
    assert last == ["a1", "q2b", "a2b", "q3b"]
    second = (await database.read(sessions.beside, A, "s"))[ids[1]]
    assert second[0] == ids[2]
    # There and back: what followed comes along, also what was said there since.
    assert await show(A, "s", ids[2]) == "user"
    assert await shown(database, A, "s") == ["q1", "a1", "q2", "a2", "q3", "a3"]
    await database.write(sessions.add_message, A, "s", "r-q4", "user", "q4")
    assert await show(A, "s", second[1]) == "user"
    assert await shown(database, A, "s") == ["q1", "a1", "q2b", "a2b", "q3b"]
    assert await show(A, "s", ids[4]) == "user"
    assert await shown(database, A, "s") == ["q1", "a1", "q2", "a2", "q3", "a3", "q4"]
    before = await database.read(sessions.before_run, A, "s", "r-q3b")
    assert [m["content"] for m in before] == ["q1", "a1", "q2b", "a2b"]
    assert await database.read(sessions.before_run, B, "s", "r-q3b") == []
    assert [m["content"] for m in await database.read(sessions.transcript, A, "s", 1, ids[1])] == ["q1"]
    # The first one too.
    await show(A, "s", ids[0], instead=True)
    assert await shown(database, A, "s") == []
    assert await shown(database, A, "other") == ["q"]
    assert await shown(database, B, "s") == ["q"]


async def test_runs_by_what_was_asked_and_answered(database: Database) -> None:
    for number, (message, answer) in enumerate([("연차휴가는?", "15일"), ("Travel", None), ("x", '100% "sure"')]):
        row = {"id": f"r{number}", "owner": A, "session_id": f"s{number}", "team": "t", "status": "completed"}
        row |= {"message": message, "options": {}, "created_at": f"2026-01-0{number + 1}"}
        await database.write(runs.insert, row | {"answer": {"response": answer} if answer else None})

    async def found(q: str, owner: str = A) -> list[str]:
        return [row["id"] for row in await database.read(lambda c: runs.listed(c, owner, q=q))]

    assert await found("연차") == ["r0"]
    assert await found("15일") == ["r0"]
    assert await found("travel") == ["r1"]
    assert await found('100% "SURE"') == ["r2"]
    assert await found("response") == []
    assert await found("연차", B) == []


async def test_the_events_of_runs_by_their_kinds(database: Database) -> None:
    at = "2026-01-01T00:00:00Z"
    for owner, run, kinds in (
        (A, "r-2", ["cited", "routed"]),
        (A, "r-1", ["tool_finished", "cited"]),
        (B, "r-3", ["cited"]),
    ):
        events = [(number, kind, at, {"n": number}) for number, kind in enumerate(kinds, 1)]
        await database.write(runs.append_events, owner, run, events)
    told = await database.read(sessions.told, A, ["r-1", "r-2", "r-3"], "tool_finished", "cited")
    assert [(row["run_id"], row["data"]["n"]) for row in told] == [("r-1", 1), ("r-1", 2), ("r-2", 1)]
    assert [row["run_id"] for row in await database.read(sessions.told, A, ["r-1", "r-2"], "routed")] == ["r-2"]
