"""Files of this machine that become documents, and what files are called."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dure.errors import InvalidInput, TooLarge, phrase


def files_of(paths: Iterable[Path], left_out: Callable[[str], object] = str) -> list[tuple[str, Path]]:
    """The files meant, each with the name it is stored under: within a folder, the way to it. What is hidden in a
    folder stays out, and links in it, which `left_out` is called with: who shared a folder does not say which other
    files go to a model. Folders in it that may not be looked into are told as files are, which cannot be read either.

    Raises InvalidInput for a path that does not exist, or when there is nothing at all.
    """
    found: dict[Path, str] = {}
    for path in paths:
        if path.is_dir():
            for each in sorted(_inside(path)):
                way = each.relative_to(path)
                name = " - ".join(way.parts) or path.name
                if any(map(hidden, way.parts)):
                    continue
                if way.parts and each.is_symlink():
                    left_out(name)
                else:
                    found.setdefault(each, name)
        elif path.is_file():
            found.setdefault(path, path.name)
        else:
            raise InvalidInput(reason=phrase("knowledge_files.none", path=path))
    if not found:
        raise InvalidInput(reason=phrase("knowledge_files.empty"))
    return [(name, path) for path, name in found.items()]


def _inside(folder: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for path, inside, names in os.walk(folder, onerror=closed.append):
        yield from (each for name in names + inside if (each := Path(path, name)).is_file() or each.is_symlink())
    yield from (Path(error.filename) for error in closed)


def hidden(name: str) -> bool:
    """Whether a file or folder of that name is none of its owner's documents: also what an office program locks."""
    return name.startswith((".", "~$"))


def read_file(path: Path, limit: int) -> bytes:
    """The file's bytes. Raises TooLarge for more than `limit`, before reading it, and InvalidInput."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise TooLarge(name=path.name, size=size, limit=limit)
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(reason=f"{path.name}: {error.strerror}") from None


_MAX_NAME = 200
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]")
"""What a name does not show: controls, characters without width, those that turn the direction of writing."""


def clean_name(name: str) -> str:
    """A file name as shown and stored: no folders, no control or direction characters, composed Hangul. Raises
    InvalidInput where nothing is left, and for more than 200 characters: cut, it could be another's."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name.encode("utf-8", "ignore").decode()))[-1]
    clean = UNSEEN.sub("", last).strip().strip(".").strip() if last.strip(". ") else ""
    if not clean:
        raise InvalidInput(reason=phrase("api_uploads.name"))
    if len(clean) > _MAX_NAME:
        raise InvalidInput(reason=phrase("knowledge_base.name", most=_MAX_NAME))
    return clean
