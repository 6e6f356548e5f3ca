import asyncio
import sys

import pytest
from aiohttp import web

from dure.agents.found import Sources
from dure.knowledge.cite import cite
from dure.messages import ToolCall
from dure.packs.web.extract import extract
from dure.packs.web.fetch import Fetcher
from dure.packs.web.page import PageReader, page_tool
from dure.packs.web.problems import PageUnreadable
from dure.tooling import ToolContext
from dure.toolsets import run_call

ARTICLE = """<!doctype html>
<html lang="ko"><head><title>연차 안내 - 두레 회사</title>
<meta property="article:published_time" content="2026-03-02T09:00:00+09:00"></head>
<body><nav><a href="/">홈</a> <a href="/about">회사 소개</a></nav>
<main><article><h1>연차 안내</h1>
<p>연차 휴가는 15일입니다.<sup><a href="#note-3">[3]</a></sup> 3년 넘게 일하면 2년마다 하루가 늘어납니다.</p>
<p>신청은 사흘 전까지 합니다. 급한 일이 있으면 그날 아침에 팀장에게 알리고 다음 날까지 신청서를 올립니다.
쓰지 않은 휴가는 이듬해 3월까지 쓸 수 있고, 그 뒤에는 수당으로 받습니다. 휴가 중에 아프면
진단서를 내고 병가로 바꿀 수 있습니다.
공휴일과 겹치는 날은 연차에서 빼지 않으며, 창립 기념일인 5월 2일에는 모두 함께 쉽니다.</p>
<ul><li>반차는 4시간입니다</li><li>반반차는 2시간입니다</li></ul>
<table><tr><th>근속</th><th>일수</th></tr><tr><td>1년</td><td>15</td></tr></table>
</article></main><footer>개인정보 처리방침</footer><script>alert("나쁜 일")</script></body></html>"""


def answering(body, **headers):
    async def page(request):
        return web.Response(body=body, headers={"Content-Type": "text/html"} | headers)

    return page


@pytest.fixture
def open_page(serve):
    """`status, result = await open_page(body, start=…, headers={…})`: what fetch_page says of a served page."""

    async def call(body, *, headers=None, language="ko", window=6000, **args):
        site = await serve(answering(body, **(headers or {})))
        tools = {"fetch_page": page_tool(PageReader(site.fetcher()), window=window)}
        call = ToolCall("fetch_page", {"url": f"{site.url}/page", **args})
        result = await run_call(tools, call, ToolContext("me", language=language))
        return result.status, result

    return call


async def test_gives_the_main_text_as_a_passage(open_page):
    status, result = await open_page(ARTICLE.encode())
    assert status == "ok"
    (passage,) = result.passages
    assert (passage.title, result.data["date"]) == ("연차 안내", "2026-03-02")
    assert passage.url == result.data["url"]
    assert passage.url.endswith("/page")
    assert "연차 휴가는 15일입니다." in passage.text
    assert "- 반차는 4시간입니다" in passage.text
    assert "근속: 1년 | 일수: 15" in passage.text
    for unwanted in ("회사 소개", "개인정보", "나쁜 일", "[3]"):
        assert unwanted not in passage.text
    assert (passage.start, passage.end) == (0, len(passage.text))
    assert result.text == "날짜: 2026-03-02"
    assert passage.heading == f"연차 안내 ({passage.url})"


async def test_an_answer_cites_the_page_with_its_address(open_page):
    _, result = await open_page(ARTICLE.encode())
    sources = Sources()
    number, _ = sources.number(result.passages[0])
    answer, citations, _ = cite(f"연차는 15일입니다 [{number}].", sources.passages)
    (citation,) = citations
    assert answer == "연차는 15일입니다 [1]."
    assert citation.url == result.data["url"]
    assert citation.quote == "연차 휴가는 15일입니다."
    passage = result.passages[0]
    assert passage.text[citation.start - passage.start : citation.end - passage.start] == citation.quote


TABLE = """<html><head><title>출장비</title></head><body><article><h1>출장비</h1>
<p>회사의 출장비 기준은 다음과 같으며 모든 직원에게 적용됩니다. 자세한 것은 총무팀에 물어보십시오.</p>
<table><caption>하루 한도(만 원)</caption><tr><th>구분</th><th>직급</th><th>2024년</th><th>2025년</th></tr>
<tr><td rowspan="2">국내</td><td>임원</td><td>14</td><td>15</td></tr><tr><td>직원</td><td>9</td><td>10</td></tr>
<tr><td>해외</td><td>임원</td><td>32</td><td>36</td></tr></table></article></body></html>"""


async def test_a_row_of_a_table_can_be_read_alone(open_page):
    _, result = await open_page(TABLE.encode())
    (passage,) = result.passages
    assert "하루 한도(만 원)\n구분 | 직급 | 2024년 | 2025년\n" in passage.text
    assert "\n구분: 국내 | 직급: 직원 | 2024년: 9 | 2025년: 10\n" in passage.text
    said = "2025년 국내 출장비 한도는 직원이 하루 10만 원입니다 [1]."
    _, citations, checks = cite(said, result.passages)
    assert citations[0].quote == "구분: 국내 | 직급: 직원 | 2024년: 9 | 2025년: 10"
    assert not checks


async def test_redirects_show_in_the_final_address(serve):
    async def page(request):
        if request.path == "/old":
            return web.Response(status=301, headers={"Location": "/new"})
        return web.Response(text=ARTICLE, content_type="text/html")

    site = await serve(page)
    found = await PageReader(site.fetcher()).read(f"{site.url}/old")
    assert found.url == f"{site.url}/new"


# long pages

LONG = "".join(f"<p>{number}번째 문단은 여기에 있습니다. 그 다음 문장도 있습니다.</p>" for number in range(500))


async def test_a_long_page_comes_in_parts_that_fit_together(serve):
    fetched = []

    async def page(request):
        fetched.append(request.path)
        return web.Response(text=f"<html><body><article>{LONG}</article></body></html>", content_type="text/html")

    site = await serve(page)
    tools = {"fetch_page": page_tool(PageReader(site.fetcher()))}
    context = ToolContext("me", run_id="r1")
    start, parts, ids = 0, [], set()
    while True:
        result = await run_call(tools, ToolCall("fetch_page", {"url": site.url, "start": start}), context)
        assert result.status == "ok"
        (passage,) = result.passages
        assert passage.start == start
        assert len(passage.text) <= 6000
        parts.append(passage.text)
        ids.add(passage.document_id)
        start = passage.end
        if start == result.data["length"]:
            break
        assert f"이어서 읽으려면 start={start}" in result.text
        assert passage.text[-1] in ".\n "
    whole = "".join(parts)
    assert len(parts) > 2
    assert all(f"{number}번째 문단" in whole for number in range(500))
    assert len(ids) == 1
    assert fetched == ["/"], "a page is fetched once in a run"
    await run_call(tools, ToolCall("fetch_page", {"url": site.url}), ToolContext("me", run_id="r2"))
    assert len(fetched) == 2, "and anew in another"


async def test_start_beyond_the_end_is_told(open_page):
    status, result = await open_page(ARTICLE.encode(), start=100_000)
    assert status == "error"
    assert "start는 그보다 작아야 합니다" in result.text


async def test_a_changed_page_is_another_document(serve):
    bodies = iter([b"first text", b"other text"])

    async def page(request):
        return web.Response(body=next(bodies), content_type="text/plain")

    site = await serve(page)
    reader = PageReader(site.fetcher())
    assert (await reader.read(site.url)).id != (await reader.read(site.url)).id


# encodings

KOREAN = """<html><head>{meta}<title>똠방각하</title></head>
<body><article><p>펲시콜라와 뷁을 씁니다.</p></article></body></html>"""


@pytest.mark.parametrize(
    ("encoding", "meta", "kind"),
    [
        ("cp949", "", "text/html"),
        ("cp949", "", "text/html; charset=euc-kr"),
        ("cp949", '<meta charset="euc-kr">', "text/html"),
        ("cp949", "<meta http-equiv=Content-Type content='text/html; charset=ks_c_5601-1987'>", "text/html"),
        ("cp949", '<meta charset="euc-kr">', "text/html; charset=ISO-8859-1"),
        ("cp949", '<meta charset="utf-8">', "text/html; charset=utf-8"),
        ("utf-8", "", "text/html"),
        ("utf-8", '<meta charset="euc-kr">', "text/html; charset=utf-8"),
        ("utf-8-sig", '<meta charset="euc-kr">', "text/html; charset=euc-kr"),
        ("utf-16", "", "text/html"),
        ("utf-8", "", "text/html; charset=no-such-charset"),
    ],
)
async def test_reads_korean_whatever_the_encoding(open_page, encoding, meta, kind):
    body = KOREAN.format(meta=meta).encode(encoding)
    status, result = await open_page(body, headers={"Content-Type": kind})
    assert status == "ok"
    assert result.passages[0].title == "똠방각하"
    assert "펲시콜라와 뷁을 씁니다." in result.passages[0].text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/plain", "그냥 글 [1] <b>아님</b>"),
        ("text/markdown", "# 제목\n\n- 하나\n- 둘"),
        ("application/json", '{"연차": 15}'),
        ("application/rss+xml", '<?xml version="1.0"?><rss><channel><title>소식</title></channel></rss>'),
        (
            "application/xml",
            '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x; 본문</a>',
        ),
    ],
)
async def test_other_text_is_given_as_it_is(open_page, kind, text):
    status, result = await open_page(text.encode(), headers={"Content-Type": kind})
    assert status == "ok"
    assert result.passages[0].text == text
    assert result.passages[0].title.startswith("site.example.com")


async def test_xml_names_its_own_encoding(open_page):
    text = '<?xml version="1.0" encoding="EUC-KR"?><rss>소식</rss>'
    _, result = await open_page(text.encode("cp949"), headers={"Content-Type": "text/xml"})
    assert result.passages[0].text == text


# what cannot be read


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (b"", "text/html", "읽을 글이 없습니다"),
        (b"<html><body><div id=root></div><script>render()</script></body></html>", "text/html", "읽을 글이 없습니다"),
        (b"   \n ", "text/plain", "읽을 글이 없습니다"),
        (bytes(range(32)) * 50, "text/plain", "읽을 수 없는 형식"),
        (bytes(range(32)) * 50, "text/html", "읽을 수 없는 형식"),
        (b"%PDF-1.7", "application/pdf", "문서로 등록하면"),
        (b"\x89PNG", "image/png", "읽을 수 없는 형식"),
    ],
)
async def test_tells_what_cannot_be_read(open_page, body, kind, words):
    status, result = await open_page(body, headers={"Content-Type": kind})
    assert status == "error"
    assert words in result.text
    assert result.passages == []


@pytest.mark.parametrize(
    "html",
    [
        "<p>연차는 <b>15일<p>반차 <i>4시간</p></b><td>x",
        "연차는 15일 <",
        "<!doctype html><title>a</title>연차는 15일 &nbsp &#x110000; &nosuch;",
        "<html><body><table><p>연차는 15일</table></div></div></span>",
    ],
)
async def test_reads_broken_html(open_page, html):
    status, result = await open_page(html.encode())
    assert status == "ok"
    assert "연차는 15일" in result.passages[0].text


# Made when they are needed: each process that collects would make them all.
@pytest.mark.parametrize(
    "made",
    [
        lambda: "<div>" * 1_000_000,
        lambda: "<html><body>" + "<table><tr><td>" * 330_000 + "x",
        lambda: "<html><body><p " + " ".join(f"a{number}=1" for number in range(500_000)) + ">text</p></body></html>",
        lambda: "<html><body>" + "<a href=x>y</a> " * 300_000,
    ],
    ids=["divs", "tables", "attributes", "links"],
)
async def test_five_megabytes_of_hostile_html_hang_nothing(made):
    html = made()

    async def heartbeat():
        while True:
            await asyncio.sleep(0.005)
            beats.append(1)

    beats = []
    beating = asyncio.create_task(heartbeat())
    try:
        with pytest.raises(PageUnreadable) as error:
            await extract(html, seconds=1.5)
    finally:
        beating.cancel()
    assert error.value.problem == "slow"
    assert len(beats) > 10, "the server goes on meanwhile"


async def test_entities_are_not_multiplied(open_page):
    """The billion laughs, as XHTML."""
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<!DOCTYPE html [<!ENTITY a0 "ha">{laughs}]><html><body><p>웃음 &a9;</p></body></html>'
    status, result = await open_page(body.encode(), headers={"Content-Type": "application/xhtml+xml"})
    assert status == "ok"
    assert len(result.passages[0].text) < 5000


async def test_a_process_that_dies_is_told(monkeypatch):
    monkeypatch.setattr("dure.packs.web.extract.__name__", "dure.packs.web.no_such_module")
    with pytest.raises(PageUnreadable) as error:
        await extract(ARTICLE)
    assert error.value.problem == "crash"


async def test_a_cancelled_call_ends_its_process(ordinary_children):
    task = asyncio.create_task(extract("<div>" * 1_000_000, seconds=3_600))
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_says_when_the_library_is_missing(open_page, monkeypatch, language):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    status, result = await open_page(ARTICLE.encode(), language=language)
    assert status == "error"
    assert "install -c constraints.txt '.[office]'" in result.text
    assert ("설치되어 있지 않습니다" in result.text) is (language == "ko")


async def test_refused_addresses_are_told(open_page):
    tools = {"fetch_page": page_tool(PageReader(Fetcher()))}
    for url, words in {
        "http://169.254.169.254/latest/meta-data/": "공개 인터넷의 주소가 아니어서",
        "http://localhost:8321/v1/runs": "포트 8321",
        "file:///etc/passwd": "http와 https",
    }.items():
        result = await run_call(tools, ToolCall("fetch_page", {"url": url}), ToolContext("me"))
        assert result.status == "error"
        assert words in result.text


def test_pages_are_data_and_reading_has_no_effect():
    tool = page_tool(PageReader(Fetcher()))
    assert (tool.untrusted, tool.effect) == (True, "read")
