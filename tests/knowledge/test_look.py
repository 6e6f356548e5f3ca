"""A folder is followed: each test looks as often as it says, so that none waits."""

import os
import shutil

import pytest

from dure.errors import Forbidden, NotFound
from dure.knowledge.watch import Watch

ME = "me"


class Folder:
    def __init__(self, knowledge, tmp_path):
        self.knowledge, self.data, self.path = knowledge, tmp_path / "data", tmp_path / "folder"
        self.path.mkdir()
        self.told: list[tuple[str, str | None]] = []
        self.again()

    def again(self, shelf="personal"):
        """Another process looks."""
        self.watch = Watch(self.knowledge, self.data, self.path, ME, shelf)

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    async def look(self, times=2):
        for _ in range(times):
            await self.watch.look(lambda name, error: self.told.append((name, error and error.code)))

    async def there(self):
        return {each.name: await self.knowledge.text(ME, each.id) for each in await self.knowledge.list(ME)}


@pytest.fixture
def folder(knowledge, tmp_path):
    return Folder(knowledge, tmp_path)


async def test_what_appears_changes_and_goes(folder):
    folder.write("규정.txt", "연차는 15일이다.")
    folder.write("인사/규정.txt", "병가는 60일이다.")
    folder.write(".git/config", "x")
    folder.write("~$규정.docx", "x")
    await folder.look()
    assert await folder.there() == {"규정.txt": "연차는 15일이다.", "인사 - 규정.txt": "병가는 60일이다."}
    folder.write("규정.txt", "연차는 스무 날이다.")
    (folder.path / "인사" / "규정.txt").unlink()
    await folder.look()
    assert await folder.there() == {"규정.txt": "연차는 스무 날이다."}
    await folder.look(3)
    told = ["규정.txt", "인사 - 규정.txt", "- 인사 - 규정.txt"]
    assert sorted(folder.told) == sorted([(name, None) for name in told] + [("규정.txt", None)]), "each once"


async def test_a_file_is_not_read_while_it_is_written(folder):
    folder.write("a.txt", "연차는")
    await folder.look(1)
    folder.write("a.txt", "연차는 15일")
    await folder.look(1)
    assert await folder.there() == {}
    await folder.look(1)
    assert await folder.there() == {"a.txt": "연차는 15일"}


async def test_what_went_while_nobody_looked(folder):
    for name in ("a.txt", "b.txt"):
        folder.write(name, f"{name}의 글이다.")
    await folder.look()
    (folder.path / "a.txt").unlink()
    folder.again()
    await folder.look()
    assert list(await folder.there()) == ["b.txt"]


async def test_a_disk_that_is_not_there_takes_nothing_along(folder):
    folder.write("a.txt", "연차는 15일이다.")
    await folder.look()
    aside = folder.path.with_name("aside")
    folder.path.rename(aside)
    await folder.look()
    folder.path.mkdir()
    await folder.look()
    assert list(await folder.there()) == ["a.txt"]
    folder.path.rmdir()
    aside.rename(folder.path)
    await folder.look()
    assert folder.told == [("a.txt", None)]


async def test_only_what_came_from_the_folder_goes(folder):
    other = await folder.knowledge.add(ME, "other.txt", "다른 글이다.".encode())
    folder.write("a.txt", "하나다.")
    folder.write("b.txt", "둘이다.")
    await folder.look()
    (a,) = [each for each in await folder.knowledge.list(ME) if each.name == "a.txt"]
    await folder.knowledge.delete(ME, a.id)
    mine = await folder.knowledge.add(ME, "a.txt", "내가 올린 글이다.".encode())
    (folder.path / "a.txt").unlink()
    await folder.look()
    assert {each.id for each in await folder.knowledge.list(ME)} >= {other.id, mine.id}


async def test_what_cannot_be_taken_is_told_once_and_goes(folder):
    folder.write("a.txt", "하나다.")
    (folder.path / "b.exe").write_bytes(b"MZ\x90\x00\x03" * 40)
    await folder.look(4)
    assert sorted(folder.told) == [("a.txt", None), ("b.exe", "unsupported_file")]
    (folder.path / "a.txt").write_bytes(b"")
    await folder.look()
    assert [each.status for each in await folder.knowledge.list(ME)] == ["ready", "failed"]
    (folder.path / "a.txt").unlink()
    await folder.look()
    assert await folder.knowledge.list(ME) == [], "what was read before goes with it"


async def test_links_and_what_is_no_file_stay_out(folder, tmp_path):
    (tmp_path / "secret.txt").write_text("비밀이다.", "utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "c.txt").write_text("비밀이다.", "utf-8")
    folder.write("a.txt", "하나다.")
    (folder.path / "b.txt").symlink_to(tmp_path / "secret.txt")
    (folder.path / "linked").symlink_to(tmp_path / "outside")
    os.mkfifo(folder.path / "pipe.txt")
    await folder.look(3)
    assert list(await folder.there()) == ["a.txt"]


async def test_a_name_that_is_no_text(folder):
    (folder.path / os.fsdecode(b"\xff.txt")).write_bytes("글이다.".encode())
    await folder.look()
    folder.again()
    await folder.look()
    assert [(name.encode(), error) for name, error in folder.told] == [(b"?.txt", None)]


async def test_what_was_noted_may_be_broken(folder):
    folder.write("a.txt", "하나다.")
    await folder.look()
    (kept,) = (folder.data / "watched").iterdir()
    kept.write_bytes(b"{")
    folder.again()
    await folder.look()
    assert list(await folder.there()) == ["a.txt"]


async def test_on_a_shelf(folder):
    folder.write("a.txt", "하나다.")
    folder.again("rules")
    with pytest.raises(NotFound):
        await folder.look()
    await folder.knowledge.shelves.put("rules", ME)
    folder.again("rules")
    with pytest.raises(Forbidden):
        await folder.look()
    await folder.knowledge.shelves.put("rules", ME, "editor")
    folder.again("rules")
    await folder.look()
    assert [(each.name, each.shelf) for each in await folder.knowledge.list(ME)] == [("a.txt", "rules")]
    shutil.rmtree(folder.path)
    await folder.look()
    assert list(await folder.there()) == ["a.txt"]
