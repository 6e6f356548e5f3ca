"""Files of every kind, made on the spot, and knowledge bases over a database of their own."""

import hashlib
import io
import tempfile
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dure.knowledge.base import Knowledge
from dure.knowledge.vectors import pack
from dure.storage import documents
from dure.storage.database import Database
from dure.storage.documents import NewPassage
from dure.storage.files import Folder
from dure.storage.terms import terms

OpenKnowledge = Callable[..., Awaitable[Knowledge]]


class Files:
    """Makes real files."""

    @staticmethod
    def pdf(pages: Sequence[Sequence[str]], encrypted: bool = False) -> bytes:
        """A PDF with the given lines on its pages; any script, by a font that maps codes to Unicode."""
        text = "".join(line for page in pages for line in page)
        chars = sorted({ord(c) for c in text})
        mapping = "".join(
            f"{min(100, len(chars) - i)} beginbfchar\n"
            + "".join(f"<{c:04X}> <{c:04X}>\n" for c in chars[i : i + 100])
            + "endbfchar\n"
            for i in range(0, len(chars), 100)
        )
        cmap = f"/CMapName /X def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n{mapping}endcmap"
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{6 + 2 * i} 0 R' for i in range(len(pages)))}] >>",
            b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H"
            b" /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>",
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 1000"
            b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
            f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
        ]
        for i, lines in enumerate(pages):
            shown = "\n".join(
                f"BT /F1 10 Tf 50 {780 - 14 * n} Td <{line.encode('utf-16-be').hex()}> Tj ET"
                for n, line in enumerate(lines)
            )
            objects.append(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1200 842] /Contents {7 + 2 * i} 0 R"
                " /Resources << /Font << /F1 3 0 R >> >> >>"
            )
            objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
        out = bytearray(b"%PDF-1.7\n")
        offsets = []
        for number, each in enumerate(objects, start=1):
            offsets.append(len(out))
            out += f"{number} 0 obj\n".encode() + (each if isinstance(each, bytes) else each.encode()) + b"\nendobj\n"
        xref = len(out)
        out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
        out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
        lock = (
            f" /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'61' * 32}> /U <{'62' * 32}> >>" if encrypted else ""
        )
        name = f" /ID [<{'00' * 16}> <{'00' * 16}>]"
        out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R{lock}{name} >>\nstartxref\n{xref}\n%%EOF".encode()
        return bytes(out)

    @staticmethod
    def parquet(query: str, options: str = "") -> bytes:
        """The rows of a query of DuckDB's."""
        import duckdb

        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
            path = Path(folder, "a")
            db.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})")
            return path.read_bytes()

    @staticmethod
    def docx(build: Callable[[Any], None]) -> bytes:
        """A Word document; `build` fills the python-docx document."""
        import docx

        document = docx.Document()
        build(document)
        out = io.BytesIO()
        document.save(out)
        return out.getvalue()

    @staticmethod
    def pptx(slides: Sequence[Sequence[str]], notes: str = "") -> bytes:
        """A presentation: of each slide the title, then the lines of its body."""
        import pptx

        presentation = pptx.Presentation()
        for title, *lines in slides:
            slide = presentation.slides.add_slide(presentation.slide_layouts[1])
            slide.shapes.title.text = title
            slide.placeholders[1].text_frame.text = "\n".join(lines)
            if notes:
                slide.notes_slide.notes_text_frame.text = notes
        out = io.BytesIO()
        presentation.save(out)
        return out.getvalue()

    @staticmethod
    def xlsx(sheets: dict[str, Sequence[Sequence[Any]]]) -> bytes:
        import openpyxl

        workbook = openpyxl.Workbook()
        workbook.remove(workbook.active)
        for name, rows in sheets.items():
            sheet = workbook.create_sheet(name)
            for row in rows:
                sheet.append(list(row))
        out = io.BytesIO()
        workbook.save(out)
        return out.getvalue()

    @staticmethod
    def zip(parts: dict[str, bytes]) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
        return out.getvalue()

    @staticmethod
    @cache
    def bomb(main_part: str) -> bytes:
        """An archive of 500 MB of zeros beside the main part, half a megabyte packed."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(main_part, b"<x/>")
            with archive.open("media/zeros", "w") as stream:
                for _ in range(50):
                    stream.write(bytes(10_000_000))
        return out.getvalue()


@pytest.fixture(scope="session")
def files() -> type[Files]:
    return Files


class TermEmbedder:
    """A small embedding model: each term has a fixed random direction, a text is the sum of its terms'."""

    dim = 32

    def __init__(self, name: str = "terms", first: "TermEmbedder | None" = None) -> None:
        self.name = name
        self.first = first
        self.embedded: list[str] = []

    async def queries(self, texts: Sequence[str]) -> Any:
        return np.array([self._vector(text) for text in texts], np.float32)

    async def views(self, texts: Sequence[str]) -> list[Any]:
        return [await each.queries(texts) for each in (self, self.first) if each]

    async def passages(self, texts: Sequence[str]) -> Any:
        self.embedded += texts
        return await self.queries(texts)

    async def close(self) -> None:
        return

    def _vector(self, text: str) -> Any:
        total = sum((_direction(f"{self.name}{term}") for term in terms(text)), np.full(self.dim, 0.01))
        return total / np.linalg.norm(total)


@cache
def _direction(term: str) -> Any:
    """Drawn once in a process: of each word of each text they were a sixth of what these tests cost."""
    seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(TermEmbedder.dim)


@pytest.fixture
def embedder() -> TermEmbedder:
    return TermEmbedder()


@pytest.fixture
def make_embedder() -> type[TermEmbedder]:
    return TermEmbedder


@pytest.fixture
async def open_knowledge(database: Database, tmp_path: Path) -> AsyncIterator[OpenKnowledge]:
    """Open a knowledge base over the test's database: `await open_knowledge(embedder)`; ended with the test."""
    async with AsyncExitStack() as stack:

        async def open_one(embedder: Any = None, *, max_bytes: int = 50_000_000, start: bool = True) -> Knowledge:
            knowledge = Knowledge(database, Folder(tmp_path / "files"), embedder, max_bytes=max_bytes)
            if start:
                await knowledge.start()
            stack.push_async_callback(knowledge.close)
            return knowledge

        yield open_one


@pytest.fixture
async def knowledge(open_knowledge: OpenKnowledge) -> Knowledge:
    return await open_knowledge()


@pytest.fixture
def unit() -> Callable[..., Any]:
    """`unit(count, seed=0)`: random unit vectors of eight dimensions."""

    def make(count: int, seed: int = 0) -> Any:
        rows = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    return make


@pytest.fixture
def put_vectors() -> Callable[..., Awaitable[list[int]]]:
    """`put_vectors(database, owner, id, rows, texts=None)`: store a document of one passage a row of `rows`; returns
    the passages' ids."""

    async def put(
        database: Database, owner: str, id: str, rows: Any, texts: Sequence[str] | None = None, model: str = "m"
    ) -> list[int]:
        columns = {"name": id, "title": id, "kind": "text", "sha256": id, "size": 1, "file": id, "status": "queued"}
        await database.write(documents.add, owner, id=id, **columns)
        new = [NewPassage(None, i, i + 1, text) for i, text in enumerate(texts or ["글"] * len(rows))]
        await database.write(documents.store, owner, id, title=id, text="글" * len(rows), pages=[(None, 0)], new=new)
        ids = [row["id"] for row in await database.read(documents.passages_of, owner, id)]
        packed = [(i, pack(row)) for i, row in zip(ids, rows, strict=True)]
        await database.write(documents.put_vectors, model, packed)
        return ids

    return put
