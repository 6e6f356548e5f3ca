"""A folder as a reader of the documents has it, with the servers that they speak of."""

import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType

import pytest
from aiohttp import web
from fixtures.reader import model
from fixtures.reader.blocks import ROOT
from fixtures.reader.programs import Machine
from fixtures.reader.shell import Shell, opened
from langchain_core.language_models import FakeListChatModel

from dure.cli.demo import DOCUMENTS
from dure.packs.papers.formats import arxiv
from dure.testing import ScriptedServer

_BIB = "@article{seeds, title={Seeds of Search}, author={Kim, Haneul}, year={2024}, journal={ACL}}\n"
_FEED = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1706.03762v5</id>
<published>2017-06-12T17:57:34Z</published><title>Attention Is All You Need</title><summary>We propose.</summary>
<author><name>Ashish Vaswani</name></author></entry></feed>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A clone with the files that the documents name."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "constraints.txt", tmp_path)
    for name in ("notes", "documents", "papers"):
        (tmp_path / name).mkdir()
    for source, name in (
        ("인사규정.pdf", "handbook.pdf"),
        ("인사규정.pdf", "thesis.pdf"),
        ("출장비규정.docx", "rules.docx"),
        ("정보보안지침.md", "notes/security.md"),
        ("employee_handbook.txt", "documents/handbook.txt"),
        ("지역별매출_2025.csv", "sales.csv"),
    ):
        shutil.copy(DOCUMENTS / source, tmp_path / name)
    for name in ("library.bib", "refs.bib", "papers/seeds.bib"):
        (tmp_path / name).write_text(_BIB, "utf-8")
    (tmp_path / "규정.txt").write_text("연차휴가는 1년에 15일이다.", "utf-8")
    (tmp_path / "questions.jsonl").write_text('{"question": "어텐션이 뭐야?", "agents": ["glossary"]}', "utf-8")
    return tmp_path


@pytest.fixture
async def scripted() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(respond=model.respond) as server:
        yield server


@pytest.fixture
async def arxiv_of_ours(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """An arXiv that knows one paper."""

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(body=_FEED.encode())

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    monkeypatch.setattr(arxiv, "API", f"http://127.0.0.1:{runner.addresses[0][1]}/")
    yield
    await runner.cleanup()


class ChatAnthropic(FakeListChatModel):
    """Stands in for a LangChain integration that is not installed here."""

    model: str
    responses: list[str] = [model.ANSWER]  # noqa: RUF012


@pytest.fixture
def integrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that the documents import and Dure does not bring."""
    module = ModuleType("langchain_anthropic")
    module.ChatAnthropic = ChatAnthropic  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.fixture
async def machine(
    folder: Path, scripted: ScriptedServer, arxiv_of_ours: None, integrations: None, request: pytest.FixtureRequest
) -> AsyncIterator[Machine]:
    machine = Machine(folder, scripted, lambda: request.getfixturevalue("postgres"))
    yield machine
    await machine.close()


@pytest.fixture
async def shell(folder: Path, machine: Machine) -> AsyncIterator[Shell]:
    async with opened(folder, machine.variables(), machine.programs()) as shell:
        yield shell
