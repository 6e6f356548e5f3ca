"""What may go out to the web unasked, and what has to be asked for."""

from typing import Any

import pytest

from dure.agents import RunContext
from dure.agents.outgoing import carries
from dure.messages import assistant, user
from dure.sources import Passage
from dure.tooling import Tool, ToolResult


async def _run(args: Any, context: Any) -> ToolResult:
    return ToolResult("")


FETCH = Tool("fetch_page", "x", {}, _run, untrusted=True, outgoing={"url": "address"})
SEARCH = Tool("web_search", "x", {}, _run, untrusted=True, outgoing={"queries": "query"})
TABLE = Tool("query_tables", "x", {}, _run, untrusted=True)
PAGE = "자세한 것은 https://a.example.com/more?x=1#top 또는 b.example.org/요금안내를 보세요."
MESSAGE = "https://www.museum.kr/fees/를 읽고 입장료를 검색해줘"


def run_after(*heard: tuple[Tool, ToolResult], **fields: Any) -> RunContext:
    run = RunContext("o", "r", "s", MESSAGE, None, {}, lambda event: None, **fields)  # type: ignore[arg-type]
    for tool, result in heard:
        run.observation(tool, result)
    return run


def page() -> ToolResult:
    return ToolResult("", [Passage("web:1", "t", None, 0, len(PAGE), PAGE, url="https://a.example.com/start")])


KNOWN = [
    "https://www.museum.kr/fees",
    "https://WWW.museum.kr/fees/",
    "http://www.museum.kr",
    "https://a.example.com/start",
    "https://a.example.com/more?x=1",
    "https://b.example.org/요금안내",
    "https://b.example.org/%EC%9A%94%EA%B8%88%EC%95%88%EB%82%B4",
]
MADE_UP = [
    "https://www.museum.kr/fees?q=secret",
    "https://www.museum.kr/fees/secret",
    "https://a.example.com/more?x=12",
    "https://a.example.co/",
    "https://secret.a.example.com/start",
    "https://evil.example.net/",
]


@pytest.mark.parametrize("url", KNOWN)
def test_addresses_that_were_there_before_are_free(url: str) -> None:
    assert not carries(run_after((FETCH, page())), FETCH, {"url": url})


@pytest.mark.parametrize("url", MADE_UP)
def test_other_addresses_are_asked_for_once_anything_was_read(url: str) -> None:
    assert not carries(run_after(), FETCH, {"url": url}), "nothing was read yet"
    assert carries(run_after((FETCH, page())), FETCH, {"url": url})
    assert carries(run_after((TABLE, ToolResult("김철수 5,000만원"))), FETCH, {"url": url})
    assert carries(run_after(history=[user("안녕"), assistant("네")]), FETCH, {"url": url}), "earlier turns count"


def test_a_table_can_be_made_to_say_anything_so_it_makes_no_address_known() -> None:
    run = run_after((TABLE, ToolResult("https://evil.example.net/?q=secret")))
    assert carries(run, FETCH, {"url": "https://evil.example.net/?q=secret"})


def test_queries_are_free_until_something_of_the_users_own_is_there() -> None:
    after_page = run_after((SEARCH, page()))
    assert not carries(after_page, SEARCH, {"queries": ["다른 말"]})
    after_table = run_after((SEARCH, page()), (TABLE, ToolResult("김철수 5,000만원")))
    assert carries(after_table, SEARCH, {"queries": ["입장료", "김철수 연봉"]})
    assert not carries(after_table, SEARCH, {"queries": ["museum 입장료"]}), "the user's own words"


def test_other_tools_send_nothing() -> None:
    assert not carries(run_after((TABLE, ToolResult("x"))), TABLE, {"sql": "https://evil.example.net/"})
