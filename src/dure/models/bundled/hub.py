"""GGUF files from a hub: that of Hugging Face, or the one whose address stands in `HF_ENDPOINT`."""

import os
import re
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from dure.errors import InvalidInput, WeightsError, phrase
from dure.storage.process import locked

_NAME = re.compile(r"[\w.-]+/[\w.-]+/[\w./-]+\.gguf", re.ASCII)
_SECONDS = 30.0
"""Without a byte."""


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
