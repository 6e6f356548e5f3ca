"""Tables of PDFs: of how many cells the row and the column are known, against the sources the papers were typeset from.

    python benchmarks/pdf_tables.py

A cell of figures is right where a line has its row's name and, beside each other, its column's name and the cell;
`flat` is what a cell alone would give: a line with the row's name and the figure. Other readers of tables are measured
beside Dure's where they are installed (pdfplumber, pdf_oxide).
"""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bs4 import BeautifulSoup

from dure.knowledge.parse import table
from dure.knowledge.parse.kinds import parse

DATA = Path(__file__).parent / "data" / "reading"
_TEX = re.compile(r"\\begin\{tabular\}(?:\[.\])?\{[^\n]*\n(.*?)\\end\{tabular\}", re.DOTALL)
_FIGURE = re.compile(r"[-−–+]?\d[\d,.]*")
Rows = list[list[str]]


def plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.replace("\\%", "%").replace("--", "–")).casefold()


def from_tex(source: str) -> Iterator[Rows]:
    for found in _TEX.finditer(source):
        body = re.sub(r"\\(?:top|mid|bottom)rule|\\cmidrule\S*|\\hline", "", found[1])
        body = re.sub(r"\\multicolumn\{(\d)\}\{[^}]*\}\{([^}]*)\}", lambda m: m[2] + " &" * (int(m[1]) - 1), body)
        body = re.sub(r"\\\w+\{([^{}]*)\}", r"\1", body).replace("$", "").replace("\\%", "%").replace("\\,", "")
        yield [[cell.strip() for cell in row.split("&")] for row in body.split("\\\\") if row.strip()]


def from_html(source: str) -> Iterator[Rows]:
    for tag in BeautifulSoup(source, "html.parser").find_all("table"):
        yield [[cell.get_text(" ") for cell in row.find_all(["td", "th"])] for row in tag.find_all("tr")]


def cells(rows: Rows) -> Iterator[tuple[str, str, str]]:
    """(row, column, figure) of the cells that hold figures alone."""
    first = next((n for n, row in enumerate(rows) if any(_FIGURE.fullmatch(cell.strip()) for cell in row[1:])), 0)
    if not first:
        return
    for row in rows[first:]:
        for column, cell in zip(rows[first - 1][1:], row[1:], strict=False):
            if _FIGURE.fullmatch(cell.strip()) and plain(row[0]):
                yield plain(row[0]), plain(column), plain(cell)


def ours(data: bytes) -> list[str]:
    return [line for page in parse("pdf", data).pages for line in page.text.split("\n")]


def plumber(data: bytes) -> list[str]:
    import io

    import pdfplumber

    lines: list[str] = []
    with pdfplumber.open(io.BytesIO(data)) as document:
        for page in document.pages:
            for settings in ({}, {"vertical_strategy": "text", "horizontal_strategy": "text"}):
                for rows in page.extract_tables(settings):
                    lines += table.lines([[cell or "" for cell in row] for row in rows])
    return lines


def oxide(data: bytes) -> list[str]:
    import pdf_oxide

    document = pdf_oxide.PdfDocument.from_bytes(data)
    lines: list[str] = []
    for number in range(document.page_count()):
        for found in document.extract_tables(number):
            lines += table.lines([[cell["text"] for cell in row["cells"]] for row in found["rows"]])
    return lines


def main() -> None:
    gold = []
    for path in sorted(DATA.glob("*.pdf")):
        source = next((DATA / "source").glob(f"{path.stem}.*"))
        read = from_tex if source.suffix == ".tex" else from_html
        wanted = [cell for rows in read(source.read_text("utf-8")) for cell in cells(rows)]
        gold.append((path.name, path.read_bytes(), wanted))
    readers: dict[str, Callable[[bytes], list[str]]] = {"Dure": ours, "pdfplumber": plumber, "pdf_oxide": oxide}
    for name, reader in readers.items():
        right = flat = count = 0
        begun = time.process_time()
        try:
            told = [[plain_line(line) for line in reader(data)] for _, data, _ in gold]
        except ImportError:
            continue
        spent = time.process_time() - begun
        for (file, _, wanted), lines in zip(gold, told, strict=True):
            known = sum(any(holds(line, *cell) for line in lines) for cell in wanted)
            near = sum(any(row in whole and cell in whole for whole, _ in lines) for row, _, cell in wanted)
            right, flat, count = right + known, flat + near, count + len(wanted)
            if name == "Dure":
                print(f"{known:4} of {len(wanted):3}  {file}")
        print(
            f"{name}: row and column known of {right} of {count} cells ({100 * right / count:.0f} %), in a line with "
            f"the row's name {flat}; {spent:.2f} CPU s"
        )


def plain_line(line: str) -> tuple[str, list[str]]:
    return plain(line), [plain(part) for part in line.split(" | ")]


def holds(line: tuple[str, list[str]], row: str, column: str, cell: str) -> bool:
    return row in line[0] and any(part.endswith(column + cell) for part in line[1])


if __name__ == "__main__":
    main()
