"""SQLite's SQL means in the sandbox what it means in SQLite: the same text in both, over the same rows."""

# ruff: noqa: E501

import sqlite3
from dataclasses import asdict
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.data.limits import Limits
from dure.data.rows import received
from dure.data.sqlite import FUNCTIONS, as_duckdb
from dure.data.store import Store
from dure.errors import ToolInputError

TABLES = {
    "papers": {"id": "TEXT", "title": "TEXT", "year": "BIGINT", "venue": "TEXT", "citations": "BIGINT"},
    "authors": {"id": "BIGINT", "name": "TEXT"},
    "paper_authors": {"paper_id": "TEXT", "author_id": "BIGINT", "position": "BIGINT"},
}
ROWS = {
    "papers": [
        ("p1", "Attention Is All You Need", 2017, "NeurIPS", 100),
        ("p2", "BERT", 2019, "NAACL", 90),
        ("p3", "Few-Shot Learners", 2020, "NeurIPS", 30),
        ("p4", "LLaMA", 2023, None, None),
        ("p5", "LoRA", 2022, "ICLR", 8),
        ("p6", "Long Short-Term Memory", 1997, None, 95),
    ],
    "authors": [(1, "Ashish Vaswani"), (2, "Jacob Devlin"), (3, "김두레")],
    "paper_authors": [("p1", 1, 1), ("p1", 2, 2), ("p2", 2, 1), ("p5", 3, 1)],
}
CALLS = [
    "printf('%.1f%%', 66.666)",
    "printf('%d of %d', 3, 4)",
    "printf('%5d|%-5d|%05d|%+d|% d', 42, 42, 42, 42, 42)",
    "printf('%,d', 1234567)",
    "printf('%s (%s)', 'BERT', 2019)",
    "printf('%10s|%-10s|%.2s', 'abc', 'abc', 'abc')",
    "printf('%.3e %g %G', 12345.678, 0.0001, 1e20)",
    "printf('%x %X', 255, 255)",
    "printf('%lld', 9223372036854775807)",
    "printf('100%% of %%d %s', 'x')",
    "printf('%%%d%%', 7)",
    "printf(NULL)",
    "printf('더 %s', '많이')",
    "printf('%08.2f', 3.14159)",
    "trim('  x  ')",
    "trim('xxaxx', 'x')",
    "ltrim('xyxa', 'yx')",
    "rtrim('axy', 'xy')",
    "trim(NULL, 'x')",
    "trim('x', NULL)",
    "trim('abc', '')",
    "length('가나')",
    "substr('abcdef', -3)",
    "substr('abc', 0, 2)",
    "instr('abc', 'c')",
    "5 / 2",
    "-5 / 2",
    "5.0 / 2",
    "5 % 3",
    "-5 % 3",
    "1 / 0",
    "5 % 0",
    "round(2.5)",
    "round(-2.5)",
    "round(3.14159, 2)",
    "max(1, 2)",
    "max(1, NULL)",
    "min(3, 1, 2)",
    "coalesce(NULL, 1)",
    "ifnull(NULL, 'x')",
    "nullif(1, 1)",
    "iif(1 > 2, 'a', 'b')",
    "hex('ab')",
    "char(72, 105)",
    "unicode('A')",
    "'a' || 1",
    "'LoRA' LIKE 'lora'",
    "'a' GLOB 'A*'",
    "like('%b%', 'abc')",
    "1 IS NOT 2",
    "'a' < 'B'",
    "log(100)",
    "pow(2, 3)",
    "mod(7, 4)",
    "trunc(-2.7)",
    "CAST('12' AS INTEGER)",
    "CAST(2.7 AS INTEGER)",
    "CAST(7 AS TEXT)",
    "date('2024-01-31', '+1 month')",
    "date('2024-02-29', '-1 year')",
    "date('2024-05-17', 'start of year', '-1 day')",
    "datetime('2024-01-01 10:00:00', '+90 minutes')",
    "strftime('%Y-%m', '2024-05-06')",
    "strftime('%Y', '2024-05-06') + 1",
    "julianday('2024-01-01')",
    "unixepoch('2024-01-01')",
    "time('2024-01-01 10:11:12')",
    "replace(2024, '2', 'x')",
    "length(2024)",
    "substr(2024, 1, 3) || '0s'",
    "1.5 * 2",
    "printf('%d', 3.7)",
    "format('%s-%s', 1, 'b')",
]
IDIOMS = [
    # columns beside aggregates
    "SELECT title, max(citations) FROM papers",
    "SELECT title, year, min(year) FROM papers WHERE venue IS NOT NULL",
    "SELECT venue, title, max(year) FROM papers GROUP BY venue ORDER BY venue",
    "SELECT p.title, count(*) AS n FROM papers p JOIN paper_authors w ON w.paper_id = p.id GROUP BY p.id ORDER BY n, p.title",
    "SELECT a.name, count(*) FROM authors a JOIN paper_authors w ON a.id = w.author_id GROUP BY w.author_id ORDER BY 2, a.name",
    "SELECT id, count(*) FROM papers GROUP BY id HAVING title LIKE 'l%' ORDER BY id",
    "SELECT year / 10 * 10 AS d, count(*) FROM papers GROUP BY d ORDER BY d",
    "SELECT lower(venue), count(*) FROM papers GROUP BY lower(venue) ORDER BY lower(venue)",
    "SELECT venue, count(*) FILTER (WHERE year > 2018) OVER (PARTITION BY venue) AS n FROM papers ORDER BY 1, 2",
    "SELECT venue, title, citations FROM papers GROUP BY venue HAVING citations = max(citations) ORDER BY venue",
    "SELECT year, count(*) AS papers FROM papers GROUP BY year HAVING papers > 0 ORDER BY papers DESC, year",
    "SELECT a1.name, a2.name, count(*) AS n FROM paper_authors x JOIN paper_authors y ON x.paper_id = y.paper_id "
    "AND x.author_id < y.author_id JOIN authors a1 ON a1.id = x.author_id JOIN authors a2 ON a2.id = y.author_id "
    "GROUP BY a1.id, a2.id ORDER BY n DESC",
    # numbers taken for text, and text for numbers
    "SELECT substr(year, 1, 3) || '0s' AS d, count(*) AS n FROM papers GROUP BY d ORDER BY d",
    "SELECT count(*) FROM papers WHERE year LIKE '20%'",
    "SELECT title FROM papers WHERE year = strftime('%Y', '2020-05-01')",
    "SELECT year - strftime('%Y', '2020-05-01') FROM papers ORDER BY 1",
    "SELECT CAST(avg(citations) AS INTEGER), avg(year > 2018), sum(year > 2018), total(citations) FROM papers",
    # nothing comes first
    "SELECT title FROM papers ORDER BY citations LIMIT 2",
    "SELECT title FROM papers ORDER BY venue DESC, title LIMIT 5, 3",
    "SELECT venue, count(*) FROM papers GROUP BY 1 ORDER BY 1",
    # ways to write
    'SELECT [p].[title] FROM `papers` AS "p" WHERE p.year == 2022',
    "SELECT title FROM papers WHERE title LIKE '%l%' ORDER BY title COLLATE NOCASE",
    "SELECT title FROM papers WHERE title LIKE '10!%%' ESCAPE '!' OR venue IS NULL ORDER BY 1",
    "SELECT count(*) c FROM papers GROUP BY venue HAVING c > 1 ORDER BY c",
    "SELECT group_concat(title, '; ') FROM (SELECT title FROM papers ORDER BY year)",
    "WITH n AS (SELECT venue, count(*) AS c FROM papers GROUP BY venue) SELECT venue, round(100.0 * c / sum(c) OVER (), 1) "
    "FROM n ORDER BY c DESC, venue",
    "SELECT (SELECT count(*) FROM paper_authors w WHERE w.paper_id = p.id) AS n, title FROM papers p ORDER BY n, title",
    "SELECT year, sum(count(*)) OVER (ORDER BY year) FROM papers GROUP BY year ORDER BY year",
    "(SELECT title FROM papers ORDER BY year LIMIT 1)",
    "SELECT title, citations > 50 FROM papers ORDER BY 1",
]


@pytest.fixture(scope="module")
def store():
    made = Store()
    made.begin(TABLES)
    for table, rows in ROWS.items():
        made.add(table, rows)
    return made


@pytest.fixture(scope="module")
def original():
    db = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        db.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
        db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", ROWS[table])
    yield db
    db.close()


def asked(store, sql):
    found = received(asdict(store.query(sql, Limits(), "sqlite")))
    return [[float(each) if isinstance(each, Decimal) else each for each in row] for row in found.rows]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_sqlite_gives(store, original, call):
    try:
        ((expected,),) = original.execute(f"SELECT {call}")
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite is older: {error}")
    assert asked(store, f"SELECT {call}") == [[expected]]


@pytest.mark.parametrize("sql", IDIOMS)
def test_a_query_gives_what_sqlite_gives(store, original, sql):
    theirs = sql.removeprefix("(").removesuffix(")") if sql.startswith("(") else sql
    cursor = original.execute(theirs)
    expected = [list(row) for row in cursor]
    assert expected
    assert asked(store, sql) == expected


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT count(*), year AS y FROM papers", ["COUNT(*)", "y"]),
        ("SELECT title, max(year) FROM papers", ["title", "MAX(year)"]),
        ("SELECT 1 + 1 UNION SELECT year FROM papers", ["1 + 1"]),
        ("SELECT * FROM authors", ["id", "name"]),
    ],
)
def test_columns_are_named_as_sqlite_names_them(store, sql, columns):
    assert store.query(sql, Limits(), "sqlite").columns == columns


def test_leaves_no_comment():
    text = as_duckdb("SELECT /* a */ id -- b\nFROM papers /* c */ WHERE title = '-- /* no comment */'", TABLES)
    assert text == "SELECT id FROM papers WHERE title = '-- /* no comment */'"


def test_names_what_is_there():
    with pytest.raises(ToolInputError, match=r"no column 'nlp'.*Text takes single quotes.*authors\(id, name\)"):
        as_duckdb('SELECT title FROM papers WHERE venue = "nlp"', TABLES)
    with pytest.raises(ToolInputError, match="'owner'"):
        as_duckdb("SELECT p.owner FROM papers p", TABLES)
    with pytest.raises(ToolInputError, match="function stddev"):
        as_duckdb("SELECT stddev(year) FROM papers", TABLES)
    with pytest.raises(ToolInputError, match="recursive"):
        as_duckdb("WITH t AS (SELECT 1 UNION ALL SELECT 1 FROM t) SELECT * FROM t", TABLES)


# Texts made of what SQL is made of: many are refused, some are queries nobody thought of.
_SQL = (
    "SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT WITH RECURSIVE AS UNION ALL EXCEPT JOIN LEFT ON USING "
    "( ) , . * = < > + - / || ; -- /* */ ' \" [ ] ` ? :x @y ~ & | % == <> -> "
    "NOT NULL IS IN EXISTS CASE WHEN THEN ELSE END DISTINCT OVER PARTITION FILTER LIKE GLOB MATCH REGEXP "
    "INSERT INTO UPDATE SET DELETE DROP TABLE PRAGMA ATTACH VACUUM EXPLAIN VALUES CREATE TEMP CAST COLLATE "
    "count sum max abs date printf load_extension randomblob sqlite_version json_each sqlite_master rowid "
    "main temp t u x 1 2.5 'a' 'papers' 0x1f x'00' 연도 논문"
)
_WORDS = st.sampled_from(
    [*TABLES, *sorted({column for columns in TABLES.values() for column in columns}), *_SQL.split()]
)
_TEXTS = st.lists(_WORDS, max_size=25).map(" ".join)

_COLUMNS = st.sampled_from([f"{t}.{c}" for t, columns in TABLES.items() for c in columns])
_VALUES = st.recursive(
    st.one_of(_COLUMNS, st.sampled_from(["1", "2020", "'nlp'", "NULL", "*", "title", "rowid", "sqlite_version()"])),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from([*sorted(FUNCTIONS), "random", "hex", "json", "load_extension", "changes"]), inner
        ).map(lambda pair: f"{pair[0]}({pair[1]})"),
        st.tuples(
            inner, st.sampled_from(["+", "||", "=", "<", "LIKE", "IS", "AND", "->>", "GLOB", "MATCH"]), inner
        ).map(lambda three: " ".join(three)),
        inner.map(lambda value: f"CASE WHEN {value} THEN 1 ELSE 0 END"),
        inner.map(lambda value: f"CAST({value} AS TEXT)"),
        inner.map(lambda value: f"sum({value}) OVER (ORDER BY {value})"),
        inner.map(lambda value: f"(SELECT {value} FROM papers)"),
        inner.map(lambda value: f"({value} IN (SELECT id FROM authors))"),
        inner.map(lambda value: f"EXISTS(SELECT 1 FROM citations WHERE {value})"),
    ),
    max_leaves=6,
)
_SOURCES = st.lists(
    st.sampled_from(
        [*TABLES, "papers p", "sqlite_master", "t", "(SELECT * FROM papers) AS t", "pragma_table_info('papers')"]
    ),
    min_size=1,
    max_size=3,
).map(", ".join)
_SELECTS = st.builds(
    lambda head, value, sources, where, tail: f"{head}SELECT {value} FROM {sources}{where}{tail}",
    st.sampled_from(
        ["", "", "WITH t AS (SELECT * FROM papers) ", "WITH t(id) AS (SELECT year FROM papers GROUP BY 1) "]
    ),
    st.one_of(_VALUES, st.just("*"), st.just("count(*)")),
    _SOURCES,
    st.one_of(st.just(""), _VALUES.map(lambda value: f" WHERE {value}")),
    st.one_of(st.just(""), _VALUES.map(lambda value: f" GROUP BY {value} ORDER BY {value}"), st.just(" LIMIT 3")),
)


def harmless(store, sql):
    try:
        found = store.query(sql, Limits(rows=9, seconds=0.5), "sqlite")
    except ToolInputError:
        return
    assert len(found.rows) <= 9


@given(sql=_SELECTS)
def test_any_query_is_refused_or_harmless(store, sql):
    harmless(store, sql)


@given(sql=_TEXTS)
def test_any_text_is_refused_or_harmless(store, sql):
    harmless(store, sql)


@given(
    sql=_SELECTS,
    verb=st.sampled_from(["DELETE FROM papers", "INSERT INTO papers", "EXPLAIN", "PRAGMA", "CREATE TABLE x AS"]),
)
def test_what_is_no_select_is_refused(store, sql, verb):
    for text in (f"{verb} {sql}", f"{sql}; {verb} {sql}"):
        with pytest.raises(ToolInputError):
            store.query(text, Limits(), "sqlite")
