"""Questions that are asked at times, on both stores; the clock is the test's."""

import asyncio
import hashlib
import hmac
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from dure import Agent, Dure, Team, tool
from dure.egress import Guard
from dure.errors import Conflict, InvalidInput, ModelError, NotFound, UnknownModel, UnknownTeam
from dure.runs.delivery import TRIES
from dure.testing import ScriptedServer, call, fail, say

ME = "default"
DAILY = {"cron": "0 9 * * *", "zone": "Asia/Seoul", "message": "오늘 할 일은?", "team": "assistant"}
START = datetime(2031, 5, 4, 12, tzinfo=UTC)


class Clock:
    now = START

    def __call__(self) -> datetime:
        return self.now

    def on(self, **time: int) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def at(opened, database_url: str):
    """`dure, clock = await at(server)`: nothing is asked but by the test's own look, at the test's own time."""

    async def made(server: ScriptedServer | None = None, clock: Clock | None = None, **settings: Any) -> Any:
        dure: Dure = await opened(server, **{"database_url": database_url, "take_over": False} | settings)
        dure.schedules.delivery.clock = clock = clock or Clock()
        return dure, clock

    return made


async def runs_of(dure: Dure, id: str, owner: str = ME) -> list[dict[str, Any]]:
    return (await dure.schedules.get(owner, id))["runs"]


async def ended(dure: Dure, run_id: str, owner: str = ME) -> Any:
    answer = await dure.runs.answer(owner, run_id)
    await dure.runs.settle()
    return answer


async def test_a_schedule_asks_in_its_session_when_its_time_comes(at) -> None:
    async with ScriptedServer(say("첫째"), say("둘째")) as server:
        dure, clock = await at(server)
        made = await dure.schedules.add(ME, **DAILY)
        assert (made["next_at"], made["runs"], made["name"]) == ("2031-05-05T00:00:00.000000Z", [], "오늘 할 일은?")
        await dure.schedules.fire()
        assert await runs_of(dure, made["id"]) == []
        for day, said in ((5, "첫째"), (6, "둘째")):
            clock.now = datetime(2031, 5, day, tzinfo=UTC)
            await dure.schedules.fire()
            await dure.schedules.fire()
            run = (await runs_of(dure, made["id"]))[0]
            assert (await ended(dure, run["run_id"])).response == said
            assert (run["due_at"], run["reason"], run["delivery"]) == (f"2031-05-0{day}T00:00:00.000000Z", None, None)
        shown = await dure.schedules.get(ME, made["id"])
        assert [each["status"] for each in shown["runs"]] == ["completed", "completed"]
        assert shown["next_at"] == "2031-05-07T00:00:00.000000Z"
        written = await dure.runs.sessions.messages(ME, shown["session_id"])
        assert [each["content"] for each in written] == ["오늘 할 일은?", "첫째", "오늘 할 일은?", "둘째"]


async def test_of_several_servers_one_asks(at, tmp_path) -> None:
    async with ScriptedServer(*[say("답")] * 5) as server:
        here, clock = await at(server)
        there, _ = await at(server, clock, data_dir=tmp_path / "there")
        ids = [(await here.schedules.add(ME, **DAILY))["id"] for _ in range(5)]
        clock.on(days=1)
        await asyncio.gather(*(each.schedules.fire() for each in (here, there, here, there)))
        for id in ids:
            (run,) = await runs_of(here, id)
            assert run["run_id"]
        await here.runs.settle()
        await there.runs.settle()
        assert len(await here.runs.list(ME)) == 5


async def test_what_was_missed_is_asked_once_and_says_so(at) -> None:
    async with ScriptedServer(say("답")) as server:
        dure, clock = await at(server)
        made = await dure.schedules.add(ME, **DAILY)
        clock.on(days=4)
        await dure.schedules.fire()
        await dure.schedules.fire()
        (run,) = await runs_of(dure, made["id"])
        assert "2031-05-05T00:00Z" in run["reason"]["en"]
        assert "2031-05-05T00:00Z" in run["reason"]["ko"]
        assert (await dure.schedules.get(ME, made["id"]))["next_at"] == "2031-05-09T00:00:00.000000Z"
        await ended(dure, run["run_id"])


async def test_a_clock_that_jumps_asks_for_no_time_twice_and_goes_on(at) -> None:
    """Two hours on and back, and two hours back and on, while a time is near."""
    async with ScriptedServer(*[say("답")] * 3) as server:
        dure, clock = await at(server)
        made = await dure.schedules.add(ME, **DAILY | {"cron": "0 * * * *"})

        async def look(**time: int) -> None:
            clock.on(**time)
            await dure.schedules.fire()
            for run in await runs_of(dure, made["id"]):
                await ended(dure, run["run_id"])

        await look(minutes=30)
        await look(hours=2)
        await look(hours=-2)
        due = ["2031-05-04T13:00:00.000000Z"]
        assert [run["due_at"] for run in await runs_of(dure, made["id"])] == due
        for _ in range(3):
            await look(hours=1)
        due.insert(0, "2031-05-04T15:00:00.000000Z")
        assert [run["due_at"] for run in await runs_of(dure, made["id"])] == due
        await look(hours=-2)
        await look(hours=2)
        await look(hours=1)
        due.insert(0, "2031-05-04T16:00:00.000000Z")
        assert [run["due_at"] for run in await runs_of(dure, made["id"])] == due


async def test_while_the_last_run_goes_on_or_waits_the_next_is_left_out(at) -> None:
    sent: list[str] = []

    @tool(effect="external")
    def send(to: str) -> str:
        "Send a mail."
        sent.append(to)
        return "sent"

    team = Team(name="mail", kind="solo", description="x", agents=[Agent(name="m", description="x", tools=["send"])])
    gate = asyncio.Event()
    async with ScriptedServer(call("send", to="kim").after(gate), say("보냈습니다")) as server:
        dure, clock = await at(server, tools=[send], teams=[team])
        made = await dure.schedules.add(ME, **DAILY | {"team": "mail", "to": "file"})
        clock.on(days=1)
        await dure.schedules.fire()
        await server.arrived(1)
        clock.on(days=1)
        await dure.schedules.fire()
        skipped, first = await runs_of(dure, made["id"])
        assert (skipped["status"], skipped["run_id"]) == ("skipped", None)
        assert first["run_id"] in skipped["reason"]["en"]
        assert "still goes on" in skipped["reason"]["en"]
        gate.set()
        (asked,) = (await dure.runs.answer(ME, first["run_id"])).approvals
        assert sent == [], "what has effects waits for a person here too"
        assert [each["id"] for each in await dure.runs.approvals(ME)] == [asked["id"]]
        clock.on(days=1)
        await dure.schedules.fire()
        assert "결정을 기다립니다" in (await runs_of(dure, made["id"]))[0]["reason"]["ko"]
        with pytest.raises(Conflict):
            await dure.schedules.run(ME, made["id"])
        await dure.runs.decide(ME, first["run_id"], [{"approval_id": asked["id"], "action": "approve"}])
        assert (await ended(dure, first["run_id"])).response == "보냈습니다"
        assert sent == ["kim"]


async def test_an_answer_becomes_a_file_of_its_day(at) -> None:
    async with ScriptedServer(say("요약입니다"), say("둘째 요약")) as server:
        dure, clock = await at(server)
        made = await dure.schedules.add(ME, **DAILY | {"to": "file", "name": "아침 요약"})
        clock.now = datetime(2031, 5, 5, tzinfo=UTC)
        await dure.schedules.fire()
        run = (await runs_of(dure, made["id"]))[0]
        await ended(dure, run["run_id"])
        await dure.schedules.delivery.look()
        (run,) = await runs_of(dure, made["id"])
        assert (run["delivery"]["status"], run["delivery"]["attempts"]) == ("done", 1)
        row, path = await dure.runs.artifact(ME, run["run_id"], run["delivery"]["artifact_id"])
        assert (row["name"], path.read_text("utf-8")) == ("아침 요약 2031-05-05 09.00.md", "요약입니다")
        session = (await dure.runs.brief(ME, run["run_id"]))["session_id"]
        assert (await dure.runs.sessions.get(ME, session))["folder"] == "아침 요약"
        by_hand = await dure.schedules.run(ME, made["id"])
        await ended(dure, by_hand)
        assert (await dure.runs.brief(ME, by_hand))["session_id"] != session
        assert (await runs_of(dure, made["id"]))[0]["due_at"] is None


class Hook:
    """Somebody's server: what came, and how it answers."""

    def __init__(self) -> None:
        self.came: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []

    async def __aenter__(self) -> "Hook":
        app = web.Application()
        app.router.add_post("/hook", self._take)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.host = f"127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
        self.url = f"http://{self.host}/hook"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        self.came.append((dict(request.headers), await request.read()))
        status = self.statuses.pop(0) if self.statuses else 200
        return web.Response(status=status, headers={"Location": "http://127.0.0.1:9/"} if status == 302 else {})


async def test_a_webhook_is_signed_and_sent_again_until_it_arrives(at) -> None:
    async with ScriptedServer(say("답")) as server, Hook() as hook:
        dure, clock = await at(server, webhook_hosts=[hook.host])
        made = await dure.schedules.add(ME, **DAILY | {"to": "webhook", "url": hook.url})
        assert "secret" not in await dure.schedules.get(ME, made["id"])
        hook.statuses = [500, 302]
        clock.on(days=1)
        await dure.schedules.fire()
        await ended(dure, (await runs_of(dure, made["id"]))[0]["run_id"])
        for wait in (0, 1, 28, 1, 60, 3600):
            clock.on(seconds=wait)
            await dure.schedules.delivery.look()
        assert len(hook.came) == 3, "after 0, 30 and 90 seconds, and not once it arrived"
        (run,) = await runs_of(dure, made["id"])
        assert (run["delivery"]["status"], run["delivery"]["attempts"]) == ("done", 3)
        assert "302" in run["delivery"]["error"]["en"]
        assert len({headers["Dure-Delivery"] for headers, _ in hook.came}) == 1
        headers, body = hook.came[-1]
        signed = hmac.new(made["secret"].encode(), headers["Dure-Timestamp"].encode() + b"." + body, hashlib.sha256)
        assert headers["Dure-Signature"] == f"sha256={signed.hexdigest()}"
        told = json.loads(body)
        assert (told["response"], told["status"], told["run_id"]) == ("답", "completed", run["run_id"])
        assert b"secret" not in body
        assert int(headers["Dure-Timestamp"]) == int((START + timedelta(days=1, seconds=90)).timestamp())


async def test_a_webhook_that_never_arrives_is_given_up(at) -> None:
    async with ScriptedServer(say("답")) as server, Hook() as hook:
        dure, clock = await at(server, webhook_hosts=[hook.host])
        made = await dure.schedules.add(ME, **DAILY | {"to": "webhook", "url": hook.url})
        hook.statuses = [404] * 20
        clock.on(days=1)
        await dure.schedules.fire()
        await ended(dure, (await runs_of(dure, made["id"]))[0]["run_id"])
        for _ in range(TRIES + 2):
            await dure.schedules.delivery.look()
            clock.on(hours=1, minutes=10)
        (run,) = await runs_of(dure, made["id"])
        assert (len(hook.came), run["delivery"]["status"], run["status"]) == (TRIES, "failed", "completed")


async def test_of_several_servers_one_delivers(at, tmp_path) -> None:
    async with ScriptedServer(say("답")) as server, Hook() as hook:
        shared = {"webhook_hosts": [hook.host], "secret_key": "of all servers"}
        here, clock = await at(server, **shared)
        there, _ = await at(server, clock, data_dir=tmp_path / "there", **shared)
        made = await here.schedules.add(ME, **DAILY | {"to": "webhook", "url": hook.url})
        clock.on(days=1)
        await there.schedules.fire()
        await ended(there, (await runs_of(here, made["id"]))[0]["run_id"])
        await asyncio.gather(*(each.schedules.delivery.look() for each in (here, there, here, there)))
        assert len(hook.came) == 1


async def test_a_server_that_cannot_read_the_secret_sends_nothing_unsigned(at, tmp_path) -> None:
    async with ScriptedServer(say("답")) as server, Hook() as hook:
        here, clock = await at(server, webhook_hosts=[hook.host], secret_key="one")
        there, _ = await at(server, clock, webhook_hosts=[hook.host], secret_key="two", data_dir=tmp_path / "there")
        made = await here.schedules.add(ME, **DAILY | {"to": "webhook", "url": hook.url})
        clock.on(days=1)
        await there.schedules.fire()
        await ended(there, (await runs_of(here, made["id"]))[0]["run_id"])
        await there.schedules.delivery.look()
        assert hook.came == []
        assert "DURE_SECRET_KEY" in (await runs_of(there, made["id"]))[0]["delivery"]["error"]["en"]


@pytest.mark.parametrize(
    "url",
    [None, "", "ftp://example.com/x", "http://127.0.0.1/x", "http://169.254.169.254/", "http://[::1]/", "http://a b/",
     "https://kim:secret@example.com/", "http://localhost:8321/v1/chat", "http://0x7f.1/", "https://intranet/"],
)  # fmt: skip
async def test_an_address_that_answers_may_not_go_to(opened, url: str | None) -> None:
    dure = await opened(take_over=False)
    with pytest.raises(InvalidInput) as error:
        await dure.schedules.add(ME, **DAILY | {"to": "webhook", "url": url})
    assert error.value.details["key"] == "url"
    assert re.search(r"[가-힣]{2}", error.value.message("ko").partition("url: ")[2])
    assert await dure.schedules.list(ME) == []


async def test_an_address_is_checked_again_when_something_is_sent(opened) -> None:
    """Its name may lead elsewhere by then."""
    leads = ["93.184.215.14"]

    async def lookup(host: str, port: int) -> list[str]:
        return leads

    async with ScriptedServer(say("답")) as server:
        dure = await opened(server, take_over=False)
        dure.schedules.delivery.clock = clock = Clock()
        dure.schedules.delivery.guard = Guard(lookup)
        made = await dure.schedules.add(ME, **DAILY | {"to": "webhook", "url": "https://hook.example.org/x"})
        leads[:] = ["127.0.0.1"]
        clock.on(days=1)
        await dure.schedules.fire()
        await ended(dure, (await runs_of(dure, made["id"]))[0]["run_id"])
        await dure.schedules.delivery.look()
        (run,) = await runs_of(dure, made["id"])
        assert "hook.example.org" in run["delivery"]["error"]["en"]


async def test_what_cannot_be_used_is_refused_and_not_stored(opened) -> None:
    dure = await opened(take_over=False)
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"cron": "nine"}, InvalidInput, "cron"),
        ({"cron": ""}, InvalidInput, "cron"),
        ({"zone": "Mars/Base"}, InvalidInput, "zone"),
        ({"message": ""}, InvalidInput, "message"),
        ({"to": "mail"}, InvalidInput, "to"),
        ({"level": "odd"}, InvalidInput, "level"),
        ({"name": "x" * 300}, InvalidInput, "name"),
        ({"session_id": "a/b"}, InvalidInput, ""),
        ({"to": "file", "session_id": "s-1"}, InvalidInput, "session_id"),
        ({"url": "https://example.com/"}, InvalidInput, "url"),
        ({"secret": "x" * 20}, InvalidInput, "secret"),
        ({"to": "webhook", "secret": "short"}, InvalidInput, "secret"),
        ({"team": "nobody"}, UnknownTeam, ""),
        ({"model": "none"}, UnknownModel, ""),
    ]
    for change, kind, key in wrong:
        with pytest.raises(kind) as error:
            await dure.schedules.add(ME, **DAILY | change)
        assert error.value.details.get("key", "") == key, change
    assert await dure.schedules.list(ME) == []


async def test_a_schedule_is_changed_paused_resumed_and_removed(at) -> None:
    dure, clock = await at()
    made = await dure.schedules.add(ME, **DAILY)
    paused = await dure.schedules.change(ME, made["id"], paused=True)
    assert (paused["next_at"], paused["message"]) == (None, DAILY["message"])
    clock.on(days=3)
    await dure.schedules.fire()
    assert await runs_of(dure, made["id"]) == []
    changed = await dure.schedules.change(ME, made["id"], message="새 질문", cron="0 10 * * *")
    assert (changed["next_at"], changed["message"]) == (None, "새 질문"), "it stays paused"
    resumed = await dure.schedules.change(ME, made["id"], paused=False)
    assert resumed["next_at"] == "2031-05-08T01:00:00.000000Z"
    for owner in ("other", ""):
        for work in (dure.schedules.get, dure.schedules.change, dure.schedules.run, dure.schedules.remove):
            with pytest.raises(NotFound):
                await work(owner, made["id"])
        assert await dure.schedules.list(owner) == []
    await dure.schedules.remove(ME, made["id"])
    assert await dure.schedules.list(ME) == []


async def test_an_owner_without_a_key_asks_nothing_any_more(at, tmp_path) -> None:
    async with ScriptedServer(say("답")) as server:
        dure, clock = await at(server, api_keys=["kim:1", "lee:reader:2"])
        ids = [(await dure.schedules.add(owner, **DAILY))["id"] for owner in ("kim", "lee", "gone")]
        clock.on(days=1)
        await dure.schedules.fire()
        (run,) = await runs_of(dure, ids[0], "kim")
        await ended(dure, run["run_id"], "kim")
        for owner, id in zip(("lee", "gone"), ids[1:], strict=True):
            shown = await dure.schedules.get(owner, id)
            assert (shown["runs"], shown["next_at"], owner in shown["reason"]["en"]) == ([], None, True)


async def test_a_session_stays_behind_where_answers_go_elsewhere(at) -> None:
    async with ScriptedServer(say("답"), say("답")) as server:
        dure, _ = await at(server)
        made = await dure.schedules.add(ME, **DAILY)
        changed = await dure.schedules.change(ME, made["id"], to="file")
        assert (made["session_id"] is None, changed["session_id"]) == (False, None)
        went = [await dure.schedules.run(ME, made["id"])]
        await ended(dure, went[0])
        went.append(await dure.schedules.run(ME, made["id"]))
        await ended(dure, went[1])
        sessions = {(await dure.runs.brief(ME, each))["session_id"] for each in went}
        assert len(sessions - {made["session_id"]}) == 2


async def test_an_answer_that_was_on_its_way_arrives_where_answers_go_by_now(at) -> None:
    async with ScriptedServer(say("답")) as server, Hook() as hook:
        dure, clock = await at(server, webhook_hosts=[hook.host])
        made = await dure.schedules.add(ME, **DAILY | {"to": "webhook", "url": hook.url})
        hook.statuses = [500]
        await ended(dure, await dure.schedules.run(ME, made["id"]))
        await dure.schedules.delivery.look()
        changed = await dure.schedules.change(ME, made["id"], to="session")
        clock.on(minutes=1)
        await dure.schedules.delivery.look()
        (run,) = await runs_of(dure, made["id"])
        assert (changed["url"], len(hook.came), run["delivery"]["status"]) == (None, 1, "done")


async def test_a_run_without_an_answer_makes_no_file_and_is_given_up_at_once(at) -> None:
    async with ScriptedServer(fail(400, "no")) as server:
        dure, _ = await at(server)
        made = await dure.schedules.add(ME, **DAILY | {"to": "file"})
        run_id = await dure.schedules.run(ME, made["id"])
        with pytest.raises(ModelError):
            await ended(dure, run_id)
        await dure.runs.settle()
        await dure.schedules.delivery.look()
        (run,) = await runs_of(dure, made["id"])
        assert (run["delivery"]["status"], run["delivery"]["attempts"]) == ("failed", 1)
        assert run["delivery"]["error"]["ko"] == "실행에 답이 없습니다"


async def test_a_team_that_is_gone_is_told(at, tmp_path) -> None:
    team = Team(name="old", kind="solo", description="x", agents=[Agent(name="a", description="x")])
    here, clock = await at(teams=[team])
    there, _ = await at(clock=clock, data_dir=tmp_path / "there")
    made = await here.schedules.add(ME, **DAILY | {"team": "old"})
    clock.on(days=1)
    await there.schedules.fire()
    (run,) = await runs_of(there, made["id"])
    assert (run["status"], "old" in run["reason"]["ko"]) == ("skipped", True)
    assert (await there.schedules.get(ME, made["id"]))["next_at"] == "2031-05-06T00:00:00.000000Z"
    assert (await there.schedules.change(ME, made["id"], paused=True))["next_at"] is None


async def test_who_has_no_room_asks_later(at) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("Person").after(gate), say("답")) as server:
        dure, clock = await at(server, max_runs=1, max_owner_runs=1)
        made = await dure.schedules.add(ME, **DAILY)
        busy = asyncio.create_task(dure.chat("안녕", team="assistant"))
        await server.arrived(1)
        clock.on(days=1)
        await dure.schedules.fire()
        assert await runs_of(dure, made["id"]) == []
        gate.set()
        await busy
        await dure.runs.settle()
        await dure.schedules.fire()
        (run,) = await runs_of(dure, made["id"])
        assert (await ended(dure, run["run_id"])).response == "답"


async def test_a_budget_that_is_used_up_leaves_out_and_says_so(opened) -> None:
    dure = await opened(take_over=False, budgets={"*": {"tokens": 0}})
    dure.schedules.delivery.clock = clock = Clock()
    made = await dure.schedules.add(ME, **DAILY)
    clock.on(days=1)
    await dure.schedules.fire()
    await dure.schedules.fire()
    (run,) = await runs_of(dure, made["id"])
    assert (run["status"], "tokens" in run["reason"]["en"]) == ("skipped", True)


async def test_people_come_before_schedules(postgres_url: str, opened) -> None:
    from dure.runs import Ask
    from dure.storage.sql import sa

    dure = await opened(database_url=postgres_url, work="none", take_over=False)
    made = await dure.schedules.add(ME, **DAILY)
    await dure.schedules.run(ME, made["id"])
    await dure.runs.start(ME, Ask("안녕", None, "assistant"))

    def priorities(connection: Any) -> list[int]:
        return list(connection.scalars(sa.text("SELECT priority FROM procrastinate_jobs ORDER BY id")))

    assert await dure.database.read(priorities) == [0, 10]


async def test_a_server_that_is_open_looks_at_its_clock_by_itself(opened) -> None:
    async with ScriptedServer(say("답")) as server:
        dure = await opened(server)
        made = await dure.schedules.add(ME, **DAILY | {"to": "file"})
        dure.schedules.delivery.clock = lambda: datetime.now(UTC) + timedelta(days=1)
        run: dict[str, Any] = {}
        for _ in range(400):
            run = next(iter(await runs_of(dure, made["id"])), {})
            if run and run["delivery"]["status"] == "done":
                break
            await asyncio.sleep(0.05)
        assert run["status"] == "completed"
        assert run["delivery"]["artifact_id"]
