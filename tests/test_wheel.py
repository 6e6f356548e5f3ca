"""The wheel holds the package, whole, and nothing else: installed by itself it takes a newcomer to a cited answer."""

import asyncio
import sys
import venv
import zipfile
from pathlib import Path
from shlex import split

import pytest

from dure.cli.demo import DOCUMENTS
from dure.testing import ScriptedServer, call, say

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")))
    return Path(wheel)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The programs of a new environment that shares the packages of the tests' own, but for Dure."""
    venv.create(tmp_path / "environment")
    (packages,) = tmp_path.glob("environment/lib/python*/site-packages")
    shared = [each for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
    # Within a folder that is named in one, no .pth is read: not that which leads to the source of an editable install.
    (packages / "shared.pth").write_text("\n".join(shared), "utf-8")
    return tmp_path / "environment" / "bin"


async def printed(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    """What a command printed, which must end well."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={name: value for name, value in env.items() if name != "PYTHONPATH"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    return out.decode()


def test_every_file_of_the_package_is_in_it_and_nothing_else(wheel: Path) -> None:
    """What version control ignores would be left out; tests, benchmarks and examples stay where they are."""
    with zipfile.ZipFile(wheel) as packed:
        found = {name for name in packed.namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    files = [path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert found == {path.relative_to(source).as_posix() for path in files}
    kinds = {Path(name).suffix for name in found}
    assert kinds >= {".py", ".toml", ".jsonl", ".js", ".css", ".html", ".json", ".typed", ".pdf", ".docx", ".csv"}


async def test_the_demo_works_from_the_wheel_alone(
    wheel: Path, programs: Path, environment: dict[str, str], tmp_path: Path, pip: list[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    install = [*pip, "--python", str(programs / "python"), "install", "--no-index", "--no-deps", "--quiet"]
    await printed(*install, "--disable-pip-version-check", "--no-compile", wheel, cwd=empty, env=environment)
    where = await printed(programs / "python", "-c", "import dure; print(dure.__file__)", cwd=empty, env=environment)
    assert Path(where.strip()).is_relative_to(programs.parent)
    script = [
        call("rag_agent", task="휴가 정책"),
        call("search_knowledge_base", queries=["연차휴가 근속년수"]),
        say("연차휴가는 근속년수에 따라 차등 부여합니다. [1]"),
    ]
    async with ScriptedServer(*script) as server:
        env = environment | {"DURE_MODEL_BASE_URL": server.url}
        shown = await printed(programs / "dure", "demo", cwd=empty, env=env)
    assert f"{len(list(DOCUMENTS.iterdir()))} documents" in shown
    assert "연차휴가는 근속년수에 따라 차등 부여합니다. [1]" in shown
    assert "[1] 인사규정, p. 3\n    “" in shown
    # What it says of extras is true of this environment too.
    line = await printed(
        programs / "python", "-c", "from dure.errors import install_line as f; print(f('office'))", cwd=empty, env=env
    )
    await printed(*pip, *split(line)[3:], "--no-index", "--no-deps", "--dry-run", cwd=empty, env=env)
    assert f"dure[office] @ {wheel.as_uri()}" in line
    assert list(empty.iterdir()) == []
