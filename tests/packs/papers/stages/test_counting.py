"""Counting with a small model, over the shipped library: mostly it is not even asked."""

from typing import Any

import pytest

from dure import Dure, Team
from dure.models import ChatClient, Model
from dure.packs.papers.opened import papers_of
from dure.testing import ScriptedServer, json, say

FORM = {"rows": "one number", "count": "papers", "order": "none", "limit": 0, "title": ""}
BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"


class Counter:
    """A model that fills in the form of counting, or writes `sql`."""

    def __init__(self, sql: str = "SELECT 1 AS one", **form: Any) -> None:
        self.sql, self.form, self.asked = sql, FORM | form, list[str]()
        self.prompts: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        form = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
        self.asked.append(",".join(form) or "write")
        self.prompts.append("\n".join(message["content"] for message in body["messages"]))
        if "tools" in form:
            return json({"tools": "text2sql"})
        return json(self.form) if "rows" in form else json({"sql": self.sql}) if "sql" in form else say("말입니다.")


@pytest.fixture
def small(opened, ask):
    """Ask a small model's team, after other messages; the answer and what the model was asked for."""

    async def answer(*messages: str, model: Counter | None = None, **options: Any):
        counter = model or Counter()
        async with ScriptedServer(respond=counter) as server:
            dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True))
            session = None
            for message in messages:
                answer, _ = await ask(dure, message, **({"session_id": session} if session else {}), **options)
                session = answer.metadata["thread_id"]
        return answer, [each for each in counter.asked if each != "tools"]

    return answer


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("논문이 총 몇 편이야?", "논문은 이 모음에 203편 있습니다."),
        ("how many papers were published in 2019?", "This collection has 17 papers from 2019."),
        ("how many papers were published in 1990?", "This collection has 0 papers from 1990."),
        ("ICML 논문 수는?", "ICML에 실린 논문은 이 모음에 21편 있습니다."),
        ("how many terms are in the glossary?", "The glossary has 215 terms."),
        (
            "which author has the most papers?",
            "In this collection, the author with the most papers: Ilya Sutskever (10).",
        ),
        ("논문을 가장 많이 쓴 저자 상위 10명", "논문 수 기준 상위 저자 10건입니다."),
        ("연도별 논문 수를 알려줘", "연도별 논문 수입니다."),
        ("BERT를 인용한 논문이 총 몇 편이야?", f"“{BERT}”을(를) 인용한 논문은 이 모음에 53편 있습니다."),
    ],
)
async def test_what_is_plain_is_counted_without_the_model(small, message, said) -> None:
    answer, asked = await small(message)
    assert answer.response.startswith(said)
    assert not asked
    assert "```sql\nSELECT" in answer.response
    assert [c["status"] for c in answer.tool_calls if c["name"] == "papers_sql"][-1] == "ok"


async def test_that_paper(small) -> None:
    answer, asked = await small("BERT 논문 요약해줘", "그 논문을 인용한 논문은 총 몇 편이야?")
    assert f"“{BERT}”을(를) 인용한 논문은 이 모음에 53편 있습니다." in answer.response
    assert "rows,count,order,limit,title" not in asked


async def test_a_ranking_has_a_table_with_heads_in_the_users_language(small) -> None:
    answer, _ = await small("가장 많이 인용된 논문 5개는?")
    assert "| 제목 | 연도 | 인용 수(이 모음 안) |" in answer.response
    assert "| Attention Is All You Need | 2017 | 65 |" in answer.response
    assert "citations_known" not in answer.response.partition("```")[0], "no number of theirs is known"


async def test_a_name_is_looked_up(small) -> None:
    answer, asked = await small("How many papers did Ross Girshick publish, in total number of papers?")
    assert answer.response.startswith("This collection has 8 papers by Ross Girshick.")
    assert not asked


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("FooBarNet을 인용한 논문은 총 몇 편이야?", "논문 목록에 없는 논문이라 셀 수 없습니다: FooBarNet"),
        ("count the papers that cite ZorkFormer", "The library has no such paper, so nothing was counted: ZorkFormer"),
        ("그 논문을 인용한 논문은 총 몇 편이야?", "이 대화에서 찾은 논문 목록이 없습니다."),
    ],
)
async def test_papers_that_are_not_there_are_said_to_be_missing(small, message, said) -> None:
    answer, asked = await small(message)
    assert answer.response.startswith(said)
    assert not asked
    assert "```" not in answer.response


async def test_a_topic_is_looked_for_in_titles_by_its_english_term(small) -> None:
    answer, asked = await small("확산 모델 논문은 총 몇 편이야?")
    assert answer.response.startswith("제목에 “diffusion model”이(가) 들어간 논문은 이 모음에 ")
    assert not asked
    answer, asked = await small("total number of diffusion papers")
    assert answer.response.startswith("This collection has 8 papers with “diffusion” in the title.")
    assert not asked


async def test_the_model_fills_in_what_was_not_read(small) -> None:
    answer, asked = await small("실례지만 논문이 총 몇 편인지 여쭤봅니다")
    assert asked == ["rows,count,order,limit,title"]
    assert answer.response.startswith("논문은 이 모음에 203편 있습니다.")


async def test_what_was_understood_is_no_topic_besides(small) -> None:
    answer, _ = await small("실례지만 NeurIPS 논문이 총 몇 편인지 여쭤봅니다", model=Counter(title="NeurIPS 논문이"))
    assert answer.response.startswith("NeurIPS에 실린 논문은 이 모음에 34편 있습니다.")


async def test_a_title_that_nobody_spoke_of_is_not_counted(small) -> None:
    model = Counter("SELECT COUNT(*) AS n FROM papers", title="author count")
    answer, asked = await small("실례지만 논문이 총 몇 편인지 여쭤봅니다", model=model)
    assert asked == ["rows,count,order,limit,title", "sql"]
    assert "author count" not in answer.response


@pytest.mark.parametrize("title", ["'; DROP TABLE papers; --", "x' OR 'y'='y"])
async def test_what_is_said_stays_text(small, title) -> None:
    answer, _ = await small(f"{title} 라고 여쭤보면 논문은 총 몇 편이야?", model=Counter(title=title))
    assert answer.status == "completed"
    assert "이 모음에 0편 있습니다" in answer.response


async def test_what_the_form_cannot_say_is_written_as_sql(small) -> None:
    sql = "SELECT COUNT(*) AS n FROM papers WHERE arxiv_id IS NULL"
    answer, asked = await small("arXiv 번호가 없는 논문은 총 몇 편이야?", model=Counter(sql, rows="other"))
    assert asked == ["sql"]
    assert "arxiv_id IS NULL" in answer.response


@pytest.mark.parametrize(
    "messages",
    [
        ["BERT를 인용한 논문은 총 몇 편이야?"],
        ["How many papers cite BERT?", "How many papers cite that paper, in total?"],
    ],
)
async def test_a_larger_model_is_told_which_papers_are_meant(opened, messages) -> None:
    counter = Counter("SELECT COUNT(*) AS n FROM citations")
    counting = Dure().teams["papers"].agent("text2sql").model_copy(update={"fallback": None})
    alone = Team(name="alone", kind="router", description="-", agents=[counting])
    async with ScriptedServer(respond=counter) as server:
        dure = await opened(server, teams=[alone])
        session = None
        for message in messages:
            counter.sql = f"SELECT '{BERT}' AS title, COUNT(*) AS n FROM citations"
            session = (await dure.chat(message, team="alone", session_id=session)).metadata["thread_id"]
        paper = next(each for each in await papers_of(dure).resolve("default", "BERT"))
    last = max(at for at, form in enumerate(counter.asked) if form == "sql")
    assert f"papers.id = '{paper.id}': {BERT}" in counter.prompts[last]
    assert "rows,count,order,limit,title" not in counter.asked
