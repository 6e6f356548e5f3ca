"""`save_file`: the format and the name that are meant, and in a conversation the answer or table that is meant."""

import csv
import json as jsonlib
from itertools import repeat
from typing import Any

import pytest
from bibtexparser.entrypoint import parse_string

from dure.models import ChatClient, Model
from dure.packs.papers.stages.save import _HEADING, _NAMED, _columns, format_of
from dure.testing import ScriptedServer, json

SQL = "SELECT title, year FROM papers ORDER BY year LIMIT 100"


class Talk:
    """A conversation with the team of papers."""

    def __init__(self, dure: Any, scholar: Any = None) -> None:
        self.dure, self.scholar = dure, scholar

    async def ask(self, message: str) -> str:
        answer = await self.dure.chat(message, team="papers", session_id="s")
        self.run_id = answer.metadata["run_id"]
        return answer.response

    async def save(self, message: str) -> tuple[str, bytes]:
        """Name and content of the file that comes of it."""
        said = await self.ask(message)
        (made,) = await self.dure.runs.artifacts("default", self.run_id)
        assert made["name"] in said
        _, path = await self.dure.runs.artifact("default", self.run_id, made["id"])
        return made["name"], path.read_bytes()

    async def csv(self, message: str) -> list[str]:
        name, data = await self.save(message)
        assert name.endswith(".csv")
        return data.decode("utf-8-sig").splitlines()


@pytest.fixture(params=["sqlite", "postgresql"])
async def talk(opened, make_scholar, request):
    """On both kinds of database, since earlier runs are read from it."""
    scholar = make_scholar("지어낸 답입니다.\n\n둘째 문단입니다.", sql=repeat(SQL), topic="object detection")
    async with ScriptedServer(respond=scholar) as server:
        url = {"database_url": request.getfixturevalue("postgres_url")} if request.param == "postgresql" else {}
        yield Talk(await opened(server, **url), scholar)


async def test_in_a_conversation_what_is_meant_is_saved(talk):
    assert (await talk.ask("CSV로 저장해줘")).startswith("저장할 답이나 결과가 없습니다.")
    await talk.ask("물체 탐지 논문 찾아줘")
    papers = await talk.csv("방금 결과를 CSV로 저장해줘")
    assert papers[0].startswith("title,authors,year")
    assert len(papers) == 6

    answer = await talk.ask("오래된 논문 100편의 제목과 연도를 세서 표로 보여줘")
    assert "앞 30줄" in answer
    assert len(await talk.csv("CSV로 저장해줘")) == 101
    rows = jsonlib.loads((await talk.save("json으로도 저장해줘"))[1])["table"]
    assert len(rows) == 100

    await talk.ask("안녕하세요")
    markdown = await talk.save("md로 저장해줘")
    assert markdown == ("안녕하세요.md", "지어낸 답입니다.\n\n둘째 문단입니다.\n".encode())
    word = await talk.save("워드 파일로도 저장해줘")
    assert word[0].endswith(".docx")
    assert (await talk.ask("PDF로 저장해줘")).startswith("그 형식의 파일은 만들 수 없습니다.")
    assert await talk.save("md로 저장해줘") == markdown
    name, data = await talk.save("표를 CSV로 저장해줘")
    assert len(data.splitlines()) == 101, "of the last answer that has a table"
    saved = (await talk.dure.runs.answer("default", talk.run_id)).response
    assert saved == (
        f"저장했습니다: {name} (열: title, year)\n\n"
        "마지막 답에는 표가 없어 “오래된 논문 100편의 제목과 연도를 세서 표로 보여줘”의 답을 저장했습니다."
    )


async def test_an_earlier_answer_is_saved_under_its_topic_in_the_columns_that_are_listed(opened, make_scholar):
    kept = "Microsoft COCO: Common Objects in Context", "You Only Look Once: Unified, Real-Time Object Detection"
    words = f"다섯 편 가운데 둘이 맞습니다.\n\n- {kept[1]}\n- {kept[0]}"
    async with ScriptedServer(respond=make_scholar(words, topic="object detection")) as server:
        talk = Talk(await opened(server))
        said = await talk.ask("물체 탐지 논문 찾아줘")
        name, data = await talk.save("제목이랑 연도, 학회만 CSV로 저장해줘")
        saved = await talk.ask("엑셀로도 저장해줘")
        bib, references = await talk.save("bib 파일로 저장해줘")
    assert "- You Only Look Once" in said
    head, *rows = csv.reader(data.decode("utf-8-sig").splitlines())
    assert head == ["title", "year", "venue"]
    assert {len(row) for row in rows} == {3}
    assert [row[0] for row in rows] == [*kept[::-1]], "of those that were found what the answer kept"
    assert len(parse_string(references.decode()).entries) == 2
    assert saved == (
        "저장했습니다: object detection.xlsx (열: title, authors, year, venue, field, citations, doi, arxiv_id, link)"
    )
    assert (name, bib) == ("object detection.csv", "object detection.bib")


@pytest.mark.parametrize(
    ("message", "columns"),
    [
        ("And as CSV with title, year and venue only", ["title", "year", "venue"]),
        ("제목, 저자, 그리고 인용수만 엑셀로", ["title", "authors", "citations"]),
        ("CSV with title/doi/link", ["title", "doi", "link"]),
        ("제목하고 요약만 csv로", None),
        ("인용수가 100 넘는 논문 찾아서 연도순으로 csv로", None),
        ("제목에 attention이 들어간 논문 연도순으로 csv로", None),
        ("저자, 연도순으로 csv로", None),
    ],
)
def test_the_columns_that_a_message_lists(message: str, columns: list[str] | None) -> None:
    names = ["title", "authors", "year", "venue", "citations", "doi", "link"]
    assert _columns(message, names) == (columns or names)


async def test_what_was_found_and_saved_in_one_go_is_saved_again_without_word_of_the_file(opened):
    wanted = {"conditions": [], "topic": "물체 탐지", "translated": "object detection", "papers": 0}
    async with ScriptedServer(json(wanted), json({"about": "md", "alone": True})) as server:
        small = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        talk = Talk(await opened(model=small))
        name, first = await talk.save("물체 탐지 논문 찾아서 목록을 md로 저장해줘")
        _, again = await talk.save("md로 저장해줘")
    assert name.endswith(".md")
    assert first.decode().startswith("논문 5편을 찾았습니다.")
    titles = [line for line in first.decode().splitlines() if "**" in line]
    assert len(titles) == 5
    assert [line for line in again.decode().splitlines() if "**" in line] == titles
    assert "저장했습니다" not in again.decode()


async def test_words_about_the_file_are_no_condition_of_what_is_counted(opened, make_scholar):
    scholar = make_scholar(query={"rows": "years", "answer": "list"})
    async with ScriptedServer(respond=scholar) as server:
        small = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        rows = await Talk(await opened(model=small)).csv("연도별 논문 수를 세서 CSV로 저장해줘")
    assert "2023,29" in rows


async def test_papers_are_saved_as_bibtex_in_one_go_or_later(talk):
    later = "BibTeX로 저장할 논문이 아직 없습니다. 먼저 논문을 찾아 주세요."
    await talk.ask("안녕")
    assert await talk.ask("bib 파일로 저장해줘") == later
    name, data = await talk.save("물체 탐지 논문 찾아서 bib 파일로 저장해줘")
    assert name.endswith(".bib")
    library = parse_string(data.decode())
    assert (len(library.entries), library.failed_blocks) == (5, [])
    assert "object detection" in data.decode().casefold()
    assert (await talk.save("bib 파일로 저장해줘"))[1] == data


async def test_papers_that_rows_name_are_saved_as_bibtex(talk):
    """Also when they are counted and saved in one go; of older answers it is said."""
    await talk.ask("오래된 논문 100편의 제목과 연도를 세서 표로 보여줘")
    listed = (await talk.save("그 목록을 bib로 저장해줘"))[1].decode()
    entries = parse_string(listed).entries
    assert len(entries) == 100, "those too that are not shown"
    assert int(entries[0]["year"]) <= int(entries[-1]["year"]), "in the order of the rows"
    talk.scholar.needs = ["text2sql", "save_file"]
    assert (await talk.save("오래된 논문 100편의 제목과 연도를 세서 bib로 저장해줘"))[1].decode() == listed
    talk.scholar.needs = []
    await talk.ask("안녕하세요")
    name, later = await talk.save("bib로 저장해줘")
    saved = (await talk.dure.runs.answer("default", talk.run_id)).response
    assert later.decode() == listed
    assert saved.startswith(f"저장했습니다: {name}\n\n마지막 답에는 논문이 없어 “오래된 논문 100편")


async def test_the_paper_that_was_read_is_saved_as_bibtex(opened, make_scholar):
    async with ScriptedServer(respond=make_scholar("요약입니다.", topic="object detection")) as server:
        talk = Talk(await opened(server))
        await talk.ask("물체 탐지 논문 찾아줘")
        await talk.ask("BERT 논문 요약해줘")
        _, data = await talk.save("bib로 저장해줘")
    (entry,) = parse_string(data.decode()).entries
    assert entry["title"].startswith("{BERT}: Pre-training"), "not what was found before"


async def test_rows_that_name_no_paper_are_no_bibtex_and_that_is_said(opened, make_scholar):
    sql = ["SELECT year, count(*) AS papers FROM papers GROUP BY year ORDER BY year"]
    async with ScriptedServer(respond=make_scholar(sql=sql)) as server:
        talk = Talk(await opened(server))
        await talk.ask("연도별 논문 수를 세서 표로 보여줘")
        said = await talk.ask("bib로 저장해줘")
    assert said.startswith("그 답의 줄에는 논문 목록에 있는 논문의 이름이 없습니다.")


async def test_a_saved_text_has_the_numbers_that_are_shown_and_their_sources(opened, make_scholar):
    scholar = make_scholar("딴 말이다. BERT를 사전 학습한다 [2].", topic="bert")
    scholar.means = {"of": "1"}
    async with ScriptedServer(respond=scholar) as server:
        talk = Talk(await opened(server))
        name, data = await talk.save("BERT 논문 요약해서 md로 저장해줘")
        answer = await talk.dure.runs.answer("default", talk.run_id)
        later = (await talk.save("md로 저장해줘"))[1]
    saved, below = data.decode().split("\n\n## 출처\n\n")
    assert answer.response == f"{saved}\n\n저장했습니다: {name}"
    cited = answer.citations
    assert below.splitlines() == [
        f"- [{n}] {each['title']}: “{' '.join(each['quote'].split())}”" for n, each in enumerate(cited, 1)
    ]
    assert len(cited) == 1
    assert later == data
    assert name == "BERT.md", "after the paper"


async def test_nothing_of_what_dure_says_itself_is_held_for_unproven(opened):
    wanted = {"conditions": [], "topic": "물체 탐지", "translated": "object detection", "papers": 0}
    async with ScriptedServer(json(wanted)) as server:
        small = Model(ChatClient(server.url, "scripted"), dialect="schema", small=True)
        talk = Talk(await opened(model=small))
        name, _ = await talk.save("물체 탐지 논문 찾아서 목록을 md로 저장해줘")
        answer = await talk.dure.runs.answer("default", talk.run_id)
    own = ("논문 5편을 찾았습니다.", f"저장했습니다: {name}", "https://")
    checks = [each["sentence"] for each in answer.metadata.get("checks", ())]
    assert [each for each in checks if each.startswith(own)] == []


async def test_summaries_are_in_the_table_that_is_saved(opened, make_scholar):
    scholar = make_scholar("**요점**: 잘 된다 [1].", topic="object detection")
    scholar.means = {"of": "1", "also": "2"}
    async with ScriptedServer(respond=scholar) as server:
        talk = Talk(await opened(server))
        name, data = await talk.save("물체 탐지 논문 찾아 요약해서 csv로 저장해줘")
        head, *rows = csv.reader(data.decode("utf-8-sig").splitlines())
        assert (await talk.save("물체 탐지 논문 찾아 요약해서 bib 파일로 저장해줘"))[1].startswith(b"@")
    assert name == "object detection.csv", "after what was searched for"
    assert head[-1] == "summary"
    assert [row[-1] for row in rows] == ["요점: 잘 된다."] * 2


async def test_the_table_of_a_comparison_is_saved(opened, make_scholar):
    scholar = make_scholar("말이다.\n\n| 항목 | BERT | GPT-3 |\n|---|---|---|\n| 방식 | 빈칸 [1] | 다음 낱말 [2] |")
    scholar.means = {"wants": "comparison"}
    async with ScriptedServer(respond=scholar) as server:
        talk = Talk(await opened(server))
        name, data = await talk.save("BERT 논문과 GPT-3 논문을 비교해서 csv로 저장해줘")
        await talk.ask("BERT 논문과 GPT-3 논문을 비교해줘")
        _, later = await talk.save("csv로 저장해줘")
    for saved in (data, later):
        assert saved.decode("utf-8-sig").splitlines() == ["항목,BERT,GPT-3", "방식,빈칸,다음 낱말"]
    assert name == "BERT - Language Models are Few-Shot Learners.csv"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("저장해줘", "md"),
        ("bib 파일로 저장해줘", "bib"),
        ("save them as BibTeX", "bib"),
        ("md로 저장해줘", "md"),
        ("방금 그 목록 csv로", "csv"),
        ("위 결과를 엑셀에서 열 수 있게 저장", "xlsx"),
        ("save it as sales.xlsx", "xlsx"),
        ("워드 파일로 만들어줘", "docx"),
        ("지금 답변 워드로 부탁드려요", "docx"),
        ("Download this as a Word document", "docx"),
        ("save it to Word.", "docx"),
        ("word file please", "docx"),
        ("put it in a docx", "docx"),
        ("텍스트로 저장해둬", "txt"),
        ("write the summary to a text file", "txt"),
        ("save as notes.txt", "txt"),
        ("can I download this as JSON?", "json"),
        ("Find word embedding papers and save them", "md"),
        ("단어와 워드 임베딩 논문 찾아서 저장해줘", "md"),
        ("텍스트 마이닝 논문 찾아서 저장해줘", "md"),
        ("텍스트로부터 이미지를 만드는 논문 찾아 저장해줘", "md"),
        ("Find text classification papers and save the list", "md"),
        ("한글로 요약해서 저장해줘", "md"),
        ("Summarize the PDF and save it", "md"),
        ("PDF 문서 분석 논문 찾아서 저장해줘", "md"),
        ("PDF로 저장해줘", "other"),
        ("pdf 파일로 저장해줘", "other"),
        ("PDF 저장해줘", "other"),
        ("hwpx로 저장해줘", "other"),
        ("save the table as an ODS", "other"),
        ("save it to a text file, no log", "txt"),
        ("save it as report.pdf", "other"),
        ("Export this as a PDF", "other"),
        ("can I get a pdf file?", "other"),
        ("한글 파일로 저장해줘", "other"),
        ("파워포인트로 만들어줘", "other"),
        ("PDF로, 안 되면 워드로 저장해줘", "docx"),
    ],
)
def test_the_format_that_is_meant(message, kind):
    assert format_of(message) == kind


async def test_a_file_is_called_after_what_was_counted_or_explained(opened, make_scholar) -> None:
    """Not after all that was said of it."""
    query = {"rows": "venues", "answer": "list", "measure": "count", "order": "highest", "limit": 0}
    scholar = make_scholar(query={"asked": [{"filters": [], "also": []} | query], "left": ""})
    async with ScriptedServer(respond=scholar) as server:
        talk = Talk(await opened(server))
        scholar.needs = ["text2sql", "save_file"]
        counted, _ = await talk.save("학회별 논문 수 표로 뽑아서 csv로 저장해줘")
        scholar.needs = ["glossary", "save_file"]
        explained, _ = await talk.save("어텐션 뜻 설명한 다음 파일로 남겨줘, 마크다운이면 돼")
    assert (counted, explained) == ("학회 논문 수.csv", "어텐션.md")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("'회의록'으로 저장해줘", "회의록"),
        ('save it as "my notes"', "my notes"),
        ("store this answer as notes.md", "notes"),
        ("Save the paper's summary to the user's folder", None),
    ],
)
def test_the_name_that_is_given(message, name):
    found = _NAMED.search(message)
    assert (found and (found[1] or found[2])) == name


async def test_papers_that_do_not_fit_are_not_saved(opened, make_scholar, ask):
    scholar = make_scholar()
    scholar.fit = [1, 3]
    async with ScriptedServer(respond=scholar) as server:
        dure = await opened(server)
        answer, agents = await ask(dure, "어텐션 논문 찾아서 BibTeX로 저장해줘")
    assert agents == ["search_paper", "save_file"]
    (saved,) = [call["args"]["content"] for call in answer.tool_calls if call["name"] == "save_file"]
    assert saved.count("\ttitle") == 2


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("## 결과", "결과"),
        ("**결과**", "결과"),
        ("**결과**: 둘 다 올랐습니다.", None),
        ("**Limits**: none was **found**", None),
    ],
)
def test_a_bold_word_before_a_sentence_is_no_heading(line, heading):
    found = _HEADING.search(f"첫 줄\n{line}\n")
    assert (found and (found[1] or found[2])) == heading
