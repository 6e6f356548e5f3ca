"""The event log: numbering, gathering, following, storing."""

import asyncio

import orjson
from hypothesis import given
from hypothesis import strategies as st

from dure.events import Notice, TextDelta, decode
from dure.runs.log import Recorder, RunLog
from dure.storage.runs import Stored
from dure.storage.sql import dumps


class Kept:
    def __init__(self) -> None:
        self.events: list[Stored] = []

    async def __call__(self, batches) -> list[str]:
        await asyncio.sleep(0)
        for _, _, events in batches:
            self.events += events
        return []


def log_of(kept: Kept | None = None) -> RunLog:
    return RunLog(Recorder(kept or Kept()), "me", "r")


async def all_of(log: RunLog, after: int = 0):
    return [e async for e in log.follow(after)]


async def test_fragments_of_one_message_become_one_event() -> None:
    log = log_of()
    for word in ("안", "녕", "하세요"):
        log.emit(TextDelta("m", word))
    log.emit(Notice("n", "x"))
    log.emit(TextDelta("m", "!"))
    await log.save()
    await log.close()
    assert [getattr(e, "text", None) for _, e in await all_of(log)] == ["안녕하세요", "x", "!"]


async def test_other_messages_and_agents_are_not_mixed() -> None:
    log = log_of()
    log.emit(TextDelta("m1", "a"))
    log.emit(TextDelta("m2", "b"))
    await log.save()
    await log.close()
    assert [e.message_id for _, e in await all_of(log)] == ["m1", "m2"]


async def test_text_is_handed_on_after_a_moment_without_more_events() -> None:
    log = log_of()
    log.emit(TextDelta("m", "a"))
    first = await anext(log.follow())
    assert first[1].text == "a"


async def test_a_late_reader_gets_the_same_as_an_early_one() -> None:
    log = log_of()
    early = asyncio.create_task(all_of(log))
    for n in range(5):
        log.emit(Notice(str(n), ""))
        await asyncio.sleep(0)
    middle = asyncio.create_task(all_of(log, 3))
    log.emit(Notice("5", ""))
    await log.save()
    await log.close()
    assert await early == await all_of(log)
    assert await middle == (await early)[3:]
    assert [n for n, _ in await early] == [1, 2, 3, 4, 5, 6]


async def test_what_is_stored_is_what_was_followed() -> None:
    kept = Kept()
    log = log_of(kept)
    for n in range(3):
        log.emit(TextDelta(f"m{n}", "x"))
    await log.save()
    log.emit(Notice("last", ""))
    rest = await log.finish()
    log.tell()
    await log.close()
    stored = kept.events + rest
    assert [(seq, decode(kind, orjson.loads(dumps(data)))) for seq, kind, _, data in stored] == await all_of(log)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(min_size=1, max_size=3)), max_size=20), st.integers(0, 20))
def test_text_is_the_same_however_it_was_cut_and_whenever_it_was_read(pieces, after) -> None:
    async def check() -> None:
        log = log_of()
        for message, text in pieces:
            log.emit(TextDelta(message, text))
        await log.save()
        await log.close()
        events = [e for _, e in await all_of(log)]
        assert "".join(e.text for e in events) == "".join(text for _, text in pieces)
        assert await all_of(log, after) == list(enumerate(events, start=1))[after:]

    asyncio.run(check())


async def test_readers_are_told_nothing_that_could_still_be_lost() -> None:
    """A process that dies takes along what it has not stored; whoever goes on with the run numbers its events anew."""
    held, kept = asyncio.Event(), Kept()

    async def store(batches) -> list[str]:
        await held.wait()
        return await kept(batches)

    log = RunLog(Recorder(store), "me", "r")
    log.emit(Notice("n", ""))
    first = asyncio.create_task(anext(log.follow()))
    await asyncio.sleep(0.1)
    assert not first.done()
    held.set()
    assert (await first)[0] == 1
    log.emit(Notice("lost", ""))
    await log.close()
    assert [number for number, _ in await all_of(log)] == [1]
