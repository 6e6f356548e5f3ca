"""What headings say of the parts of papers."""

import re

import pytest

from dure.packs.papers.record import kind_of, naming


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("4. 실 험", "results"),
        ("3 Experimental Setup", "results"),
        ("연구방법", "method"),
        ("METHODOLOGY", "method"),
        ("6. 결론 및 한계", "limits"),
        ("초 록", "abstract"),
        ("참고 문헌", "references"),
        ("Appendices", "besides"),
        ("2 Related Work", ""),
        ("Keywords", ""),
        ("2.1 Catchments", ""),
    ],
)
def test_a_heading_names_the_kind_of_its_part(heading: str, kind: str) -> None:
    assert kind_of(heading) == kind


def test_names_of_some_kinds_alone_are_looked_for() -> None:
    assert re.fullmatch(naming("references"), "Bibliography", re.IGNORECASE)
    assert not re.search(naming("references", "keywords"), "Abstract", re.IGNORECASE)
