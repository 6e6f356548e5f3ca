"""What stands on a PDF's title page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dure.packs.papers.formats import pdf_child
from dure.packs.papers.formats.pdf import of_front


def front(*lines: str, **said: str) -> dict[str, Any]:
    return {"title": "", "author": "", "headline": "Sowing Seeds by Numbers", "lines": list(lines), **said}


def test_names_lose_the_marks_around_them() -> None:
    found = of_front(
        "x.pdf",
        front("Sowing Seeds by Numbers", "Ada Lovelace1,2*, Mina Park † · 김민수2,", "*Jane van Doe‡1", "Abstract"),
    )
    assert found.authors == ["Ada Lovelace", "Mina Park", "김민수", "Jane van Doe"]


@pytest.mark.parametrize("unit", ["1", "1 ", "A ", "and ", ",", "arXiv:", "10."])
def test_long_lines_take_linear_time(assert_linear: Callable[..., None], unit: str) -> None:
    assert_linear(
        lambda line: of_front("x.pdf", front("Sowing Seeds by Numbers", line, "Abstract", line)),
        lambda n: f"x{unit * (n // len(unit))}x",
        80_000,
    )


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        (
            [
                "Seed Letters 2023",
                "Sowing by Numbers",
                "Ada Lo Moor",
                "1",
                ", Jin Park",
                "2",
                "1 Seed Lab",
                "2 Bora Bora Works",
            ],
            2,
        ),
        (["Sowing by Numbers", "Ada Moor, Jin Park, Li Berg", "Department of Seeds", "Summary", "Seeds grow."], 3),
        (["Sowing by Numbers", "On seeds that were sown", "표정민 · 노은비", "남도연구소", "요지 씨앗은 자란다."], 2),
        (["Sowing by Numbers", "배수민1", ", 정하늘2", "1한밭연구소", "초 록"], 2),
        (["Sowing by Numbers", "Line Øvergård, Óscar Ruiz"], 2),
        (["Sowing by Numbers", "배수민, 정하늘", "국문초록", "씨앗은 자란다."], 2),
        (["Sowing by Numbers", "Abstract", "Seeds and Roots", "Every Seed Grows"], 0),
        (["Sowing by Numbers", "Ada Moor, Jin Park and", "Li Berg", "Seed Corporation", "Abstract"], 3),
        (["Sowing by Numbers", "Ada Moor*, Jin Park", "Bora Bora Works", "Abstract"], 2),
        (["Sowing by Numbers", "Ada Moor", "Seed Lab", "Jin Park", "Root Lab", "Abstract"], 1),
        (["Sowing by Numbers", "Ada Moor  Jin Park", "Li Berg  Bo Chen", "Seed Lab", "Abstract"], 4),
    ],
)
def test_authors_are_the_names_that_follow_the_title(lines: list[str], authors: int) -> None:
    found = of_front("x.pdf", {"title": "", "author": "", "lines": lines, "headline": "Sowing by Numbers"})
    assert len(found.authors) == authors


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Sowing by Hand", "Sowing by Hand"),
        ("ClauseMiner", "ClauseMiner"),
        *(
            (each, "x y")
            for each in ("Untitled", "manuscript2", "main_v2.tex", "Microsoft Word - Draft", "arXiv:2101.00001v1")
        ),
    ],
)
def test_a_title_of_the_file_that_is_none_is_left(said: str, title: str) -> None:
    assert of_front("x_y.pdf", front("Seeds grow.", title=said, headline="")).title == title


@pytest.mark.parametrize(
    ("said", "line", "authors"),
    [
        ("표정민, 노은비", "표정민, 노은비", ["표정민", "노은비"]),
        ("Ada Moor, Jin H. Park", "", ["Ada Moor", "Jin H. Park"]),
        ("Ada Moor, Jin Park", "Jin Park, Ada Moor", ["Ada Moor", "Jin Park"]),
        ("Moor, Ada", "Ada Moor", ["Moor, Ada"]),
        ("de la Moor, Ada", "", ["de la Moor, Ada"]),
        ("de la Moor, Ada Lo", "Ada Lo de la Moor1, Jin Park", ["de la Moor, Ada Lo"]),
        ("표, 정민", "", ["표, 정민"]),
        ("남궁, 정민", "남궁정민", ["남궁, 정민"]),
        ("Moor, Ada; Park, Jin", "", ["Moor, Ada", "Park, Jin"]),
        ("Ada Moor, 노은비, Li Berg", "", ["Ada Moor", "노은비", "Li Berg"]),
    ],
)
def test_a_comma_in_the_files_authors_parts_whole_names(said: str, line: str, authors: list[str]) -> None:
    assert of_front("x.pdf", front("Sowing Seeds by Numbers", line, "Abstract", author=said)).authors == authors


def test_a_title_goes_on_behind_letters_that_stand_lower(make_pdf: Callable[..., bytes]) -> None:
    parts = [(18, "Coating of LiNiO"), (9, "2"), (18, "Cathodes in Cells"), (10, "Ada Moor"), (10, "Abstract")]
    assert pdf_child.front({}, make_pdf([parts]))["headline"] == "Coating of LiNiO 2 Cathodes in Cells"


def test_names_may_be_parted_by_a_wide_gap_alone() -> None:
    pdf = Path(__file__).parents[4] / "benchmarks" / "data" / "reading" / "qfade-2022.pdf"
    found = of_front(pdf.name, pdf_child.front({}, pdf.read_bytes()))
    assert found.authors == ["Marek Dvořák", "Aisha Rahmani", "Joon-ho Seo"]
    assert "  " not in found.abstract


@pytest.mark.parametrize(
    ("name", "lines", "year"),
    [
        (
            "x.pdf",
            ["Sowing by Numbers", "Seed Letters 9 (2022) 2014–2020. Received 3 May 2021", "Abstract", "In 2023 it"],
            2022,
        ),
        ("x.pdf", ["제27권 제1호 (2023. 3.)", "Sowing by Numbers", "초 록", "씨앗은"], 2023),
        ("전기버스_2024.pdf", ["Sowing by Numbers", "Abstract", "Seeds grow."], 2024),
        ("2203.01234.pdf", ["Sowing by Numbers", "Seeds 2023"], 2022),
        ("x.pdf", ["Seeds of 2019", "Sowing by Numbers 2019", "Room 2099, 1.2020"], None),
        ("x.pdf", ["Sowing by Numbers", "Abstract", "Seeds of 2019 grow."], None),
    ],
)
def test_the_year_stands_above_the_abstract_or_in_the_files_name(name: str, lines: list[str], year: int | None) -> None:
    headline = "Seeds of 2019 Sowing by Numbers 2019" if lines[0].startswith("Seeds of") else "Sowing by Numbers"
    assert of_front(name, {"title": "", "author": "", "lines": lines, "headline": headline}).year == year


@pytest.mark.parametrize(
    ("line", "venue"),
    [
        ("Seed Letters, 2021", "Seed Letters"),
        ("Seed Letters 9 (2021) 2014–2020. Received 3 May 2020", "Seed Letters"),
        ("Journal of Seeds, Vol. 3, No. 2, 2021", "Journal of Seeds"),
        ("Proceedings of the 5th Conference on Seeds (SEED 2021)", "Proceedings of the 5th Conference on Seeds"),
        ("Moor et al. · Seed Letters 2021, 4:e61", "Seed Letters"),
        ("남도농학회지 제27권 제1호 (2021. 3.)", "남도농학회지"),
        ("씨앗과 뿌리 6(2), 2021", "씨앗과 뿌리"),
        ("Received March 2021", ""),
        ("Last Revised 2021. 3. 5.", ""),
        ("New York, USA, June 2021", ""),
        ("Ada Moor, 2021", ""),
        ("Published as a conference paper at SEED 2021", ""),
        ("게재확정일 2021. 3. 5.", ""),
        ("이 논문은 2021년 학위 논문을 고친 것이다", ""),
    ],
)
def test_the_venue_is_the_name_before_the_numbers_of_the_years_line(line: str, venue: str) -> None:
    found = of_front("x.pdf", front("Sowing Seeds by Numbers", "Ada Moor", line, "Abstract"))
    assert (found.year, found.venue) == (2021, venue)


def test_years_and_venues_of_real_pages() -> None:
    folder = Path(__file__).parents[4] / "benchmarks" / "data" / "reading"
    known = [json.loads(line) for line in (folder / "papers.jsonl").read_text("utf-8").splitlines()]
    for each in known:
        found = of_front("paper.pdf", pdf_child.front({}, (folder / each["file"]).read_bytes()))
        assert found.year in (each["year"], None), each["file"]
        venue = each["venue"] or ""
        assert bool(found.venue) == bool(venue), each["file"]
        # Some are known by their short name and year alone.
        assert found.venue in venue or venue.endswith(str(each["year"])), each["file"]


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        (["2 Method", "Seeds were sown by hand."], "rows."),
        (["2. 방법", "씨앗을 손으로 뿌렸다."], "rows."),
        (["2 rows in 12 stayed empty all the same.", "3 Results", "None."], "same."),
    ],
)
def test_an_abstract_ends_where_any_numbered_section_begins(lines: list[str], last: str) -> None:
    said = ["Abstract", "We sowed seeds by numbers on 12 fields and counted what grew there in each of the", "rows."]
    assert of_front("x.pdf", front("Sowing by Numbers", *said, *lines)).abstract.endswith(last)
