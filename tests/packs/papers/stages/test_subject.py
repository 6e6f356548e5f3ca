"""A pipeline is made to fit what is known of the papers that a message speaks of."""

import pytest

from dure.packs.papers.stages.known import Known
from dure.packs.papers.stages.subject import PapersSubject

METHODS = {"find": "search_paper", "sum": "summarize", "file": "save_file", "look": "web_search", "say": "general"}


@pytest.mark.parametrize(
    ("agents", "named", "fitting"),
    [
        (["sum"], False, ["find", "sum"]),
        (["sum"], True, ["sum"]),
        (["find", "sum", "file"], True, ["sum", "file"]),
        (["sum", "say", "file"], False, ["find", "sum", "say", "file"]),
        (["sum", "look", "say", "file"], False, ["sum", "look", "say", "file"]),
        (["look"], False, ["look"]),
    ],
)
def test_papers_that_are_there_need_no_search(agents: list[str], named: bool, fitting: list[str]) -> None:
    known = Known("요약해줘", named=[{"id": "p", "title": "P"}] if named else [])
    assert PapersSubject().fitting(agents, METHODS, "요약해줘", known) == fitting
