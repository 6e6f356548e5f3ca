"""`dure demo`: the newcomer's main job, with a scripted model server instead of the bundled model. On the documents
that it brings: tests/test_wheel.py."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_cache_path

from dure.testing import ScriptedServer, call, say

Command = Callable[..., Awaitable[Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "휴가규정.txt").write_text("휴가 정책은 다음과 같다. 연차휴가는 1년에 15일이다.", "utf-8")
    return folder


async def test_documents_are_read_and_the_answer_is_cited(dure: Command, folder: Path) -> None:
    script = [
        call("rag_agent", task="휴가 정책"),
        call("search_knowledge_base", queries=["휴가 정책"]),
        say("연차휴가는 1년에 15일입니다. [1]"),
    ]
    async with ScriptedServer(*script) as server:
        ended = await dure("demo", "--documents", str(folder), server=server, LC_ALL="ko_KR.UTF-8")
    assert ended.code == 0
    assert "문서 1개" in ended.err
    assert "● rag_agent" in ended.err
    assert "↳ search_knowledge_base 휴가 정책" in ended.err
    assert "연차휴가는 1년에 15일입니다." in ended.out
    assert "[1] 휴가규정" in ended.out
    assert "“" in ended.out
    for hint in ("dure serve", "dure ingest", "DURE_MODEL_BASE_URL"):
        assert hint in ended.out


async def test_no_documents_anywhere(dure: Command, tmp_path: Path) -> None:
    ended = await dure("demo", "--documents", str(tmp_path / "none"))
    assert ended.code == 2
    assert "none" in ended.err


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_the_main_job_with_the_bundled_model(process: Command, folder: Path) -> None:
    """Nothing scripted: the small bundled model, its embeddings. What it asks of the documents that it brings, the
    larger model is asked in tests/teams/test_shown_examples.py."""
    (folder / "출장규정.txt").write_text("국내 출장의 숙박비는 하루 12만 원까지 실비로 지급한다.", "utf-8")
    cache = str(user_cache_path("dure", appauthor=False))
    real = {"DURE_MODEL_BASE_URL": "", "DURE_EMBEDDINGS": "1", "DURE_TOOL_DIALECT": "auto", "DURE_CACHE_DIR": cache}
    given = "--json", "--documents", str(folder), "--question", "연차휴가는 며칠이야?"
    ended = await process("demo", *given, patience=580, DURE_BUNDLED_MODEL="0.5b", **real)
    assert ended.code == 0, ended.err
    answer = ended.json
    assert answer["status"] == "completed"
    assert answer["metadata"]["agents"] == ["rag_agent"]
    assert answer["metadata"]["usage"]["model_calls"] <= 2
    assert {c["title"] for c in answer["citations"]} == {"휴가규정"}
    assert "15일" in answer["response"]
