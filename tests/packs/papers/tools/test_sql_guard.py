import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.errors import ToolInputError
from dure.packs.papers.tools.sql_engine import NotAuthorized
from dure.packs.papers.tools.sql_guard import checked
from dure.packs.papers.tools.sql_tables import FUNCTIONS, MAX_ROWS, TABLES


@pytest.mark.parametrize(
    ("sql", "limit", "ours"),
    [
        ("SELECT id FROM papers", MAX_ROWS, True),
        ("SELECT id FROM papers LIMIT 5", 5, False),
        ("SELECT id FROM papers LIMIT 200", 200, False),
        ("SELECT id FROM papers LIMIT 100000", MAX_ROWS, True),
        ("SELECT id FROM papers LIMIT 10, 3", 3, False),
        ("SELECT id FROM papers UNION SELECT title FROM papers", MAX_ROWS, True),
        ("SELECT id FROM (SELECT id FROM papers LIMIT 3)", MAX_ROWS, True),
        ("WITH t AS (SELECT id FROM papers LIMIT 3) SELECT id FROM t", MAX_ROWS, True),
        ("(SELECT id FROM papers)", MAX_ROWS, True),
    ],
)
def test_puts_in_a_limit(sql, limit, ours):
    found = checked(sql)
    assert re.search(rf"LIMIT {limit}( OFFSET \d+)?$", found.sql)
    assert found.limited is ours


def test_takes_the_callers_limit():
    assert checked("SELECT id FROM papers LIMIT 50", 10).sql.endswith("LIMIT 10")


@pytest.mark.parametrize("limit", ["-1", "1 + 1", "NULL", "'5'", "?", "(SELECT 5)", "1.5"])
def test_takes_a_plain_limit_only(limit):
    with pytest.raises(ToolInputError):
        checked(f"SELECT id FROM papers LIMIT {limit}")


def test_leaves_no_comment():
    found = checked("SELECT /* a */ id -- b\nFROM papers /* c */ WHERE title = '-- /* no comment */'")
    assert found.sql == f"SELECT id FROM papers WHERE title = '-- /* no comment */' LIMIT {MAX_ROWS}"


def test_names_what_is_there():
    with pytest.raises(ToolInputError, match=r"'users' cannot be read\. Tables: papers, authors"):
        checked("SELECT * FROM users")
    with pytest.raises(ToolInputError, match=r"no column 'nlp'.*Text takes single quotes.*authors\(id, name\)"):
        checked('SELECT title FROM papers WHERE field = "nlp"')
    with pytest.raises(ToolInputError, match="'owner'"):
        checked("SELECT p.owner FROM papers p")
    with pytest.raises(ToolInputError, match="function stddev"):
        checked("SELECT stddev(year) FROM papers")


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


def ran(engine, sql):
    """Whether the guard let it pass. What passes is no matter for the authorizer."""
    try:
        wanted = checked(sql)
    except ToolInputError:
        return False
    assert re.match(r"(SELECT|WITH)\b", wanted.sql)
    try:
        found = engine.query(wanted.sql, wanted.names, seconds=0.5)
    except NotAuthorized as error:
        raise AssertionError(f"{sql} -> {wanted.sql}") from error
    except ToolInputError:
        return True
    assert len(found.rows) <= MAX_ROWS
    return True


@given(sql=_SELECTS)
def test_what_passes_is_never_denied(engine, sql):
    ran(engine, sql)


@given(sql=_TEXTS)
def test_any_text_is_refused_or_harmless(engine, sql):
    ran(engine, sql)


@given(
    sql=_SELECTS,
    verb=st.sampled_from(["DELETE FROM papers", "INSERT INTO papers", "EXPLAIN", "PRAGMA", "CREATE TABLE x AS"]),
)
def test_what_is_no_select_is_refused(sql, verb):
    with pytest.raises(ToolInputError):
        checked(f"{verb} {sql}")
    with pytest.raises(ToolInputError):
        checked(f"{sql}; {verb} {sql}")
