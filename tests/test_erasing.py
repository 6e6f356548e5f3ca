"""All that is kept of one owner, deleted, on each store: nothing of it is left, nothing of others goes."""

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from dure import Agent, Dure, tool
from dure.erasing import erase
from dure.errors import Conflict, InvalidInput, NotFound
from dure.packs.tables.noted import _file
from dure.storage import documents
from dure.storage.schema import metadata
from dure.testing import ScriptedServer, call, say

_BY_THEMSELVES = {"documents", "document_texts", "passages", "vectors", "knowledge_versions"}
"""Tables that real documents fill, whose rows belong together."""


@tool(effect="write")
def save(text: str) -> str:
    """Save."""
    return text


def _owned() -> list[sa.Table]:
    return [table for table in metadata.sorted_tables if "owner" in table.c]


def _fill(connection: sa.Connection, owner: str) -> None:
    """A row of the owner's in every table that has none yet."""
    columns = {"title": "t", "kind": "text", "sha256": "s", "size": 1, "file": f"{owner}.txt", "status": "failed"}
    row = documents.add(connection, owner, id=owner, name="a.txt", **columns)
    held: dict[str, Any] = {"documents.number": row["number"]}
    for table in metadata.sorted_tables:
        if table.name in _BY_THEMSELVES:
            continue
        given: dict[str, Any] = {}
        for column in table.c:
            above = [held.get(f"{key.column.table.name}.{key.column.name}") for key in column.foreign_keys]
            kind = column.type.python_type
            if column.name == "owner":
                given["owner"] = owner
            elif above:
                given[column.name] = above[0]
            elif column.primary_key and kind is int and column.autoincrement is True:
                continue
            elif column.primary_key or column.unique or not (column.nullable or column.server_default):
                given[column.name] = {str: f"{owner} {column.name}"[:30], dict: {}, bytes: b"x"}.get(kind, 1)
        made = connection.execute(table.insert().values(given).returning(table)).mappings().one()
        held |= {f"{table.name}.{name}": value for name, value in made.items()}


async def _counts(dure: Dure) -> Counter[tuple[str, str]]:
    def count(connection: sa.Connection) -> Counter[tuple[str, str]]:
        found: Counter[tuple[str, str]] = Counter()
        for table in _owned():
            for owner, rows in connection.execute(sa.select(table.c.owner, sa.func.count()).group_by(table.c.owner)):
                found[table.name, owner] = rows
        return found

    return await dure.database.read(count)


def _files(folder: Path) -> set[str]:
    rooms = ("files", "artifacts", "tables")
    return {str(path) for room in rooms for path in (folder / room).rglob("*") if path.is_file()}


@pytest.fixture
def two(opened: Callable[..., Awaitable[Dure]], database_url: str) -> Callable[..., Awaitable[Dure]]:
    async def make(server: ScriptedServer | None = None) -> Dure:
        return await opened(server, database_url=database_url, tools=[save])

    return make


async def test_nothing_is_left_of_one_and_nothing_of_another_goes(
    two: Callable[..., Awaitable[Dure]], tmp_path: Path
) -> None:
    owners = ("kim", "lee")
    async with ScriptedServer(call("list_tables"), say("네."), call("list_tables"), say("네.")) as server:
        dure = await two(server)
        await dure.knowledge.shelves.put("rules", "kim", "editor")
        await dure.knowledge.shelves.put("rules", "lee", "editor")
        shared = await dure.knowledge.add("kim", "rules.txt", "연차는 15일이다.".encode(), "rules")
        for owner in owners:
            added = await dure.knowledge.add(owner, f"{owner}.csv", b"a,b\n1,2\n3,4\n")
            await dure.knowledge.wait(owner, [added.id, shared.id])
            await dure.chat("표가 있어?", team="assistant", owner=owner)
            await dure.schedules.add(owner, cron="0 9 * * *", message="?", team="assistant")
            await dure.runs.retention.keep(owner, 90)
            (tmp_path / "data" / "tables").mkdir(exist_ok=True)
            (tmp_path / "data" / "tables" / _file(owner)).write_text("{}")
        before = await _counts(dure)
        assert await erase(dure, "kim") == {"sessions": 1, "schedules": 1, "documents": 1}
        after = await _counts(dure)
    left = {table for (table, owner), rows in after.items() if owner == "kim" and rows}
    assert left <= {table.name for table in _owned() if "version" in table.c}
    assert {key: rows for key, rows in after.items() if key[1] != "kim"} == {
        key: rows for key, rows in before.items() if key[1] != "kim"
    }
    assert [each.name for each in await dure.knowledge.list("lee")] == ["rules.txt", "lee.csv"]
    assert await dure.knowledge.list("kim") == []
    assert await dure.runs.list("kim") == []
    assert {Path(each).name for each in _files(tmp_path / "data")} >= {_file("lee")}
    assert _file("kim") not in {Path(each).name for each in _files(tmp_path / "data")}
    assert await erase(dure, "kim") == {"sessions": 0, "schedules": 0, "documents": 0}
    with pytest.raises(NotFound):
        await dure.knowledge.get("kim", shared.id)


async def test_every_table_with_an_owner(two: Callable[..., Awaitable[Dure]]) -> None:
    dure = await two()
    for owner in ("kim", "lee"):
        await dure.database.write(_fill, owner)
    before = await _counts(dure)
    await erase(dure, "kim")
    after = await _counts(dure)
    of_kim = {table for (table, owner), rows in before.items() if owner == "kim"}
    assert of_kim >= {table.name for table in _owned()} - _BY_THEMSELVES
    assert {table for (table, owner), rows in after.items() if owner == "kim"} == {
        "knowledge_versions",
        "library_versions",
    }
    assert {key: n for key, n in after.items() if key[1] == "lee"} == {
        key: n for key, n in before.items() if key[1] == "lee"
    }


async def test_runs_under_way_and_waiting_end(two: Callable[..., Awaitable[Dure]]) -> None:
    async with ScriptedServer(call("save", text="x")) as server:
        dure = await two(server)
        asked = await dure.ask(Agent(name="a", description="d", tools=[save]), "저장해", owner="kim")
        assert asked.status == "waiting"
        await erase(dure, "kim")
    assert await dure.runs.list("kim") == []
    assert await dure.runs.approvals("kim") == []


@pytest.mark.parametrize("owner", ["", "*", "shelf/rules", "a b"])
async def test_what_is_no_owner_is_refused(opened: Callable[..., Awaitable[Dure]], owner: str) -> None:
    dure = await opened()
    with pytest.raises(InvalidInput):
        await erase(dure, owner)


async def test_the_last_member_of_a_shelf_is_told_so_first(opened: Callable[..., Awaitable[Dure]]) -> None:
    dure = await opened()
    await dure.knowledge.shelves.put("rules", "kim", "editor")
    await dure.knowledge.add("kim", "a.txt", b"text")
    with pytest.raises(Conflict):
        await erase(dure, "kim")
    assert len(await dure.knowledge.list("kim")) == 1


async def test_over_http(serve: Callable[..., Awaitable[httpx.AsyncClient]]) -> None:
    client = await serve(api_keys=["kim:k", "boss:admin:b"])
    kim, boss = ({"Authorization": f"Bearer {key}"} for key in "kb")
    await client.post("/v1/documents", files={"file": ("a.txt", b"text")}, headers=kim)
    assert (await client.delete("/v1/owners/kim", headers=kim)).status_code == 403
    gone = await client.delete("/v1/owners/kim", headers=boss)
    assert gone.json() == {"erased": {"sessions": 0, "schedules": 0, "documents": 1}}
    assert (await client.get("/v1/documents", headers=kim)).json()["documents"] == []
