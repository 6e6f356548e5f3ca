import asyncio
import gzip
import ssl
import zlib
from pathlib import Path

import pytest
from aiohttp import web

from dure import __version__
from dure.egress import AddressRefused, Guard, WebError
from dure.packs.web.fetch import Fetcher, Limits
from dure.packs.web.problems import PageUnavailable, PageUnreadable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = "<p>연차 휴가는 15일입니다.</p>".encode()


async def problem(fetcher, url):
    with pytest.raises(WebError) as error:
        await fetcher.fetch(url)
    return error.value.problem


async def test_fetches_a_page(serve):
    seen = {}

    async def page(request):
        seen.update(request.headers)
        return web.Response(body=PAGE, content_type="text/html", charset="utf-8")

    site = await serve(page)
    fetched = await site.fetcher().fetch(f"{site.url}/a?b=%EA%B0%80#part", "ko")
    assert (fetched.body, fetched.is_html, fetched.charset) == (PAGE, True, "utf-8")
    assert (fetched.url, fetched.media_type) == (f"{site.url}/a?b=%EA%B0%80", "text/html")
    assert seen["Host"] == f"site.example.com:{site.port}"
    assert seen["User-Agent"] == f"dure/{__version__}"
    assert seen["Accept-Language"].startswith("ko")
    assert "Cookie" not in seen
    assert "Referer" not in seen


async def test_a_name_is_resolved_once_and_the_checked_address_is_used(serve):
    """A second look-up would find 127.0.0.2, where nobody listens."""

    async def page(request):
        return web.Response(body=PAGE, content_type="text/html")

    site = await serve(page)
    answers = [["127.0.0.1"], ["127.0.0.2"]]

    async def rebinding(host, port):
        return answers.pop(0)

    guard = Guard(rebinding, reachable=lambda address: str(address) == "127.0.0.1", ports={site.port})
    assert (await Fetcher(guard).fetch(site.url)).body == PAGE
    assert len(answers) == 1


async def test_proxies_of_the_environment_are_ignored(serve, monkeypatch, tmp_path):
    async def page(request):
        return web.Response(text=request.headers.get("Authorization", "nobody"))

    site = await serve(page)
    (tmp_path / "netrc").write_text("machine site.example.com login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert (await site.fetcher().fetch(site.url)).body == b"nobody"


@pytest.fixture
def certificate():
    return Path(__file__).with_name("site.pem")


async def test_tls_is_checked_against_the_name_not_the_address(serve, certificate):
    asked = []
    ours = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ours.load_cert_chain(certificate)
    ours.sni_callback = lambda connection, name, context: asked.append(name)

    async def page(request):
        return web.Response(body=PAGE, content_type="text/html")

    site = await serve(page, ssl=ours)
    url = site.url.replace("http:", "https:")
    trusting = Fetcher(site.guard, ssl_context=ssl.create_default_context(cafile=certificate))
    assert (await trusting.fetch(url)).body == PAGE
    assert asked == ["site.example.com"]
    assert await problem(site.fetcher(), url) == "certificate"

    async def anywhere(host, port):
        return ["127.0.0.1"]

    other = Guard(anywhere, reachable=lambda address: True, ports={site.port})
    trusting = Fetcher(other, ssl_context=ssl.create_default_context(cafile=certificate))
    assert await problem(trusting, url.replace("site.", "other.")) == "certificate"


async def test_cookies_are_not_kept(serve):
    cookies = []

    async def page(request):
        cookies.append(request.headers.get("Cookie"))
        headers = {"Set-Cookie": "session=1; Path=/"}
        if request.path == "/":
            return web.Response(status=302, headers=headers | {"Location": "/next"})
        return web.Response(body=PAGE, content_type="text/html", headers=headers)

    site = await serve(page)
    fetcher = site.fetcher()
    await fetcher.fetch(site.url)
    await fetcher.fetch(site.url)
    assert cookies == [None] * 4


# redirects


def redirecting(*places, status=302):
    """Answers /0, /1, … with a redirect to each place in turn, then with the page."""

    async def page(request):
        at = int(request.path.strip("/") or 0)
        if at < len(places):
            return web.Response(status=status, headers={"Location": places[at]})
        return web.Response(body=PAGE, content_type="text/html")

    return page


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_follows_redirects(serve, status):
    site = await serve(redirecting("/1", "2?x=1#y", status=status))
    fetched = await site.fetcher().fetch(site.url)
    assert (fetched.url, fetched.body) == (f"{site.url}/2?x=1", PAGE)


async def test_follows_five_redirects_and_no_more(serve):
    site = await serve(redirecting("/1", "/2", "/3", "/4", "/5"))
    assert (await site.fetcher().fetch(site.url)).body == PAGE
    site = await serve(redirecting("/1", "/2", "/3", "/4", "/5", "/6"))
    assert await problem(site.fetcher(), site.url) == "redirects"


async def test_a_redirect_loop_ends(serve):
    site = await serve(redirecting("/0"))
    assert await problem(site.fetcher(), site.url) == "redirects"


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("http://127.0.0.2:{port}/", "private"),
        ("http://10.0.0.7:{port}/", "private"),
        ("//10.0.0.7:{port}/", "private"),
        ("http://169.254.169.254:{port}/latest/", "private"),
        ("http://[::1]:{port}/", "private"),
        ("http://[::ffff:127.0.0.1]:{port}/", "private"),
        ("http://inside.example.com:{port}/", "private"),
        ("http://localhost:{port}/", "host"),
        ("http://2130706433:{port}/", "numeric"),
        ("http://0x7f.1:{port}/", "numeric"),
        ("http://127.1:{port}/", "numeric"),
        ("http://site.example.com:22/", "port"),
        ("http://site.example.com/", "port"),
        ("https://site.example.com/", "port"),
        ("http://x@site.example.com:{port}/", "credentials"),
        ("http://site.example.com\\@127.0.0.1:{port}/", "credentials"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://127.0.0.1:6379/_x", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("http://１２７.0.0.1:{port}/", "numeric"),
        ("http://127。0。0。1:{port}/", "host"),
        ("http://[::1", "broken"),
    ],
)
async def test_redirects_are_checked_like_first_addresses(serve, place, wanted):
    asked = []

    async def page(request):
        asked.append(request.path)
        return web.Response(status=302, headers={"Location": place.format(port=request.url.port)})

    site = await serve(page)
    assert await problem(site.fetcher(), site.url) == wanted
    assert asked == ["/"]


async def test_reads_redirects_beyond_ascii(serve_raw):
    places = iter(["/휴가".encode(), b"/\xc8\xde\xb0\xa1", None])
    paths = []

    async def talk(reader, writer):
        place = next(places)
        if place is None:
            writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")
        else:
            writer.write(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + place + b"\r\n\r\n")
        await writer.drain()

    site = await serve_raw(talk)
    paths = await site.fetcher().fetch(site.url)
    assert paths.url == f"{site.url}/%C8%DE%B0%A1"


# sizes


def packed(kind, data):
    if kind == "gzip":
        return gzip.compress(data)
    window = {"zlib": 15, "bare": -15}[kind]
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    return packer.compress(data) + packer.flush()


def answering(body, **headers):
    async def page(request):
        return web.Response(body=body, headers={"Content-Type": "text/html"} | headers)

    return page


@pytest.mark.parametrize("kind", ["gzip", "zlib", "bare"])
async def test_unpacks(serve, kind):
    body = PAGE * 1000
    encoding = "gzip" if kind == "gzip" else "deflate"
    site = await serve(answering(packed(kind, body), **{"Content-Encoding": encoding}))
    assert (await site.fetcher().fetch(site.url)).body == body


async def test_unpacks_gzip_members_in_a_row_and_leaves_padding(serve):
    body = gzip.compress(PAGE) + gzip.compress(PAGE) + bytes(100)
    site = await serve(answering(body, **{"Content-Encoding": "gzip"}))
    assert (await site.fetcher().fetch(site.url)).body == PAGE * 2


@pytest.mark.parametrize("kind", ["gzip", "zlib", "bare"])
async def test_a_bomb_is_stopped_before_it_is_unpacked(serve, kind):
    """64 megabytes that come as 64 kilobytes."""
    import tracemalloc

    packer = zlib.compressobj(9, zlib.DEFLATED, {"gzip": 31, "zlib": 15, "bare": -15}[kind])
    bomb = b"".join([packer.compress(bytes(1 << 20)) for _ in range(64)] + [packer.flush()])
    site = await serve(answering(bomb, **{"Content-Encoding": "gzip" if kind == "gzip" else "deflate"}))
    tracemalloc.start()
    try:
        assert await problem(site.fetcher(max_unpacked=3_000_000), site.url) == "too_large"
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


async def test_a_bomb_of_many_gzip_members_is_stopped(serve):
    site = await serve(answering(gzip.compress(b"x") * 100_000, **{"Content-Encoding": "gzip"}))
    assert await problem(site.fetcher(), site.url) == "broken"


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "x" * 500])
async def test_packings_that_were_not_asked_for_are_refused(serve, encoding):
    site = await serve(answering(PAGE, **{"Content-Encoding": encoding}))
    assert await problem(site.fetcher(), site.url) == "encoding"


@pytest.mark.parametrize(
    "body", [b"no gzip at all", gzip.compress(PAGE * 50)[:-20], gzip.compress(PAGE)[:5]], ids=range(3)
)
async def test_damaged_packing_is_told(serve, body):
    site = await serve(answering(body, **{"Content-Encoding": "gzip"}))
    assert await problem(site.fetcher(), site.url) == "broken"


async def test_an_announced_size_is_believed_when_too_large(serve_raw):
    async def talk(reader, writer):
        writer.write(HEAD + b"Content-Length: 5000001\r\n\r\n")
        await writer.drain()
        await reader.read()

    site = await serve_raw(talk)
    assert await problem(site.fetcher(), site.url) == "too_large"


async def test_an_endless_body_is_stopped(serve_raw):
    sent = 0

    async def talk(reader, writer):
        nonlocal sent
        writer.write(HEAD + b"Connection: close\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            sent += 65536

    site = await serve_raw(talk)
    assert await problem(site.fetcher(max_bytes=1_000_000), site.url) == "too_large"
    assert sent < 30_000_000


async def test_endless_headers_are_stopped(serve_raw):
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-A: " + b"a" * 1000 + b"\r\n")
            await writer.drain()

    site = await serve_raw(talk)
    assert await problem(site.fetcher(), site.url) in ("broken", "unreachable")


# time


async def drip(reader, writer):
    writer.write(HEAD + b"Connection: close\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def silence(reader, writer):
    await reader.read()


async def dripping_head(reader, writer):
    writer.write(HEAD + b"X-Long: ")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("talk", [drip, silence, dripping_head], ids=["drip", "silence", "dripping head"])
async def test_time_is_limited_over_all(serve_raw, talk):
    site = await serve_raw(talk)
    assert await problem(site.fetcher(seconds=0.3), site.url) == "timeout"


async def test_time_is_limited_over_redirects_and_names_too(serve):
    async def slow(host, port):
        await asyncio.sleep(30)

    guard = Guard(slow, ports={80})
    assert await problem(Fetcher(guard, Limits(seconds=0.2)), "http://www.example.com/") == "timeout"


# kinds


@pytest.mark.parametrize(
    ("kind", "is_html"),
    [
        ("text/html; charset=utf-8", True),
        ("TEXT/HTML", True),
        ("application/xhtml+xml", True),
        ("text/plain", False),
        ("text/markdown", False),
        ("text/csv", False),
        ("application/json", False),
        ("application/ld+json", False),
        ("application/xml", False),
        ("text/xml", False),
        ("application/rss+xml; charset=utf-8", False),
    ],
)
async def test_takes_text(serve, kind, is_html):
    site = await serve(answering(b"<p>text</p>", **{"Content-Type": kind}))
    assert (await site.fetcher().fetch(site.url)).is_html is is_html


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("application/pdf", "pdf"),
        ("image/png", "kind"),
        ("image/svg+xml", "kind"),
        ("video/mp4", "kind"),
        ("application/octet-stream", "kind"),
        ("application/zip", "kind"),
        ("application/javascript", "kind"),
        ("nonsense", "kind"),
    ],
)
async def test_refuses_what_is_no_text_without_reading_it(serve_raw, kind, wanted):
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: " + kind.encode() + b"\r\n\r\n")
        await writer.drain()
        await reader.read()

    site = await serve_raw(talk)
    assert await problem(site.fetcher(), site.url) == wanted


@pytest.mark.parametrize(("body", "is_html"), [(b"\xef\xbb\xbf <p>x</p>", True), (b"just text", False)])
async def test_looks_at_content_of_no_named_kind(serve_raw, body, is_html):
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()

    site = await serve_raw(talk)
    assert (await site.fetcher().fetch(site.url)).is_html is is_html


# answers that are none


@pytest.mark.parametrize(
    ("status", "words"), [(404, "없는 페이지"), (403, "접근 거부"), (500, "Internal Server Error")]
)
async def test_tells_a_status(serve, status, words):
    async def page(request):
        return web.Response(status=status, text="<p>secret details</p>", content_type="text/html")

    site = await serve(page)
    with pytest.raises(PageUnavailable) as error:
        await site.fetcher().fetch(site.url)
    assert words in error.value.message("ko")
    assert str(status) in error.value.message("en")


@pytest.mark.parametrize("status", [199, 304, 300, 999])
async def test_tells_odd_statuses(serve_raw, status):
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 %d Odd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % status)
        await writer.drain()

    site = await serve_raw(talk)
    assert await problem(site.fetcher(seconds=20), site.url) in ("status", "unreachable")


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (b"", "unreachable"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "broken"),
        (HEAD + b"Content-Length: 100\r\n\r\nshort", "broken"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "broken"),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "broken"),
    ],
)
async def test_tells_a_broken_answer(serve_raw, answer, wanted):
    async def talk(reader, writer):
        writer.write(answer)
        await writer.drain()

    site = await serve_raw(talk)
    assert await problem(site.fetcher(seconds=20), site.url) == wanted


async def test_tells_when_nobody_listens(serve_raw):
    site = await serve_raw(silence)
    guard = Guard(site.lookup, reachable=lambda address: True, ports={1})
    assert await problem(Fetcher(guard), "http://site.example.com:1/") == "unreachable"


async def test_errors_are_typed(serve):
    site = await serve(answering(PAGE))
    with pytest.raises(AddressRefused):
        await site.fetcher().fetch("http://127.0.0.2/")
    with pytest.raises(PageUnreadable):
        await site.fetcher(max_bytes=3).fetch(site.url)
