"""What goes out as BibTeX and CSL-JSON comes back as the same papers, by our readers and by others'."""

from pathlib import Path

import orjson
import pytest
from bibtexparser.entrypoint import parse_string

from dure.packs.papers.formats.export import EXPORTS
from dure.packs.papers.formats.kinds import format_of, records
from dure.packs.papers.opened import papers_of
from dure.packs.papers.record import Paper, PaperRecord, normal

ODD = {
    "title": r"50% of {braces} & $costs$ #1_x ~ ^ C:\temp -- a ``quote'' of 한국어",
    "authors": ["Laurens van der Maaten", "OpenAI", "김두레", "R. Sutton Jr.", "et al."],
    "year": 2021,
    "venue": "Journal of Odd & Ends",
    "abstract": "First_line of {it}, 10% ''sure''.",
    "doi": "10.1234/a_b",
    "url": "https://example.org/a_b?c=1%20d",
    "tags": ["to read", "R&D"],
    "collections": ["Thesis"],
}


def paper(**fields) -> Paper:
    return Paper(**fields, id="x", owner="a", shared=False, document_id="d")


def again(format: str, given: list[Paper], folder: Path) -> list[PaperRecord]:
    path = folder / f"out.{format}"
    path.write_bytes(EXPORTS[format][0](given))
    assert format_of(path, path.name) == format
    return [normal(each) for each in records(path, path.name, format)]


@pytest.mark.parametrize("format", EXPORTS)
def test_odd_signs_come_back(format: str, tmp_path: Path) -> None:
    (back,) = again(format, [paper(**ODD)], tmp_path)
    for name, value in ODD.items():
        assert getattr(back, name) == value, name


@pytest.mark.parametrize("format", EXPORTS)
@pytest.mark.parametrize("kind", ["thesis", "techreport", "book", "incollection", "patent", "misc"])
def test_kinds_of_entries_come_back(format: str, kind: str, tmp_path: Path) -> None:
    (back,) = again(format, [paper(title="Seeds", kind=kind, venue="Seed Journal")], tmp_path)
    assert (back.kind, back.venue) == (kind, "Seed Journal")


@pytest.mark.parametrize("format", EXPORTS)
async def test_all_shipped_papers_come_back(format: str, opened, tmp_path: Path) -> None:
    dure = await opened(model_base_url="http://127.0.0.1:9/v1")
    given = await papers_of(dure).list("nobody", limit=1000)
    back = again(format, given, tmp_path)
    assert len(back) == len(given) > 200
    for one, other in zip(given, back, strict=True):
        for name in ("title", "authors", "year", "venue", "doi", "arxiv_id", "abstract"):
            assert getattr(other, name) == getattr(one, name), (one.title, name)


async def test_bibtexparser_reads_it_without_a_fault(opened) -> None:
    dure = await opened(model_base_url="http://127.0.0.1:9/v1")
    given = [*await papers_of(dure).list("nobody", limit=1000), paper(**ODD)]
    library = parse_string(EXPORTS["bibtex"][0](given).decode())
    assert (library.failed_blocks, len(library.entries)) == ([], len(given)), "keys are each once"
    by_key = {entry.key: entry for entry in library.entries}
    bert = by_key["devlin2019bert"]
    assert (bert.entry_type, bert["booktitle"], bert["eprint"]) == ("inproceedings", "NAACL", "1810.04805")
    assert bert["title"].startswith("{BERT}: Pre-training")
    assert by_key["srivastava2014dropout"].entry_type == "article"


def test_csl_is_of_its_schema() -> None:
    (item,) = orjson.loads(EXPORTS["csl"][0]([paper(**ODD)]))
    assert (item["type"], item["issued"]) == ("article-journal", {"date-parts": [[2021]]})
    assert item["author"][:2] == [{"family": "van der Maaten", "given": "Laurens"}, {"literal": "OpenAI"}]
    assert item["author"][3] == {"family": "Sutton Jr.", "given": "R."}
    assert item["keyword"] == "to read, R&D, Thesis"
