"""Which papers a question names."""

import pytest

from dure.packs.papers.library.base import Papers
from dure.packs.papers.opened import papers_of
from dure.packs.papers.record import PaperRecord

QUESTIONS = [
    ("BERT를 요약해줘", ["BERT"]),
    ("BERT 논문 요약해줘", ["BERT"]),
    ("트랜스포머 논문을 쉽게 설명해줘", ["Attention Is"]),
    ("트랜스포머를 쉽게 설명해줘", ["Attention Is"]),
    ("Attention is all you need!", ["Attention Is"]),
    ("1706.03762를 BERT랑 비교해줘", ["Attention Is", "BERT"]),
    ("arXiv:1810.04805v2", ["BERT"]),
    ("https://doi.org/10.18653/v1/N19-1423 요약", ["BERT"]),
    ("Sentence-BERT와 BERT의 차이", ["Sentence-BERT", "BERT"]),
    ("GPT-3.5가 뭐야?", []),
    ("BERT-large", []),
    ("mini-BERT", []),
    ("RoBERTaX", []),
    ("최근 언어 모델 논문 찾아줘", []),
    ("learning to learn attention", []),
    ("CLIP을 인용한 논문은?", ["Learning Transferable Visual"]),
    ("summarize the SAM paper", ["Segment Anything"]),
    ("ReAct와 Whisper 비교", ["Robust Speech", "ReAct"]),
    ("clip the video of Sam, then react in a whisper", []),
    ("", []),
    ("?" * 5000, []),
]


async def test_what_questions_name(library) -> None:
    papers: Papers = await library()
    await papers.add("a", [PaperRecord(title="Learning"), PaperRecord(title="쌀")], "test")
    for text, begins in QUESTIONS:
        found = [paper.title for paper in await papers.resolve("a", text)]
        assert len(found) == len(begins), (text, found)
        assert all(title.startswith(begin) for title, begin in zip(found, begins, strict=True)), (text, found)
    assert [p.title for p in await papers.resolve("a", '"Learning"을 요약해줘')] == ["Learning"]


@pytest.mark.parametrize("text", ["\x00\ud800", "'; DROP TABLE papers", "%", "가" * 3000, "a " * 3000])
async def test_any_text_can_be_asked(opened, text: str) -> None:
    papers = papers_of(await opened(model_base_url="http://127.0.0.1:9/v1"))
    assert await papers.resolve("a", text) == []


CITED = [
    ("Lindahl 2020", ["Risk-Based"]),
    ("Lindahl et al. (2020)", ["Risk-Based"]),
    ("Lindahl, 2020a", ["Risk-Based"]),
    ("Lindahl & Berg 2020", ["Risk-Based"]),
    ("Lindahl et al.", ["Visits", "Risk-Based"]),
    ("임나래 2023", ["코디네이터의"]),
    ("임나래 외 3명", ["코디네이터의"]),
    ("Berg 2020", []),
    ("Risk-Based Monitoring and the Detection of Deviations", ["Risk-Based"]),
    ("Risk-Based Monitoring", ["Risk-Based"]),
    ("Risk-Based Mon", ["Risk-Based"]),
    ("코디네이터의 소진과 이직", ["코디네이터의"]),
    ("BERT", ["BERT"]),
    ("Lindahl 2019", []),
    ("Lindahl", []),
    ("Risk-Based", []),
    ("Deep Learning", []),
    ("Lindahl 2020을 인용한 논문", []),
    ("2020", []),
    ("", []),
]


async def test_a_name_alone_may_be_a_citation_or_the_beginning_of_a_title(library) -> None:
    papers: Papers = await library()
    risk = "Risk-Based Monitoring and the Detection of Deviations: Results from 38 Sites"
    records = [
        PaperRecord(title=risk, authors=["Ebba Lindahl", "Otto Berg"], year=2020),
        PaperRecord(title="Visits at Home", authors=["E. Lindahl"], year=2022),
        PaperRecord(title="Costs", authors=["Otto Berg", "Ebba Lindahl"], year=2018),
        PaperRecord(title="코디네이터의 소진과 이직: 전국 조사", authors=["임나래", "조하늘"], year=2023),
    ]
    await papers.add("a", records, "test")
    for text, begins in CITED:
        found = [paper.title for paper in await papers.meant("a", text)]
        assert len(found) == len(begins), (text, found)
        assert all(title.startswith(begin) for title, begin in zip(found, begins, strict=True)), (text, found)
