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
        async with served(dure) as url, httpx.AsyncClient(base_url=url, headers=KIM, timeout=60) as client:
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


async def test_files_are_read_as_documents_are(tmp_path: Path, serve, make_pdf) -> None:
    """Their text and kind, and a PDF's pages; what is of no known kind is refused, what is another's not found."""
    pdf = make_pdf([[(14, "Leave is fifteen days.")], [(14, "Travel is paid.")]])
    files = [
        File("report.pdf", pdf, "application/pdf"),
        File("a.exe", b"MZ\0\0" * 9),
        File("표.csv", "가,나\n1,2\n".encode()),
    ]

    @tool
    def write() -> ToolResult:
        """Write files."""
        return ToolResult("made", files=files)

    agent = Agent(name="maker", description="x", tools=[write])
    team = Team(name="makers", kind="solo", description="x", agents=[agent])
    async with ScriptedServer(call("write"), say("했습니다.")) as scripted:
        client = await serve(scripted, teams=[team], api_keys=["kim:key-of-kim", "lee:key-of-lee"])
        client.headers.update(KIM)
        made = (await client.post("/v1/chat", json={"message": "만들어 줘", "team": "makers"})).json()["metadata"]
        report, program, table = (f"/v1/runs/{made['run_id']}/artifacts/{each['id']}" for each in made["artifacts"])
        whole = (await client.get(f"{report}/text")).json()
        assert (whole["kind"], whole["count"], [each["page"] for each in whole["pages"]]) == ("pdf", 2, [1, 2])
        assert "Leave is fifteen days." in whole["text"]
        second = whole["pages"][1]
        piece = (await client.get(f"{report}/text", params={"start": second["start"], "end": 9999})).json()
        assert (piece["text"], [each["page"] for each in piece["pages"]]) == ("Travel is paid.", [2])
        assert (await client.get(f"{table}/text")).json()["kind"] == "csv"
        picture = await client.get(f"{report}/pages/2.png", params={"width": 200})
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
        assert (await client.get(f"{report}/pages/3.png")).status_code == 404
        assert (await client.get(f"{table}/pages/1.png")).status_code == 422
        refused = await client.get(f"{program}/text")
        assert (refused.status_code, refused.json()["error"]["code"]) == (415, "unsupported_file")
        for way in (f"{report}/text", f"{report}/pages/1.png"):
            assert (await client.get(way, headers=LEE)).status_code == 404
