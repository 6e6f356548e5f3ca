"""web_search, over Tavily's interface served here and over ddgs with an engine served here."""

import asyncio
import sys
from typing import ClassVar

import pytest
from aiohttp import web
from pydantic import SecretStr

from dure.messages import ToolCall
from dure.packs.web.engines import MetaSearch, Tavily
from dure.packs.web.search import Found, search_tool
from dure.packs.web.web import searcher_of, web_tools
from dure.settings import Settings
from dure.tooling import ToolContext
from dure.toolsets import run_call

KEY = "tvly-secret"
RESULTS = {
    "query": "x",
    "results": [
        {
            "title": "연차 휴가 안내",
            "url": "https://www.example.com/leave",
            "content": "연차 휴가는 15일입니다.\n신청은 사흘 전에 합니다.",
            "score": 0.98,
            "raw_content": None,
        },
        {
            "title": "News",
            "url": "https://news.example.com/1",
            "content": "Leave was extended.",
            "score": 0.5,
            "published_date": "2026-02-01",
        },
    ],
}


@pytest.fixture
def search(serve):
    """`status, result = await search(handler, "query", …)`: web_search with Tavily's interface played by `handler`."""

    async def call(handler, *queries, language="ko", seconds=20.0, **args):
        site = await serve(handler)
        searcher = Tavily(SecretStr(KEY), base_url=f"http://127.0.0.1:{site.port}", seconds=seconds)
        return await searched(searcher, *queries, language=language, **args)

    return call


async def searched(searcher, *queries, language="ko", **args):
    tools = {"web_search": search_tool(searcher)}
    call = ToolCall("web_search", {"queries": list(queries), **args})
    result = await run_call(tools, call, ToolContext("me", language=language))
    return result.status, result


async def test_asks_tavily_and_gives_passages(search):
    asked = []

    async def tavily(request):
        asked.append((request.method, request.path, request.headers["Authorization"], await request.json()))
        return web.json_response(RESULTS)

    status, result = await search(tavily, "연차 휴가", max_results=4)
    assert status == "ok"
    assert asked == [
        (
            "POST",
            "/search",
            f"Bearer {KEY}",
            {"query": "연차 휴가", "max_results": 4, "search_depth": "basic"},
        )
    ]
    first, second = result.passages
    assert (first.title, first.url) == ("연차 휴가 안내", "https://www.example.com/leave")
    assert first.text == "연차 휴가는 15일입니다. 신청은 사흘 전에 합니다."
    assert (first.start, first.end) == (0, len(first.text))
    assert second.title == "News (2026-02-01)"
    assert first.document_id != second.document_id
    assert result.data["engine"] == "tavily"
    assert [each["url"] for each in result.data["results"]] == [first.url, second.url]
    assert KEY not in repr(result)


async def test_phrasings_are_asked_side_by_side_and_fused(search):
    waiting = 0
    all_there = asyncio.Event()

    async def tavily(request):
        nonlocal waiting
        waiting += 1
        if waiting == 3:
            all_there.set()
        await all_there.wait()
        query = (await request.json())["query"]
        common = {
            "title": "both",
            "url": "http://www.example.com/both/#x" if query == "a" else "https://example.com/both",
        }
        own = {"title": query, "url": f"https://example.com/{query}", "content": query}
        return web.json_response({"results": [own, common]})

    status, result = await search(tavily, "a", "b", "c", "d", max_results=3)
    assert status == "ok"
    assert [p.title for p in result.passages][:1] == ["both"], "what several phrasings find comes first"
    assert len(result.passages) == 3
    assert result.data["queries"] == ["a", "b", "c"]


async def test_one_failed_phrasing_does_not_hide_the_others(search):
    async def tavily(request):
        if (await request.json())["query"] == "bad":
            return web.json_response({"detail": {"error": "no"}}, status=500)
        return web.json_response(RESULTS)

    status, result = await search(tavily, "bad", "good")
    assert status == "ok"
    assert len(result.passages) == 2


@pytest.mark.parametrize(
    ("http_status", "korean", "english"),
    [
        (401, "API 키를 거절했습니다", "refused the API key"),
        (429, "너무 자주", "too often"),
        (432, "한도를 다 썼습니다", "is used up"),
        (433, "한도를 다 썼습니다", "is used up"),
        (400, "HTTP 400", "HTTP 400"),
        (500, "HTTP 500", "HTTP 500"),
        (302, "HTTP 302", "HTTP 302"),
    ],
)
async def test_tells_why_tavily_refused(search, http_status, korean, english):
    asked = []

    async def tavily(request):
        asked.append(request.path)
        headers = {"Location": "/elsewhere"}
        return web.json_response({"detail": {"error": f"bad key {KEY}"}}, status=http_status, headers=headers)

    for language, words in (("ko", korean), ("en", english)):
        status, result = await search(tavily, "x", language=language)
        assert status == "error"
        assert words in result.text
        assert KEY not in result.text
    assert asked == ["/search"] * 2, "the key is not sent where a redirect points"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"results": [{"title": "no address"}]}', b'{"results": 3}'])
async def test_tells_when_tavily_answers_nonsense(search, body):
    async def tavily(request):
        return web.Response(body=body, content_type="application/json")

    status, result = await search(tavily, "x")
    assert status == "error"
    assert "올바르게 답하지 않았습니다: 예상한 JSON이 아닙니다" in result.text


async def test_tells_when_tavily_is_slow_or_away(search):
    async def slow(request):
        await asyncio.sleep(30)

    status, result = await search(slow, "x", seconds=0.2)
    assert status == "error"
    assert "0.2초 안에" in result.text
    status, result = await searched(Tavily(SecretStr(KEY), base_url="http://127.0.0.1:1"), "x", language="en")
    assert status == "error"
    assert "Check the internet connection" in result.text


async def test_an_endless_answer_is_stopped(search):
    async def endless(request):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)

    status, result = await search(endless, "x")
    assert status == "error"
    assert "bytes" in result.text


async def test_proxies_of_the_environment_get_no_key(search, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    async def tavily(request):
        return web.json_response(RESULTS)

    assert (await search(tavily, "x"))[0] == "ok"


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "웹에서 찾지 못했습니다(검색어: x)"), ("en", "Nothing was found")]
)
async def test_says_when_nothing_was_found(search, language, words):
    async def tavily(request):
        return web.json_response({"results": []})

    status, result = await search(tavily, "x", language=language)
    assert status == "ok"
    assert words in result.text
    status, result = await search(tavily, " ", language=language)
    assert status == "ok"


async def test_only_web_addresses_and_short_snippets_are_given(search):
    async def tavily(request):
        bad = ["javascript:alert(1)", "file:///etc/passwd", "https://a b/", "data:text/html,x"]
        results = [{"title": "bad", "url": url, "content": "bad"} for url in bad]
        results.append({"title": "", "url": "https://good.example.com/", "content": "낱말 " * 1000 + "\0"})
        return web.json_response({"results": results})

    _, result = await search(tavily, "x")
    (passage,) = result.passages
    assert passage.title == "good.example.com"
    assert len(passage.text) <= 702


# ddgs


@pytest.fixture(autouse=True)
def _no_proxies_of_the_machine(monkeypatch):
    """`ddgs` follows them."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv("DDGS_PROXY", raising=False)


@pytest.fixture
def engine(monkeypatch):
    """Puts in place of the engines that `ddgs` knows one that is served here; the library itself is the real one."""
    import ddgs.ddgs
    from ddgs.base import BaseSearchEngine
    from ddgs.results import TextResult

    def put(port):
        class Local(BaseSearchEngine[TextResult]):
            name = "local"
            category = "text"
            provider = "local"
            search_url = f"http://127.0.0.1:{port}/find"
            search_method = "GET"
            items_xpath = "//li"
            elements_xpath: ClassVar = {"title": "./a//text()", "href": "./a/@href", "body": "./p//text()"}

            def build_payload(self, query, region, safesearch, timelimit, page=1, **kwargs):
                return {"q": query, "region": region}

        monkeypatch.setattr(ddgs.ddgs, "ENGINES", {"text": {"local": Local}})

    return put


FOUND = """<ul><li><a href="https://www.example.com/leave">연차 휴가 안내</a><p>연차 휴가는 15일입니다.</p></li>
<li><a href="/relative">no address</a><p>x</p></li></ul>"""


async def test_asks_ddgs_and_gives_passages(serve, engine):
    asked = []

    async def page(request):
        asked.append(dict(request.query))
        return web.Response(text=FOUND, content_type="text/html")

    engine((await serve(page)).port)
    status, result = await searched(MetaSearch(), "연차 휴가")
    assert status == "ok"
    (passage,) = result.passages
    assert (passage.title, passage.url) == ("연차 휴가 안내", "https://www.example.com/leave")
    assert passage.text == "연차 휴가는 15일입니다."
    assert asked == [{"q": "연차 휴가", "region": "kr-ko"}]


async def test_engines_that_find_nothing_are_told_apart_from_a_failure(serve, engine):
    async def page(request):
        return web.Response(text="<p>none</p>", content_type="text/html")

    engine((await serve(page)).port)
    status, result = await searched(MetaSearch(), "x")
    assert status == "ok"
    assert "웹에서 찾지 못했습니다" in result.text


async def test_tells_when_ddgs_reaches_nobody(engine):
    engine(1)
    status, result = await searched(MetaSearch(), "x")
    assert status == "error"
    assert "인터넷 연결을 확인하세요" in result.text


async def test_tells_when_ddgs_reaches_nobody_through_a_proxy():
    """The engines that the library comes with, none of which can be reached."""
    status, result = await searched(MetaSearch(proxy="http://127.0.0.1:1"), "x", language="en")
    assert status == "error"
    assert "Check the internet connection" in result.text


async def test_tells_when_ddgs_is_slow(serve, engine):
    gone = asyncio.Event()

    async def page(request):
        await gone.wait()
        return web.Response(text=FOUND, content_type="text/html")

    engine((await serve(page)).port)
    try:
        status, result = await searched(MetaSearch(seconds=1), "x")
    finally:
        gone.set()
    assert status == "error"
    assert "1초 안에" in result.text


async def test_says_when_ddgs_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ddgs", None)
    status, result = await searched(MetaSearch(), "x")
    assert status == "error"
    assert "install -c constraints.txt '.[office]'" in result.text


# together


def test_the_key_decides_who_is_asked(tmp_path):
    assert searcher_of(Settings(data_dir=tmp_path)).name == "ddgs"
    settings = Settings(tavily_api_key=SecretStr(KEY), data_dir=tmp_path)
    assert searcher_of(settings).name == "tavily"
    tools = web_tools(settings)
    assert [(each.name, each.untrusted, each.effect) for each in tools] == [
        ("web_search", True, "read"),
        ("fetch_page", True, "read"),
    ]
    assert KEY not in repr(tools)


async def test_a_fault_of_ours_is_not_hidden():
    class Faulty:
        name, needs = "faulty", ""

        async def search(self, query, count, language):
            if query == "bad":
                raise KeyError("fault")
            return [Found("t", "https://example.com/", "x")]

    status, result = await searched(Faulty(), "good", "bad")
    assert status == "error"
    assert "KeyError" in result.text
