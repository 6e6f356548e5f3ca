"""Multipart bodies: whole, cut into any pieces, too large, broken, with hostile names."""

import unicodedata
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from fastapi import Request
from hypothesis import given
from hypothesis import strategies as st

from dure.api.uploads import MAX_FILES, file_name, receive
from dure.errors import DureError, InvalidInput, TooLarge, UnsupportedMedia
from dure.knowledge.files import clean_name

KIND = "multipart/form-data; boundary=XX"


def part(name: str, content: bytes, field: str = "file") -> bytes:
    head = f'--XX\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    return head.encode() + content + b"\r\n"


END = b"--XX--\r\n"


class Sender:
    """A client that sends its chunks one by one and knows how many were taken."""

    def __init__(self, chunks: Sequence[bytes], kind: str = KIND) -> None:
        self.left = list(chunks)
        self.kind = kind

    def request(self) -> Request:
        scope = {"type": "http", "method": "POST", "headers": [(b"content-type", self.kind.encode())]}
        return Request(scope, self._receive)

    async def _receive(self) -> dict[str, Any]:
        if not self.left:
            return {"type": "http.request", "body": b"", "more_body": False}
        return {"type": "http.request", "body": self.left.pop(0), "more_body": True}


async def received(sender: Sender, limit: int = 1000, *parts: str) -> list[tuple[str, bytes, int]]:
    async with receive(sender.request(), limit, *parts) as (uploads, _):
        return [(str(u.filename), await u.read(), u.size or 0) for u in uploads]


@given(st.integers(1, 60))
async def test_files_arrive_whole_in_pieces_of_any_size(size: int) -> None:
    body = part("규정.txt", "연차 15일".encode()) + part("b.bin", b"\r\n--X\x00\xff") + END
    chunks = [body[i : i + size] for i in range(0, len(body), size)]
    assert await received(Sender(chunks)) == [
        ("규정.txt", "연차 15일".encode(), 12),
        ("b.bin", b"\r\n--X\x00\xff", 7),
    ]


async def test_parts_that_are_no_files_are_known_ones() -> None:
    sent = b'--XX\r\nContent-Disposition: form-data; name="tag"\r\n\r\nhello\r\n' + part("a.txt", b"x", "any") + END
    assert await received(Sender([sent]), 1000, "tag") == [("a.txt", b"x", 1)]
    with pytest.raises(InvalidInput) as error:
        await received(Sender([sent]), 1000, "tags")
    assert [each["field"] for each in error.value.details["fields"]] == ["form.tag"]
    assert "'tags'" in error.value.message("en")


async def test_a_file_over_the_limit_is_given_up_while_it_comes() -> None:
    sender = Sender([part("big.txt", b"x" * 100)[:-2], *[b"x" * 1000] * 500])
    with pytest.raises(TooLarge) as error:
        await received(sender, limit=5000)
    assert error.value.details["name"] == "big.txt"
    assert len(sender.left) > 400


async def test_several_files_each_have_the_limit() -> None:
    body = part("a.txt", b"x" * 900) + part("b.txt", b"y" * 900) + END
    assert [size for _, _, size in await received(Sender([body]), limit=1000)] == [900, 900]


async def test_too_many_files() -> None:
    body = b"".join(part(f"{i}.txt", b"x") for i in range(MAX_FILES + 1)) + END
    with pytest.raises(InvalidInput):
        await received(Sender([body]))


@pytest.mark.parametrize(
    ("body", "kind", "error"),
    [
        (part("a.txt", b"x") + END, "application/json", UnsupportedMedia),
        (part("a.txt", b"x") + END, "multipart/form-data", UnsupportedMedia),
        (b"", KIND, InvalidInput),
        (b"no multipart at all", KIND, InvalidInput),
        (END, KIND, InvalidInput),
        (part("a.txt", b"x")[:-2], KIND, InvalidInput),
        (part("", b"x") + END, KIND, InvalidInput),
        (part("..", b"x") + END, KIND, InvalidInput),
        (b'--XX\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n' + END, KIND, InvalidInput),
        (b'--XX\r\nContent-Disposition: form-data; name="f"\r\n\r\n' + b"x" * 2_000_000 + END, KIND, TooLarge),
        (part("a", b"x") + END, "multipart/form-data; boundary=" + "X" * 300, InvalidInput),
    ],
)
async def test_unusable_bodies(body: bytes, kind: str, error: type[DureError]) -> None:
    with pytest.raises(error):
        await received(Sender([body], kind))


@given(st.binary(max_size=300))
async def test_no_bytes_raise_anything_else(body: bytes) -> None:
    try:
        found = await received(Sender([b"--XX\r\n" + body, END]))
    except DureError:
        return
    assert all(name and size == len(content) for name, content, size in found)


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("인사규정.pdf", "인사규정.pdf"),
        (unicodedata.normalize("NFD", "인사규정.pdf"), "인사규정.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.txt", "a.txt"),
        ("a\x00b\r\n.txt", "ab.txt"),
        ("\u202efdp.exe", "fdp.exe"),
        ("  .hidden.txt ", "hidden.txt"),
        ("가" * 196 + ".pdf", "가" * 196 + ".pdf"),
    ],
)
def test_names_are_cleaned(given: str, clean: str) -> None:
    assert clean_name(given) == clean


def test_a_name_is_not_cut_which_could_make_it_anothers() -> None:
    with pytest.raises(InvalidInput, match="200"):
        clean_name("가" * 197 + ".pdf")


@given(st.text(max_size=400))
def test_a_cleaned_name_is_harmless(name: str) -> None:
    try:
        clean = clean_name(name)
    except InvalidInput:
        return
    assert 0 < len(clean) <= 200
    assert not set(clean) & set("/\\\x00\r\n")
    assert clean not in (".", "..")
    assert clean_name(clean) == clean


def test_names_in_other_codings() -> None:
    assert file_name('form-data; name="f"; filename="규정.txt"'.encode("cp949")) == "규정.txt"
    assert file_name(b"form-data; name=f; filename*=UTF-8''%EA%B7%9C.txt") == "규.txt"
    assert file_name(b'form-data; name="f"') is None
    assert file_name(b"") is None


async def test_spooled_files_are_closed() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b""

    async with receive(Sender([part("a.txt", b"x") + END]).request(), 10) as (uploads, _):
        file = uploads[0].file
    assert file.closed
