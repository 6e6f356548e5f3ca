"""Every question that teams show to a newcomer, asked of the bundled model with the demo's documents: what comes back
holds the fact.

The model is asked what it was not asked before: its replies stand in `shown_replies.jsonl` by all that it was sent and
its name. One question it answers each time. Without the file it answers all, in eight minutes, and writes it.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from model_replies import keep

from dure import Dure
from dure.cli.demo import DOCUMENTS

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow, pytest.mark.timeout(600)]

FACTS: dict[str, dict[str, list[str | tuple[str, ...]]]] = {
    "workplace": {
        "회사 휴가 정책 알려줘": ["15일", "20일"],
        "국내 출장 숙박비는 얼마까지야?": [("12만 원", "120,000원")],
        "How many days of annual leave do I get after three years?": ["20 days"],
        "How do I report a lost laptop?": ["1190"],
        "지역별 매출 합계를 표로 보여줘": ["1244160000"],
    },
    "assistant": {
        "(1250 + 830) × 12는 얼마야?": [("24,960", "24960")],
        "What is 15% of 2,340,000?": [("351,000", "351000")],
        "보안 지침에서 비밀번호 규칙을 찾아줘": ["12자", "180일"],
        "How many days a week may I work from home?": [("two days", "2 days")],
    },
    "office": {
        "월별 매출액을 차트로 그려줘": ["403200000", ".svg"],
        "우리 회사와 프리랜서 사이의 용역 계약서를 만들어줘": ["용역명", "용역 대금"],
        "Write a Python function that checks a palindrome, and run it": ["True", "def "],
    },
    "papers": {
        "Transformer 논문 찾아서 요약해줘": ["Attention Is All You Need", "28.4"],
        "어텐션이 뭐야?": ["attention mechanism"],
        "연도별 논문 수를 알려줘": ["| 2023 | 29 |"],
        "BERT와 GPT 논문을 비교해줘": ["BERT: Pre-training", "Generative Pre-Training"],
        "Which papers introduced diffusion models?": ["Denoising Diffusion Probabilistic Models"],
    },
}
"""By team and question, what stands in the answer; of several, one."""
FROM_THE_WEB = {
    "최근 배터리 산업 동향을 검색해서 세 가지로 요약해줘",
    "https://example.com 페이지의 핵심을 정리해줘",
}
"""Not asked here: what they find is another every day."""


REPLIES = Path(__file__).with_name("shown_replies.jsonl")
ANEW = ("workplace", "How do I report a lost laptop?")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def dure(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Dure]:
    async with Dure(data_dir=tmp_path_factory.mktemp("data"), model_base_url=None, bundled_model="1.5b") as dure:
        added = await dure.ingest(DOCUMENTS)
        await dure.knowledge.wait("default", [each.id for each in added], embedded=True)
        yield dure


async def test_each_that_is_shown_is_asked(dure: Dure) -> None:
    shown = {name: set(dure.teams[name].examples) - FROM_THE_WEB for name in FACTS}
    assert shown == {name: set(each) for name, each in FACTS.items()}


@pytest.mark.parametrize(("team", "question"), [(team, each) for team, facts in FACTS.items() for each in facts])
async def test_what_comes_back_holds_the_fact(
    dure: Dure, team: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (team, question) != ANEW:
        keep(REPLIES, put=monkeypatch.setattr)
    answer: Any = await dure.chat(question, team=team)
    assert answer.status == "completed"
    for fact in FACTS[team][question]:
        either = (fact,) if isinstance(fact, str) else fact
        assert any(each in answer.response for each in either), answer.response
