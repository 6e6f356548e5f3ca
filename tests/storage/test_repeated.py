"""What the models of a run are asked, stored once."""

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from dure.events import ModelCalled, Notice
from dure.runs.log import Recorder, RunLog
from dure.storage import Database
from dure.storage import runs as run_rows
from dure.storage.repeated import brief, whole
from dure.storage.schema import run_events
from dure.storage.sql import dumps

MESSAGES = st.lists(st.sampled_from([{"role": "user", "content": each} for each in "abc"]), max_size=8)


@given(MESSAGES, MESSAGES)
def test_nothing_is_lost(first: list[Any], messages: list[Any]) -> None:
    stored = orjson.loads(dumps(brief(messages, first, 3)))
    assert whole(stored, {3: first}.__getitem__) == messages


def test_what_is_the_same_is_not_stored_again() -> None:
    talk = [{"role": "user", "content": f"{n}" * 1000} for n in range(9)]
    for head in ([{"role": "system", "content": "other"}], talk[:1]):
        stored = brief([*head, *talk[1:], {"role": "tool", "content": "found"}], talk, 3)
        assert len(dumps(stored)) < 200


async def test_a_record_is_read_whole_from_wherever_one_reads(database: Database) -> None:
    talk = [{"role": "user", "content": f"{n}" * 100} for n in range(9)]

    async def append(batches: Any) -> Any:
        return await database.write(run_rows.append_if_held, "p", batches)

    def called(*messages: Any) -> ModelCalled:
        return ModelCalled("work", "m", "native", {"messages": [*messages]}, {}, 0.0, 0, 0)

    row = {"id": "r", "owner": "me", "session_id": "s", "team": "t", "executor": "p", "status": "running"}
    await database.write(run_rows.insert, row | {"message": "", "options": {}, "created_at": "t"})
    log = RunLog(Recorder(append), "me", "r")
    log.emit(Notice("n", "x"))
    for each in (called(*talk), Notice("n", "y"), called({"role": "system", "content": "x"}, *talk[1:], talk[0])):
        log.emit(each)
    await log.save()
    await log.close()
    for after in (0, 2, 3):
        read = await database.read(run_rows.events, "me", "r", after)
        assert [seq for seq, *_ in read] == list(range(after + 1, 5))
        assert read[-1][3]["request"]["messages"] == [{"role": "system", "content": "x"}, *talk[1:], talk[0]]
    kept = await database.read(lambda connection: connection.execute(run_events.select().order_by("seq")).fetchall())
    assert len(dumps(kept[3].data)) < len(dumps(kept[1].data)) / 2
