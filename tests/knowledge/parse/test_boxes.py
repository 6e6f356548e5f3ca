"""Where a text stands on its page: of running text, of rows of tables, of scans."""

from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest

from dure.knowledge.parse import join, kinds, ocr
from dure.knowledge.parse.drawing import boxes

COMPANY = Path(__file__).parents[3] / "benchmarks" / "data" / "company"
SCAN, NOTICE = "온열질환_예방_지침_스캔.pdf", "사내식당_통근버스_공지.png"


class Pages:
    """A document's text page by page, and where lines of it stand."""

    def __init__(self, name: str) -> None:
        self.data = (COMPANY / name).read_bytes()
        self.kind = kinds.kind_of(name, self.data)
        document = join(kinds.parse(self.kind, self.data))
        begins = [begin for _, begin in document.pages] or [0]
        ends = [*begins[1:], len(document.text)]
        self.texts = [document.text[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def boxes(self, number: int, line: str) -> list[list[float]]:
        text = self.texts[number - 1]
        at = text.index(line)
        return boxes(self.data, self.kind, number, text[: at + len(line)], at)["boxes"]


class Drawn:
    """A page as PDFium draws it, at two pixels a point: `dark` where there is ink."""

    def __init__(self, data: bytes, number: int) -> None:
        with pdfium.PdfDocument(data) as document:
            page = document[number - 1]
            self.dark = page.render(scale=2, grayscale=True).to_numpy().squeeze() < 128

    def holds_ink_to_its_edges(self, box: list[float]) -> bool:
        """Whether what is drawn in a box reaches its four sides, by two points."""
        high, wide = self.dark.shape
        left, top, right, bottom = (round(share * most) for share, most in zip(box, (wide, high) * 2, strict=True))
        rows, columns = (np.flatnonzero(self.dark[top:bottom, left:right].any(axis=axis)) for axis in (1, 0))
        across = columns[0] <= 4 and columns[-1] >= right - left - 5
        return bool(across and rows[0] <= 4 and rows[-1] >= bottom - top - 5)


@pytest.mark.parametrize(
    "name",
    [
        "여비규정_2024-03-01.pdf",
        "DH시리즈_사용설명서.pdf",
        "Distribution_Agreement_Meridia.pdf",
        "품질보고서_2026_1분기.pdf",
    ],
)
def test_the_boxes_of_a_line_hold_its_letters(name: str) -> None:
    pages = Pages(name)
    for number, text in enumerate(pages.texts[:2], 1):
        drawn = Drawn(pages.data, number)
        for line in [each for each in text.splitlines() if sum(map(str.isalnum, each)) > 6][:12]:
            found = pages.boxes(number, line)
            assert found, line
            assert all(0 <= each[0] < each[2] <= 1 and 0 <= each[1] < each[3] <= 1 for each in found)
            assert all(map(drawn.holds_ink_to_its_edges, found)), line


def test_of_what_stands_there_twice_the_one_that_is_cited(files) -> None:
    data = files.pdf([["Paid leave", "Sick leave", "Paid leave"]])
    text = "Paid leave\nSick leave\nPaid leave"
    tops = [boxes(data, "pdf", 1, text[:end], end - 10)["boxes"][0][1] for end in (10, 21, 32)]
    assert tops == sorted(set(tops))
    assert boxes(data, "pdf", 1, "No such words", 0) == {"boxes": []}
    assert boxes(data, "pdf", 1, "…", 0) == {"boxes": []}


@pytest.mark.parametrize("crop", ["", "/CropBox [30 700 700 830]"])
@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_pages_may_be_turned_and_cut(files, turned: int, crop: str) -> None:
    page = f"/MediaBox [0 0 1200 842] /Rotate {turned} {crop}".encode()
    data = files.pdf([["Travel costs are paid."]]).replace(b"/MediaBox [0 0 1200 842]", page)
    (box,) = boxes(data, "pdf", 1, "Travel costs are paid.", 0)["boxes"]
    assert Drawn(data, 1).holds_ink_to_its_edges(box)
    wide, high = (box[2] - box[0], box[3] - box[1])
    assert (wide > high) == (turned in (0, 180))


@pytest.mark.parametrize(("name", "number", "line"), [(SCAN, 1, "3. 체감온도는"), (NOTICE, 1, "")])
def test_scans_are_read_once_more(name: str, number: int, line: str) -> None:
    pytest.importorskip("tesserocr", reason="the extra `ocr` is not installed")
    if ocr.folder() is None:
        pytest.skip("Tesseract's Korean data are not installed")
    pages = Pages(name)
    lines = [each for each in pages.texts[number - 1].splitlines() if sum(map(str.isalnum, each)) > 8]
    first = next(each for each in lines if each.startswith(line))
    (top, last) = (pages.boxes(number, each) for each in (first, lines[-1]))
    assert top
    assert last
    assert 0 < top[0][1] < last[-1][3] < 1
    assert top[0][2] - top[0][0] > 0.1
