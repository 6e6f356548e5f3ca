"""Documents, passages, full text and vectors: what every database must do alike."""

import asyncio
import uuid

import pytest
import sqlalchemy as sa

from dure.storage import documents, ingest
from dure.storage.database import Database
from dure.storage.documents import NewPassage
from dure.storage.fulltext import index_of
from dure.storage.terms import terms

A, B = "owner-a", "owner-b"


async def queued(database, owner, id, name="a.txt", file="{}.txt"):
    columns = {"title": name, "kind": "text", "sha256": id, "size": 1, "file": file.format(id), "status": "queued"}
    return await database.write(documents.add, owner, id=id, name=name, **columns)


async def stored(database, owner, id, texts, name="a.txt", file="{}.txt"):
    await queued(database, owner, id, name, file)
    return await store(database, owner, id, texts)


async def worker(database):
    """A worker that lives."""
    return uuid.uuid4().hex if database.is_sqlite else await database.write(ingest.register)


async def store(database, owner, id, texts, **more):
    new, at = [], 0
    for text in texts:
        new.append(NewPassage(1, at, at + len(text), text))
        at += len(text) + 1
    arguments = {"title": "제목", "text": "\n".join(texts), "pages": [(1, 0), (7, 3)], "new": new, **more}
    return await database.write(documents.store, owner, id, **arguments)


async def matching(database, owner, *groups):
    """Texts of the passages found, best first."""
    found = await database.read(lambda c: index_of(c).match(c, owner, groups, 10))
    assert all(score > 0 for _, score in found)
    rows = {row["id"]: row for row in await database.read(documents.passages_by_id, [owner], [id for id, _ in found])}
    assert len(rows) == len(found), "a match that belongs to no passage of this owner"
    return [rows[id]["text"] for id, _ in found]


async def count(database, owner, *wanted):
    return await database.read(lambda c: index_of(c).frequencies(c, owner, wanted))


async def ids(database, owner, id):
    return [row["id"] for row in await database.read(documents.passages_of, owner, id)]


async def test_a_document_on_its_way(database):
    row = await queued(database, A, "1")
    assert (row["status"], row["chars"], row["passages"], row["embedded"]) == ("queued", 0, 0, 0)
    me = await worker(database)
    taken = await database.write(documents.take_unread, me)
    assert (taken["id"], taken["status"]) == ("1", "indexing")
    assert await store(database, A, "1", ["연차휴가는 15일이다.", "병가는 60일이다."], worker=me) == []
    row = await database.read(documents.get, A, "1")
    assert (row["status"], row["title"], row["pages"], row["passages"]) == ("ready", "제목", 7, 2)
    text = await database.read(documents.slice_of, A, "1")
    assert row["chars"] == len(text)
    for passage in await database.read(documents.passages_of, A, "1"):
        assert text[passage["start"] : passage["end"]] == passage["text"]
        assert await database.read(documents.slice_of, A, "1", passage["start"], passage["end"]) == passage["text"]
    assert await database.write(documents.take_unread, me) is None


async def test_what_has_ended_stays_ended(database):
    await stored(database, A, "1", ["하나다."])
    assert await database.write(documents.take_unread, await worker(database)) is None
    assert not await database.write(documents.fail, A, "1", {})
    assert await store(database, A, "1", ["둘이다."]) is None
    assert await store(database, A, "none", ["셋이다."]) is None
    assert await database.read(documents.slice_of, A, "1") == "하나다."
    await queued(database, A, "2", "b.txt")
    assert await database.write(documents.fail, A, "2", {"code": "x"})
    assert (await database.read(documents.get, A, "2"))["error"] == {"code": "x"}
    assert await store(database, A, "2", ["둘이다."]) is None
    assert await database.write(documents.requeue, A, "2")
    assert await store(database, A, "2", ["둘이다."]) == []


async def test_a_newer_document_of_the_name_replaces_the_older(database):
    await stored(database, A, "1", ["옛 규정이다."])
    await queued(database, A, "2")
    assert (await database.read(documents.newest, A, "a.txt"))["id"] == "2"
    assert await matching(database, A, ["규정"]) == ["옛 규정이다."]
    await stored(database, B, "3", ["남의 규정이다."])
    assert await store(database, A, "2", ["새 규정이다."]) == ["1.txt"]
    assert await matching(database, A, ["규정"]) == ["새 규정이다."]
    assert [row["id"] for row in await database.read(documents.listing, [A])] == ["2"]
    assert await matching(database, B, ["규정"]) == ["남의 규정이다."]


async def test_an_older_document_that_is_ready_later_does_not_come_back(database):
    await queued(database, A, "1")
    await stored(database, A, "2", ["새 규정이다."])
    await queued(database, A, "3", "b.txt")
    await queued(database, A, "4", "b.txt")
    assert await database.write(documents.fail, A, "3", {"code": "x"})
    assert await store(database, A, "4", ["새 세칙이다."]) == ["3.txt"]
    assert await store(database, A, "1", ["옛 규정이다."]) is None
    assert [row["id"] for row in await database.read(documents.listing, [A])] == ["2", "4"]


async def test_a_document_is_handed_to_one_worker(database, database_url):
    """Of one name one after the other, and to another worker only when the first has let go."""
    for id, name in (("1", "a"), ("2", "a"), ("3", "b")):
        await queued(database, A, id, name)
    other = await Database.open(database_url)
    workers = [await worker(database) for _ in range(8)]

    async def take(name, via=database):
        row = await via.write(documents.take_unread, name, (), workers)
        return row and row["id"]

    taken = await asyncio.gather(*(take(each, [database, other][i % 2]) for i, each in enumerate(workers)))
    assert sorted(c for c in taken if c) == ["1", "3"]
    first, second = (workers[taken.index(id)] for id in ("1", "3"))
    third = next(each for each in workers if each not in (first, second))
    assert await take(third) is None
    await database.write(documents.release, first)
    assert await store(database, A, "1", ["이미 다른 이의 것."], worker=first) is None
    assert not await database.write(documents.fail, A, "1", {}, first)
    assert await take(third, other) == "1"
    assert await store(database, A, "1", ["하나."], worker=third) == []
    assert await take(third) == "2"
    await other.close()


async def test_what_a_worker_holds_it_may_take_again(database):
    """Where what it wanted to store of it could not be stored; unless it is at it."""
    me = await worker(database)
    await queued(database, A, "1", "a")
    await queued(database, B, "2", "b")
    for busy, id in (((), "1"), ((), "1"), ((A,), "2"), ((B,), "1")):
        assert (await database.write(documents.take_unread, me, busy))["id"] == id
    assert await database.write(documents.take_unread, me, (A, B)) is None


async def test_what_is_done_or_deleted_meanwhile_is_nothing_to_do(database):
    me = await worker(database)
    for id in "123":
        await queued(database, A, id, id)
    assert (await database.write(documents.take_unread, me))["id"] == "1"
    await database.write(documents.delete, A, "1")
    await database.write(documents.delete, A, "2")
    assert await store(database, A, "1", ["하나"], worker=me) is None
    assert await store(database, A, "3", ["셋"]) == []
    assert await database.write(documents.take_unread, me) is None
    if not database.is_sqlite:
        assert await database.read(lambda c: c.scalars(sa.text("SELECT id FROM procrastinate_jobs")).all()) == []


async def test_passages_to_embed_are_handed_to_one_worker(database, database_url):
    await stored(database, A, "1", ["하나", "둘", "셋"], "a")
    other = await Database.open(database_url)
    me, they, who = [await worker(database) for _ in range(3)]
    mine = await database.write(documents.take_unembedded, me, "m", 2, [they])
    assert [row["text"] for row in mine] == ["하나", "둘"]
    await stored(database, A, "2", ["넷"], "b")
    theirs = await other.write(documents.take_unembedded, they, "m", 2, [me])
    assert [row["text"] for row in theirs] == ["넷"]
    rows = [(row["id"], b"ab") for row in mine]
    assert sum(await asyncio.gather(*(d.write(documents.put_vectors, "m", rows) for d in (database, other)))) == 2
    assert (await database.read(documents.get, A, "1"))["embedded"] == 2
    assert await other.write(documents.take_unembedded, they, "m", 2, [me]) == theirs
    await other.write(documents.put_vectors, "m", [(theirs[0]["id"], b"ab")])
    assert await other.write(documents.take_unembedded, they, "m", 2, [me]) == []
    await database.write(documents.release, me)
    assert [row["text"] for row in await other.write(documents.take_unembedded, who, "m", 2, [they])] == ["셋"]
    await other.close()


async def test_deleting_leaves_nothing(database):
    await stored(database, A, "1", ["연차휴가", "병가"])
    await database.write(documents.put_vectors, "m", [(id, b"ab") for id in await ids(database, A, "1")])
    assert await database.write(documents.delete, A, "1") == "1.txt"
    assert await database.write(documents.delete, A, "1") is None
    assert await matching(database, A, ["연차"], ["병가"]) == []
    assert await count(database, A, "연차", "병가") == {"연차": 0, "병가": 0}

    def rows(connection):
        return [connection.execute(sa.text(f"SELECT count(*) FROM {t}")).scalar() for t in tables]

    tables = ("documents", "document_texts", "passages", "vectors")
    assert await database.read(rows) == [0, 0, 0, 0]


async def test_ids_are_not_used_twice(database):
    await stored(database, A, "1", ["하나"])
    [first] = await ids(database, A, "1")
    await database.write(documents.delete, A, "1")
    await stored(database, A, "2", ["둘"])
    assert (await ids(database, A, "2"))[0] > first


async def test_matches_are_ranked_and_counted(database):
    await stored(
        database,
        A,
        "1",
        ["연차휴가 연차수당 연차", "연차휴가와 병가를 함께 적은 긴 글이 여기에 있다", "출장비", "식대", "상여"],
    )
    assert (await matching(database, A, ["연차"]))[0] == "연차휴가 연차수당 연차"
    assert len(await matching(database, A, ["연차"], ["출장"])) == 3
    assert await matching(database, A, ["연차", "병가"]) == ["연차휴가와 병가를 함께 적은 긴 글이 여기에 있다"]
    assert await matching(database, A) == []
    assert await matching(database, A, ["없다는"]) == []
    assert await count(database, A, "연차", "출장", "없다") == {"연차": 2, "출장": 1, "없다": 0}


async def test_large_counts_are_near(database, monkeypatch):
    monkeypatch.setattr("dure.storage.fulltext.COUNTED", 20)
    await stored(
        database, A, "1", [f"회사 {'휴가' if i % 3 else '병가'} {'출장' if i % 10 == 0 else ''}" for i in range(300)]
    )
    found = await count(database, A, "회사", "휴가", "병가", "출장")
    assert found["회사"] == 300
    assert found["휴가"] == pytest.approx(200, rel=0.1)
    assert found["병가"] == pytest.approx(100, rel=0.1)
    assert found["출장"] == pytest.approx(30, rel=0.1)


@pytest.mark.parametrize("text", ["AND OR NOT NEAR", "c++ c# 3.14 a_b", "١٢٣ Ünïcödé 漢字かな 𠮷野家", "ㅋㅋㅋ ½ ﬁle"])
async def test_terms_of_any_script_find_their_passage(database, text):
    await stored(database, A, "1", [text, "다른 글"])
    for term in terms(text):
        assert await matching(database, A, [term]) == [text], term
        assert await count(database, A, term) == {term: 1}


async def test_owners_do_not_meet(database):
    await stored(database, A, "1", ["연차휴가 비밀"])
    await stored(database, B, "2", ["연차휴가 공개"])
    assert await matching(database, A, ["연차"]) == ["연차휴가 비밀"]
    assert await count(database, B, "연차", "비밀") == {"연차": 1, "비밀": 0}
    assert await database.read(documents.get, B, "1") is None
    assert await database.read(documents.slice_of, B, "1") is None
    assert await database.read(documents.slice_of, B, "1", 0, 2) is None
    assert await database.read(documents.passages_of, B, "1") == []
    assert await database.read(documents.passages_by_id, [B], await ids(database, A, "1")) == []
    assert await database.read(documents.listing, [B], ["1"]) == []
    assert await database.write(documents.delete, B, "1") is None
    assert not await database.write(documents.requeue, B, "1")
    assert await database.read(documents.vectors_after, B, "m", 0) == []
    assert await database.read(documents.passage_count, B) == 1


async def test_vectors_follow_in_order(database):
    await stored(database, A, "1", ["하나", "둘", "셋"])
    first, second, third = await ids(database, A, "1")
    me = await worker(database)
    assert [row["id"] for row in await database.write(documents.take_unembedded, me, "m", 2)] == [first, second]
    assert await database.write(documents.put_vectors, "m", [(second, b"22"), (first, b"11"), (999, b"99")]) == 2
    assert await database.write(documents.put_vectors, "m", [(first, b"xx")]) == 0
    assert [row["text"] for row in await database.write(documents.take_unembedded, me, "m", 9)] == ["셋"]
    assert (await database.read(documents.get, A, "1"))["embedded"] == 2
    version, top = await database.read(documents.vector_state, A, "m")
    rows = await database.read(documents.vectors_after, A, "m", 0)
    assert [(passage, vector) for _, passage, _, vector in rows] == [(first, b"11"), (second, b"22")]
    assert rows[-1][0] == top
    await database.write(documents.put_vectors, "m", [(third, b"33")])
    assert [v for *_, v in await database.read(documents.vectors_after, A, "m", top)] == [b"33"]
    assert await database.write(documents.take_unembedded, me, "m", 9) == []
    await database.write(documents.delete, A, "1")
    assert (await database.read(documents.vector_state, A, "m"))[0] == version + 1


async def test_files_are_embedded_before_what_dure_made_and_the_newest_first(database):
    me = await worker(database)
    for number, file in enumerate(["a.txt", "b.txt", "", ""]):
        await stored(database, A, f"{number}", [f"글 {number}"], f"{number}", file)
    order = []
    while rows := await database.write(documents.take_unembedded, me, "m", 1):
        order.append(rows[0]["text"])
        await database.write(documents.put_vectors, "m", [(rows[0]["id"], b"ab")])
    assert order == ["글 1", "글 0", "글 3", "글 2"]


async def test_another_model_begins_anew(database):
    await stored(database, A, "1", ["하나", "둘"])
    await database.write(documents.put_vectors, "old", [(id, b"ab") for id in await ids(database, A, "1")])
    assert await database.write(documents.keep_model, "old") == 0
    assert await database.write(documents.keep_model, "new") == 2
    assert (await database.read(documents.get, A, "1"))["embedded"] == 0
    assert len(await database.write(documents.take_unembedded, await worker(database), "new", 9)) == 2


async def test_first_vectors_serve_until_the_others_take_their_place(database):
    await stored(database, A, "1", ["하나", "둘"])
    one, two = await ids(database, A, "1")
    assert [row["id"] for row in await database.read(documents.passages_of, A, "1")] == [one, two]
    assert await database.read(documents.passages_of, B, "1") == []
    assert await database.write(documents.put_vectors, "quick", [(one, b"ab"), (two, b"cd")], True) == 2
    await database.write(documents.keep_model, "m", "quick")
    assert (await database.read(documents.get, A, "1"))["embedded"] == 0
    me = await worker(database)
    assert [row["id"] for row in await database.write(documents.take_unembedded, me, "m", 9)] == [one, two]
    assert await database.write(documents.put_vectors, "m", [(one, b"11")]) == 1
    # Late ones take no other's place.
    assert await database.write(documents.put_vectors, "quick", [(one, b"xx"), (two, b"xx")], True) == 0
    of = {m: await database.read(documents.vectors_after, A, m, 0) for m in ("m", "quick")}
    assert {m: [(id, vector) for _, id, _, vector in rows] for m, rows in of.items()} == {
        "m": [(one, b"11")],
        "quick": [(two, b"cd")],
    }
    assert (await database.read(documents.get, A, "1"))["embedded"] == 1
    assert await database.write(documents.put_vectors, "m", [(two, b"22")]) == 1
    assert await database.read(documents.vectors_after, A, "quick", 0) == []
    assert (await database.read(documents.get, A, "1"))["embedded"] == 2


async def test_half_a_document_is_never_stored(database):
    await stored(database, A, "1", ["옛 글"])
    await queued(database, A, "2")
    broken = NewPassage(1, None, 2, "새 글")  # type: ignore[arg-type]
    with pytest.raises(sa.exc.IntegrityError):
        await database.write(documents.store, A, "2", title="t", text="새 글", pages=[(1, 0)], new=[broken])
    assert await matching(database, A, ["옛"]) == ["옛 글"]
    assert (await database.read(documents.get, A, "2"))["status"] == "queued"


async def test_vectors_know_the_language_of_their_passage(database):
    await stored(database, A, "1", ["연차휴가", "annual leave"])
    await database.write(documents.put_vectors, "m", [(id, b"ab") for id in await ids(database, A, "1")])
    assert [korean for _, _, korean, _ in await database.read(documents.vectors_after, A, "m", 0)] == [True, False]


async def test_a_match_within_some_passages_finds_no_others(database: Database) -> None:
    texts = [f"연차휴가 규정 {i}" for i in range(30)]
    await stored(database, A, "1", texts)
    all_ids = await ids(database, A, "1")
    some = all_ids[::7]
    groups = [["연차"], ["휴가"]]
    found = await database.read(lambda c: index_of(c).match(c, A, groups, 10, some))
    assert sorted(id for id, _ in found) == some
    assert await database.read(lambda c: index_of(c).match(c, A, groups, 10, [999_999])) == []
    assert await database.read(lambda c: index_of(c).match(c, B, groups, 10, some)) == []


async def test_a_document_whose_vectors_are_all_there_is_nobodys(database):
    """Else a server that opens with another embedding model waits as long as who made them lives."""
    me, they = await worker(database), await worker(database)
    await stored(database, A, "1", ["하나", "둘"])
    for left in (1, 0):
        rows = await database.write(documents.take_unembedded, me, "old", 1)
        await database.write(documents.put_vectors, "old", [(row["id"], b"ab") for row in rows])
        held = await database.read(lambda c: c.execute(sa.text("SELECT worker FROM documents")).scalar_one())
        assert held == (me if left else None)
    assert await database.write(documents.take_unembedded, me, "old", 1) == []
    await database.write(documents.keep_model, "new")
    assert len(await database.write(documents.take_unembedded, they, "new", 9, [me])) == 2


async def test_who_embeds_what_is_read_anew_takes_it_from_nobody(database):
    me, they = await worker(database), await worker(database)
    await stored(database, A, "1", ["하나"])
    (row,) = await database.write(documents.take_unembedded, me, "m", 9)
    assert await database.write(documents.requeue, A, "1")
    assert (await database.write(documents.take_unread, they, (), [me]))["id"] == "1"
    await database.write(documents.put_vectors, "m", [(row["id"], b"ab")])
    assert await database.write(documents.take_unembedded, me, "m", 9, [they]) == []
    assert await store(database, A, "1", ["하나", "둘"], worker=they) == []
    rows = await database.write(documents.take_unembedded, me, "m", 9, [they])
    assert [each["text"] for each in rows] == ["하나", "둘"]
