"""Parquet files."""

import contextlib
import random

import pytest

from dure.knowledge.parse import Unreadable, kind_of
from dure.knowledge.parse.parquet import _on_disk, _walled, opened, parse
from dure.knowledge.parse.reader import Reader

STAFF = "SELECT * FROM (VALUES ('김두레', 31, DATE '2024-01-05'), ('이서울', NULL, NULL)) t(이름, 나이, 입사)"


def test_columns_with_types_then_rows(files):
    (page,) = parse(files.parquet(STAFF)).pages
    assert page.number is None
    assert page.text.splitlines() == [
        "이름 (VARCHAR) | 나이 (INTEGER) | 입사 (DATE)",
        "이름: 김두레 | 나이: 31 | 입사: 2024-01-05",
        "이름: 이서울",
    ]
    empty = files.parquet(f"{STAFF} WHERE false")
    assert parse(empty).pages[0].text == "이름 (VARCHAR) | 나이 (INTEGER) | 입사 (DATE)"


def test_values_are_written_as_sql_writes_them(files):
    query = """SELECT 12345678901234567890123.45::DECIMAL(38, 2) d, TIMESTAMP '2024-01-05 10:20:30' t, true b,
        0.1 + 0.2 f, [1, 2] l, {'a': '가'} s, 'x'::BLOB x, TIMESTAMPTZ '2024-01-05 09:00:00+09' z, 1e300::DOUBLE e,
        repeat('가', 2000000) "a ""b"" c" """
    with opened(files.parquet(query)) as (columns, rows):
        names, kinds = zip(*columns, strict=True)
        (row,) = rows
    assert row[:9] == (
        *("12345678901234567890123.45", "2024-01-05 10:20:30", "true", "0.3"),
        *("[1, 2]", "{'a': 가}", "[1 bytes]", "2024-01-05 00:00:00+00", "1e+300"),
    )
    assert len(row[9]) == 1_000_000
    assert names[9] == 'a "b" c'
    assert kinds[0] == "DECIMAL(38,2)"


@pytest.mark.parametrize("codec", ["zstd", "gzip", "snappy", "uncompressed"])
def test_compressions(files, codec):
    assert "n: 99" in parse(files.parquet("SELECT range n FROM range(100)", f", CODEC {codec}")).pages[0].text


@pytest.mark.parametrize(
    "spoil", [lambda d: d[:4] + d[-4:], lambda d: d[:-60] + bytes(56) + d[-4:], lambda d: b"PAR1" * 9]
)
def test_broken(files, spoil):
    with pytest.raises(Unreadable) as caught:
        parse(spoil(files.parquet(STAFF)))
    assert caught.value.problem == "broken"


def test_encrypted(tmp_path):
    import duckdb

    path = tmp_path / "a"
    with duckdb.connect() as db:
        db.execute("SET force_mbedtls_unsafe = 'true'")
        db.execute("PRAGMA add_parquet_key('k', '0123456789112345')")
        db.execute(f"COPY (SELECT 1 n) TO '{path}' (FORMAT parquet, ENCRYPTION_CONFIG {{footer_key: 'k'}})")
    data = path.read_bytes()
    assert kind_of("a.parquet", data) == "parquet"
    with pytest.raises(Unreadable) as caught:
        parse(data)
    assert caught.value.problem == "encrypted"


def test_nothing_else_can_be_reached(files, tmp_path):
    import duckdb

    other = tmp_path / "other.parquet"
    other.write_bytes(files.parquet(STAFF))
    with _on_disk(other.read_bytes()) as path:
        db = _walled(path)
        assert db.execute("SELECT count(*) FROM read_parquet($p)", {"p": path}).fetchone() == (2,)
        for sql in (
            f"FROM read_parquet('{other}')",
            f"FROM read_parquet('{tmp_path}/*.parquet')",
            "FROM read_text('/etc/passwd')",
            "FROM read_parquet('http://127.0.0.1:9/x.parquet')",
            f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
            f"ATTACH '{tmp_path}/new.db'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET allowed_directories = ['/']",
        ):
            with pytest.raises(duckdb.Error):
                db.execute(sql)
        db.close()
    assert [each.name for each in tmp_path.iterdir()] == ["other.parquet"]


async def test_damage_of_any_kind_is_told_and_costs_one_document(files, tmp_path):
    """Bytes changed at random (the same ones each time): read, or told as unreadable, and always by a live child."""
    good = files.parquet("SELECT range n, 'x' || range s, [range] l FROM range(500)")
    path, chance = tmp_path / "a.parquet", random.Random(7)
    reader = Reader(seconds=20)
    try:
        for _ in range(40):
            data = bytearray(good)
            for _ in range(8):
                data[chance.randrange(4, len(data) - 4)] = chance.randrange(256)
            path.write_bytes(data)
            with contextlib.suppress(Unreadable):
                await reader.read(path, "parquet")
        path.write_bytes(good)
        assert "n: 499" in (await reader.read(path, "parquet"))[2].text
    finally:
        await reader.close()
