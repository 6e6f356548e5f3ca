"""docs/tools.md is true: its examples run, its tables list what there is."""

import json
import re
import sys
from pathlib import Path

import pytest

from dure.messages import ToolCall
from dure.tooling import ToolContext
from dure.toolsets import MAX_RESULT_CHARS, Tools, run_call
from dure.toolsets.mcp.config import read_config

TEXT = (Path(__file__).parents[2] / "docs" / "tools.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    """What the Python examples define."""
    found: dict[str, object] = {}
    for code in blocks("python"):
        exec(code, found)
    return found


async def test_the_examples_of_tools_run(names):
    given = [names["leave_balance"], names["book_room"], *names["clerk"].tools, names["office"]]
    tools = Tools(given).tools()
    context = ToolContext("kim", language="en")

    async def call(name, **args):
        result = await run_call(tools, ToolCall(name, args), context)
        return result.status, result.text

    assert await call("leave_balance", employee="김하늘") == ("ok", '{"days_left":6.5}')
    status, text = await call("leave_balance", employee="김")
    assert status == "error"
    assert "known: 김하늘" in text
    assert await call("book_room", room="A") == ("ok", "A is booked for kim")
    assert await call("weather", city="서울") == ("ok", "서울: 21 °C")
    assert await call("send_card", to="김하늘") == ("ok", "sent to 김하늘")
    for _ in range(2):
        assert await call("office_opening_hours", day="월") == ("ok", "09:00 to 18:00")
    assert len(names["office"].wrapped.known) == 1
    assert tools["leave_balance"].parameters["properties"]["year"]["description"] == "four digits"
    assert (tools["send_card"].effect, tools["weather"].effect) == ("external", "read")
    assert (tools["book_room"].effect, tools["book_room"].timeout) == ("external", 20)


def test_the_example_of_a_configuration_is_right():
    (text,) = blocks("json")
    servers = {each.name: each for each in read_config(json.loads(text))}
    assert [each.error for each in servers.values()] == [None] * 4
    assert (servers["files"].timeout, servers["old"].disabled) == (30, True)
    assert servers["wiki"].headers == {"Authorization": "Bearer none"}
    assert servers["wiki"].effects == {"search": "read", "*": "external"}


async def test_the_example_of_mcp_servers_runs(names, tmp_path, capsys):
    path = tmp_path / "mcp.json"
    entry = {"command": sys.executable, "args": ["-m", "mcp_server_time", "--local-timezone", "Asia/Seoul"]}
    path.write_text(json.dumps({"mcpServers": {"time": entry}}))
    await names["show"](path)
    assert capsys.readouterr().out == "time ready ['get_current_time', 'convert_time'] None\n"


async def test_the_table_of_tools_is_complete(opened):
    dure = await opened()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", TEXT.partition("## A tool of your own")[0], re.MULTILINE)
    listed = [(name, re.findall(r"`(\w+)`", arguments)) for name, arguments in rows]
    expected = [(each.name, list(each.shown["properties"])) for each in dure.tools.values()]
    assert sorted(listed) == sorted(expected)


def test_its_limits_are_the_limits():
    from dure.data import limits
    from dure.packs.code import sandbox
    from dure.packs.tables import chart

    assert f"{MAX_RESULT_CHARS:,} characters" in TEXT
    assert f"at most {limits.COMMON.rows} rows" in TEXT
    assert f"{limits.COMMON.seconds:g} seconds a query" in TEXT
    assert f"{limits.MAX_ROWS:,} rows" in TEXT
    assert f"{limits.MAX_CELLS // 10**6} million cells" in TEXT
    assert f"{limits.MEMORY >> 30} GB" in TEXT
    assert f"(up to {chart.MAX_SERIES})" in TEXT
    assert f"At most {chart.MAX_POINTS:,} rows are drawn, {chart.MAX_BARS} bars" in TEXT
    assert chart.MAX_SLICES == 9 + 1
    assert f"{sandbox.SECONDS:g} seconds of computing, {sandbox.MEMORY >> 20} MB, {sandbox.MAX_OUTPUT:,} bytes" in TEXT
    assert f"Modules: {sandbox.MODULES}." in TEXT


def test_the_limits_of_the_web_are_the_limits():
    from dure import egress
    from dure.packs.web import extract, fetch, page

    limits = fetch.Limits()
    ports = [str(each) for each in sorted(egress.PORTS)]
    assert f"ports {', '.join(ports[:-1])} and {ports[-1]}" in TEXT
    assert f"{limits.redirects} redirects, {limits.seconds:g} seconds for all of it" in TEXT
    assert f"{limits.max_bytes // 10**6} MB as it comes, {limits.max_unpacked // 10**6} MB unpacked" in TEXT
    assert f"{extract.SECONDS:g} seconds and {extract.MEMORY >> 30} GB" in TEXT
    assert f"{page.WINDOW:,} characters" in TEXT
