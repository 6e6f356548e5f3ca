"""GGUF files: fetched from a hub, that of Hugging Face or the one whose address stands in `HF_ENDPOINT`; and what they
say of their models (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md)."""

import mmap
import os
import re
import struct
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from dure.errors import InvalidInput, WeightsError, phrase
from dure.storage.process import locked

_NAME = re.compile(r"[\w.-]+/[\w.-]+/[\w./-]+\.gguf", re.ASCII)
_SECONDS = 30.0
"""Without a byte."""

_NUMBERS = dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"))) | {10: "<Q", 11: "<q", 12: "<d"}
"""Formats of the types of values; 8 is a text, 9 a list."""
_TEXT, _LIST = 8, 9
_MOST = 4_000_000
"""Entries and texts of a list: ten times the largest vocabulary."""


def fetch(name: str, folder: Path, tell: Callable[[int, int], None]) -> Path:
    """The file `OWNER/REPOSITORY/FILE.gguf`, fetched into `folder` unless it is there; what an earlier call began is
    gone on with. tell: is called with the bytes that are there and those in all. Raises WeightsError, InvalidInput."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise InvalidInput(reason=phrase("models_bundled_hub.name", name=name[:200]), key="model")
    owner, repository, file = name.split("/", 2)
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    url = f"{endpoint}/{owner}/{repository}/resolve/main/{quote(file)}"
    target = folder / owner / repository / Path(file).name
    part = target.with_name(f"{target.name}.part")
    try:
        with locked(target.with_name(f"{target.name}.lock"), lambda: None):
            if not target.exists():
                _load(url, part, tell)
                part.replace(target)
    except HTTPError as error:
        error.close()
        raise WeightsError(reason=f"{url}: HTTP {error.code}") from None
    except (OSError, HTTPException) as error:
        raise WeightsError(reason=f"{url}: {error}") from None
    return target


def _load(url: str, part: Path, tell: Callable[[int, int], None]) -> None:
    """Raises OSError, also where less came than was told."""
    there = part.stat().st_size if part.exists() else 0
    request = Request(url, headers={"Range": f"bytes={there}-"} if there else {})  # noqa: S310
    with urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
        if reply.status != 206:
            there = 0
        size = there + int(reply.headers["Content-Length"] or 0)
        with part.open("ab" if there else "wb") as file:
            for block in iter(partial(reply.read, 1 << 20), b""):
                file.write(block)
                there += len(block)
                tell(there, size)
    if there < size:
        raise ConnectionError(f"{there} / {size} bytes")


def header(path: Path) -> dict[str, Any]:
    """`{name, context, template}`: tokens that the model was made for and its chat template, None where the file does
    not tell. Raises InvalidInput for a file that cannot be read, is no GGUF, or breaks off."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            found = _metadata(data)
    except OSError as error:
        raise InvalidInput(reason=f"{path.name}: {error.strerror}") from None
    except (ValueError, KeyError, struct.error):
        raise InvalidInput(reason=phrase("models_bundled_gguf.none", file=path.name)) from None
    context = next((each for key, each in found.items() if key.endswith(".context_length")), None)
    name, template = str(found.get("general.name") or path.stem), found.get("tokenizer.chat_template")
    return {"name": name, "context": context if isinstance(context, int) else None, "template": template}


def _metadata(data: mmap.mmap) -> dict[str, Any]:
    """Its keys with their values, but for lists. Raises ValueError, KeyError or struct.error."""
    magic, version, _, count = struct.unpack_from("<4sIQQ", data)
    if magic != b"GGUF" or version not in (2, 3) or count > _MOST:
        raise ValueError
    found: dict[str, Any] = {}
    at = struct.calcsize("<4sIQQ")
    for _ in range(count):
        key, at = _value(data, at, _TEXT)
        (kind,) = struct.unpack_from("<I", data, at)
        found[key], at = _value(data, at + 4, kind)
    return found


def _value(data: mmap.mmap, at: int, kind: int) -> tuple[Any, int]:
    """The value at a place, and where it ends."""
    if kind == _TEXT:
        (size,) = struct.unpack_from("<Q", data, at)
        if at + 8 + size > len(data):
            raise ValueError
        return data[at + 8 : at + 8 + size].decode("utf-8", "replace"), at + 8 + size
    if kind != _LIST:
        return struct.unpack_from(_NUMBERS[kind], data, at)[0], at + struct.calcsize(_NUMBERS[kind])
    of, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if of != _TEXT:
        return None, at + count * struct.calcsize(_NUMBERS[of])
    if count > _MOST:
        raise ValueError
    for _ in range(count):
        at += 8 + int(struct.unpack_from("<Q", data, at)[0])
    return None, at
