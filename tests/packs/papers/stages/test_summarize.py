"""What is summarised, from what, and that what was not read is said: over real HTTP and the shipped library."""

import asyncio
from typing import Any

import pytest

from dure.agents import FORMAT
from dure.events import TextRetracted
from dure.models import ChatClient, Model
from dure.sources import Passage
from dure.testing import ScriptedServer
from dure.tooling import Tool, ToolContext, ToolResult

SUMMARY = "요약입니다."
TITLES = {
    "BERT": "BERT: Pre-training of Deep Bidirectional",
    "GPT-3": "Language Models are Few-Shot Learners",
    "T5": "Exploring the Limits of Transfer Learning",
    "RoBERTa": "RoBERTa: A Robustly Optimized",
    "ELECTRA": "ELECTRA: Pre-training Text Encoders",
}


def read(answer: Any) -> int:
    return len([call for call in answer.tool_calls if call["name"] == "read_paper"])


@pytest.mark.parametrize(
    "message",
    [
        "어텐션이 뭔지 설명하고 BERT 논문 요약해줘",
        "어텐션의 뜻을 알려주고 BERT 논문을 요약해줘",
        "Define attention and then summarize the BERT paper",
    ],
)
async def test_the_named_paper_is_read_after_a_definition(opened, make_scholar, ask, message: str) -> None:
    scholar = make_scholar(SUMMARY)
    scholar.needs = ["glossary", "summarize"]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, message)
    assert agents == ["glossary", "summarize"]
    assert TITLES["BERT"] in scholar.given[-1]
    assert TITLES["BERT"] in answer.response
    definition = answer.response.partition("- **BERT")[0]
    assert "ttention" in definition
    assert read(answer) == 1


async def test_a_definition_stays_before_a_summary_and_in_the_file(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(SUMMARY)) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "어텐션 개념을 설명하고 논문을 찾아 요약해서 파일로 저장해줘")
        _, path = await dure.runs.artifact("default", answer.metadata["run_id"], answer.metadata["artifacts"][0]["id"])
        saved = path.read_text("utf-8")
    assert agents == ["glossary", "search_paper", "summarize", "save_file"]
    for told in (answer.response, saved):
        assert "Attention" in told.partition("요약입니다.")[0]
        assert "요약입니다." in told
        assert "논문 5편을 찾았습니다" not in told


async def test_the_paper_that_a_table_names_is_read(opened, make_scholar, ask) -> None:
    scholar = make_scholar(SUMMARY, sql=["SELECT title FROM papers WHERE title LIKE 'Deep Residual%'"])
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "인용이 가장 많은 논문을 골라서 요약해줘")
    assert agents == ["text2sql", "summarize"]
    assert read(answer) == 1
    assert "# Deep Residual Learning for Image Recognition" in scholar.given[-1]
    assert "```sql" in answer.response


async def test_a_summary_is_shown_as_it_comes(opened, make_scholar) -> None:
    async with ScriptedServer(respond=make_scholar(SUMMARY)) as server:
        dure = await opened(server)
        events = [event async for event in dure.stream("GPT-3 논문 요약해줘", team="papers")]
        answer = await dure.runs.answer("default", events[0].run_id)
    assert answer.response.startswith("- **Language Models are Few-Shot Learners**")
    assert not any(isinstance(event, TextRetracted) for event in events)


PIECE = 2000


def library(total: int, sections: int = 10) -> Tool:
    """A `read_paper` whose papers have full texts of `total` pieces, numbered at both ends."""
    texts = [f"S{n:03d}:" + "x " * (PIECE // 2 - 10) + f":E{n:03d}" for n in range(total)]

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        data = {"full": True, "sections": [f"sec{n}" for n in range(sections)]}
        if not args.get("section"):
            return ToolResult("", data=data)
        first = int(args["section"][3:]) * total // sections
        last = (int(args["section"][3:]) + 1) * total // sections
        places = [(n, n * PIECE) for n in range(first, last)]
        passages = [Passage(args["paper"], "T", 1, at, at + len(texts[n]), texts[n]) for n, at in places]
        return ToolResult("", passages, data=data)

    names = {"paper": {"type": "string"}, "section": {"type": "string"}}
    return Tool("read_paper", "Read.", {"type": "object", "properties": names}, run, untrusted=True)


@pytest.mark.parametrize(("version", "calls", "together"), [(2, 8, 1), (FORMAT, 4, 4)])
async def test_papers_are_read_side_by_side_each_in_one_call(
    opened, make_scholar, ask, monkeypatch, version: int, calls: int, together: int
) -> None:
    """In records of format 2 one after another, each section in a call of its own."""
    monkeypatch.setattr("dure.agents.journal.FORMAT", version)
    monkeypatch.setattr("dure.runs.active.FORMAT", version)
    within, reading, most = ["Results", "References"], 0, 0
    texts = ("Ours is 3 % better.", "We measured towns.")

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        await asyncio.sleep(0.05)
        reading -= 1
        passages = [Passage(args["paper"], "T", 1, n, n + len(text), text) for n, text in enumerate(texts)]
        if "whole" in args:
            return ToolResult("", passages, data={"full": True, "sections": within, "within": within})
        read = [passages[within.index(args["section"])]] if "section" in args else []
        return ToolResult("", read, data={"full": True, "sections": within})

    names = {"paper": {"type": "string"}, "section": {"type": "string"}, "whole": {"type": "boolean"}}
    tool = Tool("read_paper", "Read.", {"type": "object", "properties": names}, run, untrusted=True)
    scholar = make_scholar(SUMMARY)
    scholar.means = {"wants": "comparison"}
    async with ScriptedServer(respond=scholar) as server:
        answer, _ = await ask(await opened(server, tools=[tool]), "BERT, GPT-3, T5, RoBERTa 논문을 비교해줘")
    assert (read(answer), most) == (calls, together)
    assert scholar.given[-1].count(texts[0]) == 4
    assert texts[1] not in scholar.given[-1], "what stands behind the text is not read"


def pieces_read(given: list[str], total: int) -> int:
    """Pieces of which both ends were read."""
    return sum(any(f"S{n:03d}:" in g for g in given) and any(f":E{n:03d}" in g for g in given) for n in range(total))


@pytest.mark.parametrize(
    ("context", "total", "notes"), [(8192, 80, "n " * 1000), (4096, 50, "n " * 1000), (2048, 20, "m")]
)
async def test_all_of_a_long_paper_is_read_within_the_window(
    opened, make_scholar, ask, context: int, total: int, notes: str
) -> None:
    scholar = make_scholar(SUMMARY, notes=notes)
    async with ScriptedServer(respond=scholar, context=context, kind="vllm") as server:
        dure = await opened(server, tools=[library(total)])
        answer, _ = await ask(dure, "BERT 논문 요약해줘")
    assert pieces_read(scholar.given, total) == total
    assert max(map(len, scholar.given)) < context
    assert "앞부분" not in answer.response


async def test_several_long_papers_share_the_window_and_what_is_not_read_is_said(opened, make_scholar, ask) -> None:
    scholar = make_scholar(SUMMARY, notes="n " * 1000)
    scholar.means = {"wants": "comparison"}
    async with ScriptedServer(respond=scholar, context=8192, kind="vllm") as server:
        dure = await opened(server, tools=[library(80)])
        answer, _ = await ask(dure, "BERT, GPT-3, T5, RoBERTa 논문을 비교해줘")
    assert max(map(len, scholar.given)) < 8192
    assert "Compare the papers" in scholar.tasks[-1]
    assert answer.response.count("만 읽고 정리했습니다") == 4
    percents = [
        int(line.split("앞부분 ")[1].split("%")[0]) for line in answer.response.splitlines() if "앞부분" in line
    ]
    (bert,) = {
        sum(f"{mark}{n:03d}" in g for g in scholar.given if "# BERT" in g for n in range(80)) for mark in ("S", ":E")
    }
    assert abs(percents[0] - bert * 100 // 80) <= 1


async def test_a_small_model_says_how_much_it_has_read(opened, make_scholar, ask) -> None:
    scholar = make_scholar(SUMMARY)
    async with ScriptedServer(respond=scholar) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        dure = await opened(model=model, tools=[library(20)])
        answer, _ = await ask(dure, "BERT 논문 요약해줘")
    assert "앞부분 11%만 읽고 정리했습니다" in answer.response
    assert max(map(len, scholar.given)) < 2500


async def test_a_long_text_of_the_user_is_read_in_parts(opened, make_scholar, ask) -> None:
    scholar = make_scholar(SUMMARY)
    sentences = " ".join(f"문장 {n}번입니다." for n in range(1500))
    async with ScriptedServer(respond=scholar, context=8192, kind="vllm") as server:
        dure = await opened(server)
        answer, agents = await ask(dure, f"다음 글을 요약해줘: {sentences}")
    assert agents == ["summarize"]
    assert all(any(f"문장 {n}번" in g for g in scholar.given) for n in range(1500))
    assert max(map(len, scholar.given)) < 8192
    assert answer.response == "요약입니다."


@pytest.mark.parametrize(
    ("message", "papers"),
    [
        ("Transformer 논문 찾아서 요약해줘", 1),
        ("Transformer 관련 논문 3편 찾아서 각각 요약해줘", 3),
        ("Find three papers on transformers and summarize each", 3),
    ],
)
async def test_as_many_are_summarised_as_are_asked_for(opened, make_scholar, ask, message: str, papers: int) -> None:
    scholar = make_scholar(SUMMARY)
    scholar.means = dict(zip(["of", "also", "third"], "123"[:papers], strict=False))
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, message)
    assert read(answer) == papers
    assert answer.response.count("요약입니다.") == papers
    assert len({call["args"]["paper"] for call in answer.tool_calls if call["name"] == "read_paper"}) == papers
    assert all("Summarise the paper" in task for task in scholar.tasks)


@pytest.mark.parametrize("message", ["BERT 논문이랑 GPT-3 논문 찾아서 요약해줘", "BERT와 GPT-3 논문 요약해줘"])
async def test_all_named_papers_are_summarised_each(opened, make_scholar, ask, message: str) -> None:
    scholar = make_scholar(SUMMARY)
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, message)
    assert TITLES["BERT"] in answer.response
    assert TITLES["GPT-3"] in answer.response
    assert answer.response.count("요약입니다.") == 2
    assert not any("Compare" in task for task in scholar.tasks)


async def test_more_than_four_are_compared(opened, make_scholar, ask) -> None:
    async with ScriptedServer(respond=make_scholar(SUMMARY)) as server:
        dure = await opened(server)
        answer, _ = await ask(dure, "BERT, GPT-3, T5, RoBERTa, ELECTRA 논문을 비교해줘")
    assert [name for name, title in TITLES.items() if title not in answer.response] == []
    assert "빠진 것" not in answer.response


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("BERT와 MambaFormerXYZ 논문을 비교해줘", "빠진 것: MambaFormerXYZ"),
        ("Compare BERT, GPT-3 and FooNet-2", "does not have it by this name: FooNet-2"),
    ],
)
async def test_what_the_library_does_not_have_is_said(opened, make_scholar, ask, message: str, said: str) -> None:
    scholar = make_scholar(SUMMARY)
    scholar.means = {"wants": "comparison", "missing": said.rpartition(" ")[2]}
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, message)
    assert agents == ["summarize"]
    assert said in answer.response
    assert TITLES["BERT"] in answer.response


def reading(*texts: str) -> Tool:
    """A `read_paper` that has one text for each paper, in the order in which they are read."""
    shown: list[str] = []

    async def run(args: dict[str, Any], context: ToolContext) -> ToolResult:
        shown.append(text := texts[len(shown)])
        return ToolResult("", [Passage(args["paper"], "T", 1, 0, len(text), text)], data={"full": True, "sections": []})

    return Tool("read_paper", "Read.", {"type": "object", "properties": {"paper": {"type": "string"}}}, run)


async def compared(opened, make_scholar, ask, words: str) -> Any:
    scholar = make_scholar(words)
    scholar.means = {"wants": "comparison"}
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[reading("It has 96 layers.", "It has 24 layers. BERT has 12 here.")])
        return (await ask(dure, "BERT, GPT-3 논문을 비교해줘"))[0]


async def test_a_comparison_tells_no_figure_of_one_paper_as_anothers(opened, make_scholar, ask) -> None:
    words = "BERT는 96층, GPT-3는 24층입니다. BERT는 24층입니다. GPT-3는 24층입니다. 둘은 다릅니다."
    answer = await compared(opened, make_scholar, ask, words)
    assert "BERT는 96층, GPT-3는 24층입니다. GPT-3는 24층입니다. 둘은 다릅니다." in answer.response
    assert answer.response.endswith("\n\n해당 논문에서 찾지 못한 수치라 뺐습니다: 24")


async def test_a_figure_stands_in_the_paper_that_is_cited_whichever_is_named(opened, make_scholar, ask) -> None:
    words = (
        "| | 첫째 | 둘째 |\n|---|---|---|\n| 층 | 24 [1] | 24 [2] |\n\nBERT는 거기서 12층입니다 [2]. BERT는 12층 [1]."
    )
    answer = await compared(opened, make_scholar, ask, words)
    table, told, note = answer.response.split("\n\n")[1:]
    assert table.splitlines()[2].startswith("| 층 | –")
    assert "24" in table.splitlines()[2]
    assert told.startswith("BERT는 거기서 12층입니다 [")
    assert told.count("BERT") == 1
    assert note == "해당 논문에서 찾지 못한 수치라 뺐습니다: 24, 12"
    assert not any(note in check["sentence"] for check in answer.metadata.get("checks", ()))


@pytest.mark.parametrize(
    "mark", ["# {}", "**{}**", "- **{}** — Jacob Devlin, Ming-Wei Chang, Kenton Lee et al. (2019, NAACL)", "{}"]
)
async def test_a_title_that_the_model_writes_too_stands_there_once(opened, make_scholar, ask, mark: str) -> None:
    title = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
    async with ScriptedServer(respond=make_scholar(f"{mark.format(title)}\n\n{SUMMARY}")) as server:
        answer, _ = await ask(await opened(server), "BERT 논문 요약해줘")
    assert answer.response.count(title) == 1
    assert SUMMARY in answer.response


@pytest.mark.parametrize(
    ("wants", "message"),
    [
        ("summary", "BERT 논문을 정리해줘"),
        ("summary", "BERT, GPT-3 논문을 정리해줘"),
        ("comparison", "BERT, GPT-3 논문을 정리해줘"),
    ],
)
async def test_the_titles_above_are_held_against_no_text(opened, make_scholar, ask, wants: str, message: str) -> None:
    scholar = make_scholar("It has 96 layers [1]. It was tested on 7 tasks.")
    scholar.means = {"wants": wants}
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server, tools=[reading("It has 96 layers.", "It has 24 layers.")])
        answer, _ = await ask(dure, message)
    assert "**BERT: " in answer.response
    assert [each["sentence"] for each in answer.metadata.get("checks", ()) if "**" in each["sentence"]] == []


async def test_what_is_said_below_of_a_card_the_model_is_told_not_to_say(opened, make_scholar, ask) -> None:
    scholar = make_scholar(SUMMARY)
    async with ScriptedServer(respond=scholar) as server:
        answer, _ = await ask(await opened(server), "BERT 논문 요약해줘")
        carded = scholar.tasks[-1]
    assert answer.response.count("전문이 없어 등록된 요약 정보만으로 정리했습니다.") == 1
    assert "That its full text is not here stands below" in carded


@pytest.mark.parametrize(("part", "calls"), [("limits", 1), ("whole", 2)])
async def test_what_several_papers_say_to_one_thing_is_told_together(opened, make_scholar, ask, part, calls) -> None:
    scholar = make_scholar(SUMMARY)
    scholar.means = {"wants": "summary", "part": part}
    async with ScriptedServer(respond=scholar) as server:
        answer, _ = await ask(await opened(server), "BERT와 GPT-3 논문이 남긴 과제는?")
    tasks = [each for each in scholar.tasks if "Use only what stands in the text" in each]
    assert len(tasks) == calls
    assert ("all of the papers together" in tasks[0]) == (part == "limits")
    assert all(TITLES[name] in answer.response for name in ("BERT", "GPT-3"))
