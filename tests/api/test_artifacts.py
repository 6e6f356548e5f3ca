"""Files that runs made, downloaded over real HTTP."""

from pathlib import Path
from urllib.parse import unquote

import httpx

from dure import Agent, Dure, Team, tool
from dure.testing import ScriptedServer, call, say, served
from dure.tooling import File, ToolResult

KIM = {"Authorization": "Bearer key-of-kim"}
LEE = {"Authorization": "Bearer key-of-lee"}
FILES = [
    File("계약서 최종.docx", b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    File('x"\r\nSet-Cookie: a=b\r\n.html', b"<script>alert(1)</script>", "text/html"),
    File("../../etc/passwd", b"root", "text/plain\r\nX-Evil: 1"),
]


@tool
def make() -> ToolResult:
    """Make files."""
    return ToolResult("made", files=FILES)


async def test_files_are_listed_and_saved_never_shown(tmp_path: Path) -> None:
    agent = Agent(name="maker", description="x", tools=[make])
    team = Team(name="makers", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("make"), say("만들었습니다.")) as scripted:
        dure = Dure(
            data_dir=tmp_path / "data",
            embeddings=False,
            tool_dialect="native",
            port=0,
            model_base_url=scripted.url,
            api_keys=["kim:key-of-kim", "lee:key-of-lee"],
            teams=[team],
        )
        async with served(dure) as url, httpx.AsyncClient(base_url=url, headers=KIM, timeout=20) as client:
            answer = (await client.post("/v1/chat", json={"message": "만들어 줘", "team": "makers"})).json()
            run_id = answer["metadata"]["run_id"]
            base = f"/v1/runs/{run_id}/artifacts"
            listed = (await client.get(base)).json()["artifacts"]
            assert [f["id"] for f in listed] == [f["id"] for f in answer["metadata"]["artifacts"]]
            assert (await client.get(f"/v1/runs/{run_id}")).json()["artifacts"] == listed
            for file, made in zip(listed, FILES, strict=True):
                reply = await client.get(f"{base}/{file['id']}")
                assert reply.status_code == 200
                assert reply.content == made.data
                assert reply.headers["content-disposition"].startswith("attachment; ")
                assert reply.headers["x-content-type-options"] == "nosniff"
                assert reply.headers["content-security-policy"].startswith("sandbox;")
                assert not {"set-cookie", "x-evil"} & set(reply.headers)
                saved = reply.headers["content-disposition"].partition("filename*=UTF-8''")[2]
                assert unquote(saved) == file["name"]
                assert "/" not in file["name"]
                clean = "\r" not in made.media_type
                assert reply.headers["content-type"] == (made.media_type if clean else "application/octet-stream")
                other = await client.get(f"{base}/{file['id']}", headers=LEE)
                assert (other.status_code, other.json()["error"]["code"]) == (404, "not_found")
            assert (await client.get(base, headers=LEE)).status_code == 404
            for nothing in ("f-none", "..%2F..%2Fdure.db", "x" * 3000):
                reply = await client.get(f"{base}/{nothing}")
                assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
                assert len(reply.content) < 5000
