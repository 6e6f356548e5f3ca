"""`dure models use`: a GGUF file of one's own, of a hub, and back."""

import asyncio
import hashlib
import signal
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from fixtures.gguf import gguf

PIPE = asyncio.subprocess.PIPE
Started = Callable[..., Awaitable[asyncio.subprocess.Process]]
Command = Callable[..., Awaitable[Any]]
FILE = gguf(general__name="Qwen3 4B", qwen3__context_length=4096, tokenizer__chat_template="{{ messages }}")
HASH = hashlib.sha256(FILE).hexdigest()
CONFIG = '# mine\nmodel = "fast"\nbundled_path = "/old.gguf"\n\n[models.fast]\nprovider = "bundled"\n'


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "dure.toml"
    file.write_text(CONFIG)
    monkeypatch.setattr("dure.configured.config_file", lambda: file)
    return file


def read(file: Path) -> str:
    return file.read_text()


def write(file: Path, text: str) -> str:
    file.write_text(text)
    return text


async def test_a_file_of_ones_own_is_written_into_the_settings_and_back(
    dure: Command, tmp_path: Path, config: Path
) -> None:
    own, given = tmp_path / "own.gguf", {"DURE_MODEL_BASE_URL": ""}
    own.write_bytes(FILE)
    used = await dure("models", "use", str(own), "--sha256", HASH.upper(), **given)
    assert used.code == 0
    assert "Qwen3 4B" in used.out
    assert "context 4,096 tokens, chat template there" in used.out
    assert read(config) == f'bundled_path = "{own}"\n' + CONFIG.replace('bundled_path = "/old.gguf"\n', "")
    listed = (await dure("models", "list", "--json", **given)).json["bundled"]
    assert [each["variant"] for each in listed if each["in_use"]] == ["own"]
    assert listed[-1]["path"] == str(own)

    back = await dure("models", "use", "0.5b", "--json", **given)
    assert back.json["path"] is None
    settings = tomllib.loads(read(config))
    assert "bundled_path" not in settings
    assert (settings["bundled_model"], settings["models"]) == ("0.5b", {"fast": {"provider": "bundled"}})


@pytest.mark.parametrize(
    ("name", "data", "more", "says"),
    [
        ("own.gguf", b"GGML", (), "is no GGUF file"),
        ("own.gguf", FILE, ("--sha256", "0" * 64), "SHA-256"),
        ("none.gguf", FILE, (), "OWNER/REPOSITORY/FILE.gguf"),
        ("../../etc/passwd", FILE, (), "OWNER/REPOSITORY/FILE.gguf"),
    ],
)
async def test_what_cannot_be_used_changes_nothing(
    dure: Command, tmp_path: Path, config: Path, name: str, data: bytes, more: tuple[str, ...], says: str
) -> None:
    (tmp_path / "own.gguf").write_bytes(data)
    place = str(tmp_path / name) if name == "own.gguf" else name
    ended = await dure("models", "use", place, *more)
    assert ended.code == 2
    assert says in ended.err
    assert read(config) == CONFIG


async def test_a_file_whose_settings_stand_in_a_text_of_several_lines_is_left_alone(
    dure: Command, tmp_path: Path, config: Path
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(FILE)
    before = write(config, "bundled_path = '''\n/old\n'''\n")
    ended = await dure("models", "use", str(own))
    assert ended.code == 2
    assert read(config) == before


class Hub:
    """Serves one file, as the hub does; `cut`: so many bytes of it the first time."""

    def __init__(self) -> None:
        self.cut = 0
        self.gate: asyncio.Event | None = None
        self.waits = asyncio.Event()
        self.asked: list[tuple[str, str | None]] = []

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        wanted = request.headers.get("Range")
        self.asked.append((request.path, wanted))
        if "own.gguf" not in request.path:
            return web.Response(status=404)
        start = int(wanted[6:-1]) if wanted else 0
        data = FILE[start:]
        response = web.StreamResponse(status=206 if wanted else 200, headers={"Content-Length": str(len(data))})
        await response.prepare(request)
        await response.write(data[: self.cut or None])
        if self.gate is not None:
            self.waits.set()
            await self.gate.wait()
        if self.cut and request.transport:
            self.cut = 0
            request.transport.close()
        return response


@pytest.fixture
async def hub() -> AsyncIterator[tuple[Hub, str]]:
    made = Hub()
    runner = web.ServerRunner(web.Server(made.handle), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield made, f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_a_hubs_file_is_fetched_once_and_gone_on_with(
    dure: Command, tmp_path: Path, config: Path, hub: tuple[Hub, str]
) -> None:
    served, url = hub
    given = {"HF_ENDPOINT": url}
    served.cut = 40
    name = "qwen/Qwen3-4B-GGUF/own.gguf"
    assert "bytes" in (await dure("models", "use", name, **given)).err
    for _ in range(2):
        used = await dure("models", "use", name, "--sha256", HASH, "--json", **given)
        assert used.code == 0
    path = "/qwen/Qwen3-4B-GGUF/resolve/main/own.gguf"
    assert served.asked == [(path, None), (path, "bytes=40-")]
    assert read(Path(used.json["path"])).encode() == FILE
    assert tomllib.loads(read(config))["bundled_path"] == used.json["path"]

    # Another one under that name is not kept.
    wrong = await dure("models", "use", name, "--sha256", "0" * 64, **given)
    assert wrong.code == 2
    assert list((tmp_path / "cache").rglob("own.gguf")) == []
    missing = await dure("models", "use", "qwen/none/none.gguf", **given)
    assert missing.code == 1
    assert "HTTP 404" in missing.err


async def test_ctrl_c_ends_a_download_at_once(started: Started, hub: tuple[Hub, str]) -> None:
    served, url = hub
    served.gate, served.cut = asyncio.Event(), 10
    process = await started("models", "use", "qwen/Qwen3-4B-GGUF/own.gguf", env={"HF_ENDPOINT": url}, stderr=PIPE)
    await served.waits.wait()
    process.send_signal(signal.SIGINT)
    _, said = await process.communicate()
    served.gate.set()
    assert process.returncode == 130
    assert b"Cancelled" in said
