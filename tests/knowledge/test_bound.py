"""A figure has to be the one that stands among the words of what is said of it."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite

TRIPS = passage(
    "비행 시간이 10시간을 넘는 사람은 한 등급 위를 탈 수 있다.\n숙소는 70시간 전에 예약한다.\n"
    "건마다 2만원의 상품권을 준다."
    "\n상품권은 1월부터 2만원에서 3만원으로 올린다.\n교육은 오전 9시에 시작하고 회의는 오후 9시에 끝난다.",
    "여비",
)


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("비행 시간이 10시간을 넘는 사람은 한 등급 위를 탈 수 있습니다.", []),
        ("비행 시간이 70시간을 넘는 사람은 한 등급 위를 탈 수 있습니다.", [["70시간"]]),
        # Another sentence tells that the one took the place of the other.
        ("건마다 3만원의 상품권을 줍니다.", []),
        ("비행 시간이 70시간을 넘는 사람은 한 등급 위를 탈 수 없습니다.", []),
    ],
)
def test_a_figure_of_something_else_is_missing_without_a_marker(said: str, missing: list[list[str]]) -> None:
    checks = cite(f"여비 규정입니다 [1].\n\n{said}", [TRIPS]).checks or []
    assert [each["missing"] for each in checks if each["missing"]] == missing


def test_what_the_question_says_may_be_said_among_any_words() -> None:
    said = "비행 시간이 70시간을 넘는 사람은 한 등급 위를 탈 수 있습니다."
    assert not [each for each in cite(said, [TRIPS], "비행 시간이 70시간이면?").checks or [] if each["missing"]]


@pytest.mark.parametrize(("said", "missing"), [("오전 9시", []), ("오전 10시", ["오전 10시"])])
def test_a_time_of_day_is_one_figure(said: str, missing: list[str]) -> None:
    checks = cite(f"교육은 {said}에 시작합니다 [1].", [TRIPS]).checks or []
    assert [x for each in checks for x in each["missing"]] == missing
