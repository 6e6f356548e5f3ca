"""Makes the ten files of tables/ and docs/. python make.py (needs openpyxl and python-docx)."""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path
from typing import Any

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

HERE = Path(__file__).parent
OUT = HERE.parent
MADE = datetime(2026, 11, 10, 9, 0)


def rows(name: str) -> list[list[str]]:
    """A table of tables/, its head first."""
    text = (HERE / "tables" / f"{name}.txt").read_text(encoding="utf-8")
    return [line.split("|") for line in text.splitlines()]


def cell(text: str) -> Any:
    """A figure or a day as such, an empty cell as none."""
    if not text:
        return None
    if len(text) == 10 and text[4] == text[7] == "-":
        return date.fromisoformat(text)
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def dress(sheet: Any, head: int, money: tuple[int, ...]) -> None:
    """Bold head, widths, thousands commas."""
    for c in sheet[head]:
        c.font = Font(bold=True)
        c.fill = PatternFill("solid", fgColor="E8DCCB")
        c.alignment = Alignment(horizontal="center")
        sheet.column_dimensions[get_column_letter(c.column)].width = 15
    for line in sheet.iter_rows(min_row=head + 1):
        for c in line:
            if isinstance(c.value, date):
                c.number_format = "yyyy-mm-dd"
            elif c.column in money:
                c.number_format = "#,##0"


def save(book: Workbook, name: str) -> None:
    """Writes a workbook with a fixed date."""
    book.properties.creator = "달뫼가마"
    book.properties.created = book.properties.modified = MADE
    book.save(OUT / name)


def bookings() -> None:
    """Two months on two sheets, a row of totals under each."""
    book = Workbook()
    for name, source in (("9월", "bookings-09"), ("10월", "bookings-10")):
        sheet = book.active if name == "9월" else book.create_sheet()
        sheet.title = name
        head, *body = rows(source)
        sheet.append(head)
        for line in body:
            sheet.append([cell(v) for v in line])
        total = {"예약번호": "합계"} | {h: sum(int(r[head.index(h)]) for r in body) for h in ("인원", "금액")}
        sheet.append([total.get(h) for h in head])
        dress(sheet, 1, (8,))
        for c in sheet[sheet.max_row]:
            c.font = Font(bold=True)
        sheet.freeze_panes = "A2"
    save(book, "수업예약_2026_가을.xlsx")


def members() -> None:
    """The group and its teacher stand once, in cells merged over its members."""
    book = Workbook()
    sheet = book.active
    sheet.title = "11월"
    head, *body = rows("members")
    sheet.append(["11월 납부" if h == "11월납부" else "담당 강사" if h == "담당강사" else h for h in head])
    start = 0
    for i, line in enumerate(body):
        if line[0] != body[start][0]:
            start = i
        sheet.append([*(cell(v) if i == start else None for v in line[:2]), *(cell(v) for v in line[2:])])
        if i + 1 == len(body) or body[i + 1][0] != line[0]:
            for column in (1, 2):
                sheet.merge_cells(start_row=start + 2, end_row=i + 2, start_column=column, end_column=column)
                sheet.cell(start + 2, column).alignment = Alignment(vertical="center", horizontal="center")
    dress(sheet, 1, (5,))
    save(book, "회원명부_11월.xlsx")


def stock() -> None:
    """A title and a line on it above the head; units in the head."""
    book = Workbook()
    sheet = book.active
    sheet.title = "재고"
    head, *body = rows("stock")
    units = {"소성온도": "소성온도(℃)", "재고": "재고(kg)", "안전재고": "안전재고(kg)", "판매단가": "판매단가(원/kg)"}
    sheet.append(["달뫼가마 유약·소지 재고표"])
    sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=len(head))
    sheet["A1"].font = Font(bold=True, size=14)
    sheet["A1"].alignment = Alignment(horizontal="center")
    sheet["A2"] = "기준일: 2026-10-31    작성: 노아린"
    for column, name in enumerate(head, 1):
        sheet.cell(4, column, {**units, "최근입고일": "최근 입고일"}.get(name, name))
    for line in body:
        sheet.append([cell(v) for v in line])
    dress(sheet, 4, (7,))
    save(book, "유약_소지_재고표.xlsx")


def csvs() -> None:
    """The kiln log in code page 949, the orders in UTF-8."""
    for source, name, code in (("firings", "가마_소성일지", "cp949"), ("sales", "shop_orders_2026", "utf-8")):
        with (OUT / f"{name}.csv").open("w", encoding=code, newline="") as file:
            writer = csv.writer(file)
            for line in rows(source):
                if source == "sales" and line[8].isdigit():
                    line[8] = f"{int(line[8]):,}"
                writer.writerow(line)


def word(source: str, name: str) -> None:
    """A DOCX of a text in docs/: #, ##, ### are headings, lines with bars a table."""
    paper = Document()
    table: Any = None
    for line in (HERE / "docs" / f"{source}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            cells = [c.strip() for c in line.strip("|").split("|")]
            if table is None:
                table = paper.add_table(rows=0, cols=len(cells))
                table.style = "Table Grid"
            for target, text in zip(table.add_row().cells, cells, strict=True):
                target.text = text
            continue
        table = None
        level = len(line) - len(line.lstrip("#"))
        if level:
            paper.add_heading(line[level:].strip(), level - 1)
        else:
            paper.add_paragraph(line)
    paper.core_properties.author = "Dalmoe Kiln"
    paper.core_properties.created = paper.core_properties.modified = MADE
    paper.save(str(OUT / name))


def main() -> None:
    """Makes all ten."""
    bookings()
    members()
    stock()
    csvs()
    word("rules", "이용규정.docx")
    word("agreement", "Consignment_Agreement_Orrin_Vale.docx")
    for source, name in (
        ("minutes.txt", "운영회의_2026-10-19.txt"),
        ("guide.md", "가마_사용_안내.md"),
        ("notice.html", "연말연시_공지.html"),
    ):
        (OUT / name).write_bytes((HERE / "docs" / source).read_bytes())


if __name__ == "__main__":
    main()
