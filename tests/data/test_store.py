import datetime
import io
import itertools
import unicodedata
import zipfile
from dataclasses import replace

import duckdb
import openpyxl
import pytest

from dure.data import store as module
from dure.data.guard import check
from dure.data.limits import Limits
from dure.data.rows import as_text
from dure.data.store import Store
from dure.errors import ToolInputError


@pytest.fixture
def store() -> Store:
    return Store()


def load(store, tmp_path, *files):
    """Each file: (name, bytes)."""
    given = []
    for name, data in files:
        path = tmp_path / f"{len(given)}-{abs(hash((name, data)))}"
        path.write_bytes(data)
        ending = path.with_name(name).suffix.removeprefix(".")
        kind = ending if ending in ("xlsx", "ods", "parquet") else "csv"
        given.append({"key": path.name, "path": str(path), "name": name, "kind": kind})
    store.load(given, 60)
    return store.tables


def query(store, sql, rows, seconds):
    """Its rows as text."""
    found = store.query(sql, Limits(rows=rows, seconds=seconds))
    return replace(found, rows=[[as_text(value) for value in row] for row in found.rows])


def types(table):
    return [kind for _, kind, _ in table.columns]


def parquet(query, path) -> bytes:
    with duckdb.connect() as db:
        db.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


def xlsx(*sheets, names=()) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in itertools.zip_longest(names or [f"s{n + 1}" for n in range(len(sheets))], sheets):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_encodings_and_delimiters(store, tmp_path, encoding, mark):
    text = "이름,부서,나이\n김두레,영업,31\n이서울,개발,28\n".replace(",", mark)
    (table,) = load(store, tmp_path, ("직원.csv", text.encode(encoding)))
    assert (table.name, table.rows) == ("직원", 2)
    assert [name for name, _, _ in table.columns] == ["이름", "부서", "나이"]
    assert types(table) == ["VARCHAR", "VARCHAR", "BIGINT"]
    assert query(store, "SELECT avg(나이) FROM 직원", 10, 5).rows == [["29.5"]]


@pytest.mark.parametrize(
    ("cells", "kind", "shown"),
    [
        (["1", "-2", "0"], "BIGINT", ["1", "-2", "0"]),
        (["1,234", "5", "1,234,567"], "BIGINT", ["1234", "5", "1234567"]),
        (["1,000원", "₩2,000", ""], "BIGINT", ["1000", "2000", ""]),
        (["1.5", "2", "-"], "DOUBLE", ["1.5", "2", ""]),
        (["1e3", ".5", "N/A"], "DOUBLE", ["1000", "0.5", ""]),
        (["007", "123"], "VARCHAR", ["007", "123"]),
        (["010-1234-5678", "01012345678"], "VARCHAR", ["010-1234-5678", "01012345678"]),
        (["￦3,000", "-￦4"], "BIGINT", ["3000", "-4"]),
        (["1,868", "△83", "−5원"], "BIGINT", ["1868", "-83", "-5"]),
        (["12345678901234567890", "1"], "HUGEINT", ["12345678901234567890", "1"]),
        (["1234567890123456789", "1234567890123456790"], "HUGEINT", ["1234567890123456789", "1234567890123456790"]),
        (["1" * 40, "1"], "DOUBLE", ["1.11111111111111e+39", "1"]),
        (["1e999", "1"], "VARCHAR", ["1e999", "1"]),
        (["1", "#DIV/0!", "#REF!", "#N/A"], "BIGINT", ["1", "", "", ""]),
        (["2024.01", "2024.10", "-"], "VARCHAR", ["2024.01", "2024.10", ""]),
        (["2024.01", "2024.10", "2024.13"], "DOUBLE", ["2024.01", "2024.1", "2024.13"]),
        (["15%", "20%"], "VARCHAR", ["15%", "20%"]),
        (["2024-01-05", "2024-12-31"], "DATE", ["2024-01-05", "2024-12-31"]),
        (["2024.1.5", "2024/12/31", "2024년 3월 1일"], "DATE", ["2024-01-05", "2024-12-31", "2024-03-01"]),
        (["2024-02-30"], "VARCHAR", ["2024-02-30"]),
        (["2024-01-05 10:20", "2024-01-05T10:20:30"], "TIMESTAMP", ["2024-01-05 10:20:00", "2024-01-05 10:20:30"]),
        (["true", "FALSE"], "BOOLEAN", ["true", "false"]),
        (["-", "없음"], "VARCHAR", ["-", "없음"]),
        (["12,34", "1"], "VARCHAR", ["12,34", "1"]),
    ],
)
def test_types(store, tmp_path, cells, kind, shown):
    text = "id;값\n" + "".join(f"r{i};{cell}\n" for i, cell in enumerate(cells))
    (table,) = load(store, tmp_path, ("t.csv", text.encode()))
    assert types(table)[1] == kind
    assert [row[1] for row in query(store, "FROM t ORDER BY id", 10, 5).rows] == shown


def test_workbooks(store, tmp_path):
    day, moment = datetime.datetime(2024, 1, 5), datetime.datetime(2024, 1, 5, 9, 30)
    first = [["회사 현황"], [], ["이름", "입사", "출근", "연봉", "재직"], ["김두레", day, moment, 5000.5, True]]
    tables = load(store, tmp_path, ("회사.xlsx", xlsx(first, [], [["a"], [1]])))
    assert [(table.name, table.sheet, table.rows) for table in tables] == [("회사_s1", "s1", 1), ("회사_s3", "s3", 1)]
    assert types(tables[0]) == ["VARCHAR", "DATE", "TIMESTAMP", "DOUBLE", "BOOLEAN"]
    assert tables[0].sample == [["김두레", "2024-01-05", "2024-01-05 09:30:00", "5000.5", "true"]]


def test_sheets_with_the_same_columns_are_one_table_too(store, tmp_path):
    """But for one of totals, which would say all twice."""
    months = [
        [["팀", "금액", "마감"], ["가람", *cells], ["누리", 20, None]]
        for cells in ((100, True), ("미정", datetime.datetime(2024, 1, 5)))
    ]
    book = xlsx(
        *months, [["팀", "값"], ["가람", 7]], [["팀", "금액"], ["가람", 900]], names=["1월", "2월", "메모", "합계"]
    )
    (*_, joined) = load(store, tmp_path, ("경비.xlsx", book))
    assert (joined.name, joined.sheet, joined.rows) == ("경비", "1월, 2월", 4)
    assert [name for name, _, _ in joined.columns] == ["팀", "금액", "마감", "시트"]
    found = query(store, "SELECT 시트, 금액 FROM 경비 WHERE 팀 = '가람' ORDER BY 시트", 9, 5)
    assert found.rows == [["1월", "100"], ["2월", "미정"]]
    store.load([], 60)
    assert store.tables == []


def test_merged_labels_stand_in_every_row(store, tmp_path):
    """Else all rows but the first of a merged block would be grouped under nothing; a merged amount counts once."""
    rows = [
        ["부서", "이름", "금액", "합계"],
        ["영업", "김", 1, 6],
        [None, "이", 2],
        [],
        [None, "박", 3],
        ["개발", "최", 4, 4],
    ]
    book = openpyxl.load_workbook(io.BytesIO(xlsx([*rows, ["비고: 단위는 만원"]])))
    for cells in ("A2:A5", "D2:D5", "A7:D9"):
        book.active.merge_cells(cells)
    file = io.BytesIO()
    book.save(file)
    (table,) = load(store, tmp_path, ("t.xlsx", file.getvalue()))
    assert (table.rows, table.notes) == (4, ["비고: 단위는 만원"])
    sql = "SELECT 부서, sum(금액) a, sum(합계) b FROM t GROUP BY 부서 ORDER BY a"
    assert query(store, sql, 9, 5).rows == [["개발", "4", "4"], ["영업", "6", "6"]]


def test_a_header_of_two_rows_names_each_column_by_both(store, tmp_path):
    rows = [
        ["출장비"],
        ["팀", "국내", None, "계"],
        [None, "건수", "금액", None],
        ["영업", 3, 900, 900],
        ["개발", 1, 50, 50],
    ]
    book = openpyxl.load_workbook(io.BytesIO(xlsx(rows)))
    for cells in ("A1:D1", "A2:A3", "B2:C2", "D2:D3"):
        book.active.merge_cells(cells)
    file = io.BytesIO()
    book.save(file)
    (table,) = load(store, tmp_path, ("t.xlsx", file.getvalue()))
    assert [name for name, _, _ in table.columns] == ["팀", "국내_건수", "국내_금액", "계"]
    assert query(store, "SELECT sum(국내_금액), count(*) FROM t", 9, 5).rows == [["950", "2"]]


def test_parquet_keeps_its_types(store, tmp_path):
    select = """SELECT '01234' AS 우편번호, 3::TINYINT a, 2::UBIGINT b, 1.50::DECIMAL(9, 2) c, 0.5::FLOAT d,
        '7' "select", DATE '2024-01-05' e, TIMESTAMPTZ '2024-01-05 09:00:00+09' f, TIME '10:20:00' g,
        [1, NULL] h, {'k': '가'} i, false j, NULL::INTEGER k, '' l, 'x'::BLOB m"""
    (table,) = load(store, tmp_path, ("회사.parquet", parquet(select, tmp_path / "p")))
    assert (table.name, table.rows, table.columns[5]) == ("회사", 1, ("select_", "VARCHAR", "select"))
    assert " ".join(types(table)) == (
        "VARCHAR BIGINT HUGEINT DECIMAL(9,2) DOUBLE VARCHAR DATE TIMESTAMP TIME VARCHAR VARCHAR BOOLEAN BIGINT VARCHAR "
        "VARCHAR"
    )
    assert query(store, "FROM 회사", 9, 5).rows == [
        [
            *("01234", "3", "2", "1.50", "0.5", "7", "2024-01-05", "2024-01-05 00:00:00", "10:20:00"),
            *("[1, NULL]", "{'k': 가}", "false", "", "", "[1 bytes]"),
        ]
    ]
    assert query(store, "SELECT sum(c) AS s, max(e) AS m FROM 회사", 9, 5).types == ["DECIMAL(38,2)", "DATE"]


def test_a_parquet_without_rows_and_a_damaged_one(store, tmp_path):
    good = parquet("SELECT 1 n, 'a' s WHERE false", tmp_path / "p")
    (table,) = load(store, tmp_path, ("a.parquet", good), ("b.parquet", good[:-40] + bytes(36) + good[-4:]))
    assert (table.name, table.rows, table.sample) == ("a", 0, [])
    assert [each["document"] for each in store.problems] == ["b.parquet"]


def test_uneven_rows(store, tmp_path):
    (table,) = load(store, tmp_path, ("t.csv", b"a,b\n1\n2,3,4\n\n,,\n"))
    assert [name for name, _, _ in table.columns] == ["a", "b", "col3"]
    assert query(store, "FROM t", 10, 5).rows == [["1", "", ""], ["2", "3", "4"]]


def test_names_are_safe_and_different(store, tmp_path):
    files = [("a b.csv", b"x\n1\n"), ("a_b.csv", b"x\n2\n"), ('"; DROP TABLE a_b;--.csv', b"select,x,X\n1,2,3\n")]
    tables = load(store, tmp_path, *files)
    assert [table.name for table in tables] == ["a_b", "a_b_2", "DROP_TABLE_a_b"]
    assert [name for name, _, _ in tables[2].columns] == ["select_", "x", "X_2"]
    assert query(store, "SELECT select_ + X_2 FROM DROP_TABLE_a_b", 10, 5).rows == [["4"]]


def test_a_wide_table(store, tmp_path):
    names, row = (",".join(f"{each}{i}" for i in range(200)) for each in "c1")
    (table,) = load(store, tmp_path, ("w.csv", f"{names}\n{row}\n".encode()))
    assert store.problems == []
    assert (table.rows, types(table)) == (1, ["BIGINT"] * 200)
    assert query(store, "SELECT c0, c199 FROM w", 9, 5).rows == [["10", "1199"]]


def test_what_is_too_wide_or_too_many_is_told(store, tmp_path, monkeypatch):
    wide = ",".join(f"c{i}" for i in range(201))
    sql = "SELECT " + ", ".join(f"1 c{i}" for i in range(201))
    files = [("w.csv", f"{wide}\n1\n".encode()), ("w.parquet", parquet(sql, tmp_path / "p"))]
    tables = load(store, tmp_path, *files, ("w.xlsx", xlsx([["a"], ["b"]], [[f"c{i}" for i in range(201)], [1]])))
    assert [len(table.columns) for table in tables] == [200, 200, 1, 200]
    assert query(store, "SELECT c199 FROM w_2", 9, 5).rows == [["1"]]
    assert [each["document"] for each in store.problems] == ["w.csv", "w.parquet", "w.xlsx"]
    assert "시트 s2: 열이 많아 앞 200개만" in store.problems[2]["ko"]
    monkeypatch.setattr(module, "MAX_TABLES", 2)
    other = Store()
    assert len(load(other, tmp_path, ("w.xlsx", xlsx(*[[["a"], ["b"]]] * 3)))) == 2
    assert [each["en"] for each in other.problems] == ["Not all of its tables are here: there can be 2 in all."]


def test_every_column_can_be_asked_for_by_its_name(store, tmp_path):
    with duckdb.connect() as db:
        words = sorted({word for (word,) in db.execute("SELECT keyword_name FROM duckdb_keywords()").fetchall()})
    files = [(f"w{at}.csv", f"{','.join(words[at : at + 200])}\nx\n".encode()) for at in range(0, len(words), 200)]
    for table in load(store, tmp_path, *files):
        names = [name for name, _, _ in table.columns]
        asked = ", ".join(f"{name}, t.{name}" for name in names)
        check(
            duckdb.connect(),
            f"SELECT {asked} FROM {table.name} t GROUP BY {', '.join(names)} ORDER BY {names[0]}",
            [table.name],
        )
    for word in ("force", "values", "map"):
        (table,) = load(store, tmp_path, (f"{word}.csv", b"a\nx\n"))
        assert query(store, f"SELECT a FROM {table.name}", 9, 5).rows == [["x"]]


def test_empty_and_damaged_files(store, tmp_path):
    tables = load(
        store, tmp_path, ("e.csv", b""), ("b.xlsx", b"PK\x03\x04rubbish"), ("h.csv", b"a,b\n"), ("g.csv", b"a\nx\n")
    )
    assert [(table.name, table.rows) for table in tables] == [("h", 0), ("g", 1)]
    assert [problem["document"] for problem in store.problems] == ["b.xlsx"]


def test_what_is_held_is_not_read_again(store, tmp_path):
    load(store, tmp_path, ("a.csv", b"n\n1\n"))
    first = store.tables[0]
    held = [{"key": key, "path": "/nowhere", "name": "a.csv", "kind": "csv"} for key in store._files]
    store.load(held, 60)
    assert store.tables == [first]
    store.load([], 60)
    assert store.tables == []
    with pytest.raises(ToolInputError):
        query(store, "FROM a", 1, 5)


def test_large_tables_are_cut_and_say_so(store, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 10)
    (table,) = load(store, tmp_path, ("n.csv", b"n\n" + b"1\n" * 11))
    assert (table.rows, table.cut) == (10, True)
    monkeypatch.setattr(module, "MAX_CELLS", 15)
    first, second = load(store, tmp_path, ("n.csv", b"n\n" + b"1\n" * 10), ("m.csv", b"m\n" + b"1\n" * 10))
    assert (first.rows, first.cut) == (10, False)
    assert (second.rows, second.cut) == (5, True)


def test_what_time_does_not_allow_is_told_and_read_next_time(store, tmp_path, monkeypatch):
    """A file that takes too long must not cost the process, and with it all tables."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    def slow(data, kind):
        def rows():
            yield ["n"]
            for number in range(20_000):
                now[0] += 0.005
                yield [str(number)]

        yield module.Sheet("", rows())

    monkeypatch.setattr(module, "sheets", slow)
    (tmp_path / "a").touch()
    files = [{"key": key, "path": str(tmp_path / "a"), "name": f"{key}.xlsx", "kind": "xlsx"} for key in "ab"]
    store.load(files, 100)
    assert [(table.name, table.rows, table.cut) for table in store.tables] == [("a", 15_000, True)]
    assert [(each["document"], "100" in each["ko"]) for each in store.problems] == [("b.xlsx", True)]
    store.load(files, 100)
    assert [(table.name, table.rows, table.cut) for table in store.tables] == [("a", 15_000, True), ("b", 15_000, True)]
    assert store.problems == []


def test_the_engine_is_a_wall_of_its_own(store, tmp_path, monkeypatch):
    """What would happen if the guard let something pass."""
    load(store, tmp_path, ("a.csv", b"n\n1\n"))
    monkeypatch.setattr(module, "check", lambda db, sql, tables: set())
    sentinel = "a variable of this function"
    outside = tmp_path / "out.csv"
    for sql in (
        f"SELECT * FROM read_text('{tmp_path}/0')",
        f"FROM '{tmp_path}/0'",
        f"COPY a TO '{outside}'",
        f"ATTACH '{tmp_path}/x.db'",
        "SELECT * FROM glob('/*')",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '20GB'",
        "SET enable_external_access = true",
        "FROM 'http://127.0.0.1:9/x.csv'",
        "DELETE FROM a",
        "INSERT INTO a VALUES (2)",
        "DROP TABLE a",
        "FROM sentinel",
    ):
        with pytest.raises(ToolInputError):
            query(store, sql, 10, 5)
    assert sentinel
    assert not outside.exists()
    assert query(store, "FROM a", 10, 5).rows == [["1"]]


def test_a_query_is_interrupted(store, tmp_path):
    with pytest.raises(ToolInputError, match=r"stopped after 0.1 seconds"):
        query(store, "SELECT count(*) FROM range(100000000000)", 10, 0.1)
    assert query(store, "SELECT 1", 10, 5).rows == [["1"]]


def test_an_interrupt_at_the_last_moment_harms_no_later_query(store):
    for at in range(150):
        try:
            query(store, f"SELECT count(*) FROM range({20_000 * at})", 1, 0.001)
        except ToolInputError as error:
            assert "stopped after" in str(error)  # noqa: PT017
        assert query(store, "SELECT 1", 1, 60).rows == [["1"]]


def test_values_as_text(store):
    sql = "SELECT 0.1::DOUBLE + 0.2, [1, 2], {'a': '가'}, 'x'::BLOB, NULL, repeat('가', 300), 1.50::DECIMAL(5, 2), true"
    (row,) = query(store, sql, 1, 5).rows
    assert row == ["0.3", "[1, 2]", '{"a": "가"}', "[1 bytes]", "", "가" * 200 + "…", "1.50", "true"]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_the_same_words_are_the_same_however_they_are_stored(store, tmp_path, kind) -> None:
    """As Macs store Hangul, in letters, and with blanks that web pages have."""
    cells = ["서울 강남", unicodedata.normalize("NFD", "서울 강남"), "서울\xa0강남\xa0"]
    head = unicodedata.normalize("NFD", "지역")
    data = {
        "csv": lambda: "\n".join([f"{head},수", *(f"{cell},1" for cell in cells)]).encode(),
        "xlsx": lambda: xlsx([[head, "수"], *([cell, 1] for cell in cells)]),
        "parquet": lambda: parquet(
            f"SELECT unnest({cells!r}) AS 지역, 1 AS 수".replace("\\xa0", "\xa0"), tmp_path / "p.parquet"
        ),
    }[kind]()
    (table,) = load(store, tmp_path, (f"t.{kind}", data))
    found = query(store, f"SELECT 지역, count(*) FROM {table.name} GROUP BY 지역", 10, 5)
    assert found.rows == [["서울 강남", "3"]]


def test_titles_and_footnotes_are_notes_of_the_table_and_none_of_its_rows(store, tmp_path) -> None:
    lines = ["유형,지역,건수", "누수,서울,3", "소음,부산,4"]
    notes = ["# 이 표는 지어낸 것이다", "※ 잠정치", "부산은 2025년 4월부터 남구를 더하여 세었다."]
    book = xlsx([["설비 투자 (천 원)"], ["지역", "금액"], ["음성", 5], ["대전", None]])
    table, sheet = load(store, tmp_path, ("a.csv", "\n".join([*lines, *notes]).encode()), ("b.xlsx", book))
    assert (table.rows, table.notes) == (2, notes)
    assert types(table)[2] == "BIGINT"
    assert (sheet.rows, sheet.notes) == (2, ["설비 투자 (천 원)"]), "a name without its number is a row"
    (table,) = load(store, tmp_path, ("c.csv", "\n".join([lines[0], "# 1,서울,3", "# 2", "# 3,서울,1"]).encode()))
    assert (table.rows, table.notes) == (3, []), "what stands between rows is one"


def test_rows_of_totals_are_told_with_what_leaves_them_out(store, tmp_path) -> None:
    text = "분야,강좌,정원\n문학,시,15\n문학,소계,15\n음악,첼로,8\n,합창,40\n음악,소계,48\n합계(전체),,63\n"
    (table,) = load(store, tmp_path, ("강좌.csv", text.encode()))
    assert (table.rows, table.totals) == (6, 3)
    assert table.sample[-1] == ["합계(전체)", "", "63"], "the last row is shown"
    rows = store.query("SELECT sum(정원) AS 합계 FROM 강좌", Limits(rows=9, seconds=5))
    ((name, count, where),) = rows.totals
    assert (name, count, rows.rows) == ("강좌", 3, [[189]])
    without = store.query(f"SELECT sum(정원) FROM 강좌 WHERE {where}", Limits(rows=9, seconds=5))
    assert (without.rows, without.totals) == ([[63]], [])
    asked = store.query("SELECT 정원 FROM 강좌 WHERE 강좌 LIKE '%소계'", Limits(rows=9, seconds=5))
    assert asked.totals == [], "whoever names them knows of them"
    for sql, told in (
        ("SELECT 강좌, 정원 FROM 강좌 WHERE 강좌 = '첼로';", False),
        ("SELECT 강좌, 정원 FROM 강좌 WHERE 강좌 IN ('시', '합창') -- two\n", False),
        ("WITH few AS (SELECT * FROM 강좌 WHERE 분야 = '문학') SELECT sum(정원) FROM few", True),
        ("SELECT 강좌, 정원 FROM main.강좌 WHERE 분야 = '문학'", True),
        ("SELECT sum(정원) FROM 강좌 WHERE 분야 = '없음'", False),
    ):
        assert bool(store.query(sql, Limits(rows=9, seconds=5)).totals) == told, sql


def ods(*rows: str) -> bytes:
    """A workbook of OpenDocument with one sheet of texts, cells between bars; what begins with `2*` is merged with the
    cell below, which is empty."""
    spaces = " ".join(
        f'xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"' for each in ("office", "table", "text")
    )
    cells = {"": "<table:covered-table-cell/>"}
    for cell in "|".join(rows).split("|"):
        span = ' table:number-rows-spanned="2"' if cell.startswith("2*") else ""
        text = f"<text:p>{cell.removeprefix('2*')}</text:p>"
        cells.setdefault(cell, f'<table:table-cell{span} office:value-type="string">{text}</table:table-cell>')
    lines = "".join(f"<table:table-row>{''.join(map(cells.get, row.split('|')))}</table:table-row>" for row in rows)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        parts.writestr("META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{manifest}"/>')
        parts.writestr(
            "content.xml",
            f'<office:document-content {spaces} office:version="1.3"><office:body><office:spreadsheet>'
            f'<table:table table:name="설비">{lines}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
    return file.getvalue()


def test_merged_labels_of_ods_stand_in_every_row_too(store, tmp_path) -> None:
    data = ods("사업장|항목|금액", "2*음성|도장|240", "|시험기|86", "본사|차량|62")
    (table,) = load(store, tmp_path, ("설비.ods", data))
    assert table.rows == 3
    found = query(store, "SELECT 사업장, sum(금액) FROM 설비 GROUP BY 사업장 ORDER BY 2", 9, 5)
    assert found.rows == [["본사", "62"], ["음성", "326"]]
