"""`dure glossary …`."""

from collections.abc import Awaitable, Callable
from typing import Any

Command = Callable[..., Awaitable[Any]]
KOREAN = {"LC_ALL": "ko_KR.UTF-8"}


async def test_list_and_show(dure: Command) -> None:
    listed = await dure("glossary", "list", "--field", "RL", "--json")
    terms = listed.json["terms"]
    assert {each["field"] for each in terms} == {"rl"}
    assert "Q-learning" in [each["term_en"] for each in terms]
    table = await dure("glossary", "list", **KOREAN)
    assert table.code == 0
    assert "어텐션" in table.out
    assert "attention mechanism" in table.out
    shown = await dure("glossary", "show", "어텐션이 뭐야?", **KOREAN)
    assert shown.out.startswith("어텐션 (attention mechanism)\n  쉬운 설명: ")
    shown = await dure("glossary", "show", "what is an ATTENTION mechanism")
    assert shown.out.startswith("attention mechanism (어텐션)\n  In plain words: ")


async def test_what_is_not_there(dure: Command) -> None:
    missing = await dure("glossary", "show", "trasnformer")
    assert (missing.code, missing.out) == (1, "")
    assert "The glossary has no 'trasnformer'.\nPerhaps meant: transformer" in missing.err
    as_json = await dure("glossary", "show", "양자컴퓨터", "--json")
    assert (as_json.code, as_json.json) == (1, {"terms": [], "near": []})
    removed = await dure("glossary", "remove", "양자컴퓨터", **KOREAN)
    assert (removed.code, removed.out) == (1, "")
    assert "용어 '양자컴퓨터'" in removed.err
    as_json = await dure("glossary", "remove", "양자컴퓨터", "--json", **KOREAN)
    assert as_json.json["error"]["details"] == {"what": "term", "id": "양자컴퓨터"}
    shipped = await dure("glossary", "remove", "attention", "--json")
    assert (shipped.code, shipped.json["error"]["code"]) == (1, "shared_term")


async def test_adding_and_removing_ones_own(dure: Command) -> None:
    given = ("큐비트", "--other", "qubit", "--alias", "양자 비트", "--easy", "양자컴퓨터의 정보.", "--field", "science")
    added = await dure("glossary", "add", *given, **KOREAN)
    assert (added.code, added.out) == (0, "더했습니다: 큐비트\n")
    again = await dure("glossary", "add", *given, "--json")
    assert (again.code, again.json["error"]["code"]) == (1, "term_exists")
    own = (await dure("glossary", "list", "--own", "--json")).json["terms"]
    assert [(each["term_ko"], each["term_en"], each["aliases"]) for each in own] == [("큐비트", "qubit", ["양자 비트"])]
    assert (await dure("glossary", "list", "--own", "--json", "--owner", "you")).json == {"terms": []}
    removed = await dure("glossary", "remove", "Qubit")
    assert (removed.code, removed.out) == (0, "Removed: qubit\n")
    assert (await dure("glossary", "list", "--own", "--json")).json == {"terms": []}


async def test_wrong_arguments(dure: Command) -> None:
    for args in (("add", "큐비트"), ("add", "큐비트", "--other", "양자 비트", "--easy", "설명"), ("add",), ("show",)):
        ended = await dure("glossary", *args)
        assert (ended.code, ended.out) == (2, ""), args
        assert ended.err
