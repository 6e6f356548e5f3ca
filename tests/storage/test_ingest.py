"""Jobs of documents on PostgreSQL, taken by several processes at once."""

import asyncio
import threading

from dure.storage import Database, documents, ingest
from dure.storage.documents import NewPassage


async def test_two_that_find_no_jobs_at_the_same_moment_make_them_once(postgres_url) -> None:
    database = await Database.open(postgres_url)
    for n in range(3):
        columns = {"title": "t", "kind": "text", "sha256": f"{n}", "size": 1, "file": f"{n}.txt", "status": "queued"}
        await database.write(documents.add, "a", id=f"d{n}", name=f"{n}.txt", **columns)
        reader = await database.write(ingest.register)
        await database.write(ingest.take, ingest.READ, reader)
        read = {"title": "t", "text": "글", "pages": [(1, 0)], "new": [NewPassage(1, 0, 1, "글")]}
        await database.write(documents.store, "a", f"d{n}", **read)
        await database.write(ingest.leave, reader)
    begun, go_on = threading.Event(), threading.Event()

    def slowly(connection, worker):
        taken = ingest.take(connection, ingest.EMBED, worker)
        begun.set()
        go_on.wait(30)
        return taken

    one, two = [await database.write(ingest.register) for _ in range(2)]
    first = asyncio.create_task(database.write(slowly, one))
    await asyncio.to_thread(begun.wait, 30)
    second = asyncio.create_task(database.write(ingest.take, ingest.EMBED, two))
    await asyncio.sleep(0.3)
    go_on.set()
    assert len({*await first, *await second}) == 2
    await database.close()
