"""Whom files name as their author, in files as programs write them."""

import gzip
import io
from pathlib import Path

import pptx
import pytest

from dure.knowledge.parse import archive, kind_of, kinds
from dure.knowledge.parse.reader import Reader
from tests.conftest import pdf

OFFICE = Path(__file__).parents[2] / "fixtures" / "office"


def author(name: str, data: bytes) -> str:
    return kinds.parse(kind_of(name, data), data).author


def written(document):
    document.core_properties.author = "김두레"
    document.add_paragraph("연차휴가는 15일이다.")


def test_files_as_programs_write_them(files):
    assert author("a.docx", files.docx(written)) == "김두레"
    slides = pptx.Presentation(io.BytesIO(files.pptx([["연차", "15일"]])))
    slides.core_properties.author = "박두레"
    slides.save(out := io.BytesIO())
    assert author("a.pptx", out.getvalue()) == "박두레"
    assert author("a.eml", b"From: Kim <kim@example.com>\nSubject: x\n\nhello") == "Kim <kim@example.com>"
    assert author("a.pdf", pdf([[(12, "Leave is 15 days.")]], Author="Kim Dure")) == "Kim Dure"


def test_a_program_that_wrote_the_file_is_nobody(files):
    assert author("a.xlsx", files.xlsx({"A": [["연차", 15]]})) == ""
    assert author("a.docx", files.docx(lambda d: d.add_paragraph("연차휴가는 15일이다."))) == ""
    assert author("a.odt", gzip.decompress((OFFICE / "rules.odt.gz").read_bytes())) == ""


@pytest.mark.parametrize(("name", "told"), [("Writer", ""), ("LibreOffice", ""), ("Wri", "Wri"), ("Lee", "Lee")])
def test_a_program_is_told_by_what_the_file_says_wrote_it(files, name, told):
    about = f"<m><initial-creator>{name}</initial-creator><generator>LibreOffice/7.4 Writer</generator></m>"
    assert archive.author(files.zip({"meta.xml": about.encode()})) == told
    parts = {"docProps/core.xml": f"<c><creator>{name}</creator></c>", "docProps/app.xml": "<a/>"}
    assert archive.author(files.zip({part: text.encode() for part, text in parts.items()})) == name
    parts["docProps/app.xml"] = "<a><Application>Writer of LibreOffice</Application></a>"
    assert archive.author(files.zip({part: text.encode() for part, text in parts.items()})) == told


def test_who_began_it_and_not_who_changed_it_last(files):
    about = b'<meta xmlns="m"><creator>Park</creator><initial-creator>Lee</initial-creator></meta>'
    assert archive.author(files.zip({"meta.xml": about})) == "Lee"
    hangul = b'<p xmlns:o="o"><o:meta name="lastsaveby">Park</o:meta><o:meta name="creator">Lee</o:meta></p>'
    assert archive.author(files.zip({"Contents/content.hpf": hangul})) == "Lee"


@pytest.mark.parametrize("about", [b"<broken", b"<a/>", b"", b"\xff\xfe"])
def test_who_is_not_told_is_nobody(files, about):
    assert archive.author(files.zip({"docProps/core.xml": about})) == ""


async def test_the_reader_tells_it_on_one_line(tmp_path):
    reader = Reader()
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([[(12, "Leave is 15 days.")]], Author="Kim\n  Dure"))
    try:
        assert (await reader.read(path, "pdf"))[1] == "Kim Dure"
    finally:
        await reader.close()
