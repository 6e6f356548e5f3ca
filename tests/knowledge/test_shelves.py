"""Shelves: who finds, opens, changes what stands on them, over every database, by words and by meaning."""

import unicodedata

import pytest

from dure.errors import Conflict, Forbidden, InvalidInput, NotFound
from dure.packs.tables.tables import Tables
from dure.sources import Citation
from dure.storage import shelves
from dure.storage.files import Folder
from dure.tooling import ToolContext

RULES = "출장비는 하루 오만원까지 쓸 수 있다.".encode()
KIM, LEE = "kim", "lee"


async def on_shelf(knowledge, owner=KIM, shelf="rules", name="규정.txt", data=RULES):
    document = await knowledge.add(owner, name, data, shelf)
    (document,) = await knowledge.wait(owner, [document.id], embedded=True)
    assert document.status == "ready"
    return document


async def sees(knowledge, owner, document):
    """Whether an owner meets the document, asked in every way; all have to say the same."""

    async def opens(work):
        try:
            return bool(await work)
        except NotFound:
            return False

    citation = Citation(document.id, "규정", None, 0, 5, "출장비는 ")
    ways = {
        "list": document.id in [d.id for d in await knowledge.list(owner)],
        "found": any(p.document_id == document.id for p in (await knowledge.search(owner, ["출장비 하루"])).passages),
        "meant": any(p.document_id == document.id for p in (await knowledge.search(owner, ["business trip"])).passages),
        "get": await opens(knowledge.get(owner, document.id)),
        "text": await opens(knowledge.text(owner, document.id)),
        "slice": await opens(knowledge.slice(owner, document.id, 0, 5)),
        "passages": await opens(knowledge.passages(owner, document.id)),
        "original": await opens(knowledge.original(owner, document.id)),
        "citation": await knowledge.check(owner, citation),
        "wait": bool(await knowledge.wait(owner, [document.id])),
    }
    if knowledge.embedder is None:
        del ways["meant"]
    assert len(set(ways.values())) == 1, ways
    return ways["get"]


@pytest.mark.parametrize("meaning", [False, True])
async def test_members_meet_what_others_do_not(open_knowledge, embedder, meaning):
    knowledge = await open_knowledge(embedder if meaning else None)
    await knowledge.shelves.put("rules", KIM, "editor")
    document = await on_shelf(knowledge)
    assert document.shelf == "rules"
    assert await sees(knowledge, KIM, document)
    assert not await sees(knowledge, LEE, document)
    await knowledge.shelves.put("rules", LEE)
    assert await sees(knowledge, LEE, document)
    await knowledge.shelves.remove("rules", LEE)
    # Its vectors are in memory still, its frequent words counted.
    assert not await sees(knowledge, LEE, document)
    assert await sees(knowledge, KIM, document)


async def test_a_shelf_of_everybody(knowledge):
    await knowledge.shelves.put("rules", KIM, "editor")
    await knowledge.shelves.put("rules", "*")
    document = await on_shelf(knowledge)
    assert await sees(knowledge, "someone", document)
    await knowledge.shelves.remove("rules", "*")
    assert not await sees(knowledge, "someone", document)


async def test_own_documents_stay_ones_own(knowledge):
    await knowledge.shelves.put("rules", KIM, "editor")
    await knowledge.shelves.put("rules", LEE, "editor")
    mine = await on_shelf(knowledge, shelf="personal")
    assert (mine.shelf, await sees(knowledge, KIM, mine), await sees(knowledge, LEE, mine)) == ("personal", True, False)
    # The same name on a shelf is another document; a newer one replaces that alone.
    first = await on_shelf(knowledge)
    second = await on_shelf(knowledge, LEE, data=RULES + b"!")
    assert [d.id for d in await knowledge.list(KIM)] == [mine.id, second.id]
    assert len({mine.id, first.id, second.id}) == 3


async def test_a_reader_changes_nothing(knowledge):
    await knowledge.shelves.put("rules", KIM, "editor")
    await knowledge.shelves.put("rules", LEE)
    document = await on_shelf(knowledge)
    for work in (
        knowledge.delete(LEE, document.id),
        knowledge.reindex(LEE, [document.id]),
        knowledge.add(LEE, "규정.txt", b"other", "rules"),
    ):
        with pytest.raises(Forbidden):
            await work
    assert await knowledge.reindex(LEE) == []
    assert (await knowledge.get(LEE, document.id)).sha256 == document.sha256
    # What one could do once does not count.
    await knowledge.shelves.put("rules", KIM, "reader")
    with pytest.raises(Forbidden):
        await knowledge.delete(KIM, document.id)
    await knowledge.shelves.put("rules", LEE, "editor")
    await knowledge.delete(LEE, document.id)
    assert not await sees(knowledge, KIM, document)


async def test_who_is_no_member_cannot_tell_whether_there_is_a_shelf(knowledge):
    await knowledge.shelves.put("rules", KIM, "editor")
    document = await on_shelf(knowledge)
    said = []
    for shelf in ("rules", "nothing"):
        with pytest.raises(NotFound) as error:
            await knowledge.add(LEE, "규정.txt", RULES, shelf)
        said.append(str(error.value).replace(shelf, "X"))
    assert said[0] == said[1]
    for work in (knowledge.delete(LEE, document.id), knowledge.reindex(LEE, [document.id])):
        with pytest.raises(NotFound):
            await work


@pytest.mark.parametrize("name", ["", "personal", "a/b", "../x", "x" * 51, " x", "x\n", "*", "%", "a\u202eb"])
async def test_names_that_no_shelf_has(knowledge, name):
    with pytest.raises(InvalidInput):
        await knowledge.shelves.put(name, KIM)


@pytest.mark.parametrize(("member", "role"), [("", "reader"), ("a/b", "reader"), ("papers/", "reader"), (KIM, "admin")])
async def test_members_that_nobody_is(knowledge, member, role):
    with pytest.raises(InvalidInput):
        await knowledge.shelves.put("rules", member, role)


async def test_a_name_is_one_however_it_is_composed(knowledge):
    apart = unicodedata.normalize("NFD", "인사 규정")
    await knowledge.shelves.put(apart, KIM, "editor")
    await on_shelf(knowledge, shelf=apart)
    assert [(each["name"], each["documents"]) for each in await knowledge.shelves.list(KIM)] == [("인사 규정", 1)]
    await knowledge.shelves.delete(apart)
    assert await knowledge.list(KIM) == []


async def test_a_shelf_is_deleted_with_what_stands_on_it(knowledge):
    await knowledge.shelves.put("rules", KIM, "editor")
    await knowledge.shelves.put("other", KIM, "editor")
    gone, left = await on_shelf(knowledge), await on_shelf(knowledge, shelf="other")
    file = await knowledge.original(KIM, gone.id)
    with pytest.raises(Conflict):
        await knowledge.shelves.remove("rules", KIM)
    assert await sees(knowledge, KIM, gone), "the last member stays"
    await knowledge.shelves.delete("rules")
    assert not file.exists()
    for again in (knowledge.shelves.delete("rules"), knowledge.shelves.remove("rules", KIM)):
        with pytest.raises(NotFound):
            await again
    # Made anew, it is empty.
    await knowledge.shelves.put("rules", KIM)
    assert [d.id for d in await knowledge.list(KIM)] == [left.id]
    assert await knowledge.shelves.list(LEE) == [
        {"name": "other", "documents": 1, "members": {KIM: "editor"}, "role": None},
        {"name": "rules", "documents": 0, "members": {KIM: "reader"}, "role": None},
    ]


async def test_what_was_lost_since(database, knowledge):
    async def lost(owner, since="2000"):
        return await database.read(shelves.lost, owner, since)

    await knowledge.shelves.put("rules", KIM, "editor")
    await knowledge.shelves.put("rules", LEE)
    assert not await lost(LEE)
    await knowledge.shelves.remove("rules", LEE)
    assert await lost(LEE)
    assert not await lost(LEE, "9999")
    assert not await lost(KIM)
    await knowledge.shelves.put("rules", "*")
    assert not await lost(LEE), "it can be read again"
    await knowledge.shelves.delete("rules")
    assert await lost("anybody")


async def test_tables_on_a_shelf(knowledge, tmp_path):
    await knowledge.shelves.put("rules", KIM, "editor")
    await knowledge.shelves.put("rules", LEE)
    await on_shelf(knowledge, name="값.csv", data=b"item,price\npen,98765\n")
    tables = Tables(knowledge, Folder(tmp_path / "notes"))
    asked = ToolContext(LEE, language="en")
    try:
        found, _ = await tables.select(asked, 'SELECT price FROM "값"', tables.limits)
        assert found.rows == [[98765]]
        await knowledge.shelves.remove("rules", LEE)
        assert await tables.select(asked, 'SELECT price FROM "값"', tables.limits) == (None, [])
    finally:
        await tables.close()
