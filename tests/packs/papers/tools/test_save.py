"""`save_file` makes files of the run in five formats, under safe names, harmless to open."""

import csv
import io
import json
import zipfile

import docx
import openpyxl
import pytest
from fixtures.pictures import png
from hypothesis import given, settings
from hypothesis import strategies as st

from dure import Agent, Dure, Team, tool
from dure.app import DEFAULT_OWNER
from dure.messages import ToolCall
from dure.packs.papers.tools.save import plain, safe_name, save_tool, table_of
from dure.sources import Passage
from dure.testing import ScriptedServer, call, say
from dure.tooling import File, ToolContext, ToolResult
from dure.toolsets import run_call

CONTENT = """# 어텐션

**어텐션**은 [논문](https://arxiv.org/abs/1706.03762)에서 왔다.

- 하나
- 둘 `code`
  - 안쪽

| 연도 | 편수 |
|------|-----:|
| 2017 | 3 |
| 2018 | =1+1 |
| 2019 | a \\| b |

```python
x = 1
```
"""


async def save(kind: str, content: str = CONTENT, name: str = "어텐션 정리"):
    call = ToolCall("save_file", {"name": name, "format": kind, "content": content})
    result = await run_call({"save_file": save_tool()}, call, ToolContext("default", language="ko"))
    return result.status, result


async def test_markdown_is_kept_as_it_is():
    status, result = await save("md")
    (file,) = result.files
    assert (status, file.name) == ("ok", "어텐션 정리.md")
    assert file.data.decode() == CONTENT


async def test_plain_text_has_no_marks():
    _, result = await save("txt")
    text = result.files[0].data.decode()
    assert "**" not in text
    assert text.startswith("어텐션\n\n어텐션은 논문 (https://arxiv.org/abs/1706.03762)에서 왔다.")


async def test_csv_is_the_table_and_runs_no_formula():
    _, result = await save("csv")
    data = result.files[0].data
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    assert rows == [["연도", "편수"], ["2017", "3"], ["2018", "'=1+1"], ["2019", "a | b"]]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_text_beside_the_table_is_told_to_be_left_out(kind):
    table = "# 승인자\n\n| 금액 | 승인자 |\n| --- | --- |\n| 0 | 학과장 |\n"
    _, result = await save(kind, f"{table}\n**금액**은 부가가치세를 포함합니다.")
    assert result.text.endswith("표만 담았습니다. 담지 않은 글: “금액은 부가가치세를 포함합니다.”")
    _, alone = await save(kind, table)
    assert alone.text == f"어텐션 정리.{kind} 파일을 만들었습니다."


async def test_numbers_in_csv_are_those_of_a_workbook():
    _, result = await save(
        "csv", "| 값 |\n|---|\n| 285,000,000 |\n| 0 |\n| 0.0000001 |\n| -1,200.50 |\n| 007 |\n| 1,2 |"
    )
    written = result.files[0].data.decode("utf-8-sig").splitlines()
    assert written == ["값", "285000000", "0", "0.0000001", "-1200.50", "007", '"1,2"']


async def test_signed_numbers_stay_numbers_and_wide_signs_run_nothing():
    _, result = await save("csv", "| a | b | c | d |\n|---|---|---|---|\n| -5.2% | ＝1+1 | - | -x |")
    assert "-5.2%,'＝1+1,-,'-x" in result.files[0].data.decode("utf-8-sig")


async def test_a_workbook_is_the_table_with_numbers_as_numbers():
    _, result = await save(
        "xlsx", "| 이름 | 값 |\n|---|---|\n| =1+1 | 1,200.5 |\n| **007** | 12% |\n| **합계** | **40** |"
    )
    sheet = openpyxl.load_workbook(io.BytesIO(result.files[0].data)).worksheets[0]
    assert [[cell.value for cell in row] for row in sheet] == [
        ["이름", "값"],
        ["=1+1", 1200.5],
        ["007", "12%"],
        ["합계", 40],
    ]
    assert sheet["A2"].data_type == "s", "text that looks like a formula is text"


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_a_table_without_one_says_so(kind):
    status, result = await save(kind, "글뿐이다.")
    assert status == "error"
    assert "표가 없습니다" in result.text
    assert not result.files


async def test_json_holds_text_and_table_or_is_the_json_itself():
    _, result = await save("json")
    value = json.loads(result.files[0].data)
    assert value["table"][0] == {"연도": "2017", "편수": "3"}
    assert value["content"].startswith("# 어텐션")
    _, result = await save("json", '{"a": [1, 2]}')
    assert json.loads(result.files[0].data) == {"a": [1, 2]}


async def test_word_has_headings_lists_and_the_table():
    _, result = await save("docx")
    document = docx.Document(io.BytesIO(result.files[0].data))
    styles = {p.text: p.style.name for p in document.paragraphs}
    assert styles["어텐션"] == "Heading 1"
    assert styles["하나"] == "List Bullet"
    assert styles["안쪽"] == "List Bullet 2"
    assert "논문 (https://arxiv.org/abs/1706.03762)" in document.paragraphs[1].text
    assert [cell.text for cell in document.tables[0].rows[3].cells] == ["2019", "a | b"]


async def test_html_is_text_in_word():
    _, result = await save("docx", "앞\n\n<div>\n안쪽 글\n</div>\n\n뒤 <b>굵게</b>")
    document = docx.Document(io.BytesIO(result.files[0].data))
    assert [p.text for p in document.paragraphs] == ["앞", "<div>\n안쪽 글\n</div>", "뒤 <b>굵게</b>"]


@pytest.mark.parametrize("content", ["", "  \n "])
async def test_nothing_is_not_saved(content):
    status, result = await save("md", content)
    assert status == "error"
    assert not result.files


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../../etc/passwd", "passwd.md"),
        ("C:\\Windows\\system32", "system32.md"),
        ("CON", "result CON.md"),
        ("...", "result.md"),
        ("", "result.md"),
        ("보고서.docx", "보고서.md"),
        ("a<b>:|?*", "a b.md"),
        ("x" * 300, "x" * 80 + ".md"),
    ],
)
def test_names_are_made_safe(name, expected):
    assert safe_name(name, "md") == expected


@given(st.text(max_size=200))
def test_any_name_becomes_a_plain_file_name(name):
    safe = safe_name(name, "csv")
    assert safe.endswith(".csv")
    assert not set(safe) & set('/\\:*?"<>|\0\n')
    assert not safe.startswith((".", " "))
    assert len(safe) < 100


# A file takes a hundredth of a second.
@settings(max_examples=settings.default.max_examples // 5)
@given(st.text(max_size=300))
async def test_any_text_becomes_a_word_file(content):
    status, result = await save("docx", content)
    if content.strip():
        assert status == "ok"
        docx.Document(io.BytesIO(result.files[0].data))


@pytest.mark.parametrize("rule", ["|---|---|", "| -- | :-: |", "|-|-|", "-|-", "  |:--|--:|  "])
def test_the_line_below_a_head_may_be_short(rule):
    assert table_of(f"| a | b |\n{rule}\n| 1 | 2 |") == [["a", "b"], ["1", "2"]]


@pytest.mark.parametrize("rule", ["---", "| a | b |", "|  |  |", "|", "| --- | |"])
def test_what_is_no_such_line(rule):
    assert table_of(f"| a | b |\n{rule}\n| 1 | 2 |") == []


async def test_cells_that_are_left_out_stay_so():
    short = "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |"
    assert table_of(short)[1:] == [["1"], ["1", "2"]]
    _, result = await save("json", short)
    assert json.loads(result.files[0].data)["table"] == [{"a": "1"}, {"a": "1", "b": "2"}]


@pytest.mark.parametrize(
    "content",
    [
        lambda n: "[" * n,
        lambda n: "[a](http://x" * (n // 10),
        lambda n: "[a](http://x(y)" * (n // 10),
        lambda n: f"| a |\n{' ' * n}|",
        lambda n: f"| a |\n|{' ' * n}-",
        lambda n: "|" * (n // 3) + "\n" + "-|" * (n // 3) + "\n" + "|\n" * (n // 10),
        lambda n: "*" * n,
        lambda n: "# " * (n // 3),
    ],
)
@pytest.mark.parametrize("make", [plain, table_of])
def test_time_is_linear_in_the_text(content, make, assert_linear):
    assert_linear(make, content, 300_000)


def test_a_links_address_may_hold_parentheses():
    assert plain("[a](https://x.org/b_(c)) [d](https://y.org)") == "a (https://x.org/b_(c)) d (https://y.org)\n"


def test_a_table_without_outer_bars_is_one_too():
    assert table_of("a | b\n--- | ---\n1 | 2\n") == [["a", "b"], ["1", "2"]]
    assert table_of("no table | here\n") == []


SOURCE = "## 출처\n\n- [1] 여비규정, 3쪽: “한도는 9만 원이다.”\n"


@pytest.mark.parametrize(
    ("kind", "content", "saved"),
    [
        (
            "md",
            "한도는 9만 원이다 [2].",
            "한도는 9만 원이다 [1].\n\n## 출처\n\n- [1] 여비규정, 3쪽: “한도는 9만 원이다.”\n",
        ),
        ("md", "휴가는 15일이다 [7].", "휴가는 15일이다.\n"),
        ("md", "한도는 9만 원이다 [2].\n\n[2] 여비규정", "한도는 9만 원이다 [2].\n\n[2] 여비규정\n"),
        ("csv", "| 무엇 | 값 |\n|---|---|\n| 한도 | 9만 원 [2] |", "\ufeff무엇,값\r\n한도,9만 원\r\n"),
        (
            "csv",
            f"| 무엇 | 값 |\n|---|---|\n| 한도 [3] | 9만 원 [1] |\n\n{SOURCE}",
            "\ufeff무엇,값\r\n한도 [3],9만 원\r\n",
        ),
        ("json", '{"a": [2]}', '{\n  "a": [\n    2\n  ]\n}\n'),
    ],
)
async def test_markers_that_a_model_wrote_lead_to_sources_in_the_file(opened, kind, content, saved):
    @tool
    def find() -> ToolResult:
        """Find passages."""
        found = [("a", "휴가 규정", "연차는 따로 정한다."), ("b", "여비규정", "한도는 9만 원이다.")]
        return ToolResult("", [Passage(id, title, 3, 0, len(text), text) for id, title, text in found])

    agent = Agent(name="desk", description="Saves", prompt="Help.", tools=[find, "save_file"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    steps = call("find"), call("save_file", name="한도", format=kind, content=content), say("끝")
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        answer = await dure.chat("한도를 파일로 저장해줘", team="desk")
        [file] = answer.metadata["artifacts"]
        _, path = await dure.runs.artifact(DEFAULT_OWNER, answer.run_id, file["id"])
        assert path.read_bytes().decode() == saved


@pytest.mark.parametrize(
    ("given", "saved"),
    [
        ({"name": "비교.csv"}, "비교.csv"),
        ({"name": "Draft.DOCX"}, "Draft.docx"),
        ({"name": "메모"}, "메모.md"),
        ({"name": "notes v1.2"}, "notes v1.2.md"),
        ({"name": "a.csv", "format": "xlsx"}, "a.xlsx"),
    ],
)
async def test_a_name_says_the_format_where_nothing_else_does(opened, given, saved):
    agent = Agent(name="desk", description="Saves", prompt="Help.", tools=["save_file"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("save_file", content="| a |\n|---|\n| 1 |", **given), say("끝")) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        answer = await dure.chat("파일로 저장해줘", team="desk")
    assert [each["name"] for each in answer.metadata["artifacts"]] == [saved]


async def test_a_file_of_an_earlier_turn_can_be_read_and_changed(opened):
    draft = "# 임대차계약서\n\n제1조 보증금 5천만원\n\n제2조 월세 250만원\n"
    steps = [
        call("save_file", name="계약서", format="docx", content=draft),
        say("계약서.docx: 임대차계약서 초안이며 날짜는 비어 있습니다."),
        call("read_saved"),
        call("read_saved", name="계약서.docx", **{"from": 9}),
        call("read_saved", name="각서.docx"),
        say("끝"),
    ]
    office = Dure().teams["office"]
    team = Team(name="desk", kind="solo", description="x", agents=[office.agent("file")])
    async with ScriptedServer(*steps) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        first = await dure.chat("임대차계약서 초안을 워드 파일로 줘", team="desk")
        await dure.chat("월세 280만원으로 바꿔줘", team="desk", session_id=first.metadata["thread_id"])
        read = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
    assert f"계약서.docx, {len(draft)}자 가운데 0부터 {len(draft)}까지:\n\n{draft}" in read[0]
    assert read[1].endswith(draft[9:])
    assert "계약서.docx" in read[2], "which there are"


async def test_a_draft_of_a_contract_is_a_saved_file_too(opened):
    fields = {"kind": "상호", "party_a": "두레", "party_b": "한빛", "purpose": "공동 연구", "term": "1년"}
    given = {"template": "nda", "language": "ko", "fields": {**fields, "effective_date": "2026-03-01"}}
    steps = [
        *[call("save_file", name="메모", format="md", content="먼저 저장한 것"), call("draft_contract", **given)],
        *[say("초안을 만들었습니다."), call("read_saved"), call("read_saved", name="nda-두레-한빛.docx"), say("끝")],
    ]
    tools = ["save_file", "draft_contract", "read_saved"]
    agent = Agent(name="desk", description="x", prompt="Help.", tools=tools)
    async with ScriptedServer(*steps) as server:
        team = Team(name="desk", kind="solo", description="x", agents=[agent])
        dure = await opened(server, tool_dialect="native", teams=[team])
        first = await dure.chat("비밀유지계약서를 써줘", team="desk")
        await dure.chat("분쟁 조항을 추가해줘", team="desk", session_id=first.metadata["thread_id"])
        read = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
    assert "nda-두레-한빛.md, " in read[0]
    assert "# 비밀유지계약서" in read[0]
    assert read[1].split("\n\n", 1)[1] == read[0].split("\n\n", 1)[1]


async def test_where_nothing_was_saved_there_is_nothing_to_read(opened):
    team = Team(
        name="desk", kind="solo", description="x", agents=[Agent(name="a", description="x", tools=["read_saved"])]
    )
    async with ScriptedServer(call("read_saved"), say("없습니다.")) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        answer = await dure.chat("아까 그 파일 보여줘", team="desk")
    assert [each["status"] for each in answer.tool_calls] == ["error"]


async def test_a_chart_of_the_conversation_comes_into_a_word_file(opened):
    @tool
    def photo() -> File:
        """Take a photo."""
        return File("사진.png", png(), "image/png")

    text = "# 보고\n\n![합계](./합계.svg)\n\n![](사진.png) ![](없는.png) ![](https://x.org/b.png)\n"
    sql = "SELECT * FROM (VALUES ('9월', 8), ('10월', 9)) AS t(월, 합계)"
    steps = [
        *[call("draw_chart", sql=sql, kind="bar", title="합계"), call("photo"), say("그렸습니다.")],
        *[call("save_file", name="보고", format=kind, content=text) for kind in ("docx", "txt")],
        say("끝"),
    ]
    agent = Agent(name="desk", description="x", prompt="Help.", tools=["draw_chart", photo, "save_file"])
    async with ScriptedServer(*steps) as server:
        team = Team(name="desk", kind="solo", description="x", agents=[agent])
        dure = await opened(server, tool_dialect="native", teams=[team])
        first = await dure.chat("그려줘", team="desk")
        answer = await dure.chat("보고.docx로", team="desk", session_id=first.metadata["thread_id"])
        told = [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"][-2:]
        _, path = await dure.runs.artifact(DEFAULT_OWNER, answer.run_id, answer.metadata["artifacts"][0]["id"])
    assert told[0].endswith("다음 그림은 파일에 들어 있지 않습니다: 없는.png, https://x.org/b.png.")
    assert told[1].endswith("합계.svg, 사진.png, 없는.png, https://x.org/b.png.")
    with zipfile.ZipFile(path) as parts:
        [chart] = [name for name in parts.namelist() if name.startswith("word/charts/chart")]
        assert "<c:v>10월</c:v>" in parts.read(chart).decode()
        assert [name for name in parts.namelist() if name.startswith("word/media/")]


RULES = [
    ("a", "휴가 규정", "연차는 15일이다."),
    ("b", "여비규정", "한도는 9만 원이다."),
    ("c", "Leave", "Notice is 30 days."),
]


@pytest.mark.parametrize(
    ("contents", "missing"),
    [
        (["# 안내\n\n한도는 9만 원입니다.\n연차는 15일입니다."], []),
        (["# 안내\n\n한도는 7만 원입니다 [2].\n연차는 15일입니다 [1]."], [["7만"]]),
        (["# 안내\n\n- 연차는 15일입니다.\n- 한도는 12만 원입니다."], [["12만"]]),
        (["# Note\n\nNotice is 45 days [3]."], [["45"]]),
        (["| 무엇 | 값 |\n|---|---|\n| 연차 | 25일 [1] |"], [["25"]]),
        (["한도는 7만 원입니다 [2].", "한도는 9만 원입니다 [2]."], []),
    ],
)
async def test_what_a_file_says_is_held_against_the_sources_as_an_answer_is(opened, contents, missing):
    @tool
    def find() -> ToolResult:
        """Find passages."""
        return ToolResult("", [Passage(id, title, 3, 0, len(text), text) for id, title, text in RULES])

    agent = Agent(name="desk", description="Saves", prompt="Help.", tools=[find, "save_file"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    kind = "csv" if "|" in contents[0] else "docx"
    saving = [call("save_file", name="안내", format=kind, content=content) for content in contents]
    async with ScriptedServer(call("find"), *saving, say("안내를 저장했습니다.")) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        answer = await dure.chat("규정 안내를 써서 저장해줘", team="desk")
    assert [each["missing"] for each in answer.metadata.get("checks") or []] == missing


async def test_a_file_of_the_answer_before_keeps_its_sources_and_is_held_against_them(opened):
    @tool
    def find() -> ToolResult:
        """Find passages."""
        return ToolResult("", [Passage(id, title, 3, 0, len(text), text) for id, title, text in RULES])

    agent = Agent(name="desk", description="Saves", prompt="Help.", tools=[find, "save_file"])
    team = Team(name="desk", kind="solo", description="x", agents=[agent])
    said = "한도는 9만 원입니다 [1]."
    saving = call("save_file", name="한도.md", content=f"{said} 연차는 19일입니다.")
    async with ScriptedServer(call("find"), say("한도는 9만 원입니다 [2]."), saving, say("한도.md")) as server:
        dure = await opened(server, tool_dialect="native", teams=[team])
        first = await dure.chat("한도가 얼마야?", team="desk")
        answer = await dure.chat("그걸 저장해줘", team="desk", session_id=first.metadata["thread_id"])
        [file] = answer.metadata["artifacts"]
        _, path = await dure.runs.artifact(DEFAULT_OWNER, answer.run_id, file["id"])
        assert path.read_text().startswith(
            f"{said} 연차는 19일입니다.\n\n## 출처\n\n- [1] 여비규정, 3쪽: “한도는 9만 원이다.”"
        )
    assert [each["missing"] for each in answer.metadata["checks"]] == [["19"]]
