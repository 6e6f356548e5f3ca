"""A folder that is followed."""

import asyncio
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace

import pytest

from dure import Dure
from dure.api.app import create_app
from dure.errors import NotFound
from dure.knowledge import watch
from dure.knowledge.watch import Watch


@pytest.fixture(autouse=True)
def quick(monkeypatch) -> None:
    monkeypatch.setattr(watch, "_PAUSE", 0.02)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules" / "old").mkdir(parents=True)
    return tmp_path / "rules"


@asynccontextmanager
async def followed(knowledge, folder, owner="a", shelf="personal"):
    """What is told while a folder is followed."""
    told: asyncio.Queue = asyncio.Queue()
    work = Watch(knowledge, folder.parent / "data", folder, owner, shelf)
    task = asyncio.create_task(work.follow(lambda name, error: told.put_nowait((name, error and error.code))))
    yield lambda: asyncio.wait_for(told.get(), 60)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def names(knowledge, owner="a"):
    return sorted(each.name for each in await knowledge.list(owner))


async def test_what_appears_changes_and_goes_does_so_among_the_documents(knowledge, folder):
    (folder / "leave.txt").write_text("연차휴가는 15일이다.")
    async with followed(knowledge, folder) as told:
        assert await told() == ("leave.txt", None)
        (folder / "old" / "pay.txt").write_text("급여일은 25일이다.")
        assert await told() == ("old - pay.txt", None)
        (folder / "leave.txt").write_text("연차휴가는 20일이다. 병가는 따로 둔다.")
        assert await told() == ("leave.txt", None)
        assert await names(knowledge) == ["leave.txt", "old - pay.txt"]
        [found] = (await knowledge.search("a", ["연차휴가"], 1)).passages
        assert "20일" in found.text
        (folder / "old" / "pay.txt").unlink()
        assert await told() == ("- old - pay.txt", None)
    assert await names(knowledge) == ["leave.txt"]
    assert await names(knowledge, "b") == []


async def test_what_went_while_nobody_looked_is_noticed_later(knowledge, folder):
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"{name}의 글이다.")
    async with followed(knowledge, folder) as told:
        assert {(await told())[0], (await told())[0]} == {"a.txt", "b.txt"}
    (folder / "a.txt").unlink()
    async with followed(knowledge, folder) as told:
        assert await told() == ("- a.txt", None)
    assert await names(knowledge) == ["b.txt"]


async def test_of_a_folder_that_is_gone_or_empty_nothing_goes(knowledge, folder):
    (folder / "a.txt").write_text("글이다.")
    async with followed(knowledge, folder) as told:
        await told()
        folder.rename(folder.with_name("elsewhere"))
        await asyncio.sleep(0.2)
        folder.mkdir()
        await asyncio.sleep(0.2)
        (folder / "b.txt").write_text("다른 글이다.")
        # There is a folder again: what is not in it has gone.
        assert {(await told())[0], (await told())[0]} == {"b.txt", "- a.txt"}
    assert await names(knowledge) == ["b.txt"]


async def test_hidden_files_and_links_are_left_alone_and_what_cannot_be_read_is_told(knowledge, folder, tmp_path):
    (tmp_path / "secret.txt").write_text("밖의 글이다.")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / ".hidden.txt").write_text("숨은 글이다.")
    (folder / "film.mp4").write_bytes(b"\x00\x00\x00\x18ftypmp42" + bytes(range(256)))
    async with followed(knowledge, folder) as told:
        assert await told() == ("film.mp4", "unsupported_file")
    assert await names(knowledge) == []


async def test_a_shelf_that_is_not_there_ends_it(knowledge, folder):
    (folder / "a.txt").write_text("글이다.")
    with pytest.raises(NotFound):
        await Watch(knowledge, folder.parent / "data", folder, "a", "company").follow(lambda name, error: None)


async def test_a_server_follows_the_folders_of_its_settings(folder):
    (folder / "a.txt").write_text("연차휴가는 15일이다.")
    given = {"embeddings": False, "model_base_url": "http://127.0.0.1:9/v1", "model_name": "x"}
    dure = Dure(data_dir=folder.parent / "data", watch=[f"kim={folder}"], **given)
    app = create_app(dure)
    async with app.router.lifespan_context(app):
        async with asyncio.timeout(60):
            while not [each for each in await dure.knowledge.list("kim") if each.status == "ready"]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert await names(dure.knowledge, "default") == []


async def test_what_takes_long_to_read_does_not_hold_up_the_next_look(knowledge, folder, monkeypatch):
    """Only looking counts: of a document that takes a minute the next change would be seen after twenty."""
    wait, clock = knowledge.wait, [0.0]

    async def slowly(*given):
        clock[0] += 60
        return await wait(*given)

    monkeypatch.setattr(knowledge, "wait", slowly)
    monkeypatch.setattr("dure.knowledge.watch.time", SimpleNamespace(monotonic=lambda: clock[0]))
    (folder / "a.txt").write_text("글이다.")
    work = Watch(knowledge, folder.parent / "data", folder, "a")
    usual = work.pause
    for _ in range(2):
        await work.look(lambda name, error: None)
    assert await names(knowledge) == ["a.txt"]
    assert clock[0] == 60
    assert work.pause == usual
