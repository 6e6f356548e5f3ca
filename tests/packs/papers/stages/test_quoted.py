"""An able model quotes what papers say: over real HTTP, PDFs of the benchmark and small ones that are made."""

import json
import re
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dure import Dure, Team
from dure.models import ChatClient, Model
from dure.packs.papers.opened import papers_of
from dure.testing import ScriptedServer

PDFS = Path(__file__).parents[4] / "benchmarks" / "data" / "reading"
GATEFLOW, RAINGATE, MORPHDENSE = "GateFlow_camera_ready.pdf", "KITS-2023-041.pdf", "calia2022-morphdense.pdf"
BUSES, GARLIC, GALLAGHER = "전기버스_SOH_전이학습_2024.pdf", "마늘수확량_드론_2024.pdf", "gallagher-etal-2022.pdf"
NOT_SAID, NOT_FOUND = "이 논문에는 없습니다", "이 논문에서 답을 찾지 못했습니다"


@pytest.fixture
def library(opened, make_scholar):
    """`async with library(*papers) as (scholar, ask, server)`: an able model, the reader of team `papers` and these
    PDFs, by the benchmark's names or as bytes."""

    @asynccontextmanager
    async def start(*papers: str | bytes, context: int = 32_768):
        scholar = make_scholar()
        scholar.means, scholar.needs = {"wants": "question", "of": "1"}, ["summarize"]
        async with ScriptedServer(respond=scholar) as server:
            model = Model(ChatClient(server.url, "scripted"), dialect="schema", context=context)
            reader = Dure().teams["papers"].agent("summarize").model_copy(update={"fallback": None})
            dure = await opened(
                model=model, teams=[Team(name="alone", kind="router", description="-", agents=[reader])]
            )
            for each in papers:
                name, data = ("made.pdf", each) if isinstance(each, bytes) else (each, (PDFS / each).read_bytes())
                held = await papers_of(dure).attach("default", name, data)
                await papers_of(dure).wait("default", [held.id])

            async def ask(message: str):
                answer = await dure.chat(message, team="alone")
                return answer.response, [each.quote for each in answer.citations], answer.metadata.get("checks")

            yield scholar, ask, server

    return start


ANSWERED = [
    (
        MORPHDENSE,
        "what MRR did MorphDense reach without lexical fusion, and by how much is that better than BM25?",
        "MorphDense reached an MRR@10 of 60.7; the best BM25, over morphemes, has 48.3, 12.4 points less.",
        ["System: MorphDense | ", "System: BM25 (morpheme) | "],
    ),
    (
        GATEFLOW,
        "GateFlow에서 학습 스케줄을 빼면 RMSE가 얼마나 나빠져?",
        "60분 RMSE가 6.48에서 6.91로 0.43km/h 나빠집니다.",
        ["Variant: GateFlow | ", "Variant: no horizon schedule | "],
    ),
    (
        RAINGATE,
        "KITS 2023-041 논문에서 제안한 모형의 RMSE는 가장 강한 비교 모형보다 얼마나 낮아?",
        "60분 전체 기준으로 RainGate의 RMSE는 5.87km/h로, 가장 강한 GateFlow+관측소(6.27km/h)보다 0.40km/h 낮습니다.",
        ["모형: GateFlow+관측소 | ", "모형: RainGate | "],
    ),
    (
        GALLAGHER,
        "gallagher 논문에서 피드백을 늦게 준 게 왜 효과가 있었대?",
        "내용을 간격을 두고 다시 만나게 하고, 더 오래 읽혔기 때문입니다(효과의 3분의 1 이상을 설명).",
        ["Feedback after a delay is a second, spaced encounter", "It is read longer"],
    ),
]


@pytest.mark.parametrize(("pdf", "question", "says", "lines"), ANSWERED, ids=[each[0] for each in ANSWERED])
async def test_several_lines_are_quoted_and_each_has_its_number(library, pdf, question, says, lines) -> None:
    async with library(pdf) as (scholar, ask, _):
        scholar.statements = [[(says, lines)]]
        response, quotes, checks = await ask(question)
    assert response.startswith(f"{says} [1][2]\n\n(")
    assert [any(quote.startswith(line) for line in lines) for quote in quotes] == [True, True]
    assert len(scholar.shown) == 1
    assert not checks


async def test_of_two_parts_the_one_that_is_not_told_is_said_to_be(library) -> None:
    async with library(GATEFLOW) as (scholar, ask, _):
        told = "They used no rain sensors: weather is not among the inputs."
        scholar.statements = [[(told, ["Neither weather nor"]), ("The GPU is not named.", [])]]
        response, quotes, _ = await ask("In the GateFlow paper, how much did rain sensors help? And which GPU was it?")
    assert response.startswith(f"{told} [1]\n\nThe GPU is not named.\n\n(GateFlow: ")
    assert [quote[:19] for quote in quotes] == ["Neither weather nor"]


async def test_what_is_not_told_stands_where_it_was_asked(library) -> None:
    async with library(GATEFLOW) as (scholar, ask, _):
        told = "They used no rain sensors: weather is not among the inputs."
        scholar.statements = [[("The GPU is not named.", []), (told, ["Neither weather nor"])]]
        response, _, _ = await ask("In the GateFlow paper, which GPU was it? And how much did rain sensors help?")
    assert response.startswith(f"The GPU is not named.\n\n{told} [1]\n\n(GateFlow: ")


async def test_that_a_paper_does_not_tell_may_be_said_in_any_language(library) -> None:
    async with library(MORPHDENSE) as (scholar, ask, _):
        scholar.statements = [[("나오지 않습니다.", [])]]
        response, _, _ = await ask("what does MorphDense cost?")
    assert response.startswith("The paper does not say: “what does MorphDense cost?” (MorphDense")


async def test_an_abbreviation_that_the_paper_has_not_does_not_take_the_other_part_with_it(library) -> None:
    async with library(GATEFLOW) as (scholar, ask, _):
        scholar.statements = [[("검지기는 236개입니다.", ["DaeguLoop has 236"]), ("TPU는 나오지 않습니다.", [])]]
        response, _, _ = await ask("GateFlow의 검지기는 몇 개고 TPU는 뭘 썼어?")
        assert response.startswith("검지기는 236개입니다. [1]\n\nTPU는 나오지 않습니다.")
        scholar.statements = [[("TPU는 나오지 않습니다.", [])]]
        response, _, _ = await ask("GateFlow에서 TPU는 뭘 썼어?")
    assert response.startswith(f"{NOT_SAID}: “GateFlow에서 TPU는 뭘 썼어?” (GateFlow")
    assert response.endswith("질문의 TPU은(는) 이 논문에 나오지 않습니다.")


async def test_a_table_that_is_asked_for_is_one(library) -> None:
    async with library(MORPHDENSE) as (scholar, ask, server):
        scholar.columns = ["모형", "MRR@10"]
        rows = [("MorphDense | 60.7", ["System: MorphDense | "]), ("BM25 | 48.3", ["System: BM25 (morpheme) | "])]
        scholar.statements = [[*rows, ("가격은 나오지 않습니다.", [])]]
        response, quotes, _ = await ask("MorphDense와 BM25의 MRR과 가격을 표로 정리해줘")
        table = "| 모형 | MRR@10 |\n| --- | --- |\n| MorphDense | 60.7 [1] |\n| BM25 | 48.3 [2] |"
        assert response.startswith(f"{table}\n\n가격은 나오지 않습니다.\n\n(")
        assert len(quotes) == 2
        assert "\ncolumns: " in server.requests[-1]["messages"][0]["content"]
        scholar.statements = [[*rows[:1], ("BM25 | 48.9", rows[1][1])]]
        wrong, _, _ = await ask("MorphDense와 BM25의 MRR을 표로 정리해줘")
        assert wrong.startswith(table[: table.index("\n| BM25")] + "\n\n“System: BM25 (morpheme) | ")
        scholar.statements = [[("MorphDense | 60.7 | 0.9", rows[0][1])]]
        odd, _, _ = await ask("MorphDense와 BM25의 MRR을 표로 정리해줘")
        assert "| --- |" not in odd


async def test_several_papers_have_a_row_each_with_all_lines(library) -> None:
    async with library(BUSES, GARLIC) as (scholar, ask, _):
        scholar.means |= {"also": "2"}
        scholar.statements = [
            [("제안 방법의 오차입니다.", ["방법: 제안 방법 | RMSE: 1.87", "모형: 융합 모형 | 검증 RMSE"])]
        ]
        response, quotes, _ = await ask("전기버스 전이학습 논문과 마늘 수확량 드론 논문의 시험 오차는 각각 얼마였어?")
    rows = [line for line in response.splitlines() if line.startswith("| ")][2:]
    assert sorted(row.split(" | ")[1] for row in rows) == [f"제안 방법의 오차입니다. [{n}]" for n in (1, 2)]
    assert len(quotes) == 2


@pytest.mark.parametrize(("more", "shown"), [("0.41", False), ("0.40", True)])
async def test_what_is_made_of_several_papers_may_work_a_figure_out(library, more, shown) -> None:
    async with library(RAINGATE, GATEFLOW) as (scholar, ask, _):
        scholar.means |= {"also": "2"}
        scholar.statements = [
            [("5.87과 6.27입니다.", ["모형: RainGate |", "모형: GateFlow+관측소 |", "Variant: GateFlow |"])]
        ]
        scholar.words = f"5.87은 6.27보다 {more} 낮습니다."
        response, _, _ = await ask("KITS 2023-041과 GateFlow의 오차는?")
    assert (scholar.words in response) == shown


async def test_a_figure_that_no_quoted_line_has_is_asked_about_once(library) -> None:
    async with library(RAINGATE) as (scholar, ask, server):
        says, rows = ANSWERED[2][2], ANSWERED[2][3]
        scholar.statements = [[(says, rows[1:])], [(says, rows)]]
        response, quotes, _ = await ask(ANSWERED[2][1])
    assert response.startswith(f"{says} [1][2]")
    assert len(quotes) == 2
    told = server.requests[-1]["messages"][-1]["content"]
    assert "- 6.27 stands in no line that is quoted" in told
    assert "- 0.40 stands in no line that is quoted" in told


async def test_what_does_not_stand_gives_way_to_the_lines_and_what_stands_stays(library) -> None:
    async with library(RAINGATE) as (scholar, ask, _):
        wrong, row = "RMSE는 5.12km/h입니다.", "모형: RainGate | "
        scholar.statements = [[(wrong, [row]), ("대전 자료입니다.", ["대전광역시 도심 312개"])]]
        response, quotes, _ = await ask("KITS 2023-041 논문의 RMSE와 자료는?")
        assert len(scholar.shown) == 2
        assert response.startswith("“모형: RainGate | 15분 전체: 3.94 | ")
        assert "[1] 대전 자료입니다. [2]\n\n(인용한 곳으로 확인되지 않는 말은 빼고" in response
        assert "5.12" not in response
        assert len(quotes) == 2
        scholar.statements = [[(wrong, [])]]
        response, _, _ = await ask("KITS 2023-041 논문의 RMSE는?")
    assert response.startswith(NOT_FOUND)


@pytest.mark.parametrize(
    ("question", "says", "mended"),
    [
        ("SowNet의 Recall@5가 얼마야?", "SowNet의 Recall@5는 나오지 않습니다.", False),
        ("What MRR@10 has SowNet?", "MRR@10 is not told; the table gives Recall@20 and nDCG@10.", False),
        ("What MRR has SowNet?", "MRR@30 is not told.", True),
        ("SowNet의 Recall@5가 얼마야?", "Recall@5는 5.1입니다.", True),
    ],
)
async def test_the_figure_of_a_name_that_stands_there_is_none_by_itself(
    library, make_pdf, question: str, says: str, mended: bool
) -> None:
    """`5는` was looked for, as another number than `5가`, and the model asked once more."""
    text = [(22, "SowNet: Sowing"), (11, "We report Recall@20 and nDCG@10 of all models."), (11, "We sow by counting.")]
    async with library(make_pdf([text])) as (scholar, ask, _):
        scholar.statements = [[(says, []), ("They sow.", ["We sow"])]]
        response, _, _ = await ask(question)
    assert len(scholar.shown) == 1 + mended
    assert (says in response) != mended


async def test_results_that_stand_in_a_table_elsewhere_are_results_too(library) -> None:
    """The PDF's table of results stands below `2.3 Training`."""
    async with library(MORPHDENSE) as (scholar, ask, _):
        for part, shown in (("results", True), ("limits", False)):
            scholar.means |= {"wants": "summary", "part": part}
            await ask("MorphDense의 결과를 요약해줘")
            assert ("System: BM25 (morpheme) | " in scholar.given[-1]) == shown
            assert "Two views of a passage" not in scholar.given[-1]


async def test_a_mark_of_the_papers_own_is_none_of_ours(library) -> None:
    async with library(RAINGATE) as (scholar, ask, _):
        scholar.statements = [[("[1]의 방식을 따랐습니다.", ["예측 구간을 점차 늘리는 방식은 [1]"])]]
        response, quotes, _ = await ask("KITS 2023-041은 예측 구간을 어떻게 늘렸어?")
    assert response.startswith("[\u202f1]의 방식을 따랐습니다. [1]\n")
    assert len(quotes) == 1


@pytest.mark.parametrize("written", ['{"found": 3}', '{"found": [7, {"lines": "L1", "says": "4"}]}', "no JSON", "[]"])
async def test_a_reply_of_another_shape_says_nothing_of_the_paper(library, written, make_pdf) -> None:
    async with library(make_pdf([[(22, "SowNet: Sowing"), (11, "We harvest by counting.")]])) as (scholar, ask, _):
        scholar.statements = [written]
        response, _, _ = await ask("SowNet은 뭘 세?")
    assert response.startswith(NOT_FOUND)


async def test_lines_that_had_no_room_are_shown_before_the_paper_is_said_not_to_tell(library) -> None:
    async with library(GATEFLOW, context=6600) as (scholar, ask, _):
        scholar.statements = [[("메모리는 8 GB보다 적습니다.", ["The memory grows with"])]]
        first, _, _ = await ask("GateFlow의 메모리는?")
        assert first.startswith("메모리는 8 GB보다 적습니다. [1]")
        scholar.shown.clear()
        scholar.statements = [[("그것은 나오지 않습니다.", [])]]
        none, _, _ = await ask("GateFlow의 메모리는?")
    assert none.startswith(NOT_SAID)
    one, two = (
        {line.split(" ", 1)[1] for line in each.splitlines() if re.match(r"L\d", line)} for each in scholar.shown
    )
    assert not one & two
    assert any("no horizon schedule" in line for line in one | two)


async def test_the_form_is_short(library) -> None:
    async with library(GALLAGHER) as (scholar, ask, server):
        scholar.statements = [[("나오지 않습니다.", [])]]
        await ask("gallagher 논문의 표본은 몇 명이야?")
    form = server.requests[-1]["response_format"]
    assert len(json.dumps(form)) < 2000


async def test_an_answer_from_a_card_alone_says_so(library, make_pdf) -> None:
    """Also where one of its statements has a line: it read as if the paper did not tell the rest."""
    card, all_cards = "전문이 없어 등록된 요약 정보만으로 정리했습니다.", "다음은 전문이 없어 등록된 요약 정보만으로"
    async with library(make_pdf([[(22, "SowNet: Sowing"), (11, "We sow by counting seeds.")]])) as (scholar, ask, _):
        scholar.means |= {"of": "none"}
        scholar.statements = [[("양방향입니다.", ["BERT pretrains"]), ("GPU는 나오지 않습니다.", [])]]
        response, quotes, checks = await ask("BERT는 어떻게 학습하고 GPU는 몇 개 썼어?")
        assert response.endswith(f"\n\n{card}")
        assert len(quotes) == 1
        assert [each["sentence"] for each in checks] == ["GPU는 나오지 않습니다."]
        scholar.statements = [[("GPU는 나오지 않습니다.", [])]]
        response, _, _ = await ask("BERT는 GPU를 몇 개 썼어?")
        assert response.startswith(
            "전문이 없고, 등록된 요약 정보에는 그 내용이 없습니다: “BERT는 GPU를 몇 개 썼어?” (BERT"
        )
        assert card not in response
        scholar.statements = [[("양방향 99입니다.", [])]]
        response, _, _ = await ask("BERT는 GPU를 몇 개 썼어?")
        assert response.startswith(NOT_FOUND)
        assert response.endswith(card)
        response, _, _ = await ask("SowNet하고 BERT는 GPU를 몇 개 썼어?")
        assert f"{all_cards} 정리했습니다: BERT" in response
        scholar.statements = [[("세어서 뿌립니다.", ["We sow"])]]
        response, _, _ = await ask("SowNet은 어떻게 뿌려?")
        assert "전문이 없" not in response


async def test_a_table_over_several_papers_has_the_columns_that_were_asked_for(library) -> None:
    async with library(BUSES, GARLIC) as (scholar, ask, server):
        scholar.means |= {"also": "2"}
        scholar.columns = ["방법", "오차"]
        scholar.statements = [[("제안 방법 | 작음", ["방법: 제안 방법 | RMSE: 1.87", "모형: 융합 모형 | 검증 RMSE"])]]
        question = "전기버스 전이학습 논문과 마늘 수확량 드론 논문의 방법과 오차를 표로 정리해줘"
        response, quotes, _ = await ask(question)
        assert sum("\ncolumns: " in each["messages"][0]["content"] for each in server.requests) == 2
        scholar.columns = []
        plain, _, _ = await ask(question)
    lines = [line for line in response.splitlines() if line.startswith("| ")]
    assert lines[0] == "| 논문 | 방법 | 오차 | 쪽 |"
    assert sorted(row.split(" | ")[1:3] for row in lines[2:]) == [["제안 방법", f"작음 [{n}]"] for n in (1, 2)]
    assert len(quotes) == 2
    assert "| 논문 | 답 | 쪽 |" in plain
