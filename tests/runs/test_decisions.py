"""What people decide at the same moment."""

import asyncio

from dure.runs import decisions
from dure.storage import Database
from dure.storage import approvals as approval_rows
from dure.storage import runs as run_rows

ME = "default"


def _here(*_: object) -> bool:
    return True


def waiting(connection, run_id: str) -> None:
    row = {"id": run_id, "owner": ME, "session_id": run_id, "team": "t", "status": "waiting", "message": "m"}
    run_rows.insert(connection, row | {"options": {}, "created_at": "t"})
    question = {"kind": "tool", "title": "x", "schema": {}, "actions": ["approve"]}
    asked = {"owner": ME, "run_id": run_id, "args_hash": "h", "question": question, "status": "pending"}
    until = {"created_at": "t", "expires_at": "9999"}
    approval_rows.add(connection, [asked | until | {"id": f"{run_id}{n}", "key": str(n)} for n in range(2)])


async def test_of_two_decisions_at_once_one_goes_on(database_url: str) -> None:
    first, second = await Database.open(database_url), await Database.open(database_url)

    async def decide(database: Database, approval_id: str, run_id: str) -> bool:
        decision = [{"approval_id": approval_id, "action": "approve"}]
        return await database.write(decisions.decide, ME, run_id, decision, "me", _here)

    for round in range(20):
        run_id = f"r{round}"
        await first.write(waiting, run_id)
        both = [decide(d, f"{run_id}{n}", run_id) for n, d in enumerate((first, second))]
        assert sorted(await asyncio.gather(*both)) == [False, True]
    await first.close()
    await second.close()
