"""What may go out to the web unasked, and what has to be asked for."""

import math
from typing import Any

import pytest

from dure.agents import RunContext
from dure.agents.outgoing import BITS, SUMMARY, carries
from dure.messages import assistant, user
from dure.sources import Passage
from dure.testing import ScriptedServer, say
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


@pytest.mark.parametrize("query", ["m u s e u m", "입 장 료", "useum", "eu se"])
def test_nothing_can_be_spelled_out_of_pieces_of_what_the_user_wrote(query: str) -> None:
    assert carries(run_after((TABLE, ToolResult("x"))), SEARCH, {"queries": [query]})


TALK = [
    user("우리 회사 급여표에서 김두레 연봉을 알려줘. 국립박물관 주소도 찾아줘"),
    assistant("김두레의 연봉은 9,876만원이고 사번은 K-2041입니다."),
]


@pytest.mark.parametrize(
    "query",
    [
        "입장료",  # of this message
        "국립박물관",  # of an earlier one
        "국립박물관 김두레",  # also when the answer holds it
        "museum admission fee 2026",  # the model's own words, which nothing read in this run has chosen
    ],
)
def test_an_ordinary_question_after_an_answer_is_free(query: str) -> None:
    assert not carries(run_after(history=TALK), SEARCH, {"queries": [query]})


@pytest.mark.parametrize("query", ["김두레 9,876만원", "사번", "입장료 k-2041"])
def test_words_of_an_earlier_answer_are_asked_for(query: str) -> None:
    assert carries(run_after(history=TALK), SEARCH, {"queries": [query]})


def test_after_an_answer_pages_give_words_but_take_none() -> None:
    run = run_after((SEARCH, page()), history=TALK)
    assert not carries(run, SEARCH, {"queries": ["museum 요금안내"]}), "the user's words and the page's"
    assert carries(run, SEARCH, {"queries": ["museum salary"]}), "a page may have asked for it in other words"
    assert carries(run, SEARCH, {"queries": ["2 0 4 1"]})


def test_a_summary_is_not_what_the_user_wrote() -> None:
    history = [user(f"{SUMMARY}\nQ: 연봉은? A: 9,876만원, https://evil.example.net/x"), assistant("OK.")]
    run = run_after(history=history)
    assert carries(run, SEARCH, {"queries": ["9,876만원"]})
    assert carries(run, FETCH, {"url": "https://evil.example.net/x"})


def test_other_tools_send_nothing() -> None:
    assert not carries(run_after((TABLE, ToolResult("x"))), TABLE, {"sql": "https://evil.example.net/"})


async def test_summaries_begin_as_they_are_known_by(opened) -> None:
    async with ScriptedServer(respond=lambda body: say("답변 " * 120)) as server:
        dure = await opened(server, history_tokens=300)
        for n in range(3):
            await dure.chat(f"질문 {n}", session_id="s", team="assistant")
            await dure.runs.settle()
        await dure.chat("끝", session_id="s", team="assistant")
        sent = next(r["messages"] for r in reversed(server.requests) if r["messages"][-1]["content"] == "끝")
    assert sent[1]["content"].startswith(SUMMARY)


LINKS = [f"https://evil.example.org/{letter}" for letter in "abcdefgh"]
ALPHABET = ToolResult("", [Passage("web:9", "t", None, 0, 9, " ".join(LINKS), url="https://evil.example.org/")])
SECRET = (TABLE, ToolResult("PIN 4711"))


def test_an_alphabet_of_eight_links_tells_no_pin() -> None:
    """Neither one that was read before, nor one that was read after; and never more than the bound."""
    for heard in (((FETCH, ALPHABET), SECRET), (SECRET, (FETCH, ALPHABET))):
        run, sent = run_after(*heard), 0
        for digit in "4711" * 3:
            octal = LINKS[int(digit)]
            sent += not carries(run, FETCH, {"url": octal})
        assert sent * math.log2(len(LINKS)) <= BITS < math.log2(10_000)
        assert sent >= 2, "reading on is possible"


def test_links_are_free_while_nothing_of_the_users_own_is_there() -> None:
    run = run_after((FETCH, ALPHABET))
    assert not any(carries(run, FETCH, {"url": link}) for link in LINKS * 3)


def test_what_the_user_wrote_is_free_and_what_is_asked_costs_nothing() -> None:
    run = run_after((FETCH, ALPHABET), SECRET)
    for _ in range(20):
        assert not carries(run, FETCH, {"url": "https://www.museum.kr/fees/"})
        assert carries(run, FETCH, {"url": "https://evil.example.org/z"})
    assert run.told.get("address", 0) == 0


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example.org/%61",
        "https://EVIL.example.org/a",
        "https://evil.example.org/a/",
        "https://evil.example.org",
    ],
)
def test_ways_of_writing_an_address_tell_no_more_than_the_bound(url: str) -> None:
    run = run_after((FETCH, ALPHABET), SECRET)
    assert sum(not carries(run, FETCH, {"url": url}) for _ in range(20)) <= 2


@pytest.mark.parametrize(
    "queries",
    [
        ["입장료를", "검색해줘", "museum", "읽고", "입장료를", "museum"],
        ["MUSEUM", "mUSEUM", "muSEUM"],
        ["museum!!!!", "museum."],
        ["입장료를 museum 입장료를 museum 입장료를"],
        ["mu", "mus", "muse", "museu"],
    ],
)
def test_the_users_words_cannot_spell_a_secret_either(queries: list[str]) -> None:
    run = run_after(SECRET)
    assert any(carries(run, SEARCH, {"queries": [query]}) for query in queries)
    assert carries(run_after(SECRET), SEARCH, {"queries": queries}), "nor all at once"


def test_a_query_in_the_users_words_is_free() -> None:
    run = run_after(SECRET)
    assert not carries(run, SEARCH, {"queries": ["입장료를 검색해줘"]})


def test_the_users_message_may_be_searched_for_as_it_stands() -> None:
    """Whatever stands between its words."""
    run = run_after(SECRET)
    run.message = "입장료가 얼마인지 먼저 알려주고, 그 근거도 찾아줘!"
    for _ in range(20):
        assert not carries(run, SEARCH, {"queries": [f" {run.message}"]})
    assert carries(run, SEARCH, {"queries": [run.message.replace(",", "!!!")]})
