"""arXiv, ACL Anthology and Semantic Scholar: their records, and files that are broken, packed or hostile."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from pathlib import Path

import pytest
from aiohttp import web

from dure.errors import InvalidInput, UnsupportedFile
from dure.packs.papers.formats import acl, arxiv, json_lines, kinds, reading
from dure.packs.papers.formats.arxiv import ArxivUnavailable
from dure.packs.papers.record import PaperRecord, Problem

ACL = b"""<?xml version='1.0' encoding='UTF-8'?>
<collection id="P17">
  <volume id="1">
    <meta><booktitle>Proceedings of the 55th Annual Meeting</booktitle><year>2017</year><venue>acl</venue></meta>
    <frontmatter><url>P17-1000</url></frontmatter>
    <paper id="1">
      <title>Adversarial <fixed-case>NLP</fixed-case> for <i>Relations</i></title>
      <author><first>Pengfei</first><last>Liu</last></author><author><last>Huang</last></author>
      <abstract>We &amp; you.</abstract><doi>10.18653/v1/P17-1001</doi>
    </paper>
    <paper id="2"><title></title></paper>
  </volume>
</collection>"""

ENTRY = """<entry><id>http://arxiv.org/abs/{id}v5</id><published>2017-06-12T17:57:34Z</published>
<title>Attention Is
  All You Need</title><summary>  The dominant $\\alpha$ models </summary>
<author><name>Ashish Vaswani</name></author><author><name>Noam Shazeer</name></author>
<arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CL"/></entry>"""


def feed(*ids: str) -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{"".join(ENTRY.format(id=i) for i in ids)}</feed>'.encode()


def test_an_acl_file_gives_ids_names_and_venue() -> None:
    record, problem = acl.read(BytesIO(ACL), "P17.xml")
    assert isinstance(record, PaperRecord)
    assert record.title == "Adversarial NLP for Relations"
    assert (record.acl_id, record.year, record.venue, record.abstract) == ("P17-1001", 2017, "ACL", "We & you.")
    assert record.authors == ["Pengfei Liu", "Huang"]
    assert isinstance(problem, Problem)


@pytest.mark.parametrize(
    ("place", "id"),
    [
        (("2020.acl", "main", "5"), "2020.acl-main.5"),
        (("W17", "1", "2"), "W17-0102"),
        (("D19", "55", "3"), "D19-5503"),
        (("D19", "1", "3"), "D19-1003"),
        (("P17", "x", "3"), ""),
    ],
)
def test_acl_ids(place: tuple[str, str, str], id: str) -> None:
    assert acl._id(*place) == id


def records(folder: Path, data: bytes) -> list[PaperRecord | Problem]:
    path = folder / "x.xml"
    path.write_bytes(data)
    return list(kinds.records(path, "x.xml", "acl"))


BOMB = b"""<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<collection id="P17"><volume id="1"><paper id="1"><title>&b;</title></paper></volume></collection>"""
OUTSIDE = b"""<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><collection id="P17"><volume id="1"><paper id="1">
<title>&x;</title></paper></volume></collection>"""


@pytest.mark.parametrize(
    "hostile", [BOMB, OUTSIDE, b"<collection>" + b"<a>" * 100_000, b"<collection", b"", b"\xff\xfe<"]
)
def test_hostile_xml_is_one_problem(tmp_path: Path, hostile: bytes) -> None:
    (problem,) = records(tmp_path, hostile)
    assert isinstance(problem, Problem)
    assert "root" not in problem.reason


def test_what_stands_before_a_fault_is_kept(tmp_path: Path) -> None:
    broken = ACL.replace(b'<paper id="2">', b"<paper id=2>")
    record, problem = records(tmp_path, broken)
    assert isinstance(record, PaperRecord)
    assert isinstance(problem, Problem)
    assert "line 11" in problem.reason


def test_an_element_without_end_is_given_up(tmp_path: Path) -> None:
    large = b'<collection id="P17"><volume id="1"><paper id="1"><title>' + b"a" * 6_000_000
    (problem,) = records(tmp_path, large)
    assert isinstance(problem, Problem)


def test_arxivs_metadata_line() -> None:
    record = arxiv.convert(
        {
            "id": "0704.0001",
            "title": "Calculation of prompt\n  diphoton production",
            "authors": "C. Bal\\'azs",
            "authors_parsed": [["Bal\\'azs", "C.", ""], ["Berger", "E. L.", ""]],
            "journal-ref": "Phys.Rev.D76:013009,2007",
            "doi": "10.1103/PhysRevD.76.013009",
            "abstract": "  A fully\n differential",
            "categories": "hep-ph cs.CL",
            "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
            "update_date": "2008-11-26",
        }
    )
    assert record.authors == ["C. Balázs", "E. L. Berger"]
    assert (record.year, record.arxiv_id, record.field) == (2007, "0704.0001", "hep-ph")


def test_names_in_one_text() -> None:
    record = arxiv.convert({"id": "1706.03762", "title": "T", "authors": "A. One, B. Two,\n  C. Three  and  D. Four"})
    assert record.authors == ["A. One", "B. Two", "C. Three", "D. Four"]


@pytest.mark.parametrize("unit", [" ", "\n", " and", ", ", "and "])
def test_long_texts_take_linear_time(assert_linear: Callable[..., None], unit: str) -> None:
    for name in ("authors", "journal-ref", "title"):
        assert_linear(arxiv.convert, lambda n, name=name: {name: f"A{unit * n}B"}, 200_000)


def test_semantic_scholars_object() -> None:
    record = json_lines.of_semantic_scholar(
        {
            "paperId": "a" * 40,
            "title": "BERT",
            "authors": [{"authorId": "1", "name": "Jacob Devlin"}, "Ming-Wei Chang"],
            "year": 2019,
            "venue": "",
            "journal": {"name": "NAACL"},
            "externalIds": {"DOI": "10.18653/v1/N19-1423", "ArXiv": "1810.04805", "ACL": "N19-1423", "CorpusId": 5},
            "citationCount": 90000,
            "fieldsOfStudy": ["Computer Science"],
            "openAccessPdf": {"url": "https://x.org/a.pdf"},
            "references": [{"paperId": "b", "title": "Attention is all you need"}, "c" * 40, {"title": None}],
        }
    )
    assert (record.venue, record.citations, record.key) == ("NAACL", 90000, "s2:" + "a" * 40)
    assert record.references == ["Attention is all you need", "key:s2:" + "c" * 40]


@pytest.mark.parametrize("value", [None, 3, "x", [], {"a": [1]}, True, 1e99])
def test_values_of_other_shapes_are_left_out(value: object) -> None:
    names = ("title", "authors", "year", "venue", "externalIds", "citationCount", "references", "fieldsOfStudy", "id")
    for convert in (json_lines.of_semantic_scholar, arxiv.convert):
        everywhere = dict.fromkeys(names, value) | {"authors_parsed": value, "openAccessPdf": value}
        assert isinstance(convert(everywhere | {"versions": [value]}), PaperRecord)
        inside = {"authors": [value, [value]], "references": [value], "authors_parsed": [value, [value]]}
        assert convert({"title": "T"} | inside).title == "T"


def test_bad_lines_are_told_of_with_their_number_and_the_rest_is_kept() -> None:
    data = b'\xef\xbb\xbf{"title": "One"}\n\n{broken\n[1]\n{"title": ""}\n{"title": "Two"}'
    found = list(json_lines.read(BytesIO(data), "s.jsonl", json_lines.of_semantic_scholar))
    assert [r.title for r in found if isinstance(r, PaperRecord)] == ["One", "Two"]
    assert [r.place for r in found if isinstance(r, Problem)] == ["s.jsonl:3", "s.jsonl:4", "s.jsonl:5"]


def test_a_list_and_an_answer_of_the_api_are_read_too() -> None:
    for data in ([{"title": "One"}, {"title": "Two"}], {"total": 2, "data": [{"title": "One"}, {"title": "Two"}]}):
        for indent in (None, 1):
            text = json.dumps(data, indent=indent).encode()
            found = list(json_lines.read(BytesIO(text), "s.json", json_lines.of_semantic_scholar))
            assert [r.title for r in found if isinstance(r, PaperRecord)] == ["One", "Two"]


def test_a_list_on_one_long_line_and_one_behind_blank_lines_are_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 50)
    records = [{"title": f"Paper {i}", "abstract": "a " * 40} for i in range(9)]
    lists = [records, {"total": 9, "data": records}]
    texts = [json.dumps(each, indent=indent) for each in lists for indent in (None, 1)]
    for text in texts:
        for before in (b"", b"\xef\xbb\xbf", b"\r\n", b"\n" * 99):
            found = list(json_lines.read(BytesIO(before + text.encode()), "s.json", json_lines.of_semantic_scholar))
            assert [r.title for r in found if isinstance(r, PaperRecord)] == [f"Paper {i}" for i in range(9)]
    bad = list(json_lines.read(BytesIO(b'\n\n{bad}\n{"title": "A"}'), "s", json_lines.of_semantic_scholar))
    assert [getattr(each, "place", "") for each in bad] == ["s:3", ""]


@pytest.mark.parametrize("unit", [" ", "1", '"total":', '"total":1, ', "\n", "[", "{"])
def test_the_head_of_an_answer_is_read_in_linear_time(assert_linear: Callable[..., None], unit: str) -> None:
    def read(data: bytes) -> None:
        list(json_lines.read(BytesIO(data), "x", json_lines.of_semantic_scholar))

    assert_linear(read, lambda n: f'{{"total":{unit * n}'.encode(), 200_000)


def test_a_line_beyond_all_measure_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 50)
    data = b'{"title": "' + b"a" * 500 + b'"}\n{"title": "Two"}\n'
    first, second = json_lines.read(BytesIO(data), "x", json_lines.of_semantic_scholar)
    assert isinstance(first, Problem)
    assert isinstance(second, PaperRecord)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"@article{a, title={T}}", "bibtex"),
        (b"% a comment\n\n@string{a = {b}}", "bibtex"),
        (ACL, "acl"),
        (feed("1706.03762"), "arxiv-atom"),
        (b'{"id": "0704.0001", "submitter": "x", "title": "T"}', "arxiv"),
        (b'{"paperId": "x", "title": "T"}', "semantic-scholar"),
        (b'[\n {"title": "T"}]', "semantic-scholar"),
        (b'{"title": "T", "summary_ko": "x"}', "dure"),
        (b'{"title": "T", "field": "nlp"}', "dure"),
        (b'[\n {"title": "T", "aliases": ["A"]}]', "dure"),
        (b'{"title": "T", "citations": 7}', "dure"),
        (b'[{"title": "T", "citations": 7}]', "dure"),
        (b'{"paperId": "x", "title": "T", "citations": [{"paperId": "y"}]}', "semantic-scholar"),
        (b'[{"paperId": "x", "citations": [{"paperId": "y"}], "fieldsOfStudy": null}]', "semantic-scholar"),
        (b"%PDF-1.7 x", "pdf"),
    ],
)
def test_the_format_is_told_by_content_also_of_packed_files(tmp_path: Path, content: bytes, format: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert kinds.format_of(path, "file") == format
    path.write_bytes(gzip.compress(content))
    assert kinds.format_of(path, "file") == format


@pytest.mark.parametrize("content", [b"", b"hello", b"<html><body>", b"\x1f\x8bbroken", b"\x89PNG\r\n"])
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UnsupportedFile, match=r"x\.zip"):
        kinds.format_of(path, "x.zip")


def test_a_file_that_unpacks_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_FREE", 100_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b'{"title": "One"}\n' + b" " * 20_000_000))
    found = list(kinds.records(path, "bomb.gz", "semantic-scholar"))
    assert isinstance(found[-1], Problem)
    assert "unpacks" in found[-1].reason


def test_a_cut_gzip_file_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    lines = "".join(json.dumps({"title": f"Paper {i} {hash(str(i))}"}) + "\n" for i in range(20_000))
    path.write_bytes(gzip.compress(lines.encode())[:-1000])
    found = list(kinds.records(path, "cut.gz", "semantic-scholar"))
    assert sum(isinstance(r, PaperRecord) for r in found) > 1000
    assert isinstance(found[-1], Problem)


@pytest.fixture
async def api() -> AsyncIterator[tuple[str, list[dict[str, str]], list[web.Response]]]:
    """An arXiv of our own: its address, the queries it got, answers to give before all others."""
    asked: list[dict[str, str]] = []
    first: list[web.Response] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(dict(request.query))
        if first:
            return first.pop(0)
        ids = [i for i in request.query.get("id_list", "1706.03762").split(",") if not i.startswith("9")]
        return web.Response(body=feed(*ids))

    app = web.Application()
    app.router.add_get("/api/query", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/api/query", asked, first
    await runner.cleanup()


async def test_papers_are_fetched_by_id_and_unknown_ones_told_of(api) -> None:
    url, asked, first = api
    first.append(web.Response(status=503))
    (page,) = [p async for p in arxiv.fetch(["arXiv:1706.03762v2", "9999.99999"], url=url, pause=0.001)]
    assert len(asked) == 2
    assert asked[1]["id_list"] == "1706.03762,9999.99999"
    record, problem = page
    assert record.title.split() == ["Attention", "Is", "All", "You", "Need"]
    assert (record.arxiv_id, record.year, record.field, record.venue) == ("1706.03762", 2017, "nlp", "arXiv")
    assert record.authors == ["Ashish Vaswani", "Noam Shazeer"]
    assert problem.place == "arXiv:9999.99999"


async def test_a_query_goes_page_by_page_until_there_is_no_more(api) -> None:
    url, asked, _ = api
    pages = [p async for p in arxiv.fetch(query="all:attention", limit=250, url=url, pause=0.001)]
    assert len(pages) == 1
    assert asked == [{"search_query": "all:attention", "start": "0", "max_results": "100"}]


async def test_requests_keep_their_distance(api, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(arxiv.asyncio, "sleep", sleep)
    ids = [f"1706.{i:05}" for i in range(250)]
    pages = [p async for p in arxiv.fetch(ids, url=api[0])]
    assert len(pages) == 3
    assert pauses == [3.0, 3.0]


async def test_refusals_are_sentences(api) -> None:
    url, _, first = api
    with pytest.raises(InvalidInput, match="no arXiv id"):
        await anext(arxiv.fetch(["hello"], url=url))
    first.append(web.Response(status=400))
    with pytest.raises(ArxivUnavailable, match="HTTP 400"):
        await anext(arxiv.fetch(["1706.03762"], url=url))
    with pytest.raises(ArxivUnavailable):
        await anext(arxiv.fetch(["1706.03762"], url="http://127.0.0.1:9/", pause=0.001))
    await asyncio.sleep(0)
