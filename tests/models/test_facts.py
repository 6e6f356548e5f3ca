"""What was found out about a model, as it is stored."""

import asyncio

from dure.models import facts
from dure.storage import Database


async def test_of_many_who_keep_facts_at_once_the_last_one_counts(database: Database) -> None:
    server, model = "http://localhost/v1", "m"
    kept = [database.write(facts.keep, f"{facts.FORMS}{server}", model, {"native": n}) for n in range(32)]
    await asyncio.gather(*kept)
    await database.write(facts.keep, f"{facts.FORMS}{server}", model, {"native": 99})
    assert await database.read(facts.forms, server, model) == {"native": 99}
