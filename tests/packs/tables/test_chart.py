"""`draw_chart`: from SQL to a file."""

from xml.etree import ElementTree

import pytest

from dure.messages import ToolCall
from dure.packs.tables.chart import chart_tool
from dure.packs.tables.tables import Tables
from dure.storage.files import Folder
from dure.tooling import ToolContext
from dure.toolsets import run_call

SALES = "월,매출,비용,메모\n2024-01-01,1200,700,a\n2024-02-01,800,,b\n2024-03-01,-300,100,c\n"


@pytest.fixture
async def draw(knowledge, tmp_path):
    await knowledge.add("me", "판매.csv", SALES.encode())
    tables = Tables(knowledge, Folder(tmp_path / "notes"))
    tool = chart_tool(tables)

    async def call(owner="me", language="en", **args):
        context = ToolContext(owner, language=language)
        result = await run_call({"draw_chart": tool}, ToolCall("draw_chart", args), context)
        return result.status, result

    yield call
    await tables.close()


def labels(result):
    return [each.text for each in ElementTree.fromstring(result.files[0].data).iter("{http://www.w3.org/2000/svg}text")]


async def test_a_chart_is_a_file_and_its_summary(draw):
    sql = "SELECT 월, 매출, 비용 FROM 판매 ORDER BY 월"
    status, result = await draw(language="ko", sql=sql, kind="line", title="월별 매출/비용")
    assert status == "ok"
    (file,) = result.files
    assert (file.name, file.media_type) == ("월별_매출_비용.svg", "image/svg+xml")
    assert {"월별 매출/비용", "매출", "비용", "2024-02-01"} & set(labels(result)) >= {"월별 매출/비용", "매출", "비용"}
    assert result.text.splitlines()[:3] == [
        "차트를 그려 월별_매출_비용.svg 파일로 사용자에게 전달했습니다: line, x=월, y=매출, 비용, 5개 값.",
        "매출: 최소 -300 (2024-03-01), 최대 1,200 (2024-01-01), 합계 1,700",
        "비용: 최소 100 (2024-03-01), 최대 700 (2024-01-01), 합계 800",
    ]
    assert "| 2024-02-01 | 800 |  |" in result.text
    assert result.data == {"sql": sql, "kind": "line", "x": "월", "y": ["매출", "비용"], "rows": 3, "file": file.name}


async def test_figures_of_its_table_are_grouped_and_end_below_each_other(draw):
    values = "(2026, 95600000), (2027, -1234.5), (2028, 0.1234567), (2029, 999), (2030, 1e20)"
    sql = f"SELECT 해, 합::DOUBLE AS 합 FROM (VALUES {values}) AS t(해, 합) ORDER BY 해"
    _, result = await draw(sql=sql, kind="line", x="해", y="합")
    told = [line for line in result.text.splitlines() if line.startswith("|")]
    assert told[:2] == ["| 해 | 합 |", "| --- | ---: |"]
    assert [line.split(" | ")[0] for line in told[2:]] == ["| 2026", "| 2027", "| 2028", "| 2029", "| 2030"]
    figures = [line.split(" | ")[1].removesuffix(" |") for line in told[2:]]
    assert [each.removesuffix(".0") for each in figures[:4]] == ["95,600,000", "-1,234.5", "0.1234567", "999"]
    assert float(figures[4].replace(",", "")) == 1e20


@pytest.mark.parametrize("kind", ["bar", "line", "area", "scatter"])
async def test_columns_by_name(draw, kind):
    status, result = await draw(sql="SELECT 매출, 메모, 비용 FROM 판매", kind=kind, x="메모", y="매출")
    assert status == "ok"
    assert (result.data["x"], result.data["y"], result.files[0].name) == ("메모", ["매출"], "chart.svg")
    assert {"a", "b", "c"} <= set(labels(result))
    status, result = await draw(sql="SELECT 매출, 메모 FROM 판매", kind=kind, y=["매출"])
    assert (status, result.data["x"]) == ("ok", "메모")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"sql": "SELECT 월, 메모 FROM 판매", "kind": "bar"}, "y needs numeric columns"),
        ({"sql": "SELECT 월, 매출 FROM 판매", "kind": "bar", "y": ["이익"]}, "no column '이익'. Columns: 월, 매출"),
        ({"sql": "SELECT 월, 매출 FROM 판매", "kind": "bar", "y": ["월"]}, "y needs numeric columns"),
        ({"sql": "SELECT 메모, 매출 FROM 판매", "kind": "pie"}, "Negative values cannot be slices"),
        ({"sql": "SELECT 메모, 0 n FROM 판매", "kind": "pie"}, "All values are 0"),
        ({"sql": "SELECT 메모, 매출 FROM 판매 WHERE false", "kind": "bar"}, "no rows"),
        ({"sql": "SELECT 메모, NULL::INTEGER n FROM 판매", "kind": "bar"}, "all are empty"),
        ({"sql": "SELECT 메모, 'nan'::DOUBLE n FROM 판매", "kind": "line"}, "all are empty"),
        ({"sql": "SELECT * FROM read_csv('/etc/passwd')", "kind": "bar"}, "cannot be read from"),
        ({"sql": "SELECT 메모, 매출 FROM 판매", "kind": "radar"}, "radar"),
    ],
)
async def test_what_cannot_be_drawn_is_told(draw, args, said):
    status, result = await draw(**args)
    assert status == "error"
    assert said in result.text
    assert result.files == []


async def test_what_is_too_much_is_left_out_and_said(draw):
    many = "SELECT 'n' || range AS name, range + 1 AS n FROM range({})"
    _, result = await draw(sql=many.format(50), kind="bar")
    assert "Only the first 40 of 50 bars" in result.text
    _, result = await draw(sql=many.format(20), kind="pie")
    assert {"n19", "n11", "Others (11)"} <= set(labels(result))
    assert "n10" not in labels(result)
    _, result = await draw(sql="SELECT range x, range * 2 y FROM range(2001)", kind="scatter")
    assert "Only the first 2,000 rows" in result.text
    _, result = await draw(sql="SELECT * FROM (VALUES (NULL, 1), (2, NULL), (3, 5)) t(x, y)", kind="line")
    assert "want of a value: 2" in result.text


async def test_strange_values_are_drawn(draw):
    sql = "SELECT * FROM (VALUES ('a', 1e308), ('b', 1e-320), ('c', -5e299), ('d', 'inf'::DOUBLE)) t(x, y)"
    status, result = await draw(sql=sql, kind="bar")
    assert status == "ok"
    assert {"b", "c"} <= set(labels(result))
    sql = "SELECT * FROM (VALUES (TIMESTAMP '0001-01-01', 1), (TIMESTAMP '9999-12-31 23:59:59', 2)) t(x, y)"
    assert (await draw(sql=sql, kind="line"))[0] == "ok"
    sql = "SELECT 9223372036854775807 AS x, 170141183460469231731687303715884105727 AS y"
    assert (await draw(sql=sql, kind="scatter"))[0] == "ok"


async def test_others_tables_are_not_there(draw):
    status, result = await draw(owner="other", sql="SELECT 월, 매출 FROM 판매", kind="bar")
    assert (status, result.files) == ("error", [])
    assert "no documents with tables" in result.text


async def test_figures_from_elsewhere_need_no_table(draw):
    """Such as those of a web page."""
    sql = "SELECT * FROM (VALUES ('1분기', 1340), ('2분기', 1298)) t(분기, 매출)"
    status, result = await draw(owner="other", sql=sql, kind="bar")
    assert (status, len(result.files)) == ("ok", 1)
    status, result = await draw(owner="other", sql=sql[:-2], kind="bar")
    assert status == "error"
    assert "syntax error" in result.text


async def test_a_table_within_a_text_is_drawn(draw, knowledge):
    rows = "<tr><th>회의실</th><th>좌석</th></tr><tr><td>누리</td><td>8</td></tr><tr><td>가온</td><td>12</td></tr>"
    document = await knowledge.add("me", "안내.html", f"<h1>회의실 안내</h1><table>{rows}</table>".encode())
    await knowledge.wait("me", [document.id])
    status, result = await draw(sql="SELECT 회의실, 좌석 FROM 안내", kind="bar", document="안내.html")
    assert (status, result.data["rows"]) == ("ok", 2)
    assert {"누리", "가온"} <= set(labels(result))
