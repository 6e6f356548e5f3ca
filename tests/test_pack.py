"""Packs: which are on, in which order, and that one that is off leaves no trace."""

import httpx
import pytest
import sqlalchemy as sa

from dure import Dure
from dure.errors import SettingsError
from dure.pack import chosen, installed
from dure.teams import unknown_tools
from dure.testing import served

OURS = {"code", "contracts", "evaluation", "papers", "tables", "web"}


def names(*wanted: str) -> list[str]:
    return [pack.name for pack in chosen(wanted)]


def test_all_are_on_unless_some_are_named() -> None:
    assert OURS <= set(names()) == set(installed())
    assert names("web", "code") == ["web", "code"]
    assert set(names("-code", "-tables")) == set(installed()) - {"code", "tables"}


def test_a_pack_comes_after_those_that_it_needs() -> None:
    order = names("papers", "web")
    assert order == ["web", "papers"]
    with pytest.raises(SettingsError, match="'papers' needs 'web'") as caught:
        chosen(["-web"])
    assert "'papers' 팩에는 'web' 팩이 필요합니다" in caught.value.message("ko")


def test_an_unknown_pack_is_refused_with_those_there_are() -> None:
    for name in ("paper", "-paper"):
        with pytest.raises(SettingsError, match=r"no pack .*installed: code, contracts, evaluation, papers") as caught:
            Dure(packs=[name])
        assert caught.value.details["key"] == "DURE_PACKS"


def test_the_setting_is_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DURE_PACKS", "-papers, -web")
    assert {pack.name for pack in Dure().on} == set(installed()) - {"papers", "web"}


async def test_a_pack_that_is_off_leaves_no_trace(opened) -> None:
    dure = await opened(packs=["-papers"])
    assert "papers" not in dure.teams
    assert "papers" not in dure.packs
    assert not [name for name in dure.tools if "paper" in name or "glossary" in name or "term" in name]
    tables = await dure.database.read(lambda connection: sa.inspect(connection).get_table_names())
    assert not {"papers", "authors", "glossary", "alembic_version_papers"} & set(tables)
    async with served(Dure(dure.settings, port=0)) as url, httpx.AsyncClient(base_url=url) as client:
        for path in ("/v1/papers", "/v1/glossary"):
            assert (await client.get(path)).status_code == 404
        assert "/v1/papers" not in (await client.get("/openapi.json")).json()["paths"]


async def test_without_tables_nobody_calculates(opened) -> None:
    dure = await opened(packs=["-tables"])
    assert not {"calculate", "draw_chart", "list_tables", "query_tables"} & set(dure.tools)
    assert unknown_tools(dure.teams.values(), dure.tools) == []
    assert dure.teams["assistant"].agents[0].tools == ["search_knowledge_base"]
    assert "계산" not in dure.teams["assistant"].description


def test_teams_have_the_agents_of_the_packs_that_are_on() -> None:
    teams = Dure(packs=["web"]).teams
    assert [agent.name for agent in teams["office"].agents] == ["documents", "search", "web"]
    assert [agent.name for agent in teams["workplace"].agents] == ["rag_agent", "external_agent"]
    alone = Dure(packs=["-code", "-contracts", "-papers", "-tables", "-web"]).teams["office"]
    assert [agent.name for agent in alone.agents] == ["documents"]
