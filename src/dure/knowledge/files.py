"""Files of this machine that become documents."""

from collections.abc import Iterable
from pathlib import Path

from dure.errors import InvalidInput, Text, TooLarge


def files_of(paths: Iterable[Path]) -> list[tuple[str, Path]]:
    """The files meant, each with the name it is stored under: within a folder, the way to it. What is hidden in a
    folder stays out.

    Raises InvalidInput for a path that does not exist, or when there is nothing at all.
    """
    found: dict[Path, str] = {}
    for path in paths:
        if path.is_dir():
            inside = (p for p in sorted(path.rglob("*")) if p.is_file())
            for each in inside:
                way = each.relative_to(path)
                if not any(part.startswith((".", "~$")) for part in way.parts):
                    found.setdefault(each, " - ".join(way.parts))
        elif path.is_file():
            found.setdefault(path, path.name)
        else:
            reason = Text(f"there is no file or folder '{path}'", ko=f"'{path}' 파일이나 폴더가 없습니다")
            raise InvalidInput(reason=reason)
    if not found:
        raise InvalidInput(reason=Text("no files there", ko="파일이 없습니다"))
    return [(name, path) for path, name in found.items()]


def read_file(path: Path, limit: int) -> bytes:
    """The file's bytes. Raises TooLarge for more than `limit`, before reading it, and InvalidInput."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise TooLarge(name=path.name, size=size, limit=limit)
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(reason=f"{path.name}: {error.strerror}") from None
