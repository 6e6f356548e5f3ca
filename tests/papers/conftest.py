"""The papers room: a Dure on either store, and PDFs made here."""

import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dure import Dure
from dure.papers import Papers

Library = Callable[..., Awaitable[Papers]]


@pytest.fixture
async def library(database_url: str, opened: Callable[..., Awaitable[Dure]]) -> Library:
    """`papers = await library()`: on each store in turn."""

    async def open_one(**settings: Any) -> Papers:
        return (await opened(database_url=database_url, model_base_url="http://127.0.0.1:9/v1", **settings)).papers

    return open_one


def pdf(pages: list[list[tuple[int, str]]], **properties: str) -> bytes:
    """A PDF of pages of (size in points, line); properties such as Title."""
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        y, parts = 760, []
        for size, line in lines:
            escaped = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            parts.append(f"BT /F1 {size} Tf 60 {y} Td ({escaped}) Tj ET")
            y -= size + 6
        content = zlib.compress("\n".join(parts).encode("latin-1"))
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids), len(kids))
    told = b" ".join(b"/%b (%b)" % (name.encode(), value.encode("latin-1")) for name, value in properties.items())
    objects.append(b"<< %b >>" % told)
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>" % (len(objects) + 1, len(objects))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%b%b\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        table,
        trailer,
        len(out),
    )


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    return pdf
