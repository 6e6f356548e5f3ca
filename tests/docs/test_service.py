"""The unit for systemd, as it stands in the documents, is one that systemd takes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.reader.blocks import blocks

VERIFY = shutil.which("systemd-analyze")
UNIT = next(block.text for block in blocks("docs/how-to.md") if block.text.startswith("[Unit]"))


@pytest.mark.skipif(VERIFY is None, reason="needs systemd-analyze")
def test_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "dure.service"
    unit.write_text(UNIT.replace("/opt/dure/.venv/bin/dure", sys.executable))
    ended = subprocess.run([str(VERIFY), "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (ended.returncode, "dure.service" in ended.stderr) == (0, False), ended.stderr
