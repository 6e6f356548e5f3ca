"""The papers that Dure ships are complete, well formed and consistent over all their files."""

import json
import re
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from dure.packs.papers.keys import alias_key, title_key
from dure.packs.papers.record import PaperRecord, normal

REQUIRED = {"key", "title", "authors", "year", "venue", "field", "aliases", "summary_en", "summary_ko", "references"}
OPTIONAL = {"arxiv_id", "doi", "acl_id", "url"}
FIELDS = {
    *("nlp", "llm", "vision", "speech", "rl", "generative", "graph", "retrieval", "systems", "theory", "multimodal"),
    *("science", "safety", "robotics"),
}
KEY = re.compile(r"[a-z]+\d{4}[a-z0-9]+")
ARXIV = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7}")
DOI = re.compile(r"10\.\d{4,9}/\S+")
ACL = re.compile(r"[A-Z]\d{2}-\d{4}|20\d{2}\.[a-z]+-[a-z0-9]+\.\d+")
HANGUL = re.compile("[가-힣]")

Line = dict[str, Any]


def load() -> dict[str, Line]:
    folder = files("dure.packs.papers.library").joinpath("data")
    found: dict[str, Line] = {}
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.startswith("papers-") and file.name.endswith(".jsonl"):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                found[f"{file.name}:{number}"] = json.loads(line)
    return found


LINES = load()


def each_line(check: Callable[[Line], None]) -> Callable[[], None]:
    """A test that holds `check` against all lines and names those that fail it."""

    def test() -> None:
        faults: dict[str, str] = {}
        for place, line in LINES.items():
            try:
                check(line)
            except (AssertionError, KeyError) as error:
                faults[place] = str(error)
        assert faults == {}

    test.__name__ = check.__name__
    return test


def repeated(items: list[str]) -> list[str]:
    return [item for item, count in Counter(items).items() if count > 1]


def test_papers_are_shipped() -> None:
    assert len(LINES) >= 100


@each_line
def test_fields_are_there_and_of_their_kinds(line: Line) -> None:
    assert line.keys() >= REQUIRED
    assert line.keys() <= REQUIRED | OPTIONAL
    assert KEY.fullmatch(line["key"])
    assert isinstance(line["year"], int)
    assert 1900 <= line["year"] <= 2026
    assert line["field"] in FIELDS
    for name in ("title", "venue", *OPTIONAL & line.keys()):
        assert isinstance(line[name], str)
        assert line[name].strip() == line[name] != ""
    for name in ("authors", "aliases", "references"):
        assert all(isinstance(item, str) and item.strip() == item != "" for item in line[name])


@each_line
def test_identifiers_are_well_formed(line: Line) -> None:
    assert ARXIV.fullmatch(line.get("arxiv_id", "1706.03762"))
    assert DOI.fullmatch(line.get("doi", "10.1000/1"))
    assert ACL.fullmatch(line.get("acl_id", "N19-1423"))
    assert line.get("url", "https://").startswith("https://")
    if "arxiv.org/abs/" in line.get("url", ""):
        assert line["url"] == f"https://arxiv.org/abs/{line['arxiv_id']}"
    if "/v1/" in line.get("doi", "") and "acl_id" in line:
        assert line["doi"].endswith(f"/v1/{line['acl_id']}")


@each_line
def test_nothing_is_lost_on_the_way_into_the_database(line: Line) -> None:
    record = normal(PaperRecord(**line))
    assert record is not None
    assert record.title == line["title"]
    assert record.authors == line["authors"]
    assert record.year == line["year"]
    assert record.aliases == line["aliases"]
    assert record.doi == line.get("doi", "").lower()
    assert record.arxiv_id == line.get("arxiv_id", "").lower()
    assert record.acl_id == line.get("acl_id", "")
    assert record.url == line.get("url", "")


@each_line
def test_authors_are_named_once_and_a_shortened_list_says_so(line: Line) -> None:
    assert line["authors"]
    assert not repeated(line["authors"])
    assert "et al." not in line["authors"][:-1]
    assert line["authors"][-1] != "et al." or len(line["authors"]) > 12


@each_line
def test_summaries_are_of_a_fit_length_and_language(line: Line) -> None:
    assert 80 <= len(line["summary_en"]) <= 1200
    assert 80 <= len(line["summary_ko"]) <= 1200
    assert HANGUL.search(line["summary_ko"])
    assert not HANGUL.search(line["summary_en"])


@each_line
def test_references_are_other_papers_of_the_set(line: Line) -> None:
    assert set(line["references"]) <= {other["key"] for other in LINES.values()} - {line["key"]}
    assert not repeated(line["references"])


def test_keys_titles_and_identifiers_are_unique() -> None:
    assert not repeated([line["key"] for line in LINES.values()])
    assert not repeated([title_key(line["title"]) for line in LINES.values()])
    for name in ("arxiv_id", "doi", "acl_id"):
        assert not repeated([line[name].lower() for line in LINES.values() if name in line])


def test_an_alias_names_one_paper() -> None:
    assert not repeated([alias_key(alias) for line in LINES.values() for alias in line["aliases"]])
    titles = {title_key(line["title"]): line["key"] for line in LINES.values()}
    for line in LINES.values():
        for alias in line["aliases"]:
            assert len(alias_key(alias)) >= 2
            assert titles.get(alias_key(alias), line["key"]) == line["key"]


def test_later_papers_are_not_cited_long_before() -> None:
    """A preprint may cite what appears at a conference a year or two later, no more."""
    years = {line["key"]: line["year"] for line in LINES.values()}
    for line in LINES.values():
        for key in line["references"]:
            assert years[key] <= line["year"] + 2, (line["key"], key)
