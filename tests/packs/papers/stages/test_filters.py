"""Years, venues and authors are read out of questions; what is not stated plainly is left alone."""

from datetime import UTC, datetime

import pytest

from dure.packs.papers.stages.filters import Filters, filters_of, topic_of

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
        ("NeurIPS 2019 논문 찾아줘", Filters(2019, 2019, venue="NeurIPS")),
        ("Find a survey of Reinforcement Learning papers", Filters()),
        ("Find papers on applications of Transformers", Filters()),
        ("papers from Google about attention", Filters()),
        ("Computer Science papers on graph neural networks", Filters()),
        ("data Science 논문 찾아줘", Filters()),
        ("Nature of language 논문", Filters()),
        ("advances in Science education", Filters()),
        ("papers published in Science", Filters(venue="Science")),
        ("papers in Nature since 2015", Filters(year_from=2015, venue="Nature")),
        ("Nature지에 실린 논문", Filters(venue="Nature")),
        ("Science 학술지 논문", Filters(venue="Science")),
        ("papers by He et al. from 2015 to 2018", Filters(2015, 2018, author="He")),
        ("Find papers by Kaiming He on ResNet", Filters(author="Kaiming He")),
        ("papers by Geoffrey E. Hinton", Filters(author="Geoffrey E. Hinton")),
        ("Yann LeCun이 쓴 논문", Filters(author="Yann LeCun")),
        ("LeCun et al. 논문 찾아줘", Filters(author="LeCun")),
        ("papers by Yann LeCun and Yoshua Bengio", Filters(author="Yann LeCun")),
    ],
)
def test_what_is_stated_plainly_is_read(question: str, expected: Filters) -> None:
    assert filters_of(question) == expected


def test_only_what_is_set_becomes_an_argument() -> None:
    assert Filters(year_from=2018, venue="ACL").as_args() == {"year_from": 2018, "venue": "ACL"}


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("2019년 이후 김치 발효 논문 찾아줘", "김치 발효 논문 찾아줘"),
        ("Find three papers on diffusion since 2020", "Find three papers on diffusion"),
        ("2018년 이후에 나온 언어 모델 논문", "나온 언어 모델 논문"),
        ("ICLR에 실린 대조 학습 논문", "실린 대조 학습 논문"),
        ("생성 모델 분야에서 읽어볼 만한 논문 알려줘", ""),
        ("2019년 이후 NeurIPS 논문 찾아줘", ""),
        ("비전 분야 논문 10편 보여줘", ""),
        ("최근 3년간 나온 논문 알려줘", ""),
        ("Hinton이 쓴 논문을 모두 찾아서 저장해줘", ""),
        ("show me papers by Geoffrey Hinton since 2010", ""),
        ("list the papers published in 2019, please", ""),
    ],
)
def test_what_is_asked_about_besides_the_filters(question: str, topic: str) -> None:
    assert topic_of(question) == topic


@pytest.mark.parametrize("piece", ["A. ", "Ab ", "A", "by Ab ", "2019 ", "2019년 ", "논문 ", "from 2015 "])
def test_long_questions_are_read_in_no_time(piece: str, assert_linear) -> None:
    def read(question: str) -> None:
        filters_of(question)
        topic_of(question)

    assert_linear(read, lambda n: piece * n, 5_000)
