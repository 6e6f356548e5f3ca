import asyncio
import io
import re
import zipfile

import duckdb
import openpyxl
import pytest

from dure import markdown
from dure.data.limits import Limits
from dure.data.sandbox import Sandbox
from dure.packs.tables.tables import Tables
from dure.storage.files import Folder
from dure.tooling import ToolContext

SALES = '부서,월,매출(만원)\n영업,2024-01-01,"1,200"\n개발,2024-02-01,800\n영업,2024-03-01,300\n'


def workbook(**sheets) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


async def test_lists_and_queries_the_owners_tables(knowledge, ask):
    await knowledge.add("me", "2024 매출.csv", SALES.encode("cp949"))
    await knowledge.add("me", "회사.xlsx", workbook(직원=[["이름", "나이"], ["김두레", 31]], 빈칸=[]))
    await knowledge.add("other", "secret.csv", b"a,b\n1,2\n")
    result = await ask("list_tables")
    assert result.status == "ok"
    assert "표 _2024_매출 (3행, 문서 2024 매출.csv)" in result.text
    assert '매출_만원 BIGINT ("매출(만원)")' in result.text
    assert "표 회사_직원 (1행, 문서 회사.xlsx의 시트 직원)" in result.text
    assert "secret" not in result.text

    sql = "SELECT 부서, sum(매출_만원) AS 합계 FROM _2024_매출 GROUP BY 부서 ORDER BY 합계 DESC"
    result = await ask("query_tables", sql=sql)
    assert result.status == "ok"
    assert result.text == "| 부서 | 합계 |\n| --- | --- |\n| 영업 | 1500 |\n| 개발 | 800 |\n\n(2행)"
    assert result.data == {
        **{"sql": sql, "rows": 2, "more": False},
        **{"columns": ["부서", "합계"], "values": [["영업", 1500], ["개발", 800]]},
    }

    result = await ask("query_tables", sql="SELECT * FROM secret")
    assert result.status == "error"
    assert "회사_직원" in result.text
    result = await ask("query_tables", owner="other", sql="SELECT a + b AS c FROM secret", language="en")
    assert "| 3 |" in result.text


async def test_follows_what_is_added_replaced_and_deleted(knowledge, ask):
    first = await knowledge.add("me", "a.csv", b"n\n1\n2\n")
    assert "| 3 |" in (await ask("query_tables", sql="SELECT sum(n) s FROM a")).text
    await knowledge.add("me", "b.csv", b"n\n10\n")
    assert "| 13 |" in (await ask("query_tables", sql="SELECT sum(n) s FROM (FROM a UNION ALL FROM b)")).text
    await knowledge.wait("me", [first.id])
    await knowledge.delete("me", first.id)
    assert (await ask("query_tables", sql="SELECT * FROM a")).status == "error"
    assert "| 10 |" in (await ask("query_tables", sql="SELECT sum(n) s FROM b")).text


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "문서(CSV, XLSX, Parquet)가 없습니다"), ("en", "no documents with tables")]
)
async def test_says_when_there_are_none(knowledge, ask, language, words):
    await knowledge.add("me", "notes.md", b"# Notes\n\nNothing here.\n")
    for name, args in (("list_tables", {}), ("query_tables", {"sql": "SELECT 1"})):
        result = await ask(name, language=language, **args)
        assert result.status == "ok"
        assert words in result.text


async def test_a_wide_table_is_profiled(knowledge, ask):
    """Of columns as many and as long as spreadsheets have them."""
    heads = [f"{number}번째 항목의 아주 길고 자세한 이름 (단위: 천원, 부가세 별도)" for number in range(60)]
    text = "\n".join([",".join(f'"{each}"' for each in heads), ",".join(["가1"] * 60), ",".join(["나"] * 60)])
    await knowledge.add("me", "wide.csv", text.encode())
    result = await ask("list_tables", question="몇 건이야?")
    assert result.status == "ok"
    counts = result.data["profiles"]["wide"]["counts"]
    assert [counts[f"different{at}"] for at in range(60)] == [2] * 60
    assert [counts[f"coded{at}"] for at in range(60)] == [1] * 60


async def test_a_table_is_profiled_once_and_only_for_code_that_reads_it(knowledge, ask, monkeypatch) -> None:
    await knowledge.add("me", "sales.csv", b"team,amount\nred,1\nblue,2\nred,3\n")
    assert "profiles" not in (await ask("list_tables", about="red")).data
    queries: list[str] = []
    run = Sandbox.run

    async def counted(self, owner, tables, sql, limits):
        queries.append(sql)
        return await run(self, owner, tables, sql, limits)

    monkeypatch.setattr(Sandbox, "run", counted)
    first = await ask("list_tables", question="red")
    before = len(queries)
    second = await ask("list_tables", question="red")
    assert before == len(queries) > 0
    assert first.data["profiles"] == second.data["profiles"]
    assert second.data["profiles"]["sales"]["values"] == {"team": ["red", "blue"]}
    await knowledge.add("me", "more.csv", b"n\nx\n")
    assert set((await ask("list_tables", question="red")).data["profiles"]) == {"sales", "more"}
    assert len(queries) == before + 2, "one of the counts, one of the values of the column that is new"


async def test_models_are_shown_no_argument_that_code_alone_gives(ask, knowledge, tmp_path) -> None:
    (listing, _) = Tables(knowledge, Folder(tmp_path / "notes")).tools()
    shown = listing.as_openai()["function"]["parameters"]
    assert list(shown["properties"]) == ["about", "document"]
    assert "names" not in (await ask("list_tables", about=["x"])).text


async def test_shows_at_most_a_hundred_rows(knowledge, ask):
    await knowledge.add("me", "n.csv", b"n\n" + b"".join(b"%d\n" % i for i in range(101)))
    result = await ask("query_tables", sql="FROM n")
    assert "| 99 |" in result.text
    assert "| 100 |" not in result.text
    assert "앞 100행만" in result.text
    assert "(100행)" in (await ask("query_tables", sql="FROM n LIMIT 100")).text


async def test_a_damaged_file_costs_only_itself(knowledge, ask):
    good = workbook(s=[["a"], ["x"]])
    broken = await knowledge.add("me", "broken.xlsx", good[:-200] + bytes(200))
    await knowledge.wait("me", [broken.id])
    await knowledge.add("me", "good.xlsx", good)
    result = await ask("list_tables")
    assert "표 good (1행" in result.text


@pytest.mark.parametrize("ask", [Limits(seconds=1.0)], indirect=True)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT len(range(1000000000))",
        "SELECT count(*) FROM n a, n b, n c, n d, n e",
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
        "SELECT list(a.n) FROM n a, n b, n c",
        "SELECT repeat('x', 4000000000)",
    ],
)
async def test_greedy_queries_are_stopped_and_harm_nothing(knowledge, ask, sql):
    await knowledge.add("me", "n.csv", b"n\n" + b"".join(b"%d\n" % i for i in range(2000)))
    result = await ask("query_tables", sql=sql)
    assert result.status == "error"
    assert re.search(r"1초 안에 끝나지 않아|메모리", result.text)
    assert "| 2000 |" in (await ask("query_tables", sql="SELECT count(*) c FROM n")).text


async def test_parquet(knowledge, ask, tmp_path):
    with duckdb.connect() as db:
        db.execute(
            f"COPY (SELECT range id, '팀' || range % 3 AS 팀 FROM range(200)) TO '{tmp_path}/a' (FORMAT parquet)"
        )
    document = await knowledge.add("me", "팀 목록.parquet", (tmp_path / "a").read_bytes())
    result = await ask("list_tables")
    assert "표 팀_목록 (200행, 문서 팀 목록.parquet)\n열: id BIGINT, 팀 VARCHAR" in result.text
    result = await ask("query_tables", sql="SELECT 팀, count(*) n FROM 팀_목록 GROUP BY ALL ORDER BY 팀 LIMIT 1")
    assert "| 팀0 | 67 |" in result.text
    (document,) = await knowledge.wait("me", [document.id])
    assert document.status == "ready"
    assert "id: 7 | 팀: 팀1" in await knowledge.text("me", document.id)


async def test_files_reach_no_network_and_no_other_file(knowledge, ask, tmp_path):
    """Links, formulas and paths inside files are never followed, while they are read nor while they are queried."""
    called = []
    server = await asyncio.start_server(lambda reader, writer: called.append(writer.close()), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x.csv"
    (tmp_path / "secret.csv").write_text("key\nhush\n")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["link", "formula"])
    sheet.append([url, f'=WEBSERVICE("{url}")'])
    sheet.append([f"{tmp_path}/secret.csv", f"='file://{tmp_path}/[secret.csv]a'!A2"])
    sheet["A2"].hyperlink = url
    file = io.BytesIO()
    book.save(file)
    linked = {
        "xl/externalLinks/externalLink1.xml": '<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/'
        '2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<externalBook r:id="rId1"/></externalLink>',
        "xl/externalLinks/_rels/externalLink1.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/'
        'package/2006/relationships"><Relationship Id="rId1" TargetMode="External" Target="' + url + '" Type="http://'
        'schemas.openxmlformats.org/officeDocument/2006/relationships/externalLinkPath"/></Relationships>',
    }
    with zipfile.ZipFile(file, "a") as archive:
        for part, text in linked.items():
            archive.writestr(part, text)
    with duckdb.connect() as db:
        db.execute(f"COPY (SELECT '{url}' link, '{tmp_path}/secret.csv' path) TO '{tmp_path}/p' (FORMAT parquet)")
    names = {"a.xlsx": file.getvalue(), "b.csv": f"link\n{url}\n".encode(), "c.parquet": (tmp_path / "p").read_bytes()}
    added = [await knowledge.add("me", name, data) for name, data in names.items()]
    assert [each.status for each in await knowledge.wait("me", [each.id for each in added])] == ["ready"] * 3
    for table in "abc":
        result = await ask("query_tables", sql=f"SELECT link FROM {table}")
        assert result.status == "ok"
        assert url in result.text
    for sql in (
        f"FROM '{url}'",
        f"SELECT * FROM read_csv('{tmp_path}/secret.csv')",
        "SELECT * FROM read_parquet((SELECT path FROM c))",
        f"FROM c UNION ALL FROM '{tmp_path}/p'",
    ):
        assert (await ask("query_tables", sql=sql)).status == "error"
    server.close()
    await server.wait_closed()
    assert called == []


async def test_processes_end_with_the_tables(knowledge, tmp_path, ordinary_children):
    await knowledge.add("me", "n.csv", b"n\n1\n")
    tables = Tables(knowledge, Folder(tmp_path / "notes"))
    query = next(each for each in tables.tools() if each.name == "query_tables")
    await query.run({"sql": "FROM n"}, ToolContext("me"))
    child = (await tables._sandbox.child("me")).process
    await tables.close()
    assert child.returncode is not None


def test_markdown_escapes_cells():
    assert markdown.table(["a|b"], [["x\ny | z"]]) == "| a\\|b |\n| --- |\n| x y \\| z |"


ROOMS = "".join(f"<tr><td>{room}</td><td>{floor}</td><td>{seats}</td></tr>" for room, floor, seats in (
    ("누리", "2층", 8), ("가온", "3층", 12), ("다솜", "3층", 4), ("마루", "3층", ""),
))  # fmt: skip
GUIDE = (
    f"<h1>회의실 안내</h1><table><tr><th>회의실</th><th>층</th><th>좌석</th></tr>{ROOMS}</table><p>예약은 총무팀.</p>"
)


async def test_tables_within_a_text_are_queried_by_its_name(knowledge, ask):
    document = await knowledge.add("me", "안내.html", GUIDE.encode())
    await knowledge.wait("me", [document.id])
    await knowledge.add("other", "비밀.html", GUIDE.encode())
    await knowledge.add("me", "매출.csv", SALES.encode())
    listed = await ask("list_tables", document="안내.html")
    assert [(each["name"], each["rows"]) for each in listed.data["tables"]] == [("안내", 4)]
    result = await ask(
        "query_tables", sql="SELECT 층, count(*), sum(좌석) FROM 안내 GROUP BY 층 ORDER BY 1", document="안내.html"
    )
    assert result.data["values"] == [["2층", 1, 8], ["3층", 3, 16]]
    assert (await ask("list_tables", document="비밀.html")).data is None
    assert [each["name"] for each in (await ask("list_tables")).data["tables"]] == ["매출"]


async def test_documents_with_tables_in_their_text_are_named(knowledge, ask) -> None:
    """Else a model takes it that there is no such table, though a search would find it."""
    prices = "<title>부품 단가표</title>" + GUIDE.replace("회의실", "부품").replace("좌석", "단가")
    added = [await knowledge.add("me", n, text.encode()) for n, text in (("안내.html", GUIDE), ("b-7.html", prices))]
    added.append(await knowledge.add("me", "글.md", "좌석은 어디에나 | 있다.".encode()))
    await knowledge.wait("me", [each.id for each in added])
    said = "글 안에 표가 있는 문서(검색하거나 `document`에 그 이름을 넣으세요): "
    alone = await ask("list_tables", about="부품의 단가")
    assert alone.text.endswith(f"Parquet)가 없습니다.\n\n{said}b-7.html (부품 단가표 b-7), 안내.html")
    await knowledge.add("me", "매출.csv", SALES.encode())
    beside = await ask("list_tables", about="회의실 좌석")
    assert beside.text.startswith("표 매출 ")
    assert beside.text.endswith(f"\n\n{said}안내.html, b-7.html (부품 단가표 b-7)")
    assert said in (await ask("list_tables")).text
    assert said not in (await ask("list_tables", document="매출.csv")).text
    assert said not in (await ask("list_tables", question="좌석")).text, "code reads the data alone"


@pytest.mark.parametrize("name", ["급여대장", "급여대장_2025", "급여대장 2025", "급여대장_2025.csv"])
async def test_a_part_of_one_documents_name_means_that_one(knowledge, ask, name) -> None:
    for each in ("급여대장_2025.csv", "매출.csv", "안내.md"):
        await knowledge.add("me", each, SALES.encode())
    listed = await ask("list_tables", document=name)
    assert [each["name"] for each in listed.data["tables"]] == ["급여대장_2025"]
    asked = await ask("query_tables", document=name, sql="SELECT count(*) FROM 급여대장_2025")
    assert asked.data["values"] == [[3]]


async def test_an_unknown_document_is_answered_with_the_nearest_names(knowledge, ask) -> None:
    for each in ("급여대장_2024.csv", "급여대장_2025.csv", "매출.csv", "안내.md"):
        await knowledge.add("me", each, SALES.encode() if each.endswith("csv") else b"# Notes")
    several = await ask("list_tables", document="급여대장")
    assert several.status == "error"
    assert "급여대장_2024.csv, 급여대장_2025.csv" in several.text
    assert "매출" not in several.text
    misspelt = await ask("query_tables", document="급여대쟝_2025.csv", sql="SELECT 1")
    assert misspelt.status == "error"
    assert misspelt.text.index("급여대장_2025.csv") < misspelt.text.index("급여대장_2024.csv")
    assert (await ask("list_tables", document="안내.md")).text == "문서 안내.md에는 표가 없습니다."


async def test_rows_that_sum_others_are_told_with_each_result(knowledge, ask) -> None:
    await knowledge.add("me", "반품.csv", "접수일,수량\n1월 9일,1\n2월 3일,2\n합계,3\n# 지어낸 표\n".encode())
    listed = await ask("list_tables", about="반품 수량 합계")
    where = "coalesce(접수일, '') NOT IN ('합계')"
    assert f"반품에는 다른 행을 더한 합계·소계 행이 1개 들어 있습니다. 빼는 조건: {where}" in listed.text
    assert "| 합계 | 3 |" in listed.text
    assert "표에 적힌 말: # 지어낸 표" in listed.text
    assert where in (await ask("query_tables", sql="SELECT sum(수량) AS 합계 FROM 반품")).text
    right = await ask("query_tables", sql=f"SELECT sum(수량) AS 합계 FROM 반품 WHERE {where}")
    assert right.text == "| 합계 |\n| --- |\n| 3 |\n\n(1행)"


async def test_a_unit_above_the_header_is_that_of_the_numbers_without_one(knowledge, ask) -> None:
    heads = ["항목", "연도", "금액", "인원(명)"]
    book = workbook(설비=[["설비 투자 (단위: 천원)"], heads, ["도장", 2024, 240000, 3], ["자동", 2025, 129000, 2]])
    await knowledge.add("me", "예산.xlsx", book)
    listed = await ask("list_tables", question="설비 투자 금액은 모두 얼마야?")
    assert "표에 적힌 말: 설비 투자 (단위: 천원)" in listed.text
    (noted,) = listed.data["noted"].values()
    units = {head: each["unit"] for head, each in noted["notes"]["columns"].items()}
    assert (units, noted["made"]) == ({"금액": "천원"}, False)
