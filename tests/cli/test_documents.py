"""`dure ingest` and `dure search`."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dure.cli.documents import files_of
from dure.errors import InvalidInput

Command = Callable[..., Awaitable[Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "문서"
    (folder / "하위").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "규정.txt").write_text("연차휴가는 1년에 15일이다.", "utf-8")
    (folder / "하위" / "규정.txt").write_text("출장비는 하루 5만 원이다.", "utf-8")
    (folder / ".git" / "config").write_text("x")
    (folder / "~$잠금.docx").write_bytes(b"x")
    return folder


def test_folders_are_walked_and_hidden_files_left_out(folder: Path) -> None:
    assert [name for name, _ in files_of([str(folder)])] == ["규정.txt", "하위 - 규정.txt"]
    assert [name for name, _ in files_of([str(folder), str(folder / "규정.txt")])] == ["규정.txt", "하위 - 규정.txt"]


def test_nothing_to_take_in(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for wrong in ("none.txt", "empty", "~nosuchuser/x"):
        with pytest.raises(InvalidInput):
            files_of([wrong if wrong.startswith("~") else str(tmp_path / wrong)])


async def test_ingest_then_search(dure: Command, folder: Path) -> None:
    ended = await dure("ingest", str(folder))
    assert ended.code == 0
    assert "✓ 규정.txt (passages: 1)" in ended.out
    assert ended.out.endswith("Can be searched: 2. Failed: 0.\n")
    found = await dure("search", "연차휴가는 며칠", "-k", "1", "--json")
    assert "15일" in found.json["passages"][0]["text"]
    shown = await dure("search", "출장비", LC_ALL="ko_KR.UTF-8")
    assert "[1] 하위 - 규정" in shown.out
    assert "출장비는 하루 5만 원이다." in shown.out
    assert "dure documents" in (await dure("search", "zebra")).err, "there are some"


async def test_what_was_taken_in_is_found_by_meaning_in_the_other_language(dure: Command, folder: Path) -> None:
    lines = [
        f"제{n}조 연차휴가는 근속 {n}년에 하루를 더 준다. 회사는 이를 매년 직원에게 알린다." for n in range(1, 300)
    ]
    (folder / "규정.txt").write_text("\n\n".join(lines), "utf-8")
    assert (await dure("ingest", str(folder / "규정.txt"), DURE_EMBEDDINGS="1")).code == 0
    found = await dure("search", "how many days off do employees get", "--json", DURE_EMBEDDINGS="1")
    assert [each["title"] for each in found.json["passages"]][:1] == ["규정"]


async def test_listed_and_removed(dure: Command, folder: Path) -> None:
    assert "dure ingest" in (await dure("documents")).err
    await dure("ingest", str(folder))
    listed = (await dure("documents", "--json")).json["documents"]
    assert [each["name"] for each in listed] == ["규정.txt", "하위 - 규정.txt"]
    shown = await dure("documents")
    assert f"{listed[0]['id']}  규정.txt  (passages: 1)" in shown.out
    assert (await dure("documents", "remove", "없다.txt")).code != 0
    assert (await dure("documents", "remove", "규정.txt", listed[1]["id"])).code == 0
    assert (await dure("documents", "--json")).json["documents"] == []


async def test_all_of_one_owner_erased(dure: Command, folder: Path) -> None:
    for owner in ("kim", "lee"):
        await dure("ingest", str(folder), "--owner", owner)
    ended = await dure("erase", "kim", "--yes")
    assert (ended.code, ended.out) == (0, "0 conversations, 0 schedules, 2 documents deleted.\n")
    for owner, left in (("kim", 0), ("lee", 2)):
        assert len((await dure("documents", "--json", "--owner", owner)).json["documents"]) == left
    assert (await dure("erase", "a b", "--yes")).code == 2


async def test_tagged_at_ingest_and_found_by_tag(dure: Command, folder: Path) -> None:
    ended = await dure("ingest", str(folder / "규정.txt"), "--tag", "내규", "--tag", "HR", "--json")
    assert ended.json["documents"][0]["tags"] == ["내규", "hr"]
    await dure("ingest", str(folder))
    found = await dure("search", "하루 1년", "--tag", "hr", "--json")
    assert [each["title"] for each in found.json["passages"]] == ["규정"]
    narrowed = await dure("search", "하루 1년", "--kind", "nosuch")
    assert (narrowed.out, narrowed.err) == ("", "Nothing found in such documents.\n")
    assert (await dure("search", "하루 1년", "--author", "kim", "--json")).json["passages"] == []


async def test_failures_are_told_and_keep_out_no_other(dure: Command, folder: Path) -> None:
    (folder / "a.exe").write_bytes(b"MZ\x90\x00\x03" * 50)
    (folder / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "c.txt").write_text("가" * 2000, "utf-8")
    ended = await dure("ingest", str(folder), DURE_MAX_UPLOAD_BYTES="5000")
    assert ended.code == 1
    assert "✓ 규정.txt" in ended.out
    for name in ("a.exe", "b.pdf", "c.txt"):
        assert f"✗ {name}: " in ended.out
    assert ended.out.endswith("Can be searched: 2. Failed: 3.\n")
    as_json = await dure("ingest", str(folder), "--json", DURE_MAX_UPLOAD_BYTES="5000")
    assert as_json.code == 1
    assert {f["name"] for f in as_json.json["failed"]} == {"a.exe", "c.txt"}
    assert sum(d["status"] == "ready" for d in as_json.json["documents"]) == 2


async def test_links_in_a_folder_are_left_out_and_named(dure: Command, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("밖의 비밀번호는 1234이다.", "utf-8")
    (tmp_path / "밖").mkdir()
    (tmp_path / "밖" / "b.txt").write_text("밖의 글이다.", "utf-8")
    for name, to in (("link.txt", secret), ("하위/linked", tmp_path / "밖"), ("gone.txt", tmp_path / "none")):
        (folder / name).symlink_to(to)
    ended = await dure("ingest", str(folder))
    assert ended.code == 0
    for name in ("link.txt", "하위 - linked", "gone.txt"):
        assert f"- {name}: left out, it is a link" in ended.out
    assert ended.out.endswith("Can be searched: 2. Failed: 0. Links left out: 3.\n")
    assert (await dure("search", "비밀번호", "--json")).json["passages"] == []
    named = await dure("ingest", str(folder / "link.txt"), "--json")
    assert ([each["name"] for each in named.json["documents"]], named.json["links"]) == (["link.txt"], [])


async def test_wrong_arguments(dure: Command) -> None:
    for args in (("ingest", "no-such-file.txt"), ("ingest",), ("search", " "), ("search", "x", "-k", "0")):
        ended = await dure(*args)
        assert (ended.code, ended.out) == (2, ""), args
        assert ended.err


async def test_documents_are_read_anew(dure: Command, folder: Path) -> None:
    await dure("ingest", str(folder))
    ended = await dure("reindex")
    assert (ended.code, ended.out.count("✓")) == (0, 2)
    unknown = await dure("reindex", "nosuch")
    assert unknown.code == 1


async def test_what_was_done_with_a_shelf_is_said(dure: Command) -> None:
    done = [("add", "rules", "kim", "--editor"), ("remove", "rules", "lee"), ("delete", "rules")]
    said = ["Shelf rules: kim (editor)", "No member of shelf rules any more: lee", "Shelf deleted: rules"]
    assert (await dure("shelves", "add", "rules", "lee")).err.strip() == "Shelf rules: lee (reader)"
    assert [(await dure("shelves", *each)).err.strip() for each in done] == said
