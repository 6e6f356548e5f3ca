"""Makes the eight files of tables/ and docs/. python make.py (needs openpyxl and python-docx)."""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path
from typing import Any

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Font

HERE, OUT = Path(__file__).parent, Path(__file__).parent.parent
MADE = datetime(2026, 10, 1, 9, 0)


def cell(text: str) -> Any:
    """A figure or a day as such, an empty cell as none."""
    if len(text) == 10 and text[4] == text[7] == "-":
        return date.fromisoformat(text)
    if text.replace(".", "", 1).isdigit():
        return float(text) if "." in text else int(text)
    return text or None


def rows(name: str) -> list[list[Any]]:
    """A table of tables/, its head first."""
    lines = (HERE / "tables" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [[cell(v) for v in line.split("|")] for line in lines]


def save(book: Any, name: str) -> None:
    """Writes a workbook or a document with a fixed date."""
    info = book.properties if isinstance(book, Workbook) else book.core_properties
    info.created = info.modified = MADE
    book.save(str(OUT / name))


def fill(sheet: Any, head: int, lines: list[list[Any]], total: tuple[str, ...]) -> None:
    """A table from a row on, a row 합계 of some columns under it."""
    if total:
        sums = {h: sum(r[lines[0].index(h)] or 0 for r in lines[1:]) for h in total}
        lines = [*lines, ["합계", *(sums.get(h) for h in lines[0][1:])]]
    for y, line in enumerate(lines, head):
        for x, value in enumerate(line, 1):
            c = sheet.cell(y, x, value)
            c.font = Font(bold=y == head or line[0] == "합계")
            c.number_format = "yyyy-mm-dd" if isinstance(value, date) else "#,##0" if type(value) is int else "General"
            sheet.column_dimensions[c.column_letter].width = 14


def main() -> None:
    """Makes all eight."""
    visits, hotel, paper = Workbook(), Workbook(), Document()
    for title, source in (("4월", "visits-04"), ("5월", "visits-05")):  # a day stands once, merged over its visits
        sheet = visits.create_sheet(title)
        lines = rows(source)
        fill(sheet, 1, lines, ("진료비", "약값"))
        days = [r[0] for r in lines]
        for d in sorted(set(days[1:])):
            sheet.merge_cells(None, days.index(d) + 1, 1, days.index(d) + days.count(d), 1)
    for title, source in (("호텔", "hotel"), ("미용", "grooming")):  # a title and a line on it above the head
        sheet = hotel.create_sheet(title)
        sheet["A1"], sheet["A2"] = f"솔담동물병원 {title} 장부", "2026년 8~9월    작성: 한솔비"
        sheet.merge_cells("A1:H1")
        fill(sheet, 4, rows(source), ("박수", "총액(원)") if title == "호텔" else ())
    for book, name in ((visits, "진료일지_2026_봄.xlsx"), (hotel, "호텔_미용_장부.xlsx")):
        book.remove(book.worksheets[0])
        save(book, name)
    table: Any = None
    for line in (HERE / "docs" / "rules.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            table = table or paper.add_table(rows=0, cols=2, style="Table Grid")
            for target, text in zip(table.add_row().cells, line.strip("|").split("|"), strict=True):
                target.text = text.strip()
        elif line.startswith("#"):
            paper.add_heading(line.lstrip("# "), line.count("#") - 1)
        else:
            paper.add_paragraph(line)
    save(paper, "진료비_예약_규정.docx")
    for source, name, code in (("register", "접종명부", "cp949"), ("purchases", "supply_orders_2026", "utf-8")):
        with (OUT / f"{name}.csv").open("w", encoding=code, newline="") as file:
            csv.writer(file).writerows(rows(source))
    texts = {"lab.txt": "Quillfen_Lab_Terms", "guide.md": "호텔_미용_안내", "notice.html": "추석_휴진_안내"}
    for source, name in texts.items():
        (OUT / name).with_suffix(Path(source).suffix).write_bytes((HERE / "docs" / source).read_bytes())


if __name__ == "__main__":
    main()
