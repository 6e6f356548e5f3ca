"""Where files lie that belong to rows of the database: in a folder, or in a bucket of an S3-compatible store, so that
several servers need no shared folder. Names are made by us, as `9f….pdf` or `r-…/f-…`."""

import asyncio
import contextlib
import os
import re
import secrets
import shutil
import time
import weakref
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from dure.errors import FilesUnavailable, SettingsError, install_line, phrase
from dure.settings import Settings

KEY = "DURE_FILES"
_KEPT = 3600.0
"""Seconds for which a copy of a bucket's file is kept on this machine since it was last wanted."""
_PROBE = ".probe"
_NO_BUCKET = "NoSuchBucket"
_REFUSED = ("PermissionDeniedError", "UnauthenticatedError")


class Files(Protocol):
    """Raises FilesUnavailable, each of them."""

    async def put(self, name: str, data: bytes) -> None:
        """Keep a file in place of any of that name. Nobody ever finds a part of it."""

    async def local(self, name: str) -> Path:
        """The file as it is now on this machine, to be read soon and not written; there is nothing where it is gone."""
        ...

    async def delete(self, name: str) -> None:
        """Delete a file, or all in a folder; neither has to be there."""

    async def names(self) -> dict[str, float]:
        """All files, with the Unix time at which each was kept."""
        ...


def open_files(settings: Settings, room: str) -> Files:
    """The files of one kind, `room`, that the settings name. Raises SettingsError without the extra `s3`."""
    if settings.files is None:
        return Folder(settings.data_dir / room)
    return Bucket(f"{settings.files.rstrip('/')}/{room}", settings.data_dir / "copies" / room)


async def check(files: Files) -> None:
    """Write and read. Raises FilesUnavailable."""
    await files.put(_PROBE, b"dure")
    await files.local(_PROBE)


class Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, data: bytes) -> None:
        with _told():
            await asyncio.to_thread(write_whole, self._folder / name, data)

    async def local(self, name: str) -> Path:
        return self._folder / name

    async def delete(self, name: str) -> None:
        path = self._folder / name
        with _told():
            await asyncio.to_thread(shutil.rmtree if path.is_dir() else partial(Path.unlink, missing_ok=True), path)

    async def names(self) -> dict[str, float]:
        def there() -> dict[str, float]:
            found = {}
            for path in self._folder.rglob("*"):
                # Another process may delete it at this moment.
                with contextlib.suppress(FileNotFoundError):
                    if path.is_file():
                        found[path.relative_to(self._folder).as_posix()] = path.stat().st_mtime
            return found

        return await asyncio.to_thread(there)


class Bucket:
    """`url`: `s3://bucket/prefix`; keys, region and endpoint are those of the usual variables of AWS. `copies`: a
    folder for what is read, since parsers and sandboxes read files."""

    def __init__(self, url: str, copies: Path) -> None:
        try:
            from obstore.store import S3Store
        except ImportError:
            raise SettingsError(key=KEY, reason=phrase("storage_files.obstore", line=install_line("s3"))) from None
        self._name, _, prefix = url.removeprefix("s3://").partition("/")
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
        self._store = S3Store(
            self._name,
            prefix=prefix,
            config={"endpoint": endpoint} if endpoint else None,
            client_options={"allow_http": bool(endpoint), "connect_timeout": "5s", "timeout": "60s"},
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
        )
        for left in copies.glob("*"):
            if time.time() - left.stat().st_mtime > _KEPT:
                shutil.rmtree(left, ignore_errors=True)
        self._copies = copies / secrets.token_hex(8)
        weakref.finalize(self, shutil.rmtree, self._copies, ignore_errors=True)
        self._held: dict[str, tuple[str | None, asyncio.TimerHandle]] = {}
        """Of each copy the tag of its contents, and when it is dropped."""

    async def put(self, name: str, data: bytes) -> None:
        with _told(self._name):
            await self._store.put_async(name, data)

    async def local(self, name: str) -> Path:
        from obstore.exceptions import NotModifiedError

        path, (tag, timer) = self._copies / name, self._held.get(name, (None, None))
        if timer:
            timer.cancel()
        try:
            with _told(self._name):
                options: Any = {"if_none_match": tag} if tag and path.is_file() else None
                found = await self._store.get_async(name, options=options)
                await asyncio.to_thread(write_whole, path, bytes(await found.bytes_async()))
                tag = found.meta["e_tag"]
        except NotModifiedError:
            pass
        except FileNotFoundError:
            self._drop(name)
            return path
        self._held[name] = tag, asyncio.get_running_loop().call_later(_KEPT, self._drop, name)
        return path

    async def delete(self, name: str) -> None:
        with _told(self._name):
            inside = [each["path"] async for some in self._store.list(f"{name}/") for each in some]
            for each in inside or [name]:
                await self._store.delete_async(each)
                self._drop(each)

    async def names(self) -> dict[str, float]:
        with _told(self._name):
            found = [each async for some in self._store.list() for each in some]
        return {each["path"]: each["last_modified"].timestamp() for each in found}

    def _drop(self, name: str) -> None:
        self._held.pop(name, None)
        (self._copies / name).unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever finds a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _told(bucket: str | None = None) -> Iterator[None]:
    """Makes what a folder or a bucket raises FilesUnavailable, but FileNotFoundError for a bucket's file."""
    try:
        yield
    except Exception as error:
        said, kind = str(error), type(error).__name__
        if bucket is None and isinstance(error, OSError):
            raise FilesUnavailable(reason=error.strerror or said) from error
        if bucket is None or kind == "NotModifiedError" or (kind == "FileNotFoundError" and _NO_BUCKET not in said):
            raise
        why = "storage_files.refused" if kind in _REFUSED else "storage_files.failed"
        why = "storage_files.missing" if _NO_BUCKET in said else why
        told = re.search(r"<Message>(.*?)</Message>", said)
        said = told[1] if told else said.partition("\n")[0][:300]
        raise FilesUnavailable(reason=phrase(why, bucket=bucket, said=said)) from error
