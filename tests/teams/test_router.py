"""Team `papers` over real HTTP and the shipped library: pipelines, follow-ups, fallbacks, files, approvals, levels.

Routing is by words here (no embedder), so that it is the same on every machine; messages are clear enough for that.
"""

import json as jsonlib
from datetime import date
from typing import Any

import pytest

from dure import Agent, Team, tool
from dure.errors import InvalidInput, TeamFileError
from dure.events import Routed
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.teams.files import load_team
from dure.testing import ScriptedServer, fail, json, raw, say
from dure.tooling import ToolResult


@tool
def web_search(queries: list[str]) -> ToolResult:
    """Search the web."""
    text = "새 모델이 2026년 11월 1일에 공개되었습니다."
    return ToolResult("", [Passage("search:1", "소식", None, 0, len(text), text, url="https://example.com/news")])


@tool(name="web_search")
def offline(queries: list[str]) -> ToolResult:
    """Search the web."""
    return ToolResult("인터넷에 연결할 수 없습니다.", is_error=True)


async def test_search_then_summarise(opened, make_scholar, ask):
    scholar = make_scholar("트랜스포머는 어텐션만으로 만든 모델입니다 [1].")
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "Transformer 논문 찾아서 요약해줘")
    assert agents == ["search_paper", "summarize"]
    assert answer.metadata["agents"] == agents
    called = [c["name"] for c in answer.tool_calls if c["agent"] in agents]
    assert called == ["papers_conditions", "search_papers", "read_paper"]
    assert "Attention Is All You Need" in answer.response
    assert "트랜스포머는 어텐션만으로 만든 모델입니다" in answer.response
    assert answer.response.count("논문 5편") == 0, "what was found is not listed besides the summary made of it"
    assert scholar.asked[-2:] == ["conditions,topic,translated,papers,synonyms", "write"]
    assert answer.citations


@pytest.mark.parametrize("message", ["BERT 논문 요약해줘", "BERT 논문을 요약해 주세요", "Summarize the BERT paper"])
async def test_a_paper_that_is_named_needs_no_search(opened, make_scholar, ask, message):
    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, message)
    assert agents == ["summarize"]
    assert "BERT: Pre-training of Deep Bidirectional Transformers" in answer.response


async def test_a_paper_that_is_described_is_among_those_that_may_be_meant(opened, make_scholar, ask):
    scholar = make_scholar()
    scholar.means = {"of": "1"}
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "그래프 신경망 논문 요약해줘")
    assert agents == ["summarize"]
    assert "Graph" in answer.response


async def test_follow_ups_know_what_was_found(opened, make_scholar, ask):
    words = "1. **Deep Residual Learning for Image Recognition**\n2. **Denoising Diffusion Probabilistic Models**"
    scholar = make_scholar(words)
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        await ask(dure, "이미지에 관한 논문 찾아줘", session_id="s")
        scholar.words = "확산 모델은 잡음을 지웁니다."
        scholar.means = {"of": "2"}
        second, agents = await ask(dure, "두 번째 논문 요약해줘", session_id="s")
        scholar.means = {"of": "1"}
        both, _ = await ask(dure, "그 논문 자세히 설명해줘", session_id="s")
        saved, last = await ask(dure, "방금 답을 워드 파일로 저장해줘", session_id="s")
        path = (await dure.runs.artifacts("default", saved.metadata["run_id"]))[0]
    assert agents == ["summarize"]
    assert "Denoising Diffusion Probabilistic Models" in second.response
    assert "Deep Residual" not in second.response
    assert "Denoising Diffusion" in both.response
    assert last == ["save_file"]
    assert path["name"].endswith(".docx")
    assert path["name"] in saved.response


async def test_a_result_is_saved_with_all_its_rows(opened, make_scholar, ask):
    scholar = make_scholar(
        "해마다 다릅니다.", sql=("SELECT year, COUNT(*) AS papers FROM papers GROUP BY year ORDER BY year",)
    )
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "연도별 논문 수를 세서 CSV로 저장해줘")
        made, path = await dure.runs.artifact(
            "default", answer.metadata["run_id"], answer.metadata["artifacts"][0]["id"]
        )
        lines = path.read_text("utf-8-sig").splitlines()
    assert agents == ["text2sql", "save_file"]
    assert made["media_type"].startswith("text/csv")
    assert lines[0] == "year,papers"
    assert "2017," in "".join(line for line in lines if line.startswith("2017"))
    assert "| year | papers |" in answer.response


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT title FROM papers LIMIT 40", "전체 40줄 가운데 앞 30줄입니다."),
        ("SELECT title FROM papers UNION SELECT doi FROM papers", "조회는 200줄에서 끊었으며"),
        ("SELECT title FROM papers LIMIT 30", ""),
    ],
)
async def test_rows_that_are_left_out_are_said_to_be(opened, make_scholar, ask, sql, said):
    async with ScriptedServer(respond=make_scholar("많습니다.", sql=(sql,))) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "논문이 몇 편인지 세고 제목을 표로 보여줘")
    assert answer.response.count("\n| ") == 2 + 30
    assert said in answer.response
    assert ("앞 30줄" in answer.response) == bool(said)


def _speechless(scholar: Any, body: dict[str, Any]) -> Any:
    step = scholar(body)
    return fail(400, "no") if scholar.asked[-1] == "write" else step


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("연도별 논문 수를 세어줘", "| year | n |"),
        ("최신 AI 뉴스를 웹에서 찾아줘", "https://example.com/news"),
        ("물체 탐지 논문 찾아줘", "1. **Attention Is All You Need**"),
        ("어텐션이 뭐야?", "**어텐션** (attention mechanism)"),
    ],
)
async def test_what_was_found_is_not_lost_where_only_its_wording_fails(opened, make_scholar, ask, message, shown):
    scholar = make_scholar(sql=("SELECT year, COUNT(*) AS n FROM papers GROUP BY year",))
    async with ScriptedServer(respond=lambda body: _speechless(scholar, body)) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, message)
    assert (answer.status, answer.metadata["reason"]) == ("stopped", "model_refused")
    assert shown in answer.response


async def test_a_wrong_query_is_mended_once(opened, make_scholar, ask):
    wrong, right = "SELECT COUNT(*) AS n FROM paper", "SELECT COUNT(*) AS n FROM papers WHERE year = 2017"
    scholar = make_scholar("2017년 논문 수입니다.", sql=(wrong, right))
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "2017년 논문은 몇 편이야?")
        told = server.requests[-1]["messages"][-1]["content"]
    assert agents == ["text2sql"]
    assert [c["status"] for c in answer.tool_calls if c["name"] == "papers_sql"] == ["ok", "ok", "error", "ok"]
    assert wrong in told
    assert "n: " in answer.response
    assert "year = 2017" in answer.response, "the query is shown"


async def test_a_query_that_stays_wrong_is_admitted(opened, make_scholar, ask):
    scholar = make_scholar(sql=("DROP TABLE papers", "SELECT * FROM sqlite_master"))
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "논문이 총 몇 편이야?")
    assert answer.status == "completed"
    assert answer.response.startswith("질문에 맞는 조회문을 만들지 못했습니다")
    assert list(scholar.sql) == []


async def test_nothing_found_goes_to_the_web_and_says_so(opened, make_scholar, ask):
    scholar = make_scholar("새 모델은 2026년 11월 1일에 나왔습니다 [1].", topic="zqxv wvutz")
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[web_search])
        answer, agents = await ask(dure, "zqxv 분야 논문 찾아줘")
    assert agents == ["search_paper"]
    assert answer.metadata["agents"] == ["search_paper", "web_search"]
    assert answer.response.startswith("논문 목록에서 맞는 논문을 찾지 못했습니다. 대신 웹에서 찾아보았습니다.")
    assert answer.citations[0]["url"] == "https://example.com/news"


@pytest.mark.parametrize(
    ("message", "agents"),
    [
        ("zqxv 분야 논문 찾아서 요약해줘", ["search_paper", "web_search", "summarize"]),
        ("zqxv 분야 논문 찾아서 목록을 파일로 저장해줘", ["search_paper", "web_search", "save_file"]),
    ],
)
async def test_nothing_found_in_the_middle_is_said_too(opened, make_scholar, ask, message, agents):
    scholar = make_scholar("새 모델은 2026년 11월 1일에 나왔습니다 [1].", topic="zqxv wvutz")
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[web_search])
        answer, _ = await ask(dure, message)
    assert answer.metadata["agents"] == agents
    assert answer.response.startswith("논문 목록에서 맞는 논문을 찾지 못했습니다. 대신 웹에서 찾아보았습니다.")


async def test_what_others_found_is_told_where_the_last_finds_nothing(opened, make_scholar, ask):
    """And nobody is said to have looked instead who could not."""
    scholar = make_scholar("답", topic="zqxv wvutz")
    scholar.needs = ["glossary", "search_paper"]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[offline])
        answer, _ = await ask(dure, "과적합이 뭔지 알려주고 zqxv 논문도 찾아줘")
    assert answer.metadata["agents"] == ["glossary", "search_paper", "web_search"]
    assert "**과적합**" in answer.response.partition("논문 목록에서 맞는 논문을 찾지 못했습니다.")[0]
    assert answer.response.endswith("웹 검색을 할 수 없습니다: 인터넷에 연결할 수 없습니다.")
    assert "대신" not in answer.response


async def test_as_many_agents_take_over_as_may(opened):
    """Each finds no web here; the fourth in the row still answers."""
    agents = [
        Agent(
            name=name, description="-", method="web_search", fallback=after, examples=["찾아줘"] if name == "a" else []
        )
        for name, after in zip("abc", "bcd", strict=True)
    ]
    own = Team(
        name="own",
        kind="router",
        description="-",
        agents=[*agents, Agent(name="d", description="-", method="general")],
    )
    needs = json({"agents": ["a"], "effect": False, "request": ""})
    async with ScriptedServer(needs, say("제가 답합니다.")) as server:
        dure = await opened(server, teams=[own])
        answer = await dure.chat("찾아줘", team="own")
    assert answer.metadata["agents"] == ["a", "b", "c", "d"]
    assert answer.response.count("웹에서 찾지 못했습니다.") == 3
    assert answer.response.endswith("제가 답합니다.")


async def test_who_has_none_of_its_tools_is_not_chosen(opened):
    agents = [
        Agent(name="finder", description="Finds", method="general"),
        Agent(name="mailer", description="Mail", tools=["mcp"]),
    ]
    own = Team(name="own", kind="router", description="-", agents=agents)
    async with ScriptedServer(json({"agents": ["finder"], "effect": True, "request": ""}), say("답")) as server:
        dure = await opened(server, teams=[own])
        await dure.chat("메일로 보내줘", team="own")
        asked, answering = server.requests
    assert "Not connected now: mailer (Mail)." in asked["messages"][0]["content"]
    assert f"Today is {date.today()}." in answering["messages"][0]["content"]
    # Who answers in its place does not say that it was sent.
    assert "it was not done" in answering["messages"][0]["content"]
    assert '"mailer"' not in jsonlib.dumps(asked["response_format"])


@pytest.mark.parametrize("small", [False, True])
async def test_without_the_web_there_is_no_news(opened, make_scholar, ask, small):
    scholar = make_scholar("1. 지어낸 소식입니다 [1].")
    async with ScriptedServer(respond=scholar) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=small)
        dure = await opened(model=model, tools=[offline])
        answer, agents = await ask(dure, "최신 AI 뉴스 알려줘")
    assert agents == answer.metadata["agents"] == ["web_search"]
    assert answer.response == "웹 검색을 할 수 없습니다: 인터넷에 연결할 수 없습니다."
    assert scholar.tasks == []


async def test_a_missing_term_is_explained_and_added_when_a_person_agrees(opened, make_scholar, ask):
    async with ScriptedServer(respond=make_scholar("함께 일한다는 말입니다.")) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "두레질이라는 용어의 뜻을 설명해줘", session_id="s")
        assert agents == ["glossary"]
        assert "용어집에 추가" in answer.response
        asked, _ = await ask(dure, "용어집에 추가해줘", session_id="s")
        assert asked.status == "waiting"
        (approval,) = asked.approvals
        assert approval["tool"] == "add_term"
        assert approval["args"]["term_ko"] == "두레질"
        run_id = asked.metadata["run_id"]
        await dure.runs.decide("default", run_id, [{"approval_id": approval["id"], "action": "approve"}])
        done = await dure.runs.answer("default", run_id)
        assert "두레질" in done.response
        found, _ = await ask(dure, "두레질이라는 용어의 뜻을 설명해줘")
    assert "함께 일하는 것입니다." in server.requests[-1]["messages"][-1]["content"]
    assert found.status == "completed"


async def test_a_term_that_is_only_spelled_alike_is_not_given_as_the_one_asked_for(opened, make_scholar, ask):
    asked = "과소적합이라는 용어가 뭐야?"
    async with ScriptedServer(respond=make_scholar("모델이 자료를 덜 배운 상태입니다.")) as server:
        dure = await opened(server)
        able, agents = await ask(dure, asked)
        material = server.requests[-1]["messages"]
        small = await opened(model=Model(ChatClient(server.url, "scripted"), dialect="schema", small=True))
        told, _ = await ask(small, asked)
    assert agents == ["glossary"]
    assert "spelled most like it" in material[0]["content"]
    assert "**과적합" in material[-1]["content"]
    assert able.response.startswith("모델이 자료를 덜 배운 상태입니다.\n\n용어집에 없는 말이라")
    assert able.response.endswith("용어집에 있는 비슷한 용어: 과적합")
    assert told.response.startswith("용어집에 그 용어는 없습니다. 철자가 가장 비슷한 용어는")
    assert "**과적합" in told.response


async def test_a_term_is_added_from_a_first_message_that_names_it(opened, make_scholar, ask):
    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server)
        asked, agents = await ask(dure, "'두레질'을 용어집에 추가해줘. 뜻은 여러 에이전트가 함께 일하는 것이야.")
        unnamed, _ = await ask(dure, "용어집에 추가해줘")
        english, routed_to = await ask(dure, "Add 'durejil' to the glossary: a way of dividing work among agents")
    assert agents == routed_to == ["glossary"]
    assert asked.status == english.status == "waiting"
    assert asked.approvals[0]["args"]["term_ko"] == "두레질"
    forms = [each.approvals[0]["schema"]["properties"]["easy_ko"] for each in (asked, english)]
    told = ["초보자를 위한 쉬운 한국어 설명", "in plain Korean, for beginners"]
    assert forms == [{"type": "string", "maxLength": 4000, "description": each} for each in told]
    assert unnamed.response == "추가할 용어를 알 수 없습니다."


async def test_the_level_reaches_everybody_who_writes(opened, make_scholar, ask):
    scholar = make_scholar()
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[web_search])
        for message in (
            "안녕하세요",
            "어텐션이 뭐야?",
            "BERT 논문 요약해줘",
            "최신 AI 뉴스 알려줘",
            "물체 탐지 논문 찾아줘",
        ):
            for level, rule in (("easy", "beginner"), ("hard", "expert")):
                scholar.tasks.clear()
                await ask(dure, message, level=level)
                assert scholar.tasks, message
                assert all(rule in task for task in scholar.tasks), (message, level)


async def test_a_small_model_gets_definitions_of_the_level_without_a_call(opened, make_scholar, ask, tmp_path):
    async with ScriptedServer(respond=make_scholar()) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model)
        easy, _ = await ask(dure, "어텐션이 뭐야?", level="easy")
        hard, _ = await ask(dure, "어텐션이 뭐야?", level="hard")
        listed, _ = await ask(dure, "물체 탐지 논문 찾아줘")
        told, _ = await ask(dure, "BERT 논문 요약해줘")
    assert easy.metadata["usage"]["model_calls"] == hard.metadata["usage"]["model_calls"] == 0
    assert "softmax" in hard.response
    assert "softmax" not in easy.response
    assert listed.response.startswith("논문 5편을 찾았습니다.")
    assert "[1]" in told.response
    assert told.metadata["usage"]["model_calls"] == 1, "what the message wants of which paper"


async def test_a_failing_model_fails_the_run_or_leaves_what_was_found(opened, make_scholar, ask):
    scholar = make_scholar()
    async with ScriptedServer(respond=lambda body: _speechless(scholar, body)) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "Transformer 논문 찾아서 요약해줘")
        assert answer.status == "stopped"
        assert "Attention Is All You Need" in answer.response
        with pytest.raises(Exception, match="400"):
            await dure.chat("안녕하세요", team="papers")


async def test_a_model_that_can_decide_does(opened):
    agents = [
        Agent(name="a", description="does a", examples=["x y"], method="general"),
        Agent(name="b", description="does b", examples=["x z"], method="general"),
    ]
    own = Team(name="own", kind="router", description="-", agents=agents)

    def respond(body: dict[str, Any]) -> Any:
        needs = json({"agents": ["b"], "effect": False, "request": ""})
        return needs if "response_format" in body else say("b says")

    async with ScriptedServer(respond=respond) as server:
        dure = await opened(server, teams=[own])
        events = [e async for e in dure.stream("x", team="own")]
    (chosen,) = [e for e in events if isinstance(e, Routed)]
    assert (chosen.agents, chosen.how) == (["b"], "model")
    assert set(chosen.scores) == {"a", "b"}


@pytest.mark.parametrize("reply", ["no JSON", '{"agents": ["unknown"]}', "[]"])
async def test_a_useless_choice_leaves_it_to_the_examples(opened, reply):
    agents = [Agent(name=n, description="-", examples=[f"x {n}"], method="general") for n in ("a", "b")]
    own = Team(name="own", kind="router", description="-", agents=agents)
    async with ScriptedServer(respond=lambda b: raw(reply) if "response_format" in b else say("done")) as server:
        dure = await opened(server, teams=[own])
        events = [e async for e in dure.stream("x", team="own")]
    assert next(e for e in events if isinstance(e, Routed)).how == "rule"


async def test_agents_of_ones_own_work_in_a_pipeline(opened):
    @tool
    def weather(city: str) -> str:
        """The weather."""
        return f"{city}: 맑음"

    own = Team(
        name="own",
        kind="router",
        description="-",
        agents=[
            Agent(name="look", description="looks", tools=[weather], examples=["날씨 알려줘"]),
            Agent(name="save", description="saves", tools=["save_file"], method="save_file", examples=["저장해줘"]),
        ],
        pipelines=[{"agents": ["look", "save"], "examples": ["날씨 알려주고 저장해줘"]}],
    )
    async with ScriptedServer(respond=lambda body: say("서울은 맑습니다.")) as server:
        dure = await opened(server, teams=[own])
        events = [e async for e in dure.stream("서울 날씨 알려주고 저장해줘", team="own")]
        answer = await dure.runs.answer("default", events[0].run_id)
    assert next(e.agents for e in events if isinstance(e, Routed)) == ["look", "save"]
    assert answer.response.startswith("서울은 맑습니다.\n\n저장했습니다:")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('agents = [{name = "a", description = "-", method = "fly"}]', "no method 'fly'"),
        ('agents = [{name = "a", description = "-", fallback = "b"}]', "fallback"),
        ('agents = [{name = "a", description = "-"}]\npipelines = [{agents = ["a", "b"], examples = ["x"]}]', "'b'"),
        ('agents = [{name = "a", description = "-"}]\npipelines = [{agents = ["a"], examples = ["x"]}]', "at least 2"),
    ],
)
def test_a_wrong_team_file_is_named(tmp_path, text, reason):
    file = tmp_path / "own.toml"
    file.write_text(f'name = "own"\nkind = "router"\ndescription = "-"\n{text}\n')
    with pytest.raises(TeamFileError) as raised:
        load_team(file)
    assert reason in raised.value.message("en")


def test_methods_belong_to_router_teams():
    with pytest.raises(InvalidInput, match="router"):
        Team(name="t", kind="solo", description="-", agents=[Agent(name="a", description="-", method="general")])


async def test_json_output_is_whole_and_valid(opened, make_scholar):
    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server)
        answer = await dure.chat("BERT 논문 요약해줘", team="papers", output_format="json")
    assert jsonlib.loads(answer.response)


async def test_without_its_embeddings_endpoint_it_goes_by_words(opened, make_scholar, ask, unused_tcp_port):
    gone = {"embeddings": True, "embeddings_base_url": f"http://127.0.0.1:{unused_tcp_port}/v1", "embeddings_name": "x"}
    async with ScriptedServer(respond=make_scholar()) as server:
        dure = await opened(server, **gone)
        answer, agents = await ask(dure, "BERT 논문 요약해줘")
    assert agents == ["summarize"]
    assert answer.status == "completed"
    assert "BERT: Pre-training of Deep Bidirectional Transformers" in answer.response
