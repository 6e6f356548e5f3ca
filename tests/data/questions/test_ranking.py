"""What a question says of an order."""

import pytest
from fixtures.cafe import CAFE, TODAY

from dure.data.questions.linking import link
from dure.data.questions.ranking import compared, many, of_times, ranked, two_of, versus


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("제일 비싼 것은?", True),
        ("which one is the oldest", True),
        ("최대 몇 명까지", True),
        ("top 4 by sales", True),
        ("requests that are still open", False),
        ("of interest in the latest test", True),
        ("at least 3 of them", False),
    ],
)
def test_what_is_first_or_last_is_said_in_few_forms(question: str, said: bool) -> None:
    assert ranked(link(question, CAFE, today=TODAY)) == said


@pytest.mark.parametrize(
    ("question", "which"),
    [
        ("두 번째로 많이 판 지점은?", 2),
        ("2등은 어디야?", 2),
        ("매출 5위", 5),
        ("the 2nd highest price", 2),
        ("who is second worst?", 2),
        ("which comes third if sorted by price", 3),
        ("5위까지 알려줘", 0),
        ("5위 안에 드는", 0),
        ("1등은?", 0),
        ("가장 비싼 2등급", 0),
        ("the best of the second quarter", 0),
        ("top 5 by price", 0),
    ],
)
def test_one_place_of_a_ranking(question: str, which: int) -> None:
    links = link(question, CAFE, today=TODAY)
    assert int(links.place.value if links.place else 0) == which
    assert ranked(links) or not which


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("제일 많이 판 지점 두 곳만", 2),
        ("매출 상위 3개 지점", 3),
        ("top3 branches by guests", 3),
        ("제일 비싼 것 5개만", 5),
        ("두 번째로 많이 판 지점은?", 2),
        ("손님이 10명 넘는 날 중에 제일 매출 높은 날", 0),
        ("3학년에서 제일 높은 학생", 0),
        ("상위 10%의 매출", 0),
        ("제일 비싼 것 500개", 0),
        ("가장 많이 팔린 3월", 0),
    ],
)
def test_how_many_of_a_ranking(question: str, count: int) -> None:
    found = many(link(question, CAFE, today=TODAY))
    assert int(found.value if found else 0) == count


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("완료가 많아 취소가 많아?", "상태"),
        ("본점이랑 대학점 중에 매출이 더 적은 곳은?", "지점"),
        ("which has fewer guests, 본점 or 대학점?", "지점"),
        ("which is greater, Scrap or Rework?", "Disposition"),
        ("본점하고 대학점 매출을 더하면?", ""),
        ("본점 아니면 대학점 매출은?", ""),
        ("Scrap or Rework in another line", ""),
        ("완료 말고 취소가 더 많아?", ""),
        ("본점이 더 많아?", ""),
        ("본점이 대학점에 비해 얼마 더 팔았어?", ""),
        ("how many more guests in 본점 than in 대학점?", ""),
    ],
)
def test_which_of_several_values_is_asked_for(question: str, field: str) -> None:
    assert compared(link(question, CAFE, today=TODAY)) == field


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("본점이 대학점보다 얼마나 더 팔았어?", True),
        ("완료가 취소보다 몇 건 더 많아?", True),
        ("how much more did 본점 sell than 대학점", True),
        ("how many more Scrap than Rework reports are there?", True),
        ("본점이 대학점보다 더 팔았어?", False),
        ("본점이 얼마나 팔았어?", False),
        ("본점 매출이 대학점 매출보다 얼마나 더 커?", True),
        ("본점하고 대학점은 몇 건?", False),
        ("완료도 취소도 아닌 건 대기보다 몇 건 더 많아?", False),
    ],
)
def test_how_much_more_one_has_than_another(question: str, said: bool) -> None:
    links = link(question, CAFE, today=TODAY)
    assert (bool(two_of(links)) and versus(links) is None) == said


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("본점이 대학점보다 매출이 많아?", ("지점", "대학점", ">")),
        ("본점이 대학점보다 손님이 적어?", ("지점", "대학점", "<")),
        ("완료가 취소보다 많지 않아?", ("상태", "취소", "")),
        ("did 본점 sell more than 대학점?", ("지점", "대학점", ">")),
        ("does 본점 have fewer guests than 대학점?", ("지점", "대학점", "<")),
        ("is 본점 nicer than 대학점?", ("지점", "대학점", "")),
        ("본점이 대학점보다 얼마나 더 팔았어?", None),
        ("본점하고 대학점 중에 더 많은 곳은?", None),
        ("손님이 10명보다 많아?", None),
    ],
)
def test_whether_one_has_more_than_another(question: str, told: tuple[str, str, str] | None) -> None:
    assert versus(link(question, CAFE, today=TODAY)) == told


def test_one_year_told_from_another() -> None:
    questions = {"2019년 논문이 2018년보다 많아?": True, "2019년보다 늦게 나온 것": False, "2018년, 2019년": False}
    questions |= {
        "매출은 3월이 더 많아, 5월이 더 많아?": True,
        "did it sell more in March or in May?": True,
        "3월과 5월 매출": False,
    }
    assert {each: of_times(link(each, CAFE, today=TODAY)) for each in questions} == questions
