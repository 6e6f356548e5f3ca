"""What must not work: each wall is tried alone and both together.

The engine is tried in a process of its own, as it runs in earnest, with the rows of a larger library.
"""

# ruff: noqa: E501

import re
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dure.data.guard import check
from dure.data.sandbox import Given, Sandbox
from dure.errors import ToolInputError
from dure.packs.papers.tools.sql import LIMITS, TABLES

DB = duckdb.connect()

REFUSED = [
    # writes
    "INSERT INTO papers(id) VALUES ('x')",
    "UPDATE papers SET title = 'x'",
    "DELETE FROM papers",
    "REPLACE INTO papers(id) VALUES ('x')",
    "INSERT INTO papers SELECT * FROM papers",
    "WITH x AS (SELECT 1) DELETE FROM papers",
    "WITH x AS (SELECT 1) INSERT INTO papers(id) SELECT * FROM x",
    "WITH d AS (DELETE FROM papers RETURNING *) SELECT * FROM d",
    "INSERT INTO papers(id) VALUES ('x') ON CONFLICT DO UPDATE SET title = 'x' RETURNING id",
    "CREATE TABLE t (x)",
    "CREATE TABLE t AS SELECT * FROM papers",
    "CREATE TEMP TABLE t AS SELECT 1",
    "CREATE VIEW v AS SELECT * FROM papers",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE TRIGGER t AFTER INSERT ON papers BEGIN DELETE FROM papers; END",
    "CREATE INDEX i ON papers(title)",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "CREATE VIRTUAL TABLE temp.f USING fts3tokenize('simple')",
    "DROP TABLE papers",
    "DROP INDEX papers_id",
    "ALTER TABLE papers RENAME TO p",
    "ALTER TABLE papers ADD COLUMN x",
    "SELECT * INTO t FROM papers",
    "SELECT title INTO OUTFILE '/tmp/x' FROM papers",
    "TRUNCATE papers",
    "REINDEX",
    "ANALYZE",
    "UPDATE sqlite_master SET sql = ''",
    # other tables
    "SELECT * FROM users",
    "SELECT * FROM runs",
    "SELECT * FROM papers JOIN api_keys ON 1",
    "SELECT (SELECT data FROM documents)",
    "SELECT * FROM temp.papers",
    "SELECT * FROM other.papers",
    "SELECT abstract FROM papers",
    "SELECT owner FROM papers",
    "SELECT p._rowid_ FROM papers p",
    "SELECT oid, * FROM authors",
    # schema tables
    "SELECT * FROM sqlite_master",
    "SELECT sql FROM sqlite_schema",
    "SELECT * FROM sqlite_temp_master",
    "SELECT * FROM main.sqlite_master",
    "SELECT count(*) FROM sqlite_master",
    "SELECT count(*) FROM sqlite_stat1",
    'SELECT * FROM "sqlite_master"',
    "SELECT * FROM SQLITE_MASTER",
    "SELECT name FROM [sqlite_sequence]",
    "SELECT 1 UNION SELECT sql FROM sqlite_master",
    "SELECT * FROM papers WHERE id IN (SELECT name FROM sqlite_master)",
    "WITH sqlite_master AS (SELECT 1) SELECT * FROM main.sqlite_master",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_shadow",
    "SELECT * FROM dbstat",
    "SELECT count(*) FROM dbstat",
    "SELECT * FROM sqlite_stmt",
    "SELECT sqlite_version()",
    "SELECT sqlite_source_id()",
    "SELECT sqlite_compileoption_get(1)",
    # pragma
    "PRAGMA table_info(papers)",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = WAL",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA hard_heap_limit = 0",
    "PRAGMA database_list",
    "SELECT * FROM pragma_table_info('papers')",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_database_list()",
    "SELECT count(*) FROM pragma_function_list",
    "SELECT * FROM \"pragma_table_info\"('papers')",
    "SELECT * FROM papers, pragma_compile_options",
    # files and programs
    "ATTACH 'x.db' AS x",
    "ATTACH DATABASE ':memory:' AS x",
    "ATTACH 'file:x.db?mode=rwc' AS x",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO 'x.db'",
    "VACUUM main INTO 'x.db'",
    "SELECT load_extension('/tmp/x.so')",
    "SELECT \"load_extension\"('/tmp/x.so')",
    "SELECT LOAD_EXTENSION('x', 'y') FROM papers",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('x', 'y')",
    "SELECT edit('x', 'vi')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    "SELECT sqlite_log(1, 'x')",
    "SELECT * FROM fsdir('/')",
    "SELECT * FROM zipfile('x.zip')",
    # what grows
    "SELECT randomblob(1000000000)",
    "SELECT hex(randomblob(500000))",
    "SELECT zeroblob(1000000000)",
    "SELECT length(zeroblob(1000000000)) FROM papers",
    "SELECT * FROM json_each('[1,2]')",
    "SELECT * FROM json_tree((SELECT group_concat(title) FROM papers))",
    # recursion
    "WITH t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t",
    "WITH t(n) AS (VALUES (1) UNION SELECT n + 1 FROM t WHERE n < 1e9) SELECT max(n) FROM t",
    "SELECT * FROM (WITH t(n) AS (SELECT 1 UNION ALL SELECT n * 2 FROM t) SELECT n FROM t LIMIT 99)",
    # several, and hidden ones
    "SELECT 1; DELETE FROM papers",
    "SELECT 1; SELECT 2",
    "SELECT 1;; DROP TABLE papers; --",
    "; DELETE FROM papers",
    "/* SELECT */ DELETE FROM papers -- SELECT 1",
    "SELECT 1 -- \nFROM sqlite_master",
    "SELECT 1 /*! FROM papers */ FROM sqlite_master /* x */",
    "--\nDROP TABLE papers",
    "BEGIN; DELETE FROM papers; COMMIT",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "SAVEPOINT x",
    "ROLLBACK",
    "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT * FROM papers",
    "EXPLAIN DELETE FROM papers",
    "SELECT 1 \0; DROP TABLE papers",
    "",
    ";",
    "-- nothing",
    "SELEC 1",
    "논문 수를 세어 줘",
    # letters that look like others
    "ＳＥＬＥＣＴ * FROM papers",
    "SELECT * FROM ｐａｐｅｒｓ",
    "SELECT * FROM рapers",
    "SELECT tıtle FROM papers",
    "SELECT * FROM sqlite\u200b_master",
    "SELECT * FROM \u202epapers",
    "SELECT title AS \"a\u202eb\", load_extension('x') FROM papers",
    "SELECT ｌｏａｄ_extension('x')",
    "SELECT loaԁ_extension('x')",
    "SELECT * FROM paperſ",
    "DＥLETE FROM papers",
    "SELECT * FROM papers；DROP TABLE papers",
    # PostgreSQL's and others'
    "SET statement_timeout = 0",
    "SET ROLE postgres",
    "RESET ALL",
    "SHOW ALL",
    "SELECT set_config('role', 'postgres', false)",
    "SELECT current_setting('data_directory')",
    "COPY papers TO '/tmp/x'",
    "COPY papers TO PROGRAM 'sh'",
    "COPY (SELECT 1) TO PROGRAM 'curl example.com'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT pg_sleep(10)",
    "SELECT pg_terminate_backend(1)",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "SELECT lo_create(0)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_xact_lock(1)",
    "SELECT pg_notify('x', 'y')",
    "NOTIFY x, 'y'",
    "LISTEN x",
    "LOCK TABLE papers",
    "SELECT * FROM papers FOR UPDATE",
    "DO $$ BEGIN PERFORM 1; END $$",
    "CALL x()",
    "PREPARE x AS SELECT 1",
    "EXECUTE x",
    "GRANT ALL ON papers TO public",
    "SELECT * FROM dblink('host=x', 'SELECT 1') AS t(a int)",
    "SELECT query_to_xml('SELECT 1', true, true, '')",
    "SELECT nextval('s')",
    "SELECT version()",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT BENCHMARK(1000000000, 1)",
    "SELECT SLEEP(10)",
    "EXEC xp_cmdshell 'dir'",
    "KILL 1",
    "USE main",
    # parameters, functions of the connection
    "SELECT ?",
    "SELECT :x, @y, $z",
    "SELECT changes(), total_changes()",
    "SELECT last_insert_rowid()",
    "SELECT title FROM papers WHERE title MATCH 'x'",
    "SELECT soundex(title) FROM papers",
    "SELECT likelihood(1, 0.5)",
    "SELECT title -> '$.x' FROM papers",
    "SELECT title FROM papers INDEXED BY nothing",
    "SELECT title COLLATE nothing FROM papers",
    "SELECT " + "abs(" * 300 + "1" + ")" * 300,
    "SELECT " + "(" * 1_000 + "1" + ")" * 1_000,
    "SELECT " + "date(" * 24 + "'now'" + ")" * 24,
    "SELECT * FROM papers WHERE year IN (" + ", ".join(str(i) for i in range(5_000)) + ")",
    "SELECT " + " + ".join("1" * 1 for _ in range(3_000)),
    "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(1_500)),
    " UNION ALL ".join("SELECT 1" for _ in range(600)),
]

ENGINES_ONLY = {
    # Of these the parser sees nothing wrong.
    "SELECT title -> '$.x' FROM papers",
    "SELECT title COLLATE nothing FROM papers",
    "SELECT abstract FROM papers",
    "SELECT owner FROM papers",
    "SELECT p._rowid_ FROM papers p",
    "SELECT oid, * FROM authors",
    "SELECT tıtle FROM papers",
    "WITH t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t",
    "WITH t(n) AS (VALUES (1) UNION SELECT n + 1 FROM t WHERE n < 1e9) SELECT max(n) FROM t",
    "SELECT * FROM (WITH t(n) AS (SELECT 1 UNION ALL SELECT n * 2 FROM t) SELECT n FROM t LIMIT 99)",
}

GUARDS_ONLY = {
    # What the engine alone may run: it computes, or tells the names of these tables and of the engine's parts.
    "SELECT * FROM sqlite_master",
    "SELECT sql FROM sqlite_schema",
    "SELECT * FROM sqlite_temp_master",
    "SELECT * FROM main.sqlite_master",
    "SELECT count(*) FROM sqlite_master",
    'SELECT * FROM "sqlite_master"',
    "SELECT * FROM SQLITE_MASTER",
    "SELECT 1 UNION SELECT sql FROM sqlite_master",
    "SELECT * FROM papers WHERE id IN (SELECT name FROM sqlite_master)",
    "WITH sqlite_master AS (SELECT 1) SELECT * FROM main.sqlite_master",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pragma_table_info('papers')",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM \"pragma_table_info\"('papers')",
    "SELECT * FROM json_each('[1,2]')",
    "SELECT 1 -- \nFROM sqlite_master",
    "SELECT 1 /*! FROM papers */ FROM sqlite_master /* x */",
    "SHOW ALL",
    "SELECT version()",
    "SELECT " + "abs(" * 300 + "1" + ")" * 300,
    "SELECT * FROM papers WHERE year IN (" + ", ".join(str(i) for i in range(5_000)) + ")",
    "SELECT " + " + ".join("1" * 1 for _ in range(3_000)),
    "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(1_500)),
    " UNION ALL ".join("SELECT 1" for _ in range(600)),
}

STATE = [f"SELECT count(*) AS n, min({table}) AS low, max({table}) AS high FROM {table}" for table in TABLES]
"""Asks for all that the tables hold."""

A = "replace(replace(replace('" + "a" * 58 + "', 'a', '" + "b" * 58 + "'), 'b', '" + "c" * 58 + "'), 'c', 'a')"
"""195,112 letters, just under the longest text there may be."""

BOMBS = [
    "SELECT count(*) FROM papers a, papers b, papers c",
    "SELECT * FROM papers a CROSS JOIN papers b CROSS JOIN papers c CROSS JOIN papers d ORDER BY a.title || b.title",
    "SELECT a.title, b.title, c.title FROM papers a, papers b, papers c ORDER BY 3, 2, 1",
    "SELECT DISTINCT a.title || b.title || c.title FROM papers a, papers b, papers c",
    "SELECT count(DISTINCT a.title || b.title) FROM papers a, papers b, papers c",
    "SELECT a.title || b.title AS t, count(*) FROM papers a, papers b GROUP BY t ORDER BY 2 DESC",
    "SELECT group_concat(a.title) FROM papers a, papers b",
    "SELECT length(group_concat(a.title || b.title || c.title)) FROM papers a, papers b, papers c",
    "SELECT length(replace(replace('" + "a" * 999 + "', 'a', '" + "b" * 999 + "'), 'b', '" + "c" * 999 + "'))",
    f"SELECT replace({A}, 'a', 'bbbbbbbb')",
    f"SELECT replace({A}, {A}, {A})",
    f"SELECT length({A} || {A})",
    f"SELECT length({A}), title FROM papers",
    f"SELECT {A} || a.title AS s FROM papers a, papers b ORDER BY s",
    f"SELECT DISTINCT {A} || a.title || b.title FROM papers a, papers b",
    f"SELECT count(DISTINCT {A} || a.title || b.title) FROM papers a, papers b",
    f"SELECT group_concat({A}, {A}) FROM papers",
    f"SELECT instr({A}, substr({A}, 1, 97000) || 'b')",
    f"SELECT instr({A} || a.id, substr({A}, 1, 97000) || b.id) FROM papers a, papers b",
    f"SELECT replace({A}, substr({A}, 1, 97000) || 'b', '')",
    f"SELECT trim({A}, replace({A}, 'a', 'b') || 'a')",
    f"SELECT ltrim({A}, replace({A}, 'a', 'b') || 'a'), rtrim({A}, {A})",
    f"SELECT hex(hex({A}))",
    f"SELECT upper(lower({A})) = {A} COLLATE NOCASE FROM papers a, papers b, papers c",
    f"SELECT {A} LIKE '%{'a' * 290}b%'",
    f"SELECT {A} LIKE '{'_%a' * 90}b%'",
    f"SELECT {A} LIKE '%{'a%' * 140}b' FROM papers a, papers b",
    f"SELECT {A} GLOB '*{'[a-z]*' * 45}b'",
    f"SELECT {A} GLOB '*{'[^b-z]' * 45}b'",
    f"SELECT {A} LIKE {A}",
    "SELECT printf('%.1000000000c', 'a')",
    "SELECT printf('%1000000000d', 1)",
    "SELECT printf('%*d', 1000000000, 1)",
    "SELECT printf('%.999999999f', 1.0)",
    "SELECT format('%-999999999s', 'a')",
    "SELECT count(*) FROM papers a, papers b WHERE a.title || b.title LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b'",
    "SELECT count(*) FROM papers WHERE title LIKE '" + "%" * 5_000 + "'",
    "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM (SELECT a.citations + b.citations AS x FROM papers a, papers b)",
    "SELECT max(n) FROM (SELECT count(*) OVER (PARTITION BY a.year ORDER BY b.title) AS n FROM papers a, papers b)",
    "SELECT (SELECT count(*) FROM papers b, papers c WHERE b.title > a.title) FROM papers a",
    "WITH x AS (SELECT p.id FROM papers p, papers q), y AS (SELECT l.id FROM x l, x m) SELECT count(*) FROM y",
    "SELECT a.id FROM papers a, papers b, papers c UNION SELECT b.id FROM papers a, papers b, papers c",
    "SELECT a.title FROM papers a, papers b, papers c EXCEPT SELECT title FROM papers",
    "SELECT * FROM papers WHERE " + " OR ".join(f"title LIKE '%{i}%a%b%c%'" for i in range(150)),
    "SELECT count(*) FROM papers a CROSS JOIN authors CROSS JOIN papers b CROSS JOIN papers c",
    "SELECT abs(-9223372036854775807 - 1)",
    "SELECT char(" + ", ".join("1114111" for _ in range(30)) + ")",
    "SELECT char(55296), char(0), char(-1)",
    f"SELECT substr({A}, -9223372036854775807, 9223372036854775807)",
    "SELECT round(1e308 * 10, 999999999), 9e999, -9e999",
    "SELECT strftime('" + "%Y" * 2_000 + "', 'now')",
    "SELECT * FROM papers ORDER BY " + ", ".join(f"abs(citations - {i})" for i in range(90)),
    "SELECT " + " || ".join(["title"] * 190) + " FROM papers a ORDER BY 1",
    "SELECT random() FROM papers a, papers b, papers c",
    "SELECT json_group_array(a.title) FROM papers a, papers b",
    "SELECT value FROM generate_series(1, 1000000000) AS s(value)",
    "SELECT max(value) FROM generate_series(1, 1000000000000) AS s(value)",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
]


def large_tables():
    papers = [(f"p{i}", f"Paper number {i}", 1990 + i % 35, f"V{i % 40}", "nlp", i) for i in range(2_000)]
    return {
        "papers": (["id", "title", "year", "venue", "field", "citations"], papers),
        "authors": (["id", "name"], [(i, f"Author {i}") for i in range(500)]),
        "paper_authors": (["paper_id", "author_id", "position"], [(f"p{i}", i % 500, 1) for i in range(2_000)]),
        "citations": (["citing_id", "cited_id"], [(f"p{i}", f"p{i // 2}") for i in range(2_000)]),
    }


@pytest.fixture
async def papers():
    async def read():
        return {
            table: [[dict(zip(columns, row, strict=True)).get(name) for name in TABLES[table]] for row in rows]
            for table, (columns, rows) in large_tables().items()
        }

    return Given("1", TABLES, read)


async def asked(sandbox, papers, statements, seconds):
    """Each statement's rows, or what it was ended by. Checks that nothing changed."""
    before = [(await sandbox.run("me", papers, sql)).rows for sql in STATE]
    results = []
    for sql in statements:
        try:
            results.append(await sandbox.run("me", papers, sql, replace(LIMITS, seconds=seconds)))
        except ToolInputError as error:
            results.append(str(error))
        assert "aborted" not in str(results[-1]), sql
    assert [(await sandbox.run("me", papers, sql)).rows for sql in STATE] == before
    return results


@pytest.fixture
async def sandbox():
    made = Sandbox()
    yield made
    await made.close()


@pytest.fixture
async def unguarded(monkeypatch):
    """The sandbox without its first wall."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "fixtures"))
    made = Sandbox("unguarded")
    yield made
    await made.close()


def test_there_are_enough():
    assert len(set(REFUSED)) + len(BOMBS) >= 60 + 40


@pytest.mark.parametrize("sql", [sql for sql in REFUSED if sql not in ENGINES_ONLY])
def test_the_guard_refuses(sql):
    with pytest.raises(ToolInputError) as caught:
        check(DB, sql, TABLES)
    assert caught.value.message("ko") != caught.value.message("en")


async def test_what_the_guard_lets_pass_the_engine_refuses(sandbox, papers):
    results = await asked(sandbox, papers, sorted(ENGINES_ONLY), 2.0)
    assert all(isinstance(found, str) for found in results), results


async def test_the_engine_alone_refuses(unguarded, papers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = await asked(unguarded, papers, REFUSED, 2.0)
    passed = {sql for sql, found in zip(REFUSED, results, strict=True) if not isinstance(found, str)}
    assert passed <= GUARDS_ONLY, passed - GUARDS_ONLY
    assert list(tmp_path.iterdir()) == []


async def test_bombs_end_in_the_engine_alone(unguarded, papers):
    results = await asked(unguarded, papers, BOMBS, 0.05)
    others = [
        found for found in results if isinstance(found, str) and not found.startswith(("SQL error", "SQL syntax"))
    ]
    assert len(others) >= 15
    assert all(re.search("stopped after 0.05 seconds|too much memory|for want of memory", each) for each in others)
    for rows in (each.rows for each in results if not isinstance(each, str)):
        assert len(rows) <= LIMITS.rows
        assert sum(len(str(cell).encode()) for row in rows for cell in row) <= LIMITS.size


async def test_bombs_end_behind_both_walls(sandbox, papers):
    for found in await asked(sandbox, papers, BOMBS, 0.05):
        assert isinstance(found, str) or len(found.rows) <= LIMITS.rows
