"""The knowledge base: adding, replacing, deleting, resuming."""

import asyncio
import os
import time
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa

from dure.child import Child, ChildLost
from dure.errors import InvalidInput, NotFound, TooLarge, UnsupportedFile
from dure.knowledge.base import Knowledge
from dure.knowledge.cite import cite
from dure.knowledge.parse.reader import Reader
from dure.knowledge.vectors import STRANGERS
from dure.messages import ToolCall
from dure.sources import Citation
from dure.storage import Database, ingest, jobs
from dure.storage import documents as rows
from dure.storage.changes import Bell
from dure.storage.files import Folder
from dure.storage.process import ThisProcess
from dure.storage.terms import terms
from dure.tooling import ToolContext
from dure.toolsets import run_call
from dure.toolsets.knowledge import knowledge_tool


async def added(knowledge, name, data, owner="a"):
    document = await knowledge.add(owner, name, data if isinstance(data, bytes) else data.encode())
    [document] = await knowledge.wait(owner, [document.id])
    return document


async def test_a_document_from_upload_to_search(knowledge, files):
    document = await knowledge.add(
        "a", "규정.pdf", files.pdf([["제1조 연차휴가는 15일이다."], ["제2조 병가는 60일이다."]])
    )
    assert (document.status, document.name, document.title, document.kind) == ("queued", "규정.pdf", "규정", "pdf")
    [document] = await knowledge.wait("a", [document.id])
    assert (document.status, document.pages, document.passages, document.error) == ("ready", 2, 2, None)
    text = await knowledge.text("a", document.id)
    assert document.chars == len(text)
    passages = await knowledge.passages("a", document.id)
    assert [(p.page, p.text) for p in passages] == [(1, "제1조 연차휴가는 15일이다."), (2, "제2조 병가는 60일이다.")]
    assert all(text[p.start : p.end] == p.text for p in passages)
    [found] = (await knowledge.search("a", ["병가는 며칠?"], k=1)).passages
    assert found.page == 2
    assert (await knowledge.original("a", document.id)).read_bytes().startswith(b"%PDF")


async def test_a_document_of_many_pages(knowledge, files):
    document = await added(knowledge, "a.pdf", files.pdf([[f"{i}쪽에는 {i}번째 글이 있다."] for i in range(1, 41)]))
    assert document.pages == 40
    [found] = (await knowledge.search("a", ["37번째 글"], k=1)).passages
    assert found.page == 37


async def test_every_citation_can_be_checked(knowledge):
    document = await added(knowledge, "a.txt", "연차휴가는 15일이다. 병가는 60일이다.")
    passages = (await knowledge.search("a", ["병가"])).passages
    _, [citation], _ = cite("병가는 60일입니다 [1].", passages)
    assert await knowledge.check("a", citation)
    assert not await knowledge.check("b", citation)
    moved = Citation(document.id, "a", None, citation.start + 1, citation.end + 1, citation.quote)
    assert not await knowledge.check("a", moved)
    assert not await knowledge.check("a", Citation("none", "a", None, 0, 2, "연차"))


async def test_the_same_again_changes_nothing(knowledge):
    first = await added(knowledge, "a.txt", "하나다.")
    again = await knowledge.add("a", "a.txt", "하나다.".encode())
    assert again == first
    other = await added(knowledge, "b.txt", "하나다.")
    assert other.id != first.id


async def test_new_content_replaces_the_old_once_it_is_ready(knowledge, tmp_path):
    old = await added(knowledge, "a.txt", "옛날 규정이다.")
    new = await added(knowledge, "a.txt", "새로운 규정이다.")
    assert new.id != old.id
    assert [d.id for d in await knowledge.list("a")] == [new.id]
    assert [p.text for p in (await knowledge.search("a", ["규정"])).passages] == ["새로운 규정이다."]
    assert len(list((tmp_path / "files").iterdir())) == 1


async def test_a_broken_replacement_leaves_the_old(knowledge):
    old = await added(knowledge, "a.pdf.txt", "옛날 규정이다.")
    broken = await added(knowledge, "a.pdf.txt", b"%PDF-1.7 broken")
    assert broken.status == "failed"
    assert (await knowledge.get("a", old.id)).status == "ready"
    assert (await knowledge.search("a", ["규정"])).passages


async def test_deleting(knowledge, tmp_path):
    document = await added(knowledge, "a.txt", "연차휴가는 15일이다.")
    await knowledge.delete("a", document.id)
    assert await knowledge.list("a") == []
    assert (await knowledge.search("a", ["연차휴가"])).passages == []
    assert list((tmp_path / "files").glob("*")) == []
    for method in (knowledge.get, knowledge.delete, knowledge.passages, knowledge.text, knowledge.original):
        with pytest.raises(NotFound):
            await method("a", document.id)
    assert await knowledge.wait("a", [document.id]) == []


async def test_owners_do_not_see_each_other(knowledge):
    mine = await added(knowledge, "a.txt", "연차휴가는 15일이다.", owner="a")
    theirs = await added(knowledge, "a.txt", "연차휴가는 20일이다.", owner="b")
    assert [d.id for d in await knowledge.list("a")] == [mine.id]
    assert [p.text for p in (await knowledge.search("b", ["연차휴가"])).passages] == ["연차휴가는 20일이다."]
    for method in (knowledge.get, knowledge.delete, knowledge.passages, knowledge.text, knowledge.original):
        with pytest.raises(NotFound):
            await method("a", theirs.id)
    assert await knowledge.wait("a", [theirs.id]) == []


async def test_bad_files_fail_with_a_reason_and_harm_nothing_else(knowledge, files):
    good = await knowledge.add("a", "good.txt", "좋은 글이다.".encode())
    bad = {
        "empty.txt": (b"", "비어"),
        "blank.csv": (b" \n", "비어"),
        "locked.pdf": (files.pdf([["글"]], encrypted=True), "암호"),
        "broken.pdf": (files.pdf([["글"]])[:200], "손상"),
        "blank.pdf": (files.pdf([[], []]), "글자가 없습니다"),
        "named.docx": (b"plain text", "손상"),
        "junk.hwp": (bytes(range(1, 200)), "손상"),
        "bomb.docx": (files.bomb("word/document.xml"), "너무 큽니다"),
        "entities.xlsx": (
            files.zip({"xl/workbook.xml": b'<!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>'}),
            "DTD",
        ),
    }
    ids = [(await knowledge.add("a", name, data)).id for name, (data, _) in bad.items()]
    last = await knowledge.add("a", "last.txt", "마지막 글이다.".encode())
    documents = await knowledge.wait("a", [good.id, *ids, last.id])
    assert [d.status for d in documents] == ["ready", *["failed"] * len(bad), "ready"]
    for document, (_, reason) in zip(documents[1:-1], bad.values(), strict=True):
        assert document.error["code"] == "document_unreadable"
        assert reason in document.error["ko"], document.name
        shown = document.as_dict("en")["error"]
        assert shown["message"].startswith("The document cannot be read")
        assert await knowledge.text("a", document.id) == ""
    assert [d.kind for d in documents[1:-1]] == ["text", "csv", "pdf", "pdf", "pdf", "docx", "hwp", "docx", "xlsx"]
    assert {p.text for p in (await knowledge.search("a", ["글이다"])).passages} == {"좋은 글이다.", "마지막 글이다."}


async def test_a_wrong_extension_is_seen_through(knowledge, files):
    document = await added(knowledge, "really-a.txt", files.pdf([["속은 PDF다."]]))
    assert (document.kind, document.status, document.pages) == ("pdf", "ready", 1)


async def test_what_cannot_be_read_is_not_stored(knowledge, tmp_path):
    with pytest.raises(UnsupportedFile):
        await knowledge.add("a", "그림.bin", b"\x7fELF" + bytes(range(32)) * 9)
    with pytest.raises(UnsupportedFile):
        await knowledge.add("a", "a.gif", b"GIF89a" + bytes(40))
    assert await knowledge.list("a") == []
    assert list((tmp_path / "files").glob("*")) == []


async def test_too_large(open_knowledge):
    knowledge = await open_knowledge(max_bytes=10)
    with pytest.raises(TooLarge):
        await knowledge.add("a", "a.txt", b"x" * 11)
    assert (await knowledge.add("a", "a.txt", b"x" * 10)).size == 10


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\규정.txt", "규정.txt"),
        ("a\x00b\n.txt", "ab.txt"),
        ("\ud800a.txt", "a.txt"),
    ],
)
async def test_names_are_only_names(knowledge, tmp_path, name, kept):
    document = await added(knowledge, name, "글이다.")
    assert document.name == kept
    assert [p.parent for p in (tmp_path / "files").iterdir()] == [tmp_path / "files"]


@pytest.mark.parametrize("name", ["", "/", "..", "\x00", "가" * 300])
async def test_unusable_names(knowledge, name):
    with pytest.raises(InvalidInput):
        await knowledge.add("a", name, b"x")


async def test_nul_bytes_in_text(knowledge):
    document = await added(knowledge, "a.txt", "연차\x00휴가는 15일이다.")
    assert await knowledge.text("a", document.id) == "연차휴가는 15일이다."


async def test_progress_is_told_and_rises(open_knowledge, embedder):
    knowledge = await open_knowledge(embedder)
    document = await knowledge.add("a", "a.md", ("# 절\n\n" + "연차휴가는 열다섯 날이다. " * 30 + "\n\n").encode() * 24)
    seen = []
    await knowledge.wait("a", [document.id], embedded=True, progress=lambda found: seen.append(found[0]))
    assert seen[-1].embedded == seen[-1].passages > 8
    assert all(a.embedded <= b.embedded for a, b in pairwise(seen))


async def test_embedding_does_not_hold_up_search_or_loop(open_knowledge, embedder, monkeypatch):
    """Text is searchable while its embedding is under way."""
    gate = asyncio.Event()
    embed = embedder.passages

    async def slow(texts):
        await gate.wait()
        return await embed(texts)

    monkeypatch.setattr(embedder, "passages", slow)
    knowledge = await open_knowledge(embedder)
    document = await added(knowledge, "a.txt", "연차휴가는 15일이다.")
    assert (document.status, document.embedded) == ("ready", 0)
    assert (await knowledge.search("a", ["연차휴가"])).passages
    gate.set()
    [document] = await knowledge.wait("a", [document.id], embedded=True)
    assert document.embedded == 1


async def test_a_quicker_models_vectors_serve_until_the_others_are_there(
    open_knowledge, database, make_embedder, monkeypatch
):
    embedder = make_embedder("slow", make_embedder("quick"))
    gate = asyncio.Event()
    embed = embedder.passages

    async def slow(texts):
        if list(texts) != list(STRANGERS):
            await gate.wait()
        return await embed(texts)

    monkeypatch.setattr(embedder, "passages", slow)
    knowledge = await open_knowledge(embedder)
    document = await added(knowledge, "a.txt", "연차휴가는 15일이다.")
    while not await database.read(rows.vectors_after, "a", "quick", 0):
        await knowledge._indexer.changed()
    before = (await knowledge.search("a", ["연차휴가"])).arms
    assert before["dense"] is True
    assert before["queries"][0]["dense"][0] > 1
    assert (await knowledge.get("a", document.id)).embedded == 0
    gate.set()
    [document] = await knowledge.wait("a", [document.id], embedded=True)
    assert document.embedded == 1
    assert await database.read(rows.vectors_after, "a", "quick", 0) == []
    assert (await knowledge.search("a", ["연차휴가"])).arms["queries"][0]["dense"][0] > 1


async def test_says_which_documents_are_not_found_by_meaning_yet(open_knowledge, embedder):
    knowledge = await open_knowledge(embedder)
    tools = {"search_knowledge_base": knowledge_tool(knowledge)}

    async def search(query):
        call = ToolCall("search_knowledge_base", {"queries": [query]})
        return await run_call(tools, call, ToolContext("me"))

    passages, embedding = embedder.passages, asyncio.Event()

    async def slowly(texts):
        await embedding.wait()
        return await passages(texts)

    embedder.passages = slowly
    document = await knowledge.add("me", "휴가.md", "연차 휴가는 15일을 준다.".encode())
    await knowledge.wait("me", [document.id])
    assert (await search("연차 휴가")).data["unembedded"] == 1
    assert "뜻으로 찾을 준비" in (await search("xyzzy")).text
    embedding.set()
    await knowledge.wait("me", [document.id], embedded=True)
    assert "unembedded" not in (await search("연차 휴가")).data
    assert await knowledge.unembedded("other") == 0


async def test_a_quicker_model_that_fails_holds_nothing_up(open_knowledge, make_embedder, monkeypatch, caplog):
    quick = make_embedder("quick")

    async def fail(texts):
        raise ConnectionError("no embedder")

    monkeypatch.setattr(quick, "passages", fail)
    knowledge = await open_knowledge(make_embedder("slow", quick))
    document = await added(knowledge, "a.txt", "연차휴가는 15일이다.")
    [document] = await knowledge.wait("a", [document.id], embedded=True)
    assert (document.status, document.embedded) == ("ready", 1)
    assert "no embedder" in caplog.text


async def test_what_was_queued_is_resumed(open_knowledge):
    stopped = await open_knowledge(start=False)
    document = await stopped.add("a", "a.txt", "연차휴가는 15일이다.".encode())
    knowledge = await open_knowledge()
    [document] = await knowledge.wait("a", [document.id])
    assert document.status == "ready"


async def test_embedding_is_resumed_where_it_stopped(open_knowledge, make_embedder, monkeypatch):
    first = make_embedder()
    knowledge = await open_knowledge(first)
    data = ("# 절\n\n" + "연차휴가는 열다섯 날이다. " * 30 + "\n\n").encode() * 12
    document = await knowledge.add("a", "a.md", data)
    while not first.embedded:
        await knowledge._indexer.changed()
    await knowledge.close()
    before = (await knowledge.get("a", document.id)).embedded
    second = make_embedder()
    again = await open_knowledge(second)
    [document] = await again.wait("a", [document.id], embedded=True)
    assert document.embedded == document.passages
    # What was being stored when it was closed may be stored yet.
    assert len(second.embedded) in {document.passages - before, document.passages - len(first.embedded)}


async def test_another_embedding_model_embeds_anew(open_knowledge, make_embedder):
    knowledge = await open_knowledge(make_embedder("old"))
    document = await knowledge.add("a", "a.txt", "연차휴가는 15일이다.".encode())
    await knowledge.wait("a", [document.id], embedded=True)
    await knowledge.close()
    new = make_embedder("new")
    knowledge = await open_knowledge(new)
    while not new.embedded:
        await knowledge._indexer.changed()
    await knowledge.wait("a", [document.id], embedded=True)
    assert (await knowledge.search("a", ["연차휴가"])).arms["dense"] is True


async def test_a_failed_document_can_be_tried_again(open_knowledge, tmp_path):
    stopped = await open_knowledge(start=False)
    (tmp_path / "files").mkdir()
    data = "연차휴가는 15일이다.".encode()
    document = await stopped.add("a", "a.txt", data)
    (await stopped.original("a", document.id)).unlink()
    knowledge = await open_knowledge()
    [failed] = await knowledge.wait("a", [document.id])
    assert "원본" in failed.error["ko"]
    again = await knowledge.add("a", "a.txt", data)
    [again] = await knowledge.wait("a", [again.id])
    assert (again.id, again.status, again.error) == (document.id, "ready", None)
    assert again.created_at > failed.created_at


async def test_a_document_that_fails_again_counts_as_added_again(knowledge):
    """One that was read keeps its time."""
    first, read = await knowledge.add("a", "빈.txt", b""), await added(knowledge, "a.txt", "글이다.")
    again = await knowledge.add("a", "빈.txt", b"")
    assert (again.id, again.status, again.error) == (first.id, "failed", first.error)
    assert again.created_at > read.created_at > first.created_at
    assert (await knowledge.add("a", "a.txt", "글이다.".encode())).created_at == read.created_at


async def test_orphaned_files_are_swept(open_knowledge, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, age in (("old.txt", 7200), ("new.txt", 0)):
        (folder / name).write_text("x")
        os.utime(folder / name, (time.time() - age,) * 2)
    await open_knowledge()
    assert [path.name for path in folder.iterdir()] == ["new.txt"]


async def test_a_crash_of_the_reader_fails_one_document(knowledge, monkeypatch):
    """A document on which the child dies is `failed`; those after it are read."""
    await added(knowledge, "warm.txt", "글이다.")
    ask = Child.ask

    async def dying(child, request):
        if "죽음" in await asyncio.to_thread(Path(request["path"]).read_text):
            raise ChildLost
        return await ask(child, request)

    monkeypatch.setattr(Child, "ask", dying)
    ids = [(await knowledge.add("a", f"{i}.txt", text.encode())).id for i, text in enumerate(["하나", "죽음", "셋"])]
    documents = await knowledge.wait("a", ids)
    assert [d.status for d in documents] == ["ready", "failed", "ready"]
    assert "중단" in documents[1].error["ko"]


async def test_two_processes_index_each_document_once(
    open_knowledge, database_url, make_embedder, tmp_path, monkeypatch
):
    """On one database: both see all, and what one left when it died the other takes up."""
    other_database = await Database.open(database_url)
    first, second = make_embedder(), make_embedder()
    knowledge = await open_knowledge(first)
    other = Knowledge(other_database, Folder(tmp_path / "files"), second, max_bytes=1000)
    await other.start()
    read = []
    its = Reader.read

    async def counted(reader, path, kind):
        read.append(path.name)
        return await its(reader, path, kind)

    monkeypatch.setattr(Reader, "read", counted)
    texts = [f"{n}번째 글이다. " * 3 for n in range(12)]
    ids = []
    for n, text in enumerate(texts):
        ids.append((await [knowledge, other][n % 2].add("a", f"{n}.txt", text.encode())).id)
    for each in (knowledge, other):
        documents = await each.wait("a", ids, embedded=True)
        assert {d.status for d in documents} == {"ready"}
    assert len(read) == len(set(read)) == 12
    assert sorted(first.embedded + second.embedded) == sorted({p.strip() for p in texts})
    assert (await other.search("a", ["7번째"])).passages[0].text == texts[7].strip()
    await other.delete("a", ids[7])
    assert all("7번째" not in p.text for p in (await knowledge.search("a", ["7번째"])).passages)
    await other.close()
    await other_database.close()


@pytest.mark.parametrize("late", [0, 0.3])
async def test_a_worker_hears_at_once_of_what_another_process_takes_in(postgres_url, tmp_path, monkeypatch, late):
    """Also of what was taken in before it listened, which may be `late`."""
    listen = Bell._listen

    async def slowly(self):
        await asyncio.sleep(late)
        await listen(self)

    monkeypatch.setattr(Bell, "_listen", slowly)
    monkeypatch.setattr("dure.knowledge.indexing._IDLE", 3600)
    async with AsyncExitStack() as stack:
        opened = []
        for index in (False, True):
            database = await Database.open(postgres_url)
            stack.push_async_callback(database.close)
            opened.append(Knowledge(database, Folder(tmp_path / "files"), None, max_bytes=1000))
            await opened[-1].start(index=index)
            stack.push_async_callback(opened[-1].close)
        door, _ = opened
        await asyncio.sleep(late / 3)  # The worker has looked, and does not listen yet.
        for n in range(3):
            document = await door.add("a", f"{n}.txt", f"{n}번째 글이다.".encode())
            assert [each.status for each in await door.wait("a", [document.id])] == ["ready"]
        await door.reindex("a", [document.id])
        assert [each.status for each in await door.wait("a", [document.id])] == ["ready"]


async def test_what_a_dead_process_left_is_taken_up(open_knowledge, database, tmp_path, monkeypatch):
    stopped = await open_knowledge(start=False)
    document = await stopped.add("a", "a.txt", "연차휴가는 15일이다.".encode())
    process = ThisProcess(tmp_path / "processes")
    process.begin()
    worker = process.id if database.is_sqlite else await database.write(ingest.register)
    assert (await database.write(rows.take_unread, worker))["id"] == document.id
    monkeypatch.setattr("dure.knowledge.indexing._IDLE", 0.05)
    knowledge = await open_knowledge()
    assert (await added(knowledge, "b.txt", "병가는 60일이다.")).status == "ready"
    assert (await knowledge.get("a", document.id)).status == "indexing"
    process.end()
    if not database.is_sqlite:
        old = sa.text("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour' WHERE id = :id")
        await database.write(lambda c: c.execute(old, {"id": int(worker)}))
        await database.write(jobs.free_stalled, [])
    [document] = await knowledge.wait("a", [document.id])
    assert document.status == "ready"


async def test_closing_lets_go_of_what_is_under_way(open_knowledge, database, tmp_path, monkeypatch):
    knowledge = await open_knowledge()
    begun = asyncio.Event()

    async def forever(reader, path, kind):
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Reader, "read", forever)
    document = await knowledge.add("a", "a.txt", "연차휴가는 15일이다.".encode())
    await begun.wait()
    living = ThisProcess(tmp_path / "processes").others()
    another = "another" if database.is_sqlite else await database.write(ingest.register)
    assert await database.write(rows.take_unread, another, (), living) is None
    await knowledge.close()
    assert ThisProcess(tmp_path / "processes").others() == []
    assert (await database.write(rows.take_unread, another))["id"] == document.id


async def test_read_anew_a_document_gets_what_its_parser_tells_now(knowledge, database):
    text = "# 휴가 규정\n\n## 연차\n\n연차휴가는 한 해에 15일이다.\n"
    document = await knowledge.add("a", "규정.md", text.encode())
    await knowledge.wait("a", [document.id])
    found = await knowledge.search("a", ["규정에서 연차휴가는"])
    assert found.passages[0].context == "휴가 규정"

    def older(connection):
        connection.execute(sa.text("UPDATE passages SET context = NULL"))

    await database.write(older)
    assert [each.id for each in await knowledge.reindex("a")] == [document.id]
    (done,) = await knowledge.wait("a", [document.id])
    assert (done.status, done.error, done.embedded) == ("ready", None, 0)
    again = await knowledge.search("a", ["규정에서 연차휴가는"])
    assert [p.context for p in again.passages] == ["휴가 규정"]
    assert again.passages[0].text == found.passages[0].text


async def test_a_document_that_cannot_be_read_anew_keeps_what_it_had(knowledge, tmp_path):
    document = await knowledge.add("a", "규정.txt", "연차휴가는 한 해에 15일이다.".encode())
    await knowledge.wait("a", [document.id])
    for path in (tmp_path / "files").iterdir():
        path.unlink()
    await knowledge.reindex("a", [document.id])
    (done,) = await knowledge.wait("a", [document.id])
    assert done.status == "ready"
    assert done.error is not None
    assert (await knowledge.search("a", ["연차휴가"])).passages
    with pytest.raises(NotFound):
        await knowledge.reindex("b", [document.id])


async def test_one_owners_slow_files_hold_up_nobody_else(knowledge, monkeypatch):
    its = Reader.read

    async def slow(reader, path, kind):
        if "느린" in await asyncio.to_thread(path.read_text):
            await asyncio.Event().wait()
        return await its(reader, path, kind)

    monkeypatch.setattr(Reader, "read", slow)
    for n in range(5):
        await knowledge.add("a", f"{n}.txt", f"느린 글 {n}이다.".encode())
    quick = await knowledge.add("b", "b.txt", "연차휴가는 15일이다.".encode())
    [document] = await knowledge.wait("b", [quick.id])
    assert document.status == "ready"
    assert [each.status for each in await knowledge.list("a")] == ["indexing", *["queued"] * 4]


async def test_a_supplement_follows_the_rule_that_it_changes(knowledge) -> None:
    """Documents with titles of their own, whose files tell which is the later one."""
    rule = (
        "# 재택근무 운영 지침 ({})\n\n## 제4조 (신청)\n재택근무는 {}까지 그룹웨어로 신청한다.\n\n"
        + "## 제5조 (장비)\n장비는 회사가 빌려 준다.\n" * 40
    )
    await added(knowledge, "재택근무지침_v1.0_2025-01-02.md", rule.format("v1.0", "시행 3일 전"))
    later = await added(knowledge, "재택근무지침_v2.0_2026-03-01.md", rule.format("v2.0", "시행 전날 18시"))
    assert later.title == "재택근무 운영 지침 (v2.0) 2026-03-01"
    await added(knowledge, "재택근무지침_추록_2026-09-01.txt", '1. 제4조 중 "전날 18시"를 "전날 12시"로 한다.')
    for filler in range(6):
        await added(
            knowledge, f"안내{filler}.txt", f"그룹웨어로 신청하는 서류는 {filler}번 창구에 낸다. 신청 기한은 없다."
        )
    found = (await knowledge.search("a", ["재택근무 신청은 언제까지?"], k=3)).passages
    assert any("12시" in each.text for each in found)


async def test_a_document_is_found_and_cited_by_the_name_of_its_file(knowledge) -> None:
    text = "# 거래기본계약서\n\n## 제7조 (대금)\n대금은 {}일 안에 지급한다.\n"
    for name, days in {"한빛정밀": 30, "대성기공": 45, "누리산업": 60}.items():
        await added(knowledge, f"{name}_거래기본계약_2026.md", text.format(days))
    found = (await knowledge.search("a", ["한빛정밀 대금 기한"], k=3)).passages
    assert "30일" in found[0].text
    assert {each.title for each in found} == {
        f"{name} 거래기본계약서 2026" for name in ("한빛정밀", "대성기공", "누리산업")
    }


async def test_a_title_that_is_another_when_read_anew_leaves_nothing_in_the_index(knowledge, monkeypatch) -> None:
    monkeypatch.setattr("dure.knowledge.indexing.titled", lambda title, name: "기숙사생활")
    document = await added(knowledge, "이음_2026-03-01.md", "# 재택근무 지침\n\n전날 신청한다.")
    monkeypatch.setattr("dure.knowledge.indexing.titled", lambda title, name: "출장규정")
    await knowledge.reindex("a")
    await knowledge.wait("a", [document.id])
    assert (await knowledge.get("a", document.id)).title == "출장규정"
    assert (await knowledge.search("a", ["출장규정"])).passages
    await knowledge.delete("a", document.id)

    def left(connection: sa.Connection) -> dict[str, int]:
        wanted = [*terms("기숙사생활"), *terms("출장규정")]
        return rows.index_of(connection).frequencies(connection, "a", wanted)

    found = await knowledge._database.read(left)
    assert not any(found.values()), found


async def test_languages_are_those_that_documents_and_shelves_begin_in(knowledge):
    assert await knowledge.languages("a") == set()
    await added(knowledge, "rules.txt", "Leave is fifteen days. 연차휴가는 15일이다.")
    assert await knowledge.languages("a") == {"ko"}, "a fifth of its letters"
    await added(knowledge, "terms.txt", "The draft goes to the other party thirty days before.")
    assert await knowledge.languages("a") == {"ko", "en"}
    await knowledge.shelves.put("사규", "b")
    assert await knowledge.languages("b") == set()
