"""What kind of file something is."""

import importlib

import pytest

from dure.errors import UnsupportedFile
from dure.knowledge.parse import KINDS, Unreadable, kind_of
from dure.knowledge.parse.kinds import parse
from dure.knowledge.parse.parsed import Parsed
from dure.knowledge.parse.problems import unreadable

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def test_content_comes_before_the_name(files):
    assert kind_of("a.txt", files.pdf([["글"]])) == "pdf"
    assert kind_of("a.pdf", files.docx(lambda d: d.add_paragraph("글"))) == "docx"
    assert kind_of("a.docx", files.xlsx({"a": [["b"]]})) == "xlsx"
    assert kind_of("noname", files.pptx([["글"]])) == "pptx"
    assert kind_of("a.txt", b"PAR1" + bytes(40) + b"PAR1") == "parquet"
    assert kind_of("a.txt", b"PAR1 is how they begin") == "text"
    assert kind_of("a.txt", b"<!doctype html><p>x") == "html"
    assert kind_of("a.log", b"x") == kind_of("README", b"x") == "text"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.MD", "markdown"), ("a.csv", "csv"), ("C:\\x\\a.tsv", "csv"), ("a.b.htm", "html"), ("a", "text")],
)
def test_text_goes_by_its_name(name, kind):
    assert kind_of(name, "글".encode()) == kind


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.txt", "a.csv"])
@pytest.mark.parametrize("data", [b"", b"  \n", bytes(100)])
def test_empty(name, data):
    with pytest.raises(Unreadable) as caught:
        kind_of(name, data)
    assert caught.value.problem == "empty"


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.parquet"])
def test_text_under_the_name_of_another_format_is_broken(name):
    with pytest.raises(Unreadable) as caught:
        kind_of(name, b"plain words")
    assert caught.value.problem == "broken"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("규정.hwp", OLE + "HwpSummaryInformation".encode("utf-16-le") + b"HWP Document File", "hwp"),
        ("규정.hwp", b"HWP Document File V3.00 \x1a", "hwp"),
        ("규정.txt", OLE + b"HWP Document File", "hwp"),
        ("a.xls", OLE + "WordDocument".encode("utf-16-le"), "doc"),
        ("a", OLE + "PowerPoint Document".encode("utf-16-le"), "ppt"),
        ("a", OLE + "Workbook".encode("utf-16-le"), "xls"),
        ("a", OLE + "__properties_version1.0".encode("utf-16-le"), "mail"),
        ("a.txt", b"{\\rtf1 x}", "rtf"),
        ("a.eml", b"Subject: x\n\ny", "mail"),
    ],
)
def test_compound_files_are_known_by_their_streams(name, data, kind):
    assert kind_of(name, data) == kind


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ({"mimetype": b"application/hwp+zip", "x": b""}, "hwpx"),
        ({"Contents/content.hpf": b"<x/>"}, "hwpx"),
        ({"mimetype": b"application/epub+zip"}, "epub"),
        ({"mimetype": b"application/vnd.oasis.opendocument.text"}, "odt"),
        ({"a.txt": b"x"}, "archive"),
    ],
)
def test_archives_are_known_by_their_parts(files, parts, kind):
    assert kind_of("a.zip", files.zip(parts)) == kind


@pytest.mark.parametrize("name", ["a.docx", "a.hwpx", "a.odt"])
def test_an_archive_under_the_name_of_an_office_file_is_broken(files, name):
    with pytest.raises(Unreadable) as caught:
        kind_of(name, files.zip({"a.txt": b"x"}))
    assert caught.value.problem == "broken"


def test_office_with_a_password():
    with pytest.raises(Unreadable) as caught:
        kind_of("a.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"))
    assert caught.value.problem == "encrypted"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.bin", OLE),
        ("a.gif", b"GIF89a" + bytes(50)),
        ("a.txt", b"\x7fELF" + bytes(range(32)) * 9),
        ("a.txt", bytes(range(1, 32)) * 50),
        ("a.dat", b"some words, " * 9 + b"\0" + b" and others"),
    ],
)
def test_unsupported(name, data):
    with pytest.raises(UnsupportedFile) as caught:
        kind_of(name, data)
    assert "PDF" in caught.value.message("en")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cars.org", b"BMW, Kia"),
        ("notes", b"MZ is what programs begin with"),
        ("a.org", "한글, utf-16".encode("utf-16")),
        ("a.org", "글\n".encode()),
        ("a.dat", b"1"),
    ],
)
def test_text_under_any_name_is_text(name, data):
    assert kind_of(name, data) == "text"


def test_a_zip_under_a_strange_name(files):
    with pytest.raises(UnsupportedFile):
        kind_of("a.jar", files.zip({"a.txt": b"x"}))


def test_comments_before_html_are_read_once(assert_linear):
    comment = b"<!-- a - -- > --> "
    assert kind_of("a", b"<?xml version='1.0'?>" + 20 * comment + b"<!DOCTYPE html>") == "html"
    assert kind_of("a", 20 * comment + b"<p>") == kind_of("a", b"<!--" + b"<html>") == "text"
    for each in (b"<!---->", b"<!--", b"<!--->", b" ", b"-->", b"<?xml "):
        assert_linear(lambda data: kind_of("a.txt", data + b"x"), lambda n, each=each: each * n, 10_000)


def test_every_kind_has_a_parser():
    for name, kind in KINDS.items():
        assert callable(importlib.import_module(f"dure.knowledge.parse.{kind.module}").parse)
        if name in ("html", "markdown", "csv", "text"):
            assert {kind_of(f"x{extension}", b"x") for extension in kind.extensions} == {name}
    assert isinstance(parse("text", b"x"), Parsed)


def test_what_is_cut_off_or_too_deep_says_so(files):
    whole = files.zip({"word/document.xml": b"<x/>"})
    for name, data in [("a.docx", whole[:-30]), ("a.pdf", files.pdf([["글"]])[:200])]:
        with pytest.raises(Unreadable, match="cut off") as caught:
            parse(kind_of(name, data), data)
        assert "끊겨" in caught.value.message("ko")
    with pytest.raises(Unreadable, match="too deeply"), unreadable():
        raise RecursionError
    assert parse("html", b"<div>" * 5000 + b"x").pages[0].text.strip() == "x"
