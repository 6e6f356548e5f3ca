import duckdb
import pytest

from dure.data.guard import check
from dure.errors import ToolInputError

TABLES = ["매출", "Staff"]
DB = duckdb.connect()


def refusal(sql):
    try:
        check(DB, sql, TABLES)
    except ToolInputError as error:
        return error
    return None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM 매출",
        'SELECT "이름" FROM "매출" WHERE 부서 = \'영업\'',
        "select count(*) from staff;",
        "FROM staff SELECT name",
        "FROM staff",
        "SELECT a.x FROM memory.main.staff a JOIN main.매출 b USING (x)",
        "WITH t AS (SELECT 1 AS x), u AS (FROM t) SELECT * FROM u, 매출",
        "SELECT 1 UNION ALL SELECT 2 ORDER BY 1",
        "(SELECT 1)",
        "SELECT * FROM (VALUES (1), (2)) v(x)",
        "SELECT * FROM range(3), unnest([1, 2]), generate_series(1, 2)",
        "SELECT x, rank() OVER (PARTITION BY y ORDER BY x) r FROM staff QUALIFY r = 1",
        "SELECT strftime(d, '%Y'), date_trunc('month', d), regexp_extract(s, 'a'), list_sum([1]) FROM 매출",
        "SELECT * EXCLUDE (a) REPLACE (b + 1 AS b) FROM staff",
        "SELECT replace(s, 'a', 'b'), s NOT LIKE 'a!%' ESCAPE '!', (x, y) IN ((1, 2)), position('a' IN s) FROM staff",
        "SELECT CASE WHEN x IS NULL THEN 'read_csv(1)' ELSE '; DROP TABLE staff' END FROM staff -- COPY",
        "SELECT quantile_cont(x, 0.5), median(x), mode(x), string_agg(s, ',') FROM staff GROUP BY ALL",
        "SELECT read_count, set_id FROM staff",
        "WITH RECURSIVE t(n, m) AS (SELECT 1, 2 UNION ALL SELECT n + 1, m FROM t WHERE n < 5) SELECT * FROM t",
        "SELECT list_filter([1], lambda x: x > 0), [x * 2 for x in [1] if x > 1], {'a': 1}.a, map {'a': 1} FROM staff",
        "SELECT x::DECIMAL(10, 2), TRY_CAST(y AS INT), d + INTERVAL 1 DAY, extract(year FROM d) FROM staff",
        "SELECT count(*) FILTER (x > 1), lag(x IGNORE NULLS) OVER w FROM staff WINDOW w AS (ORDER BY y)",
        "SELECT * FROM staff PIVOT (count(*) FOR s IN ('a', 'b'))",
        "SELECT * FROM staff ASOF JOIN 매출 ON staff.d >= 매출.d USING SAMPLE 10%",
        "SELECT s, sum(x) FROM staff GROUP BY ROLLUP (s)",
        "FROM (SUMMARIZE staff)",
    ],
)
def test_takes_queries_over_the_tables(sql):
    assert refusal(sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "SELEC 1",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE staff",
        "INSERT INTO staff VALUES (1)",
        "UPDATE staff SET a = 1",
        "DELETE FROM staff",
        "WITH d AS (DELETE FROM staff RETURNING *) SELECT * FROM d",
        "TRUNCATE staff",
        "MERGE INTO staff USING 매출 ON true WHEN MATCHED THEN DELETE",
        "CREATE TABLE x AS SELECT 1",
        "CREATE MACRO f() AS 1",
        "DROP TABLE staff",
        "ALTER TABLE staff ADD COLUMN x INT",
        "COPY staff TO '/tmp/x.csv'",
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "EXPORT DATABASE '/tmp/x'",
        "ATTACH '/tmp/x.db'",
        "DETACH memory",
        "USE memory",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '10GB'",
        "RESET memory_limit",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "CHECKPOINT",
        "VACUUM",
        "BEGIN",
        "EXPLAIN SELECT 1",
        "DESCRIBE staff",
        "SUMMARIZE staff",
        "SHOW TABLES",
        "PREPARE p AS SELECT 1",
        "PIVOT staff ON x USING count(*)",
        "VALUES (1)",
        "SELECT ?",
        "SELECT $1",
        "SELECT * FROM nobody",
        "SELECT * FROM other.staff",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "/etc/passwd"',
        "SELECT * FROM 'http://127.0.0.1/x.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_csv_auto('/etc/passwd')",
        "SELECT * FROM READ_TEXT('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_parquet('x.parquet')",
        "SELECT * FROM parquet_metadata('x')",
        "SELECT * FROM sniff_csv('x')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM sqlite_scan('x', 'y')",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('staff')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_settings",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM pragma_table_info('staff')",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM sqlite_master",
        "WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings",
        "SELECT current_setting('memory_limit')",
        "SELECT getenv('HOME')",
        "SELECT getvariable('x')",
        "SELECT write_log('x')",
        "SELECT (SELECT max(content) FROM read_text('/etc/passwd'))",
        "SELECT * FROM staff WHERE x IN (SELECT y FROM glob('*'))",
        "SELECT json_execute_serialized_sql('x')",
        "SELECT nextval('s')",
        "SELECT sleep_ms(9999)",
        "SELECT pg_sleep(9)",
        'SELECT "sleep_ms"(9999)',
        "SELECT 9999.sleep_ms()",
        "SELECT main.sleep_ms(9999) FROM staff",
        "WITH sleep_ms(a) AS (SELECT 1) SELECT sleep_ms(9999) FROM sleep_ms",
        "SELECT sleep_ms /* no */ (9999)",
        "SELECT list_transform([1], x -> sleep_ms(x)) FROM staff",
        "SELECT to_aggregate_state('x')",
        "SELECT version()",
        "SELECT current_query()",
        "FROM (SUMMARIZE 'x.csv')",
        "FROM (DESCRIBE staff)",
        "FROM (SHOW TABLES)",
        "SELECT 1 " + "+ 1" * 5000,
        "SELECT " + "(" * 2000 + "1" + ")" * 2000,
        "SELECT \0",
    ],
)
def test_refuses_everything_else(sql):
    error = refusal(sql)
    assert error is not None
    assert error.message("ko") != error.message("en")


def test_names_the_tables_there_are():
    with pytest.raises(ToolInputError, match=r"'sales' cannot be read\. Tables: 매출, Staff"):
        check(DB, "SELECT * FROM sales", TABLES)
