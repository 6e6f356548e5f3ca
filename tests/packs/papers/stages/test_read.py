"""Questions about what papers say: over real HTTP, a PDF that is brought along, and the shipped library."""

from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dure import Dure, Team
from dure.models import ChatClient, Model
from dure.packs.papers.opened import papers_of
from dure.packs.papers.stages import summarize, within
from dure.packs.papers.stages.read import parts
from dure.testing import ScriptedServer

SEEDS = [
    [(22, "SowNet: Sowing Seeds by Numbers"), (11, "Ada Lovelace"), (12, "Abstract"), (11, "We harvest by counting.")],
    [(12, "1 Introduction"), (11, "Seeds were sown by hand."), (12, "2 Method"), (11, "Every seed has a number.")],
    [(12, "3 Results"), (11, "The zanzibar variety grew 4.7 cm."), (11, "Model RMSE MAE"), (11, "SowNet 3.38 2.11")],
]
ROOTS = [
    [(22, "RootNet: Roots Seen from Above"), (11, "Mina Park"), (12, "Abstract"), (11, "We look at roots.")],
    [
        (12, "1 Results"),
        (11, "RootNet finds 96 roots."),
        (12, "References"),
        (11, "[1] Sowing Seeds by Numbers, 1900."),
    ],
    [(11, "[2] A. Lovelace. 1900. SowNet: Sowing Seeds by Numbers. In Proc. Seeds.")],
]
SMALL = pytest.mark.parametrize("talk", [True], indirect=True, ids=["small"])
GREW = {"asks": "figure", "quote": "The zanzibar variety grew 4.7 cm.", "exact": "yes", "answer": "4.7 cm 자랐습니다."}


def alone() -> Team:
    """The reader of team `papers`, who works on everything and has nobody to take over."""
    reader = Dure().teams["papers"].agent("summarize").model_copy(update={"fallback": None})
    return Team(name="alone", kind="router", description="-", agents=[reader])


@pytest.fixture
def reading(opened):
    """`async with reading(scholar, name) as (dure, server)`: with a small model, and a PDF of the benchmark's."""

    @asynccontextmanager
    async def start(scholar, name: str):
        pdf = Path(__file__).parents[4] / "benchmarks" / "data" / "reading" / name
        async with ScriptedServer(respond=scholar) as server:
            model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
            dure = await opened(model=model, teams=[alone()])
            held = await papers_of(dure).attach("default", name, pdf.read_bytes())
            await papers_of(dure).wait("default", [held.id])
            yield dure, server

    return start


@pytest.fixture(params=[False, True], ids=["large", "small"])
async def talk(opened, make_scholar, make_pdf, request):
    """Ask team `papers`, or its reader alone, with two PDFs in the library; the scholar, and a way to ask."""
    scholar = make_scholar("두 논문의 수가 다릅니다.")
    scholar.means, scholar.needs = {"wants": "question"}, ["summarize"]
    async with ScriptedServer(respond=scholar) as server:
        model = Model(ChatClient(server.url, "scripted"), dialect="schema", small=request.param)
        dure = await opened(model=model, teams=[alone()])
        held = [await papers_of(dure).attach("default", f"{n}.pdf", make_pdf(p)) for n, p in enumerate((SEEDS, ROOTS))]
        await papers_of(dure).wait("default", [paper.id for paper in held])

        async def ask(message: str, session: str | None = None):
            return await dure.chat(message, team="alone", session_id=session)

        yield scholar, ask


@pytest.mark.parametrize("talk", [False], indirect=True, ids=["large"])
async def test_an_able_model_reads_several_papers_side_by_side(talk, monkeypatch) -> None:
    scholar, ask = talk
    scholar.reading, scholar.means = GREW, scholar.means | {"of": "1", "also": "2"}
    reading, most, quotes = 0, 0, within._quotes

    async def counted(*args) -> None:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        await quotes(*args)
        reading -= 1

    monkeypatch.setattr(within, "_quotes", counted)
    answer = await ask("SowNet and RootNet: how far did the zanzibar variety grow?")
    assert most == 2
    assert "4.7 cm" in answer.response


async def test_the_answer_comes_with_the_page_and_the_sentence_that_tells_it(talk) -> None:
    scholar, ask = talk
    scholar.reading = GREW
    answer = await ask("SowNet에서 zanzibar는 얼마나 자랐어?")
    assert answer.response.startswith("4.7 cm 자랐습니다. [1]")
    assert "SowNet: Sowing Seeds by Numbers, 3쪽" in answer.response
    (citation,) = answer.citations
    assert (citation.page, citation.quote) == (3, "The zanzibar variety grew 4.7 cm.")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("SowNet에서 zanzibar는 얼마나 자랐어?", "4.7 厘米"),
        ("How much did zanzibar grow in SowNet?", "4.7 cm 자랐습니다."),
    ],
)
async def test_words_of_a_language_that_nobody_used_give_way_to_the_sentence(talk, question, told) -> None:
    scholar, ask = talk
    scholar.reading = GREW | {"answer": told}
    answer = await ask(question)
    assert answer.response.removeprefix("“").replace("”", "").startswith("The zanzibar variety grew 4.7 cm. [1]")


@pytest.mark.parametrize(
    "reading",
    [
        GREW | {"answer": "5.2 cm 자랐습니다."},
        GREW | {"exact": "no"},
        GREW | {"quote": "The zanzibar variety grew 5.2 cm."},
        GREW | {"quote": "Bananas were never grown in that house."},
        GREW | {"answer": "많이 자랐습니다."},
    ],
    ids=[
        "figure that stands nowhere",
        "not what is asked",
        "false copy",
        "invented copy",
        "no figure where one is asked",
    ],
)
@SMALL
async def test_what_does_not_stand_there_is_not_said(talk, reading) -> None:
    scholar, ask = talk
    scholar.reading = reading
    answer = await ask("SowNet에서 zanzibar는 얼마나 자랐어?")
    # It may have overlooked it: what stands nearest is shown beside the answer, and not said.
    title, places = "SowNet: Sowing Seeds by Numbers", "- 3쪽 [1]\n- 3쪽 [2]\n- 1쪽 [3]"
    assert answer.response == f"이 논문에서 답을 찾지 못했습니다: {title}. 가장 가까운 곳:\n\n{places}"
    assert answer.citations[0].quote == GREW["quote"]


@SMALL
@pytest.mark.parametrize(("told", "shown"), [("It grew 4.7 cm.", True), ("4.7 metres", False), ("5.2", False)])
async def test_a_figure_is_shown_in_the_line_that_holds_it_and_its_words(talk, told, shown) -> None:
    scholar, ask = talk
    scholar.reading, scholar.said = GREW | {"quote": "We harvest by counting.", "answer": told}, told
    answer = await ask("SowNet에서 zanzibar는 얼마나 자랐어?")
    assert answer.response.startswith(told) == shown
    assert not shown or [each.quote for each in answer.citations] == [GREW["quote"]]


@pytest.mark.parametrize(
    ("said", "sure", "quote", "told"),
    [
        ("4.7 cm", 0.9, "", "4.7 cm [1]"),
        ("4.7 cm", 0.1, GREW["quote"], "4.7 cm 자랐습니다. [1]"),
        ("4.7 cm", 0.1, "We harvest by counting.", None),
        ("4.7 cm", 0.1, "", None),
        ("none", 0.9, GREW["quote"], None),
        ("9 cm", 0.9, GREW["quote"], None),
    ],
    ids=["sure", "two agree", "two differ", "none to agree", "it says none", "nowhere"],
)
@SMALL
async def test_a_small_model_is_sure_or_chooses_the_line_that_it_says_it_of(talk, said, sure, quote, told) -> None:
    scholar, ask = talk
    scholar.reading, scholar.said, scholar.sure = GREW | {"quote": quote}, said, sure
    answer = (await ask("SowNet에서 zanzibar variety는 얼마나 grew?")).response
    assert answer.startswith(told or "이 논문에서 답을 찾지 못했습니다")


@SMALL
async def test_a_small_model_tells_nothing_from_lines_that_are_far_from_the_question(talk) -> None:
    scholar, ask = talk
    scholar.reading = {"asks": "words", "quote": "We harvest by counting.", "exact": "yes", "answer": "by counting"}
    told = (await ask("SowNet의 zanzibar variety는 왜 grew 했어?")).response
    assert told.startswith("이 논문에서 답을 찾지 못했습니다")
    # But where what is asked about stands nowhere else.
    told = (await ask("SowNet의 zanzibar variety는 왜 4.7 cm나 grew 했어? counting 때문이야?")).response
    assert told.startswith("“We harvest by counting.”")
    scholar.reading |= {"quote": GREW["quote"], "answer": "the zanzibar variety"}
    assert (await ask("SowNet의 zanzibar variety는 왜 grew 했어?")).response.startswith("“The zanzibar variety grew")


async def test_a_small_model_guesses_in_the_papers_language_and_nobody_is_told(talk, request) -> None:
    scholar, ask = talk
    scholar.reading, scholar.words = GREW, "It grew 9.9 cm.\nMore."
    answer = await ask("SowNet에서 zanzibar는 얼마나 자랐어?")
    guesses = [task for task in scholar.tasks if task.startswith("Write one sentence as it may stand")]
    assert len(guesses) == ("[small]" in request.node.name)
    assert "9.9" not in answer.response


@SMALL
async def test_a_measure_that_the_paper_nowhere_names_needs_no_reading(talk) -> None:
    scholar, ask = talk
    scholar.reading = GREW
    answer = await ask("SowNet의 CER은?")
    assert answer.response.endswith("질문의 CER은(는) 이 논문에 나오지 않습니다.")
    assert not any("found" in form for form in scholar.asked)


async def test_several_papers_are_read_for_the_same_question_a_row_each(talk) -> None:
    scholar, ask = talk
    scholar.reading = {"asks": "figure", "quote": "RootNet finds 96 roots.", "exact": "yes", "answer": "96개"}
    answer = await ask("SowNet이랑 RootNet은 각각 몇 개를 찾았어?")
    rows = [line for line in answer.response.splitlines() if line.startswith("| ")]
    assert len(rows) == 4
    assert any("RootNet: Roots" in row and "96개 [1]" in row and "| 2 |" in row for row in rows)
    assert any("SowNet: Sowing" in row and ("이 논문에는 없습니다" in row or "답을 찾지 못함" in row) for row in rows)


@pytest.mark.parametrize("talk", [False], indirect=True, ids=["large"])
async def test_papers_that_are_too_many_to_be_asked_are_said(talk, monkeypatch) -> None:
    scholar, ask = talk
    monkeypatch.setattr(summarize, "_MOST", 1)
    scholar.reading, scholar.means = GREW, scholar.means | {"of": "1", "also": "2"}
    answer = await ask("How far did the variety grow in SowNet and RootNet?")
    assert answer.response.endswith("At most 1 papers are read at once. Not read: RootNet: Roots Seen from Above")


async def test_who_cites_whom_is_known_from_the_references_of_pdfs(talk) -> None:
    scholar, ask = talk
    scholar.means = {"wants": "citations", "of": "1"}
    answer = await ask("SowNet을 인용한 논문은?")
    assert "인용한 논문 1편" in answer.response
    assert "1. **RootNet: Roots Seen from Above**" in answer.response
    scholar.means = {"wants": "citations", "of": "1", "also": "2"}
    answer = await ask("SowNet과 RootNet 중 어느 쪽이 인용했어?")
    assert answer.response == (
        "**RootNet: Roots Seen from Above** — 이 논문이 **SowNet: Sowing Seeds by Numbers**을(를) 인용합니다."
    )


ROOTED, SOWING = "RootNet: Roots Seen from Above", "SowNet: Sowing Seeds by Numbers"
CITES = f"**{ROOTED}**이(가) 인용한 논문 가운데 목록에 있는 1편\n\n1. **{SOWING}**"


@pytest.mark.parametrize("talk", [False], indirect=True, ids=["large"])
async def test_an_able_model_says_which_of_the_two_ways_of_citing_is_asked(talk) -> None:
    scholar, ask = talk
    scholar.means = {"wants": "references", "of": "1"}
    assert (await ask("RootNet이 인용한 논문은?")).response == CITES
    scholar.means["also"] = "2"
    said = (await ask("RootNet과 SowNet은 무엇을 인용했어?")).response
    none = f"{SOWING}의 참고문헌은 여기에 알려져 있지 않거나, 그 가운데 논문 목록에 있는 것이 없습니다."
    assert said == f"{CITES}\n\n{none}"


@SMALL
async def test_a_small_model_whose_form_has_one_word_for_both_is_told_both(talk) -> None:
    scholar, ask = talk
    scholar.means = {"wants": "citations", "of": "1"}
    said = (await ask("RootNet이 인용한 논문은?")).response
    assert said == f"논문 목록에 **{ROOTED}**을(를) 인용한 논문은 없습니다.\n\n{CITES}"


@pytest.mark.parametrize("talk", [False], indirect=True, ids=["large"])
async def test_the_papers_that_were_told_as_citing_are_those_that_were_shown(talk) -> None:
    scholar, ask = talk
    scholar.means = {"wants": "references", "of": "1"}
    await ask("RootNet이 인용한 논문은?", "s")
    scholar.means = {"wants": "summary", "of": "all"}
    said = (await ask("그것들 요약해줘", "s")).response
    assert ROOTED in said
    assert SOWING in said


async def test_a_paper_that_is_not_here_is_not_answered_from_elsewhere(opened, make_scholar) -> None:
    scholar = make_scholar("DPR은 79.4입니다.")
    scholar.means, scholar.needs = {"wants": "question", "missing": "Zorblax"}, ["summarize"]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer = await dure.chat("Zorblax 논문의 정확도는?", team="papers")
    assert "논문 목록에서 이 이름으로 찾지 못했습니다: Zorblax." in answer.response
    assert "79.4" not in answer.response
    assert scholar.tasks == []


async def test_what_is_compared_within_one_paper_is_a_question(talk) -> None:
    scholar, ask = talk
    scholar.reading, scholar.means = GREW, {"wants": "comparison", "of": "1"}
    answer = await ask("SowNet에서 zanzibar는 다른 것보다 얼마나 자랐어?")
    assert answer.response.startswith("4.7 cm 자랐습니다. [1]")


async def test_a_cell_is_told_by_row_and_column_as_it_stands(reading, make_scholar) -> None:
    row = (
        "Model: Gaussian process | Capacity RMSE validation: 1.87 | Capacity RMSE primary test: 1.98 | "
        "Capacity RMSE secondary test: 2.75 | EOL MAPE primary test: 13.6 | EOL MAPE secondary test: 17.7"
    )
    scholar = make_scholar()
    scholar.means, scholar.needs = {"wants": "question"}, ["summarize"]
    async with reading(scholar, "qfade-2022.pdf") as (dure, _):
        scholar.reading = {"asks": "cell", "quote": row, "column": "EOL MAPE secondary test", "exact": "yes"}
        answer = await dure.chat("Q-Fade 논문에서 Gaussian process의 두 번째 시험 MAPE는?", team="alone")
        assert answer.response.startswith("Model: Gaussian process · EOL MAPE secondary test: 17.7 [1]")
        assert answer.citations[0].quote == row
        # Sentences may count in what is asked for; a table says once what its figures are in.
        percent = await dure.chat("Q-Fade 논문에서 Gaussian process의 두 번째 시험 MAPE는 몇 퍼센트야?", team="alone")
        assert percent.response == answer.response
        # Of two cells that it says neither is told.
        scholar.said = "13.6, 17.7"
        answer = await dure.chat("Q-Fade 논문에서 Gaussian process의 두 번째 시험 MAPE는?", team="alone")
        assert answer.response.startswith("이 논문에서 답을 찾지 못했습니다")
        scholar.said = None
        # None is told of a row that a question in its language does not name.
        answer = await dure.chat("What is the MAPE of the secondary test in Q-Fade?", team="alone")
        assert answer.response.startswith("No answer was found in the paper")
        scholar.reading = {"asks": "words", "quote": row, "exact": "yes", "answer": "17.7 %입니다."}
        answer = await dure.chat("Q-Fade 논문에서 Gaussian process의 두 번째 시험 MAPE는?", team="alone")
        assert answer.response.startswith("Model: Gaussian process · EOL MAPE secondary test: 17.7 [1]")
        scholar.said = "13.6 and 17.7"
        answer = await dure.chat("Q-Fade 논문에서 Gaussian process의 두 번째 시험 MAPE는?", team="alone")
        assert answer.response.startswith("이 논문에서 답을 찾지 못했습니다")
        # Of a cell that the question names by its row and its column it is asked once, where it is sure.
        named = "In Q-Fade, what EOL MAPE has the Gaussian process on the secondary test?"
        scholar.reading = {"quote": "", "exact": "no", "answer": ""}
        for scholar.said, scholar.sure, told in (("17.7", 0.95, True), ("17.7", 0.5, False), ("13.6", 0.95, False)):
            answer = await dure.chat(named, team="alone")
            assert answer.response.startswith("Model: Gaussian process · EOL MAPE secondary test: 17.7 [1]") == told
        # A cell whose row and column the question has no word of is not told.
        scholar.said, scholar.reading = None, {"asks": "cell", "exact": "yes"}
        scholar.reading |= {"quote": "Window: 20–60% SOC | Cycles: 10 | RMSE (%): 2.20", "column": "Cycles"}
        answer = await dure.chat("Q-Fade 논문의 학습에 쓴 배치 크기는?", team="alone")
        assert answer.response.startswith("이 논문에서 답을 찾지 못했습니다")


async def test_words_of_our_own_around_a_question_are_none_of_it(reading, make_scholar) -> None:
    scholar = make_scholar()
    scholar.means, scholar.needs = {"wants": "question"}, ["summarize"]
    row = "Set: KoWikiQA dev | Questions: 940 | Passages: 1,263,408 | Length: 9.5"
    scholar.reading = {"asks": "cell", "quote": row, "column": "Questions", "exact": "yes"}
    async with reading(scholar, "calia2022-morphdense.pdf") as (dure, _):
        answer = await dure.chat("MorphDense는 어디에서 돌렸대?", team="alone")
    assert answer.response.startswith("이 논문에서 답을 찾지 못했습니다")


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("크기 비교해줘: SowNet 씨앗 몇 개, RootNet 뿌리 몇 개", ["SowNet 씨앗 몇 개", "RootNet 뿌리 몇 개"]),
        (
            "how many seeds in SowNet, how many roots in RootNet?",
            ["how many seeds in SowNet", "how many roots in RootNet?"],
        ),
        ("SowNet, RootNet: how many seeds?", None),
        ("SowNet 씨앗 몇 개, RootNet은 왜?", None),
    ],
)
def test_of_several_papers_each_is_asked_its_own_part(message, asked) -> None:
    papers = [{"id": "1", "title": "Sowing by Numbers", "aliases": ["SowNet"]}, {"id": "2", "title": "RootNet"}]
    assert parts(message, papers) == (asked or [message, message])
    assert parts(message, papers[:1]) == [message]
