"""What documents are meant by a name."""

from types import SimpleNamespace
from typing import Any

import pytest

from dure.knowledge.called import holding, named, nearest


def documents(*names: str) -> list[Any]:
    return [SimpleNamespace(id=f"d-{at}", name=name, title=name.partition(".")[0]) for at, name in enumerate(names)]


KNOWN = documents("급여대장_2024.csv", "급여대장_2025.csv", "여비규정.txt")


@pytest.mark.parametrize("wanted", ["d-2", "여비규정.txt", "여비규정", " 여비규정 ", "여비규정 › 제3조 숙박"])
def test_a_document_has_its_id_its_name_and_what_stands_in_a_heading(wanted: str) -> None:
    assert [each.name for each in named(KNOWN, wanted)] == ["여비규정.txt"]


def test_a_document_has_its_own_title_without_what_its_files_name_tells() -> None:
    contract = SimpleNamespace(id="d", name="한빛정밀_거래기본계약_2026.docx", title="한빛정밀 거래기본계약서 2026")
    assert named([contract], "거래기본계약서") == [contract] == named([contract], contract.title)


def test_a_part_of_a_name_is_that_of_all_that_hold_it() -> None:
    assert named(KNOWN, "급여대장") == []
    assert holding(KNOWN, "급여 대장") == KNOWN[:2]


def test_the_nearest_names_are_told_and_no_others() -> None:
    assert nearest(KNOWN, "급여대쟝_2025.csv")[0].name == "급여대장_2025.csv"
    assert nearest(KNOWN, "급여대장") == KNOWN[:2]
    assert nearest(KNOWN, "xyz") == []
