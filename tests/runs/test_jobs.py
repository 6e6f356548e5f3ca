"""Runs as jobs on PostgreSQL: shared by processes, in turn, and taken over from those that die."""

import asyncio
import os
import signal

import pytest
import sqlalchemy as sa

from dure import Dure
from dure.errors import SettingsError, TooManyRequests
from dure.runs import Ask
from dure.storage import documents, jobs
from dure.testing import ScriptedServer, say

ME = "default"


def _jobs(connection: sa.Connection) -> list[tuple[str, str, int]]:
    query = sa.text("SELECT status::text, queue_name, priority FROM procrastinate_jobs ORDER BY id")
    return [tuple(row) for row in connection.execute(query)]


async def _start(dure: Dure, owner: str = ME, **more) -> str:
    return (await dure.runs.start(owner, Ask("안녕", None, "assistant", **more))).id


async def test_a_server_that_does_no_work_leaves_it_to_one_that_does(postgres_url: str, opened, tmp_path) -> None:
    async with ScriptedServer(say("일한 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        run_id = await _start(door)
        assert (await door.runs.brief(ME, run_id))["status"] == "queued"
        assert await door.database.read(_jobs) == [("todo", "runs", 10)]
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker")
        assert (await door.runs.answer(ME, run_id)).response == "일한 답"
        await door.runs.settle()


async def test_what_ends_and_what_waits_leaves_no_job(postgres_url: str, opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server, database_url=postgres_url)
        await dure.chat("안녕", team="assistant")
        # The job is done with before its worker has closed.
        await dure.runs.close()
        assert await dure.database.read(_jobs) == []


async def test_who_has_no_room_leaves_it_to_others_and_takes_it_again(postgres_url: str, opened, tmp_path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("여기").after(gate), say("저기"), say("다시 여기")) as server:
        here = await opened(server, database_url=postgres_url, max_runs=1, max_owner_runs=9)
        mine = await _start(here)
        await server.arrived(1)
        async with Dure(
            data_dir=tmp_path / "there", database_url=postgres_url, model_base_url=server.url, embeddings=False
        ):
            other = await _start(here)
            assert (await here.runs.answer(ME, other)).response == "저기"
        later = await _start(here)
        assert (await here.runs.brief(ME, later))["status"] == "queued"
        gate.set()
        assert (await here.runs.answer(ME, mine)).response == "여기"
        assert (await here.runs.answer(ME, later)).response == "다시 여기"


async def test_what_was_not_stored_takes_no_room(postgres_url: str, opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server, database_url=postgres_url, max_runs=1)

        def fail(connection: sa.Connection) -> None:
            row = {"id": "r", "owner": ME, "session_id": "s", "experiment": None, "options": {}}
            assert dure.runs._engine.place(connection, row, new=True)
            raise RuntimeError("not stored")

        with pytest.raises(RuntimeError):
            await dure.database.write(fail)
        run_id = await _start(dure)
        assert (await dure.runs.brief(ME, run_id))["status"] != "queued"
        assert (await dure.runs.answer(ME, run_id)).response == "답"


async def test_people_come_before_experiments(postgres_url: str, opened, tmp_path) -> None:
    order: list[str] = []

    def answered(body):
        order.append(body["messages"][-1]["content"])
        return say("답")

    async with ScriptedServer(respond=answered) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        batch = (await door.runs.start(ME, Ask("묶음", None, "assistant", experiment="e"))).id
        person = (await door.runs.start(ME, Ask("사람", None, "assistant"))).id
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker", max_runs=1)
        for run_id in (person, batch):
            await door.runs.answer(ME, run_id)
    assert order == ["사람", "묶음"]


async def test_the_queue_and_an_owners_share_of_it_have_limits(postgres_url: str, opened) -> None:
    async with ScriptedServer() as server:
        door = await opened(server, database_url=postgres_url, work="none", max_runs=3, max_owner_runs=2)
        for _ in range(2):
            await _start(door, "kim")
        with pytest.raises(TooManyRequests) as refused:
            await _start(door, "kim")
        assert refused.value.details["limit"] == 2
        await _start(door, "lee")
        with pytest.raises(TooManyRequests) as refused:
            await _start(door, "pak")
        assert refused.value.details["limit"] == 3
        assert await door.runs.list("pak") == []


async def test_a_queued_run_is_cancelled_and_never_begins(postgres_url: str, opened, tmp_path) -> None:
    async with ScriptedServer(say("다음 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        cancelled = await _start(door)
        assert (await door.runs.cancel(ME, cancelled))["status"] == "cancelled"
        after = await _start(door)
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker")
        assert (await door.runs.answer(ME, after)).response == "다음 답"
        assert len(server.requests) == 1


async def test_a_running_one_is_cancelled_from_elsewhere(postgres_url: str, opened, tmp_path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("늦은 답").after(gate)) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker")
        run_id = await _start(door)
        await server.arrived(1)
        assert (await door.runs.cancel(ME, run_id))["status"] == "cancelled"


async def test_a_worker_that_closes_gives_its_runs_back(postgres_url: str, opened, tmp_path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("첫 답").after(gate), say("둘째 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        async with Dure(
            data_dir=tmp_path / "first", database_url=postgres_url, model_base_url=server.url, embeddings=False
        ):
            run_id = await _start(door)
            await server.arrived(1)
        assert await door.database.read(_jobs) == [("todo", "runs", 10)]
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "second")
        assert (await door.runs.answer(ME, run_id)).response == "둘째 답"


async def test_so_does_one_of_what_it_began_at_once(postgres_url: str, opened, tmp_path) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("답").after(gate)) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        async with Dure(
            data_dir=tmp_path / "first", database_url=postgres_url, model_base_url=server.url, embeddings=False
        ) as first:
            run_id = await _start(first)
            await server.arrived(1)
            assert await door.database.read(_jobs) == [("doing", "runs", 10)]
        assert await door.database.read(_jobs) == [("todo", "runs", 10)]
        assert (await door.runs.brief(ME, run_id))["status"] == "queued"


async def test_a_job_whose_worker_is_not_heard_of_is_anybodys(postgres_url: str, opened, tmp_path) -> None:
    async with ScriptedServer(say("이어 한 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        run_id = await _start(door)

        def die_with_it(connection: sa.Connection) -> list[tuple[str, str, int]]:
            worker = connection.scalar(sa.text("SELECT worker_id FROM procrastinate_register_worker_v1()"))
            connection.execute(
                sa.text("SELECT procrastinate_fetch_job_v2(CAST(:queues AS varchar[]), :worker)"),
                {"queues": [jobs.QUEUE], "worker": worker},
            )
            old = "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour' WHERE id = :worker"
            connection.execute(sa.text(old), {"worker": worker})
            connection.execute(sa.text("UPDATE runs SET status = 'running', executor = 'gone'"))
            return _jobs(connection)

        # A server that takes no work itself gives it free too, as soon as it sees it.
        assert await door.database.write(die_with_it) == [("doing", "runs", 10)]
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker")
        assert (await door.runs.answer(ME, run_id)).response == "이어 한 답"


async def test_runs_of_a_time_before_jobs_get_theirs(postgres_url: str, opened, tmp_path) -> None:
    async with ScriptedServer(say("옛 실행의 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        run_id = await _start(door)
        await door.database.write(lambda connection: connection.execute(sa.text("DELETE FROM procrastinate_jobs")))
        await opened(server, database_url=postgres_url, data_dir=tmp_path / "worker")
        assert (await door.runs.answer(ME, run_id)).response == "옛 실행의 답"


async def test_documents_are_read_by_who_works_on_them(postgres_url: str, opened, tmp_path) -> None:
    door = await opened(database_url=postgres_url, data_dir=tmp_path, work="none")
    await opened(database_url=postgres_url, data_dir=tmp_path, work="runs")
    added = await door.knowledge.add(ME, "a.txt", "연차휴가는 15일이다.".encode())
    assert await door.database.read(_jobs) == [("todo", "ingest", -1)]

    def fail(connection: sa.Connection) -> None:
        columns = {"name": "b", "title": "b", "kind": "text", "sha256": "b", "size": 1, "file": "b", "status": "queued"}
        documents.add(connection, ME, id="b", **columns)
        raise RuntimeError("not stored")

    with pytest.raises(RuntimeError):
        await door.database.write(fail)
    assert len(await door.database.read(_jobs)) == 1
    worker = await opened(database_url=postgres_url, data_dir=tmp_path, work="ingest")
    assert [each.status for each in await door.knowledge.wait(ME, [added.id])] == ["ready"]
    await worker.knowledge.close()
    assert await door.database.read(_jobs) == []


HANGING = """
import asyncio
from dure import Dure
from dure.knowledge.parse.reader import Reader


async def read(reader, path, kind):
    print("reads", flush=True)
    await asyncio.Event().wait()


async def main():
    async with Dure(work="ingest", embeddings=False):
        await asyncio.Event().wait()


Reader.read = read
asyncio.run(main())
"""


@pytest.mark.slow
async def test_what_a_killed_worker_was_reading_another_reads(
    postgres_url: str, opened, tmp_path, warm_command
) -> None:
    door = await opened(database_url=postgres_url, data_dir=tmp_path, work="none")
    where = {"DURE_DATABASE_URL": postgres_url, "DURE_DATA_DIR": str(tmp_path)}
    child = await asyncio.create_subprocess_exec(
        *warm_command[:-1], HANGING, env={**os.environ, **where}, stdout=asyncio.subprocess.PIPE
    )
    added = await door.knowledge.add(ME, "a.txt", "연차휴가는 15일이다.".encode())
    assert child.stdout is not None
    assert await child.stdout.readline() == b"reads\n"
    await opened(database_url=postgres_url, data_dir=tmp_path, work="ingest")
    child.kill()
    await child.wait()
    assert [each.status for each in await door.knowledge.wait(ME, [added.id])] == ["ready"]


async def test_the_worker_outlives_its_connections(postgres_url: str, opened) -> None:
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    async with ScriptedServer(say("하나"), say("둘")) as server:
        dure = await opened(server, database_url=postgres_url)
        assert (await dure.chat("1", team="assistant")).response == "하나"
        await dure.database.read(lambda connection: connection.execute(sa.text(cut)).all())
        assert (await dure.chat("2", team="assistant")).response == "둘"


@pytest.mark.parametrize("settings", [{"work": "runs"}, {"engine": "jobs"}])
def test_on_sqlite_work_is_not_shared(settings, tmp_path) -> None:
    with pytest.raises(SettingsError):
        Dure(data_dir=tmp_path, **settings)


async def test_the_command_works_until_it_is_ended(postgres_url: str, opened, started, tmp_path) -> None:
    async with ScriptedServer(say("일꾼의 답")) as server:
        door = await opened(server, database_url=postgres_url, work="none")
        run_id = await _start(door)
        env = {"DURE_DATABASE_URL": postgres_url, "DURE_DATA_DIR": str(tmp_path / "worker")}
        child = await started("worker", "--queues", "runs", "--concurrency", "2", server=server, env=env)
        assert (await door.runs.answer(ME, run_id)).response == "일꾼의 답"
        child.send_signal(signal.SIGTERM)
        assert await child.wait() == 0
