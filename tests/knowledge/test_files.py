"""Files of this machine that become documents."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
from pathlib import Path
from dure.errors import InvalidInput
from dure.knowledge.files import files_of, read_file

try:
    files_of([Path("/nowhere/at/all")])
except InvalidInput as error:
    str(error)  # what sentences need is loaded, by who may read it
if os.geteuid() == 0:
    os.setuid(65534)
for name, path in files_of([Path(sys.argv[1])]):
    try:
        print(name, read_file(path, 100_000).decode())
    except InvalidInput as error:
        print(error.details["reason"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such rights there")
@pytest.mark.parametrize(("closed", "told"), [("sub", ["open.txt 문서", "sub: Permission denied"]), ("", None)])
def test_a_folder_without_rights_is_named(closed: str, told: list[str] | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sub").mkdir()
        for each in ("open.txt", "sub/shut.txt"):
            (folder / each).write_text("문서", encoding="utf-8")
        folder.chmod(0o755)
        (folder / closed).chmod(0)
        try:
            done = subprocess.run([sys.executable, "-c", SCRIPT, name], capture_output=True, text=True, check=True)
        finally:
            (folder / closed).chmod(0o755)
    assert done.stdout.splitlines() == (told or [f"{os.path.basename(name)}: Permission denied"])
