"""What is said beside a count: for how many papers a condition is open, and that references may be unknown."""

from collections.abc import Callable
from typing import Any

import pytest

from dure.packs.papers.opened import papers_of
from dure.packs.papers.record import PaperRecord
from dure.testing import ScriptedServer, json

COUNT = {"rows": "papers", "filters": [], "answer": "number", "measure": "count", "order": "none", "limit": 0}


def where(field: str, op: str, value: str) -> dict[str, str]:
    return {"field": field, "op": op, "value": value}


def counter(query: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
    """A model that counts, and fills in the query object so."""

    def reply(body: dict[str, Any]) -> Any:
        form = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
        if "agents" in form:
            return json({"agents": ["text2sql"], "effect": False, "request": ""})
        return json({"asked": [{"also": []} | query], "left": ""})

    return reply


def offered(body: dict[str, Any], field: str, value: str) -> list[list[str]]:
    """The comparisons of a field with a value between which a model was to choose."""
    form = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
    objects = form.get("asked", {}).get("items", {}).get("properties", {})
    conditions = [each["properties"] for each in objects.get("filters", {}).get("items", {}).get("anyOf", ())]
    own = [each for each in conditions if each["field"]["const"] == field]
    return [each["op"]["enum"] for each in own if value in each["value"].get("enum", ())]


@pytest.mark.parametrize(
    ("message", "op", "said"),
    [
        (
            "2019년 이후 논문 중에 NeurIPS가 아닌 건 몇 편이야?",
            "!=",
            "논문 · 연도 ≥ 2019 · 학회 ≠ NeurIPS (비어 있는 2편 포함) ·",
        ),
        ("2019년 이후 NeurIPS 논문은 몇 편이야?", "=", "논문 · 연도 ≥ 2019 · 학회 NeurIPS (알 수 없는 2편 제외) ·"),
        (
            "How many papers since 2021 are from NeurIPS?",
            "=",
            "papers · year ≥ 2021 · venue NeurIPS (not known for 1 paper) ·",
        ),
    ],
)
async def test_how_many_have_no_value_is_told_beside_a_condition_on_it(opened, ask, message, op, said) -> None:
    query = COUNT | {"filters": [where("year", ">=", message[:4] if message[0] == "2" else "2021")]}
    query["filters"].append(where("venue", op, "NeurIPS"))
    async with ScriptedServer(respond=counter(query)) as server:
        dure = await opened(server)
        nowhere = [PaperRecord(title=f"A paper on hens {year}", year=year) for year in (2010, 2020, 2021)]
        await papers_of(dure).add("default", nowhere, "test")
        answer, _ = await ask(dure, message)
    assert answer.response.startswith(said)


async def test_that_references_may_be_unknown_is_said_where_nothing_cited_is_found(opened, ask) -> None:
    query = COUNT | {"answer": "list", "filters": [where("cited_by_paper", "=", "A paper on hens")]}
    async with ScriptedServer(respond=counter(query)) as server:
        dure = await opened(server)
        await papers_of(dure).add("default", [PaperRecord(title="A paper on hens")], "test")
        answer, _ = await ask(dure, "A paper on hens 논문이 인용한 논문은?")
    assert answer.response.startswith(
        "논문 · A paper on hens이(가) 인용한 논문 · 다른 조건 없음: 해당하는 것이 없습니다. "
        "A paper on hens의 참고문헌은 여기에 알려져 있지 않거나, 그 가운데 논문 목록에 있는 것이 없습니다."
    )


async def test_one_paper_is_one(opened, ask) -> None:
    async with ScriptedServer(respond=counter(COUNT | {"filters": [where("author", "=", "Ada Moor")]})) as server:
        dure = await opened(server)
        await papers_of(dure).add("default", [PaperRecord(title="A paper on hens", authors=["Ada Moor"])], "test")
        answer, _ = await ask(dure, "How many papers did Ada Moor write?")
    assert answer.response.startswith("papers · author Ada Moor · no other condition: **1 paper**\n")


@pytest.mark.parametrize(("op", "said"), [("=", "year 2024"), (">=", "year ≥ 2024")])
async def test_from_a_year_alone_is_read_as_the_model_says_and_told(opened, ask, op: str, said: str) -> None:
    query = COUNT | {"filters": [where("year", op, "2024")]}
    async with ScriptedServer(respond=counter(query)) as server:
        answer, _ = await ask(await opened(server), "How many papers of the library are from 2024?")
        forms = [each for body in server.requests for each in offered(body, "year", "2024")]
    assert answer.response.startswith(f"papers · {said} · no other condition: ")
    assert forms == [[">=", "="]]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Which three papers by Ada Moor are cited most?", ": 4 rows (several share place 3)\n"),
        ("Ada Moor 논문 중에 가장 많이 인용된 3편은?", ": 4개 (3위가 같은 것까지)\n"),
    ],
)
async def test_more_rows_than_were_asked_for_are_told_to_share_the_last_place(opened, ask, message, said) -> None:
    query = COUNT | {"answer": "list", "measure": "citations", "order": "highest", "limit": 3}
    query["filters"] = [where("author", "=", "Ada Moor")]
    async with ScriptedServer(respond=counter(query)) as server:
        dure = await opened(server)
        for count, told in ((3, False), (4, True)):
            written = [PaperRecord(title=f"A paper on hens {n}", authors=["Ada Moor"]) for n in range(count)]
            await papers_of(dure).add("default", written, "test")
            answer, _ = await ask(dure, message)
            assert (said in answer.response) == told
