"""A data folder of Dure 0.1.0 is taken along: nothing is lost, and a run that waited there goes on here."""

import lzma
import shutil
from pathlib import Path

import pytest

from dure import Agent, Dure, Team, tool
from dure.errors import Conflict
from dure.packs.papers.opened import glossary_of, papers_of
from dure.testing import ScriptedServer, say

OLD = Path(__file__).parent / "upgrade"
FILE = "67ed6ff81e9d4d03b73e4f2ef3796eb5.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What 0.1.0 left: two sessions, a rated run of an experiment, a run that waits, a document, a paper, a term."""
    data = tmp_path / "data"
    (data / "files").mkdir(parents=True)
    (data / "dure.db").write_bytes(lzma.decompress((OLD / "dure-0.1.0.db.xz").read_bytes()))
    shutil.copy(OLD / FILE, data / "files")
    return data


async def test_what_was_there_is_there(folder: Path, opened) -> None:
    dure: Dure = await opened(data_dir=folder)
    sessions = await dure.runs.sessions.list("default")
    assert {each["id"] for each in sessions} == {"s-old", "s-wait"}
    said = [message["content"] for message in await dure.runs.sessions.messages("default", "s-old")]
    assert said == ["안녕", "안녕하세요."]
    first = (await dure.runs.sessions.messages("default", "s-old"))[0]["id"]
    await dure.runs.sessions.show("default", "s-old", first)
    assert [each["content"] for each in await dure.runs.sessions.messages("default", "s-old")] == said
    (run,) = [each for each in await dure.runs.list("default") if each["session_id"] == "s-old"]
    assert (await dure.runs.get("default", run["id"]))["rating"]["rating"] == 4
    assert (await dure.knowledge.search("default", ["연차"])).passages[0].text.strip().endswith("연차는 15일이다.")
    assert [paper.venue for paper in await papers_of(dure).resolve("default", "Seeds of Old")] == ["ACL"]
    assert (await glossary_of(dure).lookup("default", "두레질")).terms[0].easy_ko == "함께 일하기"


async def test_without_its_team_what_waited_still_waits_and_can_be_rejected(folder: Path, opened) -> None:
    dure: Dure = await opened(data_dir=folder)
    (run,) = [each for each in await dure.runs.list("default") if each["session_id"] == "s-wait"]
    (question,) = await dure.runs.approvals("default", run["id"])
    with pytest.raises(Conflict, match="'mail'"):
        await dure.runs.decide("default", run["id"], [{"approval_id": question["id"], "action": "approve"}])
    assert (await dure.runs.get("default", run["id"]))["status"] == "waiting"
    await dure.runs.decide("default", run["id"], [{"approval_id": question["id"], "action": "reject"}])
    assert await dure.runs.approvals("default", run["id"]) == []


async def test_what_waited_goes_on(folder: Path, opened) -> None:
    sent: list[str] = []

    @tool(effect="external")
    def send(to: str) -> str:
        "Send a mail."
        sent.append(to)
        return "sent"

    team = Team(name="mail", kind="solo", description="x", agents=[Agent(name="m", description="x", tools=["send"])])
    async with ScriptedServer(say("보냈습니다.")) as server:
        dure: Dure = await opened(server, data_dir=folder, tools=[send], teams=[team])
        (run,) = [each for each in await dure.runs.list("default") if each["session_id"] == "s-wait"]
        (question,) = await dure.runs.approvals("default", run["id"])
        decision = {"approval_id": question["id"], "action": "approve"}
        await dure.runs.decide("default", run["id"], [decision])
        answer = await dure.runs.answer("default", run["id"])
    assert (sent, answer.response, answer.status) == (["kim"], "보냈습니다.", "completed")
