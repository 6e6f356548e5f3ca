"""Every benchmark that the README lists starts; what it measures takes minutes."""

import asyncio
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.name for path in BENCHMARKS.glob("*.py") if "_" not in path.stem))
async def test_it_starts(name: str, tmp_path: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, str(BENCHMARKS / name), "--help")
    process = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert out.decode().startswith("usage: ")
