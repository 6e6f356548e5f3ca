"""What stands on a PDF's title page."""

from collections.abc import Callable
from typing import Any

import pytest

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
