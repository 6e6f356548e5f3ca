"""What is found out of a message before a stage works on it."""

from dure.testing import ScriptedServer


async def test_a_search_asks_nothing_of_what_is_meant(opened, make_scholar, ask) -> None:
    scholar = make_scholar()
    scholar.needs = ["search_paper"]
    async with ScriptedServer(respond=scholar) as server:
        await ask(await opened(server), "그래프 신경망 논문 찾아줘")
    assert not any("missing" in form for form in scholar.asked)


async def test_counting_asks_which_papers_are_meant_only_where_some_were_shown(opened, make_scholar, ask) -> None:
    scholar = make_scholar("- **BERT**", query={"answer": "number"})
    scholar.needs = ["text2sql"]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "논문이 모두 몇 편이야?")
        assert not any("missing" in form for form in scholar.asked)
        scholar.needs = ["summarize"]
        answer, _ = await ask(dure, "BERT 논문 요약해줘", session_id=answer.metadata["thread_id"])
        scholar.needs, scholar.asked[:] = ["text2sql"], []
        await ask(dure, "그 논문은 몇 번 인용됐어?", session_id=answer.metadata["thread_id"])
    assert any("missing" in form for form in scholar.asked)
