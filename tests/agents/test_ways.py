"""The short ways of small models in team office: one small form, and the tools' own words as the answer."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from dure import Dure
from dure.models import ChatClient, Model
from dure.packs.contracts.spoken import chosen, spoken_fields
from dure.packs.contracts.template import templates
from dure.packs.web.short import addresses, query
from dure.sources import Passage
from dure.testing import ScriptedServer, json, raw
from dure.tooling import Tool, ToolContext, ToolResult

SALES = "지역,매출\n서울,300\n부산,200\n서울,100\n"
Small = Callable[..., Awaitable[Dure]]


@pytest.fixture
async def small(tmp_path: Any) -> AsyncIterator[Small]:
    """Open a Dure whose model counts as small."""
    opened = []

    async def open_one(server: ScriptedServer, tools: list[Tool] = [], **files: str) -> Dure:  # noqa: B006
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = Dure(model=model, data_dir=tmp_path, embeddings=False, tools=tools)
        opened.append(dure)
        await dure.__aenter__()
        for name, text in files.items():
            document = await dure.knowledge.add("default", f"{name}.csv", text.encode())
            await dure.knowledge.wait("default", [document.id], embedded=False)
        return dure

    yield open_one
    for dure in opened:
        await dure.__aexit__(None, None, None)


def sent(server: ScriptedServer) -> list[str]:
    return ["\n".join(str(m["content"]) for m in body["messages"]) for body in server.requests]


def to(agent: str) -> Any:
    """What the router says where there are no embeddings to compare examples with."""
    return json({"wants": agent, "then": "nothing", "ask_me": "no"})


async def test_code_is_run_mended_and_shown_with_what_it_printed(small: Small) -> None:
    wrong, right = raw("```python\nprint(1 / 0)\n```"), raw("그럼\n```python\nprint(sum(range(4)))\n```\n끝")
    async with ScriptedServer(to("code"), wrong, right) as server:
        dure = await small(server)
        answer = await dure.chat("파이썬으로 0부터 3까지 더해줘", team="office")
        assert "ZeroDivisionError" in sent(server)[-1]
    assert answer.status == "completed"
    assert answer.response.startswith("실행 결과:\n\n```\n6\n```")
    assert "print(sum(range(4)))" in answer.response
    assert [c["status"] for c in answer.tool_calls] == ["error", "ok"]


async def test_code_that_never_runs_is_said_to(small: Small) -> None:
    tries = [raw(f"```python\nprint({n} / 0)\n```") for n in range(3)]
    async with ScriptedServer(to("code"), *tries) as server:
        dure = await small(server)
        answer = await dure.chat("파이썬으로 1을 0으로 나누는 코드를 짜줘", team="office")
    assert (answer.status, len(answer.tool_calls)) == ("stopped", 3)
    assert "끝까지 실행되지 않았습니다" in answer.response


async def test_rows_are_the_answer_and_a_chart_where_one_is_asked_for(small: Small) -> None:
    wrong = json({"rows": "지역"})
    asked = {"rows": "지역", "filters": [], "answer": "list", "measure": "total 매출", "order": "highest", "limit": 0}
    async with ScriptedServer(to("data"), wrong, json(asked)) as server:
        dure = await small(server, sales=SALES)
        answer = await dure.chat("지역별 매출 합계를 막대그래프로", team="office")
        assert "The data: sales" in sent(server)[1], "the table is told before anything is asked"
    assert answer.response.startswith("지역 · 조건 없음 · 합계 매출 높은 순: 2개")
    assert "| 서울 | 400 |\n| 부산 | 200 |" in answer.response
    assert "sales.csv 표에서 구했습니다." in answer.response
    assert [c["name"] for c in answer.tool_calls] == ["list_tables", "query_tables", "draw_chart"]
    assert [a["media_type"] for a in answer.metadata["artifacts"]] == ["image/svg+xml"]
    assert "GROUP BY" in answer.response, "what was asked of the tables can be checked"


async def test_without_tables_it_says_how_to_add_some(small: Small) -> None:
    async with ScriptedServer(to("data")) as server:
        dure = await small(server)
        answer = await dure.chat("지역별 매출 합계를 보여줘", team="office")
    assert "dure ingest" in answer.response


def wanted(named: str, kind: str, written_in: str = "", language: str = "ko") -> Any:
    filled = {"named": named, "kind": kind, "written_in": written_in, "language": language, "worker": ""}
    return json(filled)


@pytest.mark.parametrize(
    ("message", "reply", "said"),
    [
        ("영어 학원 강사 고용 계약서 써줘", wanted("고용 계약서", "employment", "", "en"), "근로계약서"),
        ("영어 학원 강사 고용 계약서 써줘", wanted("고용 계약서", "employment", "영문으로", "en"), "근로계약서"),
        ("전세 계약서 써줘", wanted("용역 계약서", "service"), "어떤 계약서가 필요한가요?"),
        ("전세 계약서 써줘", wanted("전세 계약서", "none"), "어떤 계약서가 필요한가요?"),
    ],
)
async def test_a_contract_is_of_a_kind_and_in_a_language_that_somebody_named(
    small: Small, message, reply, said
) -> None:
    async with ScriptedServer(respond=lambda body: contract(body, reply)) as server:
        dure = await small(server)
        answer = await dure.chat(message, team="office")
    assert said in answer.response
    drafted = [call["args"]["language"] for call in answer.tool_calls if call["name"] == "draft_contract"]
    assert drafted == ["ko"] * ("근로" in said)


def contract(body: dict[str, Any], reply: Any) -> Any:
    form = str(body.get("response_format"))
    return to("contract") if "ask_me" in form else reply if "written_in" in form else json({})


async def test_a_contract_asks_for_what_nobody_said_and_goes_on_with_the_answer(small: Small) -> None:
    nothing = dict.fromkeys(("party_a", "party_b", "purpose", "effective_date", "term"))
    invented = nothing | {"purpose": "인공지능 반도체 사업", "party_a": {"name": "삼성전자"}}
    whole = nothing | {
        "party_a": {"name": "한빛전자", "representative": "김철수", "address": None},
        "purpose": "공동개발 협의",
        "effective_date": "2026-03-02",
        "term": "3년",
    }
    nda = wanted("비밀유지계약서", "nda")
    async with ScriptedServer(to("contract"), nda, json(invented), nda, json(whole)) as server:
        dure = await small(server)
        first = await dure.chat("한빛전자와 두레소프트의 비밀유지계약서 작성해줘", team="office", session_id="s")
        assert "이용 목적" in first.response
        assert "삼성전자" not in first.response
        assert "을: 두레소프트" in first.response
        second = await dure.chat("상호 계약, 목적은 공동개발 협의, 2026-03-02부터 3년", team="office", session_id="s")
    assert {a["name"] for a in second.metadata["artifacts"]} == {
        "nda-한빛전자-두레소프트.md",
        "nda-한빛전자-두레소프트.docx",
    }
    assert "김철수" not in second.response


async def test_a_page_that_is_refused_is_said_in_a_sentence(small: Small) -> None:
    async with ScriptedServer(to("web")) as server:
        dure = await small(server)
        answer = await dure.chat("http://127.0.0.1:8080/a 이 페이지의 글을 읽고 요약해줘", team="office")
    assert answer.status == "stopped"
    assert "공개 인터넷의 주소가 아니어서" in answer.response
    assert len(server.requests) == 1


async def test_a_search_is_answered_from_its_results(small: Small) -> None:
    text = "전고체 배터리 시장은 2030년에 40조 원이 된다."

    async def found(args: dict[str, Any], context: ToolContext) -> ToolResult:
        assert args == {"queries": ["배터리 시장 전망"]}
        return ToolResult("", [Passage("search:1", "전망", None, 0, len(text), text, url="https://example.com/a")])

    schema = {"type": "object", "properties": {"queries": {"type": "array"}}}
    search = Tool("web_search", "x", schema, found, untrusted=True)
    async with ScriptedServer(to("search"), raw("전고체 배터리 시장은 2030년에 40조 원이 됩니다.")) as server:
        dure = await small(server, tools=[search])
        answer = await dure.chat("배터리 시장 전망을 검색해서 요약해줘", team="office")
    assert [c["url"] for c in answer.citations] == ["https://example.com/a"]
    assert "40조 원" in answer.response


def test_the_words_that_ask_are_not_searched_for() -> None:
    assert query("최근 배터리 산업 동향을 검색해서 세 가지로 요약해줘") == "최근 배터리 산업 동향"
    assert query("Task: Search the web for heat pumps\n\nThe user's message: …") == "heat pumps"
    assert query("요약해줘") == "요약해줘"


def test_addresses_end_where_the_sentence_goes_on() -> None:
    assert addresses("https://a.kr/b를 읽고 (www.c.com/d)도. https://a.kr/b를") == ["https://a.kr/b", "www.c.com/d"]


def test_what_was_not_said_is_left_out() -> None:
    talk = "갑은 한빛전자, 을은 두레. 목적은 공동 개발 협의. 2026년 3월 2일부터 1년. 위약금 1,000만원"
    form = {
        "party_a": {"name": "한빛전자", "representative": "홍길순"},
        "purpose": "공동개발 협의",
        "effective_date": "2026-03-02",
        "term": "3년",
        "penalty": "1000만원",
        "scope": ["설계도", "공동 개발"],
    }
    assert spoken_fields(templates()["nda"], form, talk) == {
        "party_a": {"name": "한빛전자"},
        "purpose": "공동개발 협의",
        "effective_date": "2026-03-02",
        "penalty": "1000만원",
        "scope": ["공동 개발"],
    }
    assert chosen(templates()["nda"].fields["kind"], "쌍방 계약으로") == "mutual"


def test_the_word_for_a_party_is_nobodys_name_and_a_party_represents_no_other() -> None:
    form = {
        "client": {"name": "갑", "representative": "한빛전자"},
        "provider": {"name": "두레소프트", "representative": "한빛전자", "address": "서울"},
    }
    talk = "두레소프트와 한빛전자의 용역계약서\n\n갑은 한빛전자야. 두레소프트는 서울에 있어"
    found = spoken_fields(templates()["service"], form, talk)
    assert (found["client"], found["provider"]) == ({"name": "한빛전자"}, {"name": "두레소프트", "address": "서울"})


async def test_what_was_read_before_stays_where_a_later_reading_lacks_it(small: Small) -> None:
    nothing = dict.fromkeys(("client", "provider", "project", "scope", "start_date", "end_date", "fee"))
    service = wanted("용역계약서", "service")
    first = json(nothing | {"fee": "3천만원", "project": "홈페이지"})
    later = json(nothing | {"project": "홈페이지 개발", "start_date": "2026-03-02"})
    async with ScriptedServer(to("contract"), service, first, service, later) as server:
        dure = await small(server)
        asked = "홈페이지 용역계약서 작성해줘. 용역비는 3천만원이야"
        assert "용역 대금: 3천만원" in (await dure.chat(asked, team="office", session_id="s")).response
        answer = await dure.chat("용역명은 홈페이지 개발, 2026-03-02부터야", team="office", session_id="s")
    known = answer.response.partition("확인한 내용")[2]
    assert ("용역 대금: 3천만원" in known, "용역명: 홈페이지 개발" in known, "착수일: 2026-03-02" in known) == (
        True,
    ) * 3


def test_who_works_is_the_second_party() -> None:
    form = {"client": {"name": "김하나"}, "provider": {"name": "한빛전자"}}
    found = spoken_fields(templates()["service"], form, "프리랜서 김하나와 한빛전자의 용역계약서", "김하나")
    assert (found["client"], found["provider"]) == ({"name": "한빛전자"}, {"name": "김하나"})
