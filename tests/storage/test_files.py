"""Files in a folder and in a bucket of a real server: both do the same."""

import asyncio
from pathlib import Path

import pytest
from fixtures.s3 import bucket_on, serving

from dure import Dure
from dure.errors import FilesUnavailable, SettingsError
from dure.knowledge.base import Knowledge
from dure.settings import Settings
from dure.storage import Database
from dure.storage.files import Bucket, Files, Folder, check, open_files


@pytest.fixture(params=["folder", "bucket"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    """Each kind in turn."""
    place = None if request.param == "folder" else request.getfixturevalue("s3")
    return open_files(Settings(data_dir=tmp_path, files=place), "files")


async def test_what_is_put_is_read(files: Files) -> None:
    await files.put("r-1/보고서 1.txt", "내용".encode())
    assert (await files.local("r-1/보고서 1.txt")).read_text("utf-8") == "내용"
    await files.put("empty", b"")
    assert (await files.local("empty")).read_bytes() == b""


async def test_what_is_put_again_is_read_as_it_is_now(files: Files) -> None:
    await files.put("a", b"1")
    assert (await files.local("a")).read_bytes() == b"1"
    await files.put("a", b"22")
    assert (await files.local("a")).read_bytes() == b"22"


async def test_where_nothing_is_there_is_no_file(files: Files) -> None:
    assert not (await files.local("a")).exists()
    await files.put("a", b"1")
    await files.local("a")
    await files.delete("a")
    await files.delete("a")
    assert not (await files.local("a")).exists()


async def test_a_folder_is_deleted_with_all_in_it_and_nothing_beside(files: Files) -> None:
    for name in ("r-1/a", "r-1/b", "r-10/a", "r-1.txt"):
        await files.put(name, b"1")
    await files.delete("r-1")
    assert set(await files.names()) == {"r-10/a", "r-1.txt"}


async def test_all_are_listed_with_their_time(files: Files) -> None:
    assert await files.names() == {}
    await files.put("a", b"1")
    before = await files.names()
    await files.put("b/c", b"1")
    after = await files.names()
    assert before["a"] == after["a"] <= after["b/c"] + 1


async def test_writing_and_reading_can_be_checked(files: Files) -> None:
    await check(files)
    await check(files)
    assert len(await files.names()) == 1


async def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FilesUnavailable, match="File exists"):
        await Folder(tmp_path / "file").put("a", b"1")
    with pytest.raises(FilesUnavailable, match="File exists"):
        await check(Folder(tmp_path / "file"))


async def test_what_another_server_changes_or_deletes_is_seen(s3: str, tmp_path: Path) -> None:
    one, other = Bucket(s3, tmp_path / "one"), Bucket(s3, tmp_path / "other")
    await one.put("a", b"1")
    assert (await other.local("a")).read_bytes() == b"1"
    await one.put("a", b"22")
    assert (await other.local("a")).read_bytes() == b"22"
    copy = await other.local("a")
    await one.delete("a")
    assert not (await other.local("a")).exists()
    assert not copy.exists()


async def test_two_prefixes_of_a_bucket_know_nothing_of_each_other(s3: str, tmp_path: Path) -> None:
    one, other = Bucket(f"{s3}/one", tmp_path / "copies"), Bucket(f"{s3}/on", tmp_path / "copies")
    await one.put("a", b"1")
    assert await other.names() == {}
    await other.delete("e")
    assert (await one.local("a")).read_bytes() == b"1"


async def refusal(url: str, tmp_path: Path) -> tuple[str, str]:
    """How a Dure that cannot use a bucket refuses to open, in both languages."""
    with pytest.raises(SettingsError) as caught:
        async with Dure(data_dir=tmp_path, files=url):
            pass
    return caught.value.message("en"), caught.value.message("ko")


async def test_a_bucket_that_is_missing_is_told_of_at_the_start(s3: str, tmp_path: Path) -> None:
    en, ko = await refusal("s3://nowhere", tmp_path)
    assert "there is no bucket 'nowhere': make it, or mend DURE_FILES" in en
    assert "'nowhere' 버킷이 없습니다" in ko
    with pytest.raises(FilesUnavailable, match="there is no bucket 'nowhere'"):
        await Bucket("s3://nowhere", tmp_path).local("a")


async def test_a_bucket_that_refuses_is_told_of_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving(INITIAL_NO_AUTH_ACTION_COUNT="1") as server:
        en, ko = await refusal(bucket_on(server, monkeypatch), tmp_path)
    assert "refuses (The AWS Access Key Id you provided does not exist in our records." in en
    assert "AWS_SECRET_ACCESS_KEY" in en
    assert "거절했습니다" in ko


async def test_a_server_that_is_gone_is_told_of_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving() as server:
        url = bucket_on(server, monkeypatch)
    en, ko = await refusal(url, tmp_path)
    assert "cannot be used" in en
    assert "check AWS_ENDPOINT_URL" in en
    assert "쓸 수 없습니다" in ko


async def test_documents_wait_for_a_bucket_that_went_away(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving() as server:
        bucket = Bucket(bucket_on(server, monkeypatch), tmp_path)
        knowledge = Knowledge(sqlite, bucket, None, max_bytes=1000)
        await knowledge.start()
    try:
        # Taken in by another server, which can reach it.
        added = await Knowledge(sqlite, Folder(tmp_path), None, max_bytes=1000).add("a", "a.txt", b"one")
        knowledge._indexer.queued.set()
        while "documents wait" not in caplog.text:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert (await knowledge.get("a", added.id)).status == "indexing"
    finally:
        await knowledge.close()
