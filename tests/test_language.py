"""The language of a message is that of its sentence, whatever names, quotes and files stand in it."""

import unicodedata

import pytest

from dure.language import in_language, language_of_message, language_of_talk
from dure.messages import assistant, user

ENGLISH = [
    "What's the current overnight hotel limit for a deputy manager (과장) on a domestic trip, and who approves more?",
    "Summarize 휴가규정 for me",
    "How many rows in 급여대장_2025.csv?",
    "What is 연차?",
    'Translate "안녕하세요, 만나서 반갑습니다" into English',
    "Who signed 여비규정 and 취업규칙?",
    "Compare the limits for 과장 and 차장.",
    "List all files in the 인사 folder",
    "Please explain the difference between 병가 and 연차 in two sentences.",
    "Find papers about 한국어 형태소 분석",
    "Does 재택근무 need approval?",
    "Show me the total sales of 부산지점 by month",
    "vacation policy",
    "Draft a mail to 김하늘 about the new budget",
    "What does the contract say about 위약금",
]
KOREAN = [
    "BERT와 GPT의 차이는?",
    "RAG paper 찾아줘",
    "휴가 정책 알려줘",
    "Attention Is All You Need 요약해줘",
    "Transformer 설명",
    "sales_2025.csv에서 region별 total을 구해줘",
    '"What is attention?"을 번역해줘',
    "AWS S3 bucket policy 어떻게 써?",
    "Python list comprehension 예제 보여줘",
    "3월 KPI report 요약",
    "Kim et al. 2023 논문에서 쓴 dataset이 뭐야?",
    "git rebase 하는 법",
    "What is RAG? 라는 글을 요약해줘",
    "휴가",
]
KOREAN += [
    "GPT-4o vs Claude 비교",
    "Deep Residual Learning for Image Recognition 읽고 정리",
    "error: no module named torch 해결",
    "make it shorter 이렇게 써줘",
    "SELECT count from users 이 쿼리 고쳐줘",
]
HELD_OUT = [
    ("Is 성과급 paid in March or April?", "en"),
    ("Give me a table of 출장비 by team", "en"),
    ("Where can I find the 법인카드 policy?", "en"),
    ("How do I apply for 육아휴직", "en"),
    ("Read 경영회의_회의록_2026-03.docx and list the decisions", "en"),
    ("Which of 서울, 부산 and 대구 sold the most?", "en"),
    ("Tell me what 제12조 says", "en"),
    ("Can 이서연 대리 approve 500,000 won?", "en"),
    ("What is the meaning of '전결'?", "en"),
    ("Make a chart of 매출 per quarter", "en"),
    ("I need the 보안 지침 in English", "en"),
    ("Are there any papers on 기계번역?", "en"),
    ("Check the 근로계약서 for mistakes", "en"),
    ("Summarize 「개인정보 보호법」 in one paragraph", "en"),
    ("How much is left in the 교육비 budget of 기술연구소?", "en"),
    ("Fine-tuning과 RAG 중 뭐가 나아?", "ko"),
    ("BLEU score 계산하는 code 짜줘", "ko"),
    ("Docker compose 파일 좀 봐줘", "ko"),
    ("How to Win Friends 저자가 누구야", "ko"),
    ("LoRA: Low-Rank Adaptation of Large Language Models 논문 요약해 줘", "ko"),
    ("OpenAI API key는 어디에 넣어요?", "ko"),
    ("Q3 sales by region 그래프로 그려줘", "ko"),
    ("meeting notes 정리 부탁드립니다", "ko"),
    ("in-context learning이란?", "ko"),
    ("VPN 접속 방법", "ko"),
    ("The Illustrated Transformer 글을 읽고 핵심만 알려주세요", "ko"),
    ("json을 csv로 바꿔줘", "ko"),
    ("PDF 다운로드", "ko"),
    ("Hello라고 답해", "ko"),
    ("GPU memory 부족할 때 해결책은", "ko"),
    ("Please send the 3월 경영회의 summary to 김하늘", "en"),
    ("How does 연차 accrue after 3 years", "en"),
    ("Translate 재택근무 규정 into English", "en"),
    ("What are the steps for 출장 정산", "en"),
    ("Can you compare 2024 매출 with 2025 매출?", "en"),
    ("Show 부서별 인원 as a chart", "en"),
]


def talk(said: list[str]) -> str | None:
    return language_of_talk([turn for each in said for turn in (assistant("네, 알겠습니다."), user(each))])


@pytest.mark.parametrize("text", ENGLISH)
def test_english_sentences(text: str) -> None:
    assert language_of_message(text) == "en"


@pytest.mark.parametrize("text", [*KOREAN, *(unicodedata.normalize("NFD", text) for text in KOREAN)])
def test_korean_sentences(text: str) -> None:
    assert language_of_message(text) == "ko"


@pytest.mark.parametrize(("text", "language"), HELD_OUT)
def test_sentences_that_the_rule_was_not_made_with(text: str, language: str) -> None:
    assert language_of_message(text) == language


@pytest.mark.parametrize("text", ["", " ", "👍", "12 * 12", "(휴가규정)", "급여대장.csv"])
def test_without_a_sentence_it_is_korean(text: str) -> None:
    assert language_of_message(text) == "ko"


@pytest.mark.parametrize(
    "text",
    ["And 지도 기본?", "For 서울 지점 매출", "And in 부산 영업 본부?", "12 * 12", "👍", "Is it 지도 고급 연간 요금제?"],
)
def test_what_is_mostly_names_is_in_the_language_of_the_conversation(text: str) -> None:
    assert talk(["How much is 지도 고급?", text]) == "en"
    assert talk(["What does the map plan cost?", "And 지도 고급?", text]) == "en"
    assert talk(["지도 고급은 얼마야?", text]) == "ko"


@pytest.mark.parametrize("text", ["BERT?", "GPT-4o", "LoRA QLoRA", "Transformer?"])
def test_names_alone_too_whatever_letters_they_have(text: str) -> None:
    assert talk(["어텐션이 뭐야?", text]) == "ko"
    assert talk(["What is attention?", text]) == talk([text]) == "en"


@pytest.mark.parametrize("text", [*KOREAN, "지도 기본", "And 지도 기본은?", "for문과 while문 차이", "RAG 논문 요약"])
def test_what_is_said_in_a_language_is_answered_in_it_whatever_was_spoken_before(text: str) -> None:
    assert talk(["What is attention?", text]) == "ko"


@pytest.mark.parametrize("text", ENGLISH)
def test_an_english_sentence_is_one_in_a_korean_conversation(text: str) -> None:
    assert talk(["휴가는 며칠이야?", text]) == "en"


@pytest.mark.parametrize("text", ["(vacation policy)", "sales.csv", "休暇 policy"])
def test_a_name_alone_is_in_its_own(text: str) -> None:
    assert language_of_message(text) == "en"


@pytest.mark.parametrize(
    ("text", "ko", "en"),
    [
        ("문서 담당 · Documents", "문서 담당", "Documents"),
        ("Documents · 문서 담당", "문서 담당", "Documents"),
        ("Tables · sums", "Tables · sums", "Tables · sums"),
        ("표 · 합계 · sums", "표 · 합계 · sums", "표 · 합계 · sums"),
        ("표", "표", "표"),
        ("", "", ""),
    ],
)
def test_of_a_text_in_two_languages_the_part_in_one(text: str, ko: str, en: str) -> None:
    assert (in_language(text, "ko"), in_language(text, "en")) == (ko, en)
