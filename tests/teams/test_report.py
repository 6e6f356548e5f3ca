"""The answer of a planner team in its three formats, each with sources, files and what was not done."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dure import Dure
from dure.knowledge.cite import cite
from dure.sources import Passage
from dure.teams.plan import single
from dure.teams.report import Report

REPORT_SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text(encoding="utf-8"))
TEXT = "배터리 시장 규모는 3조 원입니다."
OTHER = "수출은 1조 원으로 집계되었습니다."


def told(output_format: str, text: str = f"{TEXT} [2]", **values) -> str:
    """A report as it is shown, its texts cited in one go."""
    passages = [
        Passage("web:1", "수출 [속보]", None, 0, len(OTHER), OTHER, url="https://example.com/a_(b)"),
        Passage("web:2", "시장 보고서", 2, 0, len(TEXT), TEXT, url="javascript:alert(1)"),
    ]
    steps = [
        single("search", "시장\n조사", 1) | {"status": "done", "seconds": 1.25},
        single("code", "전송", 2) | {"status": "skipped"},
    ]
    missing = [dict(step=2, agent="code", task="전송", reason="사람이 거절했습니다.")]
    files = [{"id": "f-1", "name": "market.svg", "media_type": "image/svg+xml", "size": 6, "agent": "data"}]
    given = {
        "steps": steps,
        "results": {1: f"{OTHER} [1]\n\n{TEXT} [2]"},
        "not_done": missing,
        "artifacts": files,
    }
    outcome = Report("r-1", "ko", "시장 조사", **(given | values)).outcome("completed", text, output_format)
    cited, citations, _ = cite("\n\n\x1e\n\n".join([outcome.answer, *outcome.beside]), passages)
    shown, *results = cited.split("\n\n\x1e\n\n")
    return outcome.render(shown, citations, results)


def test_chat() -> None:
    assert told("chat") == (f"{TEXT} [1]\n\n하지 못한 일:\n- 전송 (code): 사람이 거절했습니다.\n\n파일:\n- market.svg")


def test_chat_names_a_file_once() -> None:
    assert told("chat", text="market.svg에 그렸습니다.", not_done=[]) == "market.svg에 그렸습니다."


def test_markdown() -> None:
    assert (
        told("markdown")
        == f"""\
# 시장 조사

{TEXT} [1]

## 진행한 단계

1. **search** 시장 조사 (완료, 1.2초)
2. **code** 전송 (하지 않음)

## 하지 못한 일

- 전송 (code): 사람이 거절했습니다.

## 파일

- [market.svg](/v1/runs/r-1/artifacts/f-1)

## 출처

- [1] 시장 보고서, 2쪽: “{TEXT}”"""
    )


def test_markdown_links_a_source() -> None:
    assert "- [1] [수출 \\[속보\\]](<https://example.com/a_(b)>): “" in told("markdown", text=f"{OTHER} [1]")


def test_json_is_valid_and_a_number_means_one_source_everywhere() -> None:
    made = json.loads(told("json"))
    Draft202012Validator(REPORT_SCHEMA).validate(made)
    assert made["summary"] == f"{TEXT} [1]"
    assert made["steps"][0]["result"] == f"{OTHER} [2]\n\n{TEXT} [1]"
    assert made["steps"][1]["result"] is None
    assert [(s["marker"], s["quote"]) for s in made["sources"]] == [(1, TEXT), (2, OTHER)]
    assert made["artefacts"][0]["url"] == "/v1/runs/r-1/artifacts/f-1"
    assert made["not_done"] == [{"step": 2, "agent": "code", "task": "전송", "reason": "사람이 거절했습니다."}]


@pytest.mark.parametrize("text", ["", "[1]", "```\ncut", "{}"])
def test_json_of_any_text(text: str) -> None:
    made = json.loads(told("json", text=text, results={1: text}))
    assert list(Draft202012Validator(REPORT_SCHEMA).iter_errors(made)) == []


def test_the_published_schema_is_one_and_names_each_part() -> None:
    Draft202012Validator.check_schema(REPORT_SCHEMA)
    assert set(REPORT_SCHEMA["properties"]) == set(json.loads(told("json")))


def test_the_office_is_there() -> None:
    office = Dure().teams["office"]
    assert office.kind == "planner"
    assert [a.name for a in office.agents] == ["documents", "code", "contract", "search", "web", "data", "file"]
