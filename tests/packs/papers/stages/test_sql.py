"""Counting over the shipped library: what a model makes of a question, and what code makes of that."""

from typing import Any

import pytest

from dure import Dure, Team
from dure.agents import Agent, RunContext
from dure.app import DEFAULT_OWNER
from dure.data.questions.able import objects
from dure.data.questions.checking import faults
from dure.data.questions.query import read
from dure.data.questions.settling import settled
from dure.models import ChatClient, Model
from dure.packs.papers.opened import papers_of
from dure.packs.papers.record import PaperRecord
from dure.packs.papers.stages.described import described, linked
from dure.packs.papers.stages.meant import Meant
from dure.packs.papers.stages.sql import _elsewhere, points
from dure.teams.stages import Done, Stage
from dure.testing import ScriptedServer, json, say

CANNOT = {"rows": "papers", "filters": [], "answer": "cannot", "measure": "count", "order": "none", "limit": 0}
COUNT = CANNOT | {"answer": "number"}
MEANS = {"part": "whole", "also": "-", "third": "-", "missing": ""}
BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"


def where(field: str, op: str, value: str) -> dict[str, str]:
    return {"field": field, "op": op, "value": value}


class Counter:
    """A model that fills in the query object with `objects`, one after the other, or writes `sql`."""

    def __init__(self, *objects: Any, sql: str = "SELECT 1 AS one", left: str = "", lacking: str = "") -> None:
        self.lacking, self.left, self.sql, self.objects, self.asked = lacking, left, sql, list(objects) or [CANNOT], []
        self.agents = ["text2sql"]
        self.prompts: list[str] = []
        self.schemas: list[Any] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        form = schema.get("properties", {})
        if "anyOf" in schema:
            return json({"about": "", "alone": True})
        if "agents" in form:
            return json({"agents": self.agents, "effect": len(self.agents) > 1, "request": ""})
        if "missing" in form:
            return json(MEANS | {"wants": "question", "of": "1"})
        if "wants" in form:
            return json({"wants": "text2sql", "then": "nothing"})
        if "found" in form:
            return json({"found": {"asks": "words", "quote": "", "exact": "no", "answer": ""}})
        several = "asked" in form
        self.asked.append("count" if "measure" in form or several else next(iter(form), "write"))
        self.prompts.append("\n".join(message["content"] for message in body["messages"]))
        self.schemas.append(schema)
        if "measure" in form or several:
            written = self.objects.pop(0) if len(self.objects) > 1 else self.objects[0]
            held = written if isinstance(written, list) else [written]
            given = {"asked": [{"also": []} | each for each in held], "left": self.left}
            return json(given if several else written)
        return json({"sql": self.sql, "lacking": self.lacking}) if "sql" in form else say("말입니다.")


@pytest.fixture
def small(opened, ask):
    """Ask a small model's team, after other messages; the answer and the model, which took notes."""

    async def answer(model: Counter, *messages: str, small: bool = True, **options: Any):
        async with ScriptedServer(respond=model) as server:
            dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=small))
            session = None
            for message in messages:
                answer, _ = await ask(dure, message, **({"session_id": session} if session else {}), **options)
                session = answer.metadata["thread_id"]
        return answer

    return answer


@pytest.mark.parametrize(
    ("message", "query", "said"),
    [
        ("논문이 총 몇 편이야?", COUNT, "논문 · 조건 없음: **203편**"),
        (
            "how many papers were published in 2019?",
            COUNT | {"filters": [where("year", "=", "2019")]},
            "papers · year 2019 · no other condition: **17 papers**",
        ),
        (
            "뉴립스 논문은 몇 편이야?",
            COUNT | {"filters": [where("venue", "=", "NeurIPS")]},
            "논문 · 학회 NeurIPS · 다른 조건 없음: **34편**",
        ),
        (
            "비전 분야 논문 중에서 CVPR 말고 다른 데 나온 건 몇 편이야?",
            COUNT | {"filters": [where("field", "=", "vision"), where("venue", "!=", "CVPR")]},
            "논문 · 분야 vision · 학회 ≠ CVPR · 다른 조건 없음: **24편**",
        ),
        (
            "저자가 딱 세 명인 논문은 몇 편이야?",
            COUNT | {"filters": [where("number_of_authors", "=", "3")]},
            "논문 · 저자 수 3 · 다른 조건 없음: **32편**",
        ),
        ("how many terms are in the glossary?", COUNT | {"rows": "terms"}, "terms · no condition: **215 terms**"),
        (
            "which author has the most papers?",
            CANNOT | {"rows": "authors", "answer": "list", "order": "highest", "limit": 1},
            "author · no condition · highest number of papers first: **Ilya Sutskever** (10)",
        ),
        (
            "열 편 넘게 논문이 있는 분야는 몇 개인가요?",
            COUNT | {"rows": "fields", "filters": [where("number_of_papers", ">", "10")]},
            "분야 · 논문 수 > 10 · 다른 조건 없음: **7개**",
        ),
        (
            "BERT를 인용한 논문은 총 몇 편이야?",
            COUNT | {"filters": [where("cites_paper", "=", BERT)]},
            f"논문 · {BERT}을(를) 인용한 논문 · 다른 조건 없음: **53편**",
        ),
        (
            "How many papers did Ross Girshick publish?",
            COUNT | {"filters": [where("author", "=", "Ross Girshick")]},
            "papers · author Ross Girshick · no other condition: **8 papers**",
        ),
        (
            "CVPR 논문의 인용 수 중앙값은?",
            COUNT | {"filters": [where("venue", "=", "CVPR")], "measure": "median citations"},
            "논문 · 학회 CVPR · 다른 조건 없음 · 중앙값 인용 수: **4**",
        ),
        (
            "NLP 논문은 전체의 몇 퍼센트야?",
            CANNOT | {"answer": "share_percent", "filters": [where("field", "=", "nlp")]},
            "논문 · 분야 nlp · 다른 조건 없음: 비율 **17.24 %** (203편 가운데 35)",
        ),
        (
            "뉴립스랑 ICML 논문은 몇 편 차이가 나?",
            CANNOT | {"answer": "difference", "filters": [where("venue", "=", "NeurIPS"), where("venue", "=", "ICML")]},
            "논문 · 학회 NeurIPS · 학회 ICML · 다른 조건 없음: NeurIPS 34, ICML 21, 차이 **13편**",
        ),
    ],
)
async def test_the_answer_begins_with_how_it_was_read(small, message, query, said) -> None:
    answer = await small(Counter(query), message)
    assert answer.response.startswith(said)
    assert "```sql\nSELECT" in answer.response
    assert {c["status"] for c in answer.tool_calls if c["name"] == "papers_sql"} == {"ok"}


async def test_that_paper(small) -> None:
    query = COUNT | {"filters": [where("cites_paper", "=", BERT)]}
    answer = await small(Counter(query), "BERT 논문 요약해줘", "그 논문을 인용한 논문은 총 몇 편이야?")
    assert f"{BERT}을(를) 인용한 논문 · 다른 조건 없음: **53편**" in answer.response


@pytest.mark.parametrize(
    "message", ["그 논문을 인용한 논문은 총 몇 편이야?", "How many papers cite that paper, in total?"]
)
async def test_that_paper_with_none_shown_is_not_all_papers(small, message) -> None:
    model = Counter(COUNT)
    answer = await small(model, message)
    assert answer.response in (
        "어느 논문을 말하는지 알 수 없거나 논문 목록에 없습니다.",
        "It is not clear which paper is meant, or the library does not have it.",
    )
    assert "count" not in model.asked


async def test_a_ranking_is_a_table(small) -> None:
    query = CANNOT | {"answer": "list", "measure": "citations", "order": "highest", "limit": 5}
    answer = await small(Counter(query), "가장 많이 인용된 논문 5개는?")
    assert "| 논문 | 인용 수 |" in answer.response
    assert "| Attention Is All You Need | 65 |" in answer.response


async def test_a_condition_that_the_model_forgets_is_asked_for_again(small) -> None:
    model = Counter(COUNT, COUNT | {"filters": [where("field", "=", "rl")]})
    answer = await small(model, "강화학습 논문은 몇 편이야?")
    assert model.asked == ["count", "count"]
    assert '"강화학습" (field = rl) is not in filters' in model.prompts[1]
    assert "분야 rl" in answer.response


async def test_what_stays_wrong_is_not_counted(small) -> None:
    model = Counter(COUNT)
    answer = await small(model, "강화학습 논문은 몇 편이야?")
    assert model.asked == ["count", "count"]
    assert answer.response.startswith("질문을 확실히 읽지 못해 세지 않았습니다")
    assert "203" not in answer.response


async def test_what_the_data_do_not_hold_is_said_to_be_missing(small) -> None:
    answer = await small(Counter(CANNOT), "여성 저자의 비율은?")
    assert answer.response.startswith("이 데이터로는 답할 수 없는 질문입니다.")


async def test_papers_that_are_not_there_are_not_counted(small) -> None:
    model = Counter(COUNT | {"filters": [where("cites_paper", "=", "FooBarNet")]})
    answer = await small(model, "FooBarNet을 인용한 논문은 총 몇 편이야?")
    assert answer.response == "논문 목록에서 이 이름으로 찾지 못했습니다: FooBarNet."


@pytest.mark.parametrize(
    ("message", "name", "said"),
    [
        ("Devlin 2019를 인용한 논문은 몇 편이야?", "Devlin 2019", BERT),
        ("Which papers cite Yao et al. (2023)?", "Yao et al. (2023)", "cites ReAct: Synergizing"),
        ("How many papers cite Deep Residual Learning?", "Deep Residual Learning", "Learning for Image Recognition"),
    ],
)
async def test_papers_are_found_as_they_are_cited(small, message, name, said) -> None:
    model = Counter(COUNT | {"filters": [where("cites_paper", "=", name)]})
    answer = await small(model, message, small=False)
    assert model.asked.count("count") == 1  # The year stands in the name: nothing is asked anew.
    assert said in answer.response


async def test_of_a_name_that_no_paper_has_the_nearest_titles_are_said(small) -> None:
    model = Counter(COUNT | {"filters": [where("cites_paper", "=", "Image Recognition of Residual Learning")]})
    answer = await small(model, "How many papers cite Image Recognition of Residual Learning?", small=False)
    assert "Nearest titles: Deep Residual Learning for Image Recognition" in answer.response


async def test_words_that_nothing_accounts_for_are_named(small) -> None:
    answer = await small(Counter(COUNT), "쿼크에 관한 논문은 몇 편이야?")
    assert answer.response.startswith("질문의 이 말은 조건으로 읽지 못했습니다: '쿼크에'")


@pytest.mark.parametrize("title", ["'; DROP TABLE papers; --", "x' OR 'y'='y"])
async def test_what_is_said_stays_text(small, title) -> None:
    query = COUNT | {"filters": [where("title", "contains", title)]}
    answer = await small(Counter(query), f"제목에 {title} 가 든 논문은 총 몇 편이야?")
    assert answer.status == "completed"
    assert "203" not in answer.response


async def test_a_larger_model_writes_sql_where_the_object_cannot_say_it(small) -> None:
    model = Counter(CANNOT, sql="SELECT COUNT(*) AS n FROM papers WHERE arxiv_id IS NULL")
    answer = await small(model, "arXiv 번호가 없는 논문은 총 몇 편이야?", small=False)
    assert model.asked[:2] == ["count", "sql"]
    assert "arxiv_id IS NULL" in answer.response
    assert "이 SQL은 모델이 직접 썼습니다" in answer.response


@pytest.mark.parametrize(
    "messages",
    [
        ["BERT를 인용한 논문은 총 몇 편이야?"],
        ["How many papers cite BERT?", "How many papers cite that paper, in total?"],
    ],
)
async def test_a_larger_model_is_told_which_papers_are_meant(opened, messages) -> None:
    counter = Counter(CANNOT, sql=f"SELECT '{BERT}' AS title, COUNT(*) AS n FROM citations")
    counting = Dure().teams["papers"].agent("text2sql").model_copy(update={"fallback": None})
    alone = Team(name="alone", kind="router", description="-", agents=[counting])
    async with ScriptedServer(respond=counter) as server:
        dure = await opened(server, teams=[alone])
        session = None
        for message in messages:
            session = (await dure.chat(message, team="alone", session_id=session)).metadata["thread_id"]
        paper = next(each for each in await papers_of(dure).resolve("default", "BERT"))
    last = max(at for at, form in enumerate(counter.asked) if form == "sql")
    assert f"papers.id = '{paper.id}': {BERT}" in counter.prompts[last]


async def test_a_measure_is_shown_beside_the_one_that_ranks(small) -> None:
    model = Counter(VENUES | {"also": ["average citations"]})
    answer = await small(model, "학회별 논문 수 상위 3개와 각각의 평균 인용 수를 표로 보여줘", small=False)
    assert model.asked == ["count"]
    assert "| 학회 | 논문 수 | 평균 인용 수 |\n| --- | --- | --- |\n| NeurIPS | 34 | " in answer.response


async def test_headings_are_of_an_english_answer_are_what_the_columns_are_called(small) -> None:
    model = Counter(VENUES)
    answer = await small(model, "Which three venues have the most papers?", small=False)
    assert "| venue | count |" in answer.response


async def test_what_is_saved_besides_is_not_promised(opened, ask) -> None:
    model = Counter(CANNOT | {"answer": "list", "measure": "citations", "order": "highest", "limit": 40})
    async with ScriptedServer(respond=model) as server:
        dure = await opened(server)
        for agents, promised in ((["text2sql"], True), (["text2sql", "save_file"], False)):
            model.agents = agents
            answer, _ = await ask(dure, "가장 많이 인용된 논문 40편을 CSV로 저장해줘")
            assert ("모두 담깁니다" in answer.response) == promised
            assert "앞 30줄입니다." in answer.response


async def test_what_a_check_finds_odd_is_told_an_able_model_once(small) -> None:
    model = Counter(VENUES)
    answer = await small(model, "학회별 논문 수 상위 3개와 각각의 평균 인용 수를 표로 보여줘", small=False)
    assert model.asked == ["count", "count"]
    assert "the question asks for the average" in model.prompts[1]
    assert model.schemas[0] == model.schemas[1], "a hint narrows nothing"
    assert "| NeurIPS | 34 |" in answer.response, "its word stands"


async def test_what_no_database_can_answer_is_not_insisted_on(small) -> None:
    model = Counter(CANNOT | {"answer": "difference"})
    answer = await small(model, "논문이 총 몇 편 차이야?", small=False)
    assert model.asked[:3] == ["count", "count", "sql"]
    assert "이 SQL은 모델이 직접 썼습니다" in answer.response


async def test_each_thing_that_is_asked_is_answered(small) -> None:
    cites = CANNOT | {"answer": "list", "filters": [where("cites_paper", "=", BERT)]}
    cited = CANNOT | {"answer": "list", "filters": [where("cited_by_paper", "=", BERT)]}
    model = Counter([cites, cited])
    answer = await small(model, "BERT를 인용한 논문이 있어? 반대로 BERT는 뭘 인용해?", small=False)
    assert model.asked == ["count"]
    assert f"논문 · {BERT}을(를) 인용한 논문 · 다른 조건 없음: 53개" in answer.response
    assert f"논문 · {BERT}이(가) 인용한 논문 · 다른 조건 없음: " in answer.response
    assert "참고문헌" not in answer.response


async def test_of_single_rows_what_is_known_of_each_is_shown(small) -> None:
    query = CANNOT | {"answer": "list", "measure": "citations", "order": "highest", "limit": 2}
    model = Counter(query | {"also": ["year", "venue"]})
    answer = await small(model, "가장 많이 인용된 논문 2개의 연도와 학회는?", small=False)
    assert "| 논문 | 인용 수 | 연도 | 학회 |" in answer.response
    assert "| Attention Is All You Need | 65 | 2017 | NeurIPS |" in answer.response


async def test_answers_of_several_questions_are_one_table(opened, ask) -> None:
    model = Counter([VENUES | {"also": ["average citations"]}, COUNT])
    async with ScriptedServer(respond=model) as server:
        dure = await opened(server)
        model.agents = ["text2sql", "save_file"]
        answer, _ = await ask(dure, "논문 수 상위 3개 학회와 평균 인용 수, 전체 논문 수를 csv로 저장해줘")
        (made,) = await dure.runs.artifacts("default", answer.metadata["run_id"])
        _, path = await dure.runs.artifact("default", answer.metadata["run_id"], made["id"])
        rows = path.read_text("utf-8-sig").splitlines()
    assert rows[0] == ",venue,count,average citations"
    assert rows[1].startswith("학회 · 조건 없음,NeurIPS,34,")
    assert rows[-1] == "논문 · 조건 없음,203,,"


async def test_what_no_object_says_is_asked_for_by_sql_beside_the_others(small) -> None:
    model = Counter([COUNT, CANNOT], sql="SELECT COUNT(*) AS n FROM papers WHERE arxiv_id IS NULL")
    answer = await small(model, "논문은 총 몇 편이고 arXiv 번호가 없는 건 몇 편이야?", small=False)
    assert model.asked == ["count", "sql"]
    assert "Answered already, ask for the rest:\n- 논문 · 조건 없음" in model.prompts[1]
    assert answer.response.index("**203편**") < answer.response.index("이 SQL은 모델이 직접 썼습니다")


async def test_who_writes_sql_knows_which_columns_are_empty(small) -> None:
    model = Counter(CANNOT)
    await small(model, "논문의 평균 인용 수는 전체에서 얼마야?", small=False)
    assert "Columns not filled in all 203 papers: " in model.prompts[1]
    assert "citations in 0" in model.prompts[1]


async def test_what_no_table_holds_needs_no_query(small) -> None:
    """An able model was to write one all the same: it selected a sentence, shown as a value to be checked."""
    model = Counter([COUNT, CANNOT], sql="", lacking="저자의 성별")
    answer = await small(model, "논문은 총 몇 편이고, 저자 가운데 여성은 몇 퍼센트야?", small=False)
    assert model.asked == ["count", "sql"]
    assert "**203편**" in answer.response
    assert answer.response.endswith("논문 목록의 자료에 없어 셀 수 없습니다: 저자의 성별.")


async def test_what_nobody_does_here_is_said(small) -> None:
    model = Counter(CANNOT | {"rows": "years", "answer": "list"}, left="막대그래프")
    answer = await small(model, "연도별 논문 수를 막대그래프로 그려줘", small=False)
    assert "하지 않은 일: 막대그래프. 이 팀은" in answer.response
    assert "| 2019 | 17 |" in answer.response


HAAS = {"id": "h", "title": "The Rent Gap", "authors": ["Ruth Haas", "김민수"], "year": 2021}


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Haas 2021에서 매출 30% 이상인 곳은 폭은 얼마야? 인용한 논문은?", "매출 30% 이상인 곳의 폭"),
        ("김민수(2021)에서 방이 40개 이상이면 폭은 얼마야? 인용한 논문은?", "방이 40개 이상일 때의 폭"),
        ("How large is the gap above 12 rooms in Haas et al. (2021)? What cites it?", "the gap above 12 rooms"),
    ],
)
@pytest.mark.parametrize("elsewhere", [True, False])
async def test_figures_of_what_another_does_and_of_how_a_paper_is_cited_are_no_conditions(
    question: str, left: str, elsewhere: bool
) -> None:
    description, links = linked(question, [], Meant(question, papers=[HAAS]))
    said = list[str]()

    async def ask(messages: list[Any], schema: Any) -> tuple[Any, float]:
        said.extend(each["content"] for each in messages[2:])
        cites = [where("cites_paper", "=", HAAS["title"])]
        return {"asked": [CANNOT | {"filters": cites, "answer": "list", "also": []}], "left": left}, 1.0

    _, told = await objects(description, links, ask, elsewhere=lambda _: elsewhere)
    assert (told, bool(said)) == ("" if elsewhere else left, not elsewhere)
    assert not any("2021" in each for each in said)


def test_a_year_that_only_stands_near_a_name_is_a_condition() -> None:
    question = "Haas 논문 가운데 2021년에 나온 것은?"
    _, links = linked(question, [], Meant(question, papers=[HAAS]))
    assert [each.value for each in links.numbers] == ["2021"]


@pytest.mark.parametrize(
    ("left", "before", "later", "elsewhere"),
    [
        ("임대료 오른 구의 격차", "임대료가 오른 구의 격차는 4.2%입니다.", [], True),
        ("the gap of small rooms", "The gap of small rooms was 4.2 percent.", [], True),
        ("막대그래프", "임대료가 오른 구의 격차는 4.2%입니다.", ["save_file"], False),
        ("the method in short", "", ["summarize"], True),
    ],
)
def test_what_another_agent_tells_is_not_said_to_be_left(
    left: str, before: str, later: list[str], elsewhere: bool
) -> None:
    those = [Agent(name=each, description="-", method=each) for each in later]
    stage = Stage(*[None] * 4, earlier=[Done(text=before)], later=those)
    assert _elsewhere(stage, left) is elsewhere


@pytest.mark.parametrize(
    ("left", "its"), [("", ["논문 · ImageNet"]), ("막대그래프", ["논문 · ImageNet", "하지 않은 일: 막대"])]
)
async def test_what_the_database_says_needs_no_source(small, monkeypatch, left: str, its: list[str]) -> None:
    """A line of Dure's own about a query was held against the passages that a stage before it cites."""
    own, said = RunContext.own, list[str]()
    monkeypatch.setattr(RunContext, "own", lambda run, text: said.append(text) or own(run, text))
    model = Counter(CANNOT | {"answer": "list", "filters": [where("cites_paper", "=", "ImageNet")]}, left=left)
    answer = await small(model, "ImageNet을 인용한 논문은?", small=False)
    assert [each[: len(begin)] for each, begin in zip(said, its, strict=True)] == its
    assert all(each in answer.response for each in said)


async def test_groups_of_years_are_in_their_order(small) -> None:
    answer = await small(Counter(CANNOT | {"rows": "years", "answer": "list"}), "연도별 논문 수")
    years = [line.split("|")[1].strip() for line in answer.response.splitlines() if line.startswith("| 20")]
    assert years == sorted(years)


def test_what_the_message_names_can_be_asked_for_whatever_another_agent_tells_of() -> None:
    question = "which papers cite BERT, and what does the rain one say?"
    bert, rain = {"id": "1", "title": BERT, "aliases": ["BERT"]}, {"id": "2", "title": "Rain"}
    _, links = linked(question, [], Meant(question, papers=[rain], named=[bert]))
    assert links.values_of("cites_paper") == [BERT, "Rain"]


@pytest.mark.parametrize(
    ("question", "said", "wanted"),
    [
        ("이 논문들 중에 제일 많이 인용된 건?", False, False),
        ("이 논문들 중에 제일 많이 인용된 건?", True, True),
        ("그 논문은 누가 썼어?", False, True),
        ("how old are these papers?", False, False),
        ("how old are these papers?", True, True),
        ("how old is that paper?", False, True),
        ("ACL 논문은 몇 편?", True, False),
    ],
)
def test_what_points_to_rows_that_were_told_of(question: str, said: bool, wanted: bool) -> None:
    assert points(question, described()["papers"], said=said) == wanted


VENUES = CANNOT | {"rows": "venues", "answer": "list", "order": "highest", "limit": 3}
VASWANI = {"id": "1", "title": "Attention Is All You Need", "aliases": ["transformer"]}
LISTED = CANNOT | {"answer": "list", "measure": "year"}
TITLED = [where("year", ">=", "2019"), where("title", "contains", "transformer")]
CITED = [where("cited_by_paper", "=", VASWANI["title"])]


@pytest.mark.parametrize(
    ("question", "written", "odd"),
    [
        ("2019년부터 나온 논문 중 제목에 transformer가 들어간 건?", LISTED | {"filters": TITLED}, ""),
        ("Which papers since 2019 are on transformer?", LISTED | {"filters": TITLED}, '"transformer" (paper = '),
        ("Which papers does transformer cite?", LISTED | {"filters": CITED}, ""),
        ("Which papers does transformer cite, with their citations?", LISTED | {"filters": CITED}, "citations, not"),
        ("Which papers, with their references?", LISTED, "references, not year"),
    ],
)
def test_what_a_condition_has_read_is_not_missed(question: str, written: dict[str, Any], odd: str) -> None:
    description, links = linked(question, [], Meant(question, papers=[VASWANI], named=[VASWANI]))
    query = read(written)
    assert query
    said = [each.said for each in faults(settled(query, description, links), description, links)]
    assert any(odd in each for each in said) if odd else said == []


@pytest.mark.parametrize(
    ("question", "written", "odd"),
    [
        (
            "그래프 논문인데 제목 말고 ICLR에 안 실린 건?",
            COUNT
            | {"filters": [where("field", "=", "graph"), where("venue", "=", "ICLR"), where("title", "!=", "ICLR")]},
            '"ICLR" is meant once, and no title',
        ),
        (
            "제3저자로 많이 오른 이는?",
            CANNOT | {"answer": "list", "filters": [where("author", "=", "제3저자")]},
            "names the field",
        ),
        (
            "JMLR도 쳐서 학회는 몇 곳?",
            COUNT | {"rows": "venues", "filters": [where("venue", "!=", "JMLR")]},
            "leaves out",
        ),
        ("JMLR이 아닌 학회는 몇 곳?", COUNT | {"rows": "venues", "filters": [where("venue", "!=", "JMLR")]}, ""),
        (
            "Which venues other than JMLR are there?",
            COUNT | {"rows": "venues", "filters": [where("venue", "!=", "JMLR")]},
            "",
        ),
        (
            "논문이 가장 적게 나온 해는?",
            VENUES | {"rows": "years", "measure": "year", "limit": 1},
            "not of the year itself",
        ),
        ("가장 이른 해는?", VENUES | {"rows": "years", "measure": "year", "limit": 1, "order": "lowest"}, ""),
    ],
)
def test_what_a_condition_cannot_mean(question: str, written: dict[str, Any], odd: str) -> None:
    description, links = linked(question, [], Meant(question))
    query = read(written)
    assert query
    said = [each.said for each in faults(settled(query, description, links), description, links)]
    assert any(odd in each for each in said) if odd else said == []


@pytest.mark.parametrize(("alone", "filters", "times"), [(True, [], 1), (False, [], 2), (False, CITED, 1)])
async def test_what_was_written_out_need_not_be_pointed_to(alone: bool, filters: list[Any], times: int) -> None:
    question = "How many papers of Nature since 2015 have more than five authors?"
    since = [where("year", ">=", "2015"), where("number_of_authors", ">", "5"), where("venue", "=", "Nature")]
    description, links = linked(question, [["venue", "Nature", ""]], Meant(question, papers=[VASWANI]))
    asked: list[Any] = []

    async def ask(messages: list[Any], schema: Any) -> tuple[Any, float]:
        asked.append(messages)
        return {"asked": [COUNT | {"filters": [*since, *filters], "also": []}], "left": ""}, 1.0

    found, _ = await objects(description, links, ask, alone=alone)
    assert (len(asked), found[0].answer) == (times, "number")


OWN = COUNT | {"filters": [where("own_papers", "=", "own")]}
TAGGED = COUNT | {"filters": [where("tag", "=", "검토할 것")]}


@pytest.mark.parametrize(
    ("message", "query", "said"),
    [
        ("우리 논문은 몇 편이야?", OWN, "논문 · 직접 넣은 논문 · 다른 조건 없음: **2편**"),
        ("How many papers have we added?", OWN, "papers · papers you added · no other condition: **2 papers**"),
        ("태그가 '검토할 것'인 논문은 몇 편이야?", TAGGED, "논문 · 태그 검토할 것 · 다른 조건 없음: **1편**"),
    ],
)
async def test_own_papers_and_their_tags_are_told_from_the_others(opened, ask, message, query, said) -> None:
    own = [PaperRecord(title="Shallow Ponds", tags=["검토할 것"]), PaperRecord(title="Deep Ponds", year=2024)]
    async with ScriptedServer(respond=Counter(query)) as server:
        dure = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True))
        await papers_of(dure).add(DEFAULT_OWNER, own, "test")
        answer, _ = await ask(dure, message)
    assert answer.response.startswith(said)


@pytest.mark.parametrize(
    ("question", "rows", "told"),
    [
        ("우리 논문은 몇 편이야?", [["own_papers", "own", ""]], {"own_papers"}),
        # Where all papers came with the program, nothing is told from them.
        ("우리 논문은 몇 편이야?", [], set()),
        ("2019년 논문은 몇 편이야?", [["own_papers", "own", ""], ["tag", "2019", ""]], set()),
        ("태그 2019 논문은 몇 편이야?", [["own_papers", "own", ""], ["tag", "2019", ""]], {"tag"}),
        ("How many papers of the collection thesis?", [["collection", "thesis", ""]], {"collection"}),
    ],
)
def test_fields_that_few_speak_of_are_told_where_a_question_does(question, rows, told) -> None:
    description, _ = linked(question, rows, Meant(question))
    assert {each.name for each in description.fields if each.optional} == told
