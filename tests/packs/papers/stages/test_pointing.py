"""What messages point to, in Korean and English, and what only looks like it."""

import pytest

from dure.packs.papers.stages.pointing import compares, count, parts, places, points, points_to_answer, several


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("첫 번째 논문 요약해줘", [1]),
        ("두번째 거 핵심만", [2]),
        ("첫째 논문", [1]),
        ("2번 논문이랑 3번 논문 비교", [2, 3]),
        ("1, 3번 비교해줘", [1, 3]),
        ("열 번째 논문 요약해줘", [10]),
        ("7번째 논문은?", [7]),
        ("21번 논문 요약해줘", [21]),
        ("첫 번째와 세 번째를 비교해줘", [1, 3]),
        ("마지막 논문의 한계점은 뭐야?", [-1]),
        ("그중 마지막 거 요약", [-1]),
        ("앞의 두 논문을 비교해줘", [1, 2]),
        ("Summarize the second one", [2]),
        ("tl;dr of the third paper", [3]),
        ("third one in short", [3]),
        ("compare the first and the 3rd", [1, 3]),
        ("compare the first two", [1, 2]),
        ("the second of those papers", [2]),
        ("summarize paper 2", [2]),
        ("explain #4", [4]),
        ("the last one please", [-1]),
        ("first-order optimization paper summary", []),
        ("What was the first paper on dropout? Summarise it", []),
        ("인용이 두 번째로 많은 논문", []),
        ("BERT 논문의 두 번째 실험을 설명해줘", []),
        ("마지막 층을 바꾸는 논문 요약해줘", []),
        ("모델을 3번 이상 학습한 논문", []),
    ],
)
def test_places(message: str, expected: list[int]) -> None:
    assert places(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "그 논문 요약해줘",
        "이 논문 자세히",
        "그거 요약해줘",
        "그걸 쉽게 설명해줘",
        "방금 찾은 논문 요약해줘",
        "찾아준 그 논문 요약해줘",
        "Please, compare them",
        "위 논문들을 비교해줘",
        "위에 나온 논문들 비교해줘",
        "아까 찾은 논문들 차이점 알려줘",
        "앞에서 말한 논문",
        "두 논문을 비교해줘",
        "그 두 논문의 차이가 뭐야?",
        "방금 나온 두 편을 서로 비교해줘",
        "compare them",
        "summarize that paper",
        "summarize these",
        "how do those two papers differ?",
        "compare these papers",
        "what about this one?",
        "Summarize both",
        "Please summarize it",
        "explain that in detail",
    ],
)
def test_follow_ups_point(message: str) -> None:
    assert points(message)


@pytest.mark.parametrize(
    "message",
    [
        "그래프 신경망 논문 요약해줘",
        "이미지 생성 논문 요약해줘",
        "이상 탐지 논문 요약해줘",
        "저자원 번역 논문 요약해줘",
        "세그멘테이션 논문 요약해줘",
        "어텐션이 중요한 논문 요약해줘",
        "노이즈에 강한 음성 인식이 나오는 논문 요약해줘",
        "강화 학습이 쓰인 논문 요약해줘",
        "블로그 논문 요약해줘",
        "논문 두 편 찾아서 비교해줘",
        "앞 단어를 예측하는 논문 요약해줘",
        "그 연구실 논문 요약해줘",
        "Summarize the paper that introduced graph attention",
        "Summarise the paper on this topic: protein folding",
        "Summarise a paper about both vision and language",
        "Summarize a paper for those who are new",
        "search papers on dialogue systems then summarise them",
        "Search the web for news on AI regulation and summarize it",
        "최신 소식을 검색해서 그 내용을 요약해줘",
        "2019년에 제일 많이 인용된 논문이 뭔지 찾고 그 논문을 정리해줘",
    ],
)
def test_topics_point_to_nothing(message: str) -> None:
    assert not points(message)
    assert not places(message)
    assert not points_to_answer(message)


@pytest.mark.parametrize(
    "message",
    [
        "방금 답을 한 문장으로 요약해줘",
        "그 설명을 요약해줘",
        "위 내용 세 줄로 정리",
        "Summarize your last answer",
        "summarise the above",
        "요약해줘",
        "두 문장으로 짧게 요약해줘",
        "더 짧게 정리해 줄래?",
        "그거 요약해줘",
        "tl;dr",
        "Summarize it in two sentences",
    ],
)
def test_the_last_answer_is_pointed_to(message: str) -> None:
    assert points_to_answer(message)


@pytest.mark.parametrize(
    "message",
    [
        "방금 답에 나온 논문 요약해줘",
        "BERT 요약해줘",
        "이 말뭉치를 요약해줘",
        "그 논문 내용 요약해줘",
        "Summarize the GAN paper",
    ],
)
def test_papers_and_topics_are_no_answer(message: str) -> None:
    assert not points_to_answer(message)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("어텐션 논문 10편 찾아줘", 10),
        ("논문 세 편 찾아서 비교해줘", 3),
        ("두 논문을 비교해줘", 2),
        ("논문 하나 찾고 요약해줘", 1),
        ("5개의 최신 논문", 5),
        ("논문 3개 추천해줘", 3),
        ("이거 두 개 뭐가 다른지 비교", 2),
        ("Find three papers on diffusion and summarize each", 3),
        ("top 10 recent papers about attention", 10),
        ("논문 2020편 찾아줘", None),
        ("2019년 이후 논문", None),
        ("BERT 논문을 세 줄로 요약해줘", None),
        ("두 번째 논문 요약해줘", None),
        ("two-stage detection papers", None),
        ("one of the papers", None),
        ("papers of the last 5 years", None),
    ],
)
def test_how_many_are_asked_for(message: str, expected: int | None) -> None:
    assert count(message) == expected


def test_several_and_comparisons() -> None:
    assert several("논문 3편 찾아서 각각 요약해줘")
    assert several("compare them")
    assert not several("그 논문을 BERT와 비교해줘")
    assert not several("Summarize the Adam paper")
    assert compares("BERT와 GPT 논문의 차이")
    assert not compares("논문 3편 각각 요약")


LONG = "우리는 새로운 문장 표현 방법을 제안한다. " * 15
ABOUT_ME = "저는 다음 주에 연구실 세미나에서 발표해야 합니다. " * 12


@pytest.mark.parametrize(
    ("message", "request_", "text"),
    [
        (f"다음 글을 요약해줘: {LONG}", "다음 글을 요약해줘", LONG.strip()),
        (f"요약해줘\n{LONG}", "요약해줘", LONG.strip()),
        (f"{LONG}\n\n{LONG}\n위 글을 요약해줘", "위 글을 요약해줘", f"{LONG}\n\n{LONG}".strip()),
        (
            "Summarize the following text: we propose a method.",
            "Summarize the following text",
            "we propose a method.",
        ),
        ("이 초록 핵심만: 우리는 방법을 제안한다.", "이 초록 핵심만", "우리는 방법을 제안한다."),
        ("BERT 논문 요약해줘", "BERT 논문 요약해줘", ""),
        ("이 글 요약해줘", "이 글 요약해줘", ""),
        (f"BERT 논문 요약해줘. {ABOUT_ME}", f"BERT 논문 요약해줘. {ABOUT_ME}", ""),
        ("https://arxiv.org/abs/1810.04805 요약해줘", "https://arxiv.org/abs/1810.04805 요약해줘", ""),
    ],
)
def test_a_message_may_bring_its_text(message: str, request_: str, text: str) -> None:
    assert parts(message) == (request_, text)


@pytest.mark.parametrize(
    "piece",
    [
        "이 ",
        "그 두 ",
        "위에 나온 ",
        "요약 ",
        "논문 ",
        "papers ",
        "them ",
        "please, ",
        "찾아 그 논문 ",
        "1, ",
        "first ",
        "a ",
        "\n",
        ": ",
    ],
)
def test_long_messages_are_read_in_no_time(piece: str, assert_linear) -> None:
    def read(message: str) -> None:
        for each in (places, points, points_to_answer, several, count, parts):
            each(message)

    assert_linear(read, lambda n: piece * n, 6_000)
