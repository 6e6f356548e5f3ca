"""`dure backup` and `dure restore`, with a server at work and without one."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from dure import Dure
from dure.knowledge.watch import Watch
from dure.testing import ScriptedServer, say

Command = Callable[..., Awaitable[Any]]


def content(path: str) -> bytes:
    return Path(path).read_bytes()


async def test_what_is_backed_up_while_it_is_in_use_can_be_put_back(dure: Command, tmp_path: Path) -> None:
    data, there = tmp_path / "data", tmp_path / "kept" / "monday"
    settings: dict[str, Any] = {"data_dir": data, "embeddings": False, "tool_dialect": "native"}
    async with ScriptedServer(respond=lambda body: say("답")) as server:
        async with Dure(model_base_url=server.url, **settings) as opened:
            await opened.chat("첫째", session_id="s", team="assistant")
            document = await opened.knowledge.add("default", "a.txt", b"apples")
            made = await dure("backup", str(there))
            assert (made.code, made.out.strip()) == (0, str(there))
            await opened.chat("둘째", session_id="s", team="assistant")
            refused = await dure("restore", str(there))
            assert (refused.code, "stop it first" in refused.err) == (1, True)
        again = await dure("backup", str(there))
        assert (again.code, f"{there} is there already" in again.err) == (2, True)
        (data / "dure.db").write_bytes(b"\xff" * 8192)
        for file in (data / "files").rglob("*"):
            if file.is_file():
                file.unlink()
        restored = await dure("restore", str(there))
        assert (restored.code, content(restored.out.strip())) == (0, b"\xff" * 8192)
        async with Dure(model_base_url=server.url, **settings) as opened:
            said = [m["content"] for m in await opened.runs.sessions.messages("default", "s")]
            (found,) = await opened.knowledge.wait("default", [document.id], embedded=False)
    assert said == ["첫째", "답"]
    assert found.status == "ready", "its file is there again"


async def test_without_a_database_there_is_nothing_to_copy(dure: Command, tmp_path: Path) -> None:
    none = tmp_path / "elsewhere"
    refused = await dure("backup", str(tmp_path / "kept"), DURE_DATA_DIR=str(none))
    assert (refused.code, f"no database at {none / 'dure.db'}" in refused.err) == (2, True)
    assert not (tmp_path / "kept").exists()


async def test_a_backup_that_is_damaged_replaces_nothing(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "data" / "dure.db").unlink()
    with closing(sqlite3.connect(tmp_path / "data" / "dure.db")) as made:
        made.execute("CREATE TABLE kept (x)")
    for content in (None, b"\xff" * 8192):
        if content:
            (tmp_path / "bad").mkdir()
            (tmp_path / "bad" / "dure.db").write_bytes(content)
        refused = await dure("restore", str(tmp_path / "bad"), LC_ALL="ko_KR.UTF-8")
        assert (refused.code, "온전한 두레 백업이 아닙니다" in refused.err) == (2, True)
    with closing(sqlite3.connect(tmp_path / "data" / "dure.db")) as left:
        assert left.execute("SELECT name FROM sqlite_master").fetchall() == [("kept",)]


async def test_nothing_is_backed_up_from_where_nothing_is(dure: Command, tmp_path: Path) -> None:
    (tmp_path / "data" / "dure.db").unlink()
    ended = await dure("backup", str(tmp_path / "b"))
    assert (ended.code, (tmp_path / "b").exists(), (tmp_path / "b.part").exists()) == (2, False, False)
    other = await dure("backup", str(tmp_path / "b"), DURE_DATABASE_URL="postgresql://u@h/d")
    assert (other.code, "pg_dump" in other.err) == (2, True)


async def test_what_was_taken_in_of_a_folder_since_a_backup_is_taken_in_again(dure: Command, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "a.txt").write_text("apples")

    async def looked() -> list[str]:
        async with Dure(data_dir=tmp_path / "data", embeddings=False, model_base_url="http://127.0.0.1:9/v1") as opened:
            watch = Watch(opened.knowledge, tmp_path / "data", folder, "default")
            for _ in range(2):
                await watch.look(lambda name, error: None)
            return sorted(each.name for each in await opened.knowledge.list("default"))

    assert await looked() == ["a.txt"]
    assert (await dure("backup", str(tmp_path / "kept"))).code == 0
    assert not list((tmp_path / "kept").glob("dure.db-*"))
    (folder / "b.txt").write_text("bees")
    (folder / "a.txt").unlink()
    assert await looked() == ["b.txt"]
    restored = await dure("restore", str(tmp_path / "kept"))
    assert "in its place" in restored.err
    assert await looked() == ["b.txt"]
