"""Scans and pictures."""

import io
from functools import cache
from pathlib import Path

import pytest

from dure.knowledge.parse import Unreadable, join, kinds, ocr
from dure.knowledge.split import split
from dure.sources import Passage

COMPANY = Path(__file__).parents[3] / "benchmarks" / "data" / "company"
SCAN, NOTICE = (COMPANY / name for name in ("온열질환_예방_지침_스캔.pdf", "사내식당_통근버스_공지.png"))


@pytest.fixture
def tesseract():
    pytest.importorskip("tesserocr", reason="the extra `ocr` is not installed")
    if ocr.folder() is None:
        pytest.skip("Tesseract's Korean data are not installed")


def read(path: Path, data: bytes | None = None):
    data = data or path.read_bytes()
    return join(kinds.parse(kinds.kind_of(path.name, data), data))


once = cache(read)


def test_a_scan_is_read_page_by_page(tesseract):
    document = once(SCAN)
    assert [number for number, _ in document.pages] == [1, 2]
    assert "3. 체감온도는 공장 안 6곳의 측정기 값 가운데 가장 높은 것을 쓴다." in document.text
    assert "보건관리자 성다온(내선 3480)" in document.text


def test_rows_of_a_table_on_a_scan_have_their_header(tesseract):
    row = "단계: 위험 | 체감온도: 35도 이상 | 휴식: 1시간마다 25분 | 그 밖의 조치: 14시부터 17시까지 옥외 작업 중지"
    assert row in once(SCAN).text.splitlines()


def test_what_is_read_from_a_picture_says_so_with_how_sure_it_is(tesseract):
    document = read(NOTICE)
    [(at, sure)] = document.sure
    assert at == 0
    assert 80 <= sure <= 100
    first = split(document)[0]
    assert first.context.startswith(f"OCR {sure} %")
    passage = Passage("d", "공지", None, first.start, first.end, first.text, context=first.context)
    assert str(sure) in passage.heading
    # Else a statement could rest on it.
    assert str(sure) not in passage.above


def test_several_pages_of_a_tiff(tesseract):
    from PIL import Image

    held = io.BytesIO()
    with Image.open(NOTICE) as notice:
        page = notice.convert("L")
        page.save(held, "TIFF", save_all=True, append_images=[page], compression="tiff_deflate")
    assert [number for number, _ in read(Path("scan.tiff"), held.getvalue()).pages] == [1, 2]


def test_english_is_read_as_english(tesseract):
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (1900, 300), 255)
    words = "The compressor holds 620 mL of oil"
    ImageDraw.Draw(page).text((60, 100), words, fill=0, font=ImageFont.load_default(60))
    held = io.BytesIO()
    page.save(held, "PNG")
    assert words in read(Path("note.png"), held.getvalue()).text


def test_a_broken_picture(tesseract):
    with pytest.raises(Unreadable) as caught:
        read(Path("a.png"), b"\x89PNG\r\n\x1a\n" + b"nothing of a picture" * 9 + b"IEND")
    assert caught.value.problem == "broken"


def test_an_empty_picture_has_no_text(tesseract):
    from PIL import Image

    held = io.BytesIO()
    Image.new("L", (400, 400), 255).save(held, "PNG")
    with pytest.raises(Unreadable) as caught:
        read(Path("a.png"), held.getvalue())
    assert caught.value.problem == "no_text"


@pytest.mark.parametrize("path", [SCAN, NOTICE])
def test_without_the_data_it_says_what_is_missing(path, monkeypatch):
    monkeypatch.setattr(ocr, "folder", lambda: None)
    with pytest.raises(Unreadable) as caught:
        read(path)
    assert caught.value.problem == "no_ocr"
    for language in ("ko", "en"):
        assert "ocr]" in caught.value.message(language)
        assert "tesseract-ocr-kor" in caught.value.message(language)
