"""Zotero: its exports, with attachments, and its local API, spoken by a real server in the wire shape of a library of
Zotero 7 (https://www.zotero.org/support/dev/web_api/v3/basics)."""

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web

from dure.packs.papers.formats import zotero
from dure.packs.papers.formats.kinds import format_of, records
from dure.packs.papers.formats.zotero import ZoteroUnavailable
from dure.packs.papers.opened import papers_of
from dure.packs.papers.record import PaperRecord, Problem, normal

RDF = """<rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:bib="http://purl.org/net/biblio#"
 xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
    <bib:Article rdf:about="https://journal.example/rice">
        <z:itemType>journalArticle</z:itemType>
        <dcterms:isPartOf rdf:resource="urn:issn:1234-5678"/>
        <bib:authors>
            <rdf:Seq>
                <rdf:li><foaf:Person><foaf:surname>van der Maaten</foaf:surname>
                    <foaf:givenName>Laurens</foaf:givenName></foaf:Person></rdf:li>
                <rdf:li><foaf:Person><foaf:surname>김두레</foaf:surname></foaf:Person></rdf:li>
            </rdf:Seq>
        </bib:authors>
        <dcterms:isReferencedBy rdf:resource="#item_14"/>
        <link:link rdf:resource="#item_12"/>
        <dc:subject>rice</dc:subject>
        <dc:subject><z:AutomaticTag><rdf:value>drones</rdf:value></z:AutomaticTag></dc:subject>
        <dc:title>Growing rice on terraces &amp; slopes</dc:title>
        <dcterms:abstract>How rice grows.</dcterms:abstract>
        <dc:date>2021-05-04</dc:date>
        <dc:identifier><dcterms:URI><rdf:value>https://journal.example/rice</rdf:value></dcterms:URI></dc:identifier>
        <dc:identifier>DOI 10.1234/rice.2021</dc:identifier>
    </bib:Article>
    <bib:Journal rdf:about="urn:issn:1234-5678">
        <dc:title>Journal of Rice</dc:title>
        <dc:identifier>ISSN 1234-5678</dc:identifier>
    </bib:Journal>
    <z:Attachment rdf:about="#item_12">
        <z:itemType>attachment</z:itemType>
        <rdf:resource rdf:resource="files/12/Growing%20rice.pdf"/>
        <dc:title>Full Text</dc:title>
        <link:type>application/pdf</link:type>
    </z:Attachment>
    <bib:Memo rdf:about="#item_14">
        <rdf:value>&lt;p&gt;Ask about &lt;b&gt;slopes&lt;/b&gt;.&lt;/p&gt;
&lt;p&gt;Twice &amp;amp; again&lt;/p&gt;</rdf:value>
    </bib:Memo>
    <rdf:Description rdf:about="#item_20">
        <z:itemType>conferencePaper</z:itemType>
        <dcterms:isPartOf><bib:Journal><dc:title>Proceedings of Terraces</dc:title></bib:Journal></dcterms:isPartOf>
        <bib:presentedAt><bib:Conference><dc:title>Terraces '20</dc:title></bib:Conference></bib:presentedAt>
        <dc:title>Terraces seen from the air</dc:title>
        <dc:date>June 2020</dc:date>
        <dc:description>arXiv:2006.01234 [cs]</dc:description>
    </rdf:Description>
    <bib:Thesis rdf:about="#item_30">
        <z:itemType>thesis</z:itemType>
        <dc:publisher><foaf:Organization><foaf:name>한국대학교</foaf:name></foaf:Organization></dc:publisher>
        <dc:title>Rice at night</dc:title>
    </bib:Thesis>
    <z:Collection rdf:about="#collection_2">
        <dc:title>Thesis</dc:title>
        <dcterms:hasPart rdf:resource="https://journal.example/rice"/>
    </z:Collection>
</rdf:RDF>
"""


def read(path: Path) -> list[PaperRecord]:
    found = list(records(path, path.name, format_of(path, path.name)))
    assert not [each for each in found if isinstance(each, Problem)]
    return [normal(each) for each in found]


def test_an_rdf_export_is_read_with_all_that_hangs_on_its_items(tmp_path: Path) -> None:
    path = tmp_path / "My Library.rdf"
    path.write_text(RDF)
    rice, air, night = read(path)
    assert [each.kind for each in (rice, air, night)] == ["article", "inproceedings", "phdthesis"]
    assert night.venue == "한국대학교"
    assert (rice.title, rice.year, rice.venue) == ("Growing rice on terraces & slopes", 2021, "Journal of Rice")
    assert rice.authors == ["Laurens van der Maaten", "김두레"]
    assert (rice.doi, rice.url, rice.abstract) == (
        "10.1234/rice.2021",
        "https://journal.example/rice",
        "How rice grows.",
    )
    assert (rice.tags, rice.collections) == (["rice", "drones"], ["Thesis"])
    assert rice.notes == [("zotero:#item_14", "Ask about slopes.\n\nTwice & again")]
    assert rice.files == ["files/12/Growing rice.pdf"]
    assert (air.venue, air.year, air.arxiv_id, air.files) == ("Proceedings of Terraces", 2020, "2006.01234", [])


def test_its_csl_json_and_bibtex_are_read_with_keys_tags_and_paths(tmp_path: Path) -> None:
    item = {
        "id": "http://zotero.org/users/local/x1/items/ABCD2345",
        "type": "article-journal",
        "container-title": "Journal of Rice",
        "title": "Growing rice",
        "author": [{"family": "Maaten", "given": "Laurens", "non-dropping-particle": "van der"}],
        "issued": {"date-parts": [["2021", 5, 4]]},
        "note": "arXiv:2105.00001 [cs]",
    }
    path = tmp_path / "My Library.json"
    path.write_text(json.dumps([item], indent="\t"))
    (rice,) = read(path)
    assert (rice.key, rice.year, rice.arxiv_id) == ("zotero:ABCD2345", 2021, "2105.00001")
    assert rice.authors == ["Laurens van der Maaten"]
    path = tmp_path / "My Library.bib"
    path.write_text(
        "@article{maaten_rice_2021,\n\ttitle = {Growing rice},\n\tauthor = {van der Maaten, Laurens},\n"
        "\tkeywords = {rice, to read},\n\tfile = {Full Text PDF:files/12/Rice.pdf:application/pdf;"
        "Snapshot:files/13/a.html:text/html;C\\:\\\\Users\\\\a\\\\b.pdf},\n}\n"
    )
    (rice,) = read(path)
    assert (rice.tags, rice.files[0]) == (["rice", "to read"], "files/12/Rice.pdf")


async def test_an_exports_pdfs_come_along_from_its_own_folder_alone(opened, make_pdf, tmp_path: Path) -> None:
    export = tmp_path / "export"
    (export / "files" / "12").mkdir(parents=True)
    (export / "files" / "12" / "Growing rice.pdf").write_bytes(make_pdf([[(20, "Growing rice"), (11, "It grows.")]]))
    (tmp_path / "secret.pdf").write_bytes(make_pdf([[(20, "Secret")]]))
    (export / "a.rdf").write_text(RDF)
    (export / "b.bib").write_text("@misc{a, title={A way out of the folder}, file={x:../secret.pdf:application/pdf}}")
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    assert (await papers.import_file("a", export / "a.rdf")).attached == []
    done = await papers.import_file("a", export / "a.rdf", files=True)
    (rice,) = await papers.list("a", query="rice terraces")
    assert done.attached == [rice.id]
    (text,) = await papers.wait("a", [rice.id])
    assert text.status == "ready"
    assert (rice.tags, rice.title) == (["drones", "rice"], "Growing rice on terraces & slopes")
    refused = await papers.import_file("a", export / "b.bib", files=True)
    assert (refused.attached, [each.place for each in refused.problems]) == ([], ["../secret.pdf"])


def item(key: str, kind: str, **data) -> dict:
    library = {"type": "user", "id": 0, "name": "", "links": {}}
    return {"key": key, "version": 3, "library": library, "meta": {}, "data": {"key": key, "itemType": kind, **data}}


class Library:
    """A Zotero with more items than a page has."""

    def __init__(self, pdf: Path) -> None:
        tags = [{"tag": "rice"}, {"tag": "auto", "type": 1}]
        creators = [
            {"creatorType": "author", "firstName": "Laurens", "lastName": "van der Maaten"},
            {"creatorType": "author", "name": "Rice Group"},
            {"creatorType": "editor", "firstName": "An", "lastName": "Editor"},
        ]
        rice = {"title": "Growing rice on terraces", "date": "2021-05-04", "publicationTitle": "Journal of Rice"}
        rice |= {"DOI": "10.1234/rice", "tags": tags, "collections": ["COLL0001"], "creators": creators}
        self.rice = item("RICE0001", "journalArticle", **rice)
        self.note = item("NOTE0001", "note", parentItem="RICE0001", note="<p>Ask about slopes.</p>")
        preprint = item(
            "ARXI0001", "preprint", title="Rice from the air", archiveID="arXiv:2006.01234", repository="arXiv"
        )
        file = {"contentType": "application/pdf", "linkMode": "imported_file", "filename": "rice.pdf"}
        attached = item("FILE0001", "attachment", parentItem="RICE0001", **file)
        night = item("THES0001", "thesis", title="Rice at night", university="한국대학교")
        gone = item("FILE0002", "attachment", parentItem="ARXI0001", **file)
        more = [item(f"MORE{n:04}", "journalArticle", title=f"Rice paper number {n}", date="2019") for n in range(120)]
        self.items = [self.rice, self.note, preprint, night, attached, gone, *more]
        self.pdf, self.asked = pdf, list[str]()

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        self.asked.append(request.path_qs)
        if request.path == "/api/users/0/items/FILE0001/file/view/url":
            return web.Response(text=self.pdf.as_uri())
        collections = [{"key": "COLL0001", "version": 1, "data": {"key": "COLL0001", "name": "Thesis"}}]
        kept = {"/api/users/0/items": self.items, "/api/users/0/collections": collections}.get(request.path)
        if kept is None:
            return web.Response(status=404, text="Not found")
        start, limit = int(request.query["start"]), int(request.query["limit"])
        headers = {"Total-Results": str(len(kept)), "Zotero-API-Version": "3"}
        return web.json_response(kept[start : start + limit], headers=headers)


@pytest.fixture
async def running(make_pdf, tmp_path: Path):
    """(a Zotero, the address of its API)."""
    pdf = tmp_path / "storage" / "rice paper.pdf"
    pdf.parent.mkdir()
    pdf.write_bytes(make_pdf([[(20, "Growing rice on terraces"), (11, "It grows.")]]))
    library = Library(pdf)
    runner = web.ServerRunner(web.Server(library))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield library, f"http://127.0.0.1:{runner.addresses[0][1]}/api"
    await runner.cleanup()


async def test_a_running_zotero_is_taken_in_once_and_renewed(running, opened) -> None:
    library, url = running
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    done = await papers.import_zotero("a", url)
    assert (done.added, done.failed) == (123, 0)
    (night,) = await papers.list("a", query="Rice at night")
    assert (night.kind, night.venue) == ("phdthesis", "한국대학교")
    (rice,) = await papers.list("a", query="Growing rice on terraces")
    assert done.attached == [rice.id]
    assert (rice.authors, rice.venue) == (["Laurens van der Maaten", "Rice Group"], "Journal of Rice")
    assert (rice.tags, rice.collections) == (["auto", "rice"], ["Thesis"])
    assert rice.notes == [("zotero:NOTE0001", "Ask about slopes.")]
    assert [each.arxiv_id for each in await papers.list("a", query="from the air")] == ["2006.01234"]
    library.rice["data"] |= {"title": "Growing rice on steep terraces", "publicationTitle": "Rice Letters"}
    library.note["data"]["note"] = "<p>They told me.</p>"
    again = await papers.import_zotero("a", url)
    assert (again.added, again.completed) == (0, 1)
    changed = await papers.get("a", rice.id)
    assert (changed.title, changed.venue) == ("Growing rice on steep terraces", "Rice Letters")
    assert (changed.notes, changed.full_text_id) == ([("zotero:NOTE0001", "They told me.")], rice.full_text_id)
    assert len(await papers.all("a", author="Rice Group")) == 1


async def test_a_zotero_that_is_not_there_is_said(running) -> None:
    _, url = running
    with pytest.raises(ZoteroUnavailable):
        await asyncio.wait_for(anext(zotero.fetch("http://127.0.0.1:9/api")), 60)
    with pytest.raises(ZoteroUnavailable, match="404"):
        await anext(zotero.fetch(url + "/elsewhere"))
