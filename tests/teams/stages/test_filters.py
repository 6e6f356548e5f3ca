"""Years, venues and authors are read out of questions; what is not stated plainly is left alone."""

from datetime import UTC, datetime

import pytest

from dure.teams.stages.filters import Filters, filters_of

THIS_YEAR = datetime.now(UTC).year


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("2018년 이후에 나온 언어 모델 논문", Filters(year_from=2018)),
        ("2015년부터 2018년 사이 비전 논문", Filters(2015, 2018)),
        ("2015~2018 논문", Filters(2015, 2018)),
        ("2017년 논문 찾아줘", Filters(2017, 2017)),
        ("2017년도 논문", Filters(2017, 2017)),
        ("2010년 이전 논문", Filters(year_to=2009)),
        ("2010년까지 나온 논문", Filters(year_to=2010)),
        ("최근 3년 논문", Filters(year_from=THIS_YEAR - 3)),
        ("papers since 2020", Filters(year_from=2020)),
        ("papers published after 2017", Filters(year_from=2018)),
        ("papers before 2012", Filters(year_to=2011)),
        ("papers between 2014 and 2016", Filters(2014, 2016)),
        ("papers published in 2019", Filters(2019, 2019)),
        ("papers from the last 5 years", Filters(year_from=THIS_YEAR - 5)),
        ("ICLR에 실린 논문", Filters(venue="ICLR")),
        ("Hinton이 쓴 논문", Filters(author="Hinton")),
        ("Show me work by Yoshua Bengio before 2015", Filters(year_to=2014, author="Yoshua Bengio")),
        ("비전 분야 논문 보여줘", Filters(field="vision")),
        ("papers in the field of reinforcement learning since 2016", Filters(year_from=2016, field="rl")),
        ("그래프 신경망 논문 찾아줘", Filters()),
        ("논문 2020편 찾아줘", Filters()),
        ("Llama 2 논문", Filters()),
        ("a study of neural networks", Filters()),
    ],
)
def test_what_is_stated_plainly_is_read(question: str, expected: Filters) -> None:
    assert filters_of(question) == expected


def test_only_what_is_set_becomes_an_argument() -> None:
    assert Filters(year_from=2018, venue="ACL").as_args() == {"year_from": 2018, "venue": "ACL"}
