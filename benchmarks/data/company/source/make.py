"""Makes the thirty files from docs/ and sheets.py.

Needs LibreOffice, Chromium, poppler and a JDK on the path; from PyPI python-docx, python-pptx,
openpyxl, pillow and numpy. HWPLIB names the jars of hwplib and poi (only for the .hwp file).
Run: python make.py [word in the file name ...]
"""

from __future__ import annotations

import html
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import docx
import numpy as np
import openpyxl
import pptx
import sheets
from docx.enum.section import WD_SECTION
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from PIL import Image, ImageFilter
from pptx.util import Emu, Inches
from pptx.util import Pt as PPt

HERE = Path(__file__).parent
OUT = HERE.parent
WHEN = datetime(2026, 5, 12, 9, 0, tzinfo=UTC)
FONT = "NanumGothic"
Block = tuple[str, Any]

# file: (way, source)
FILES: dict[str, tuple[str, str]] = {
    "여비규정_2024-03-01.pdf": ("docpdf", "01_여비규정_2024.txt"),
    "여비규정_2025-07-01_전부개정.hwpx": ("hwpx", "02_여비규정_전부개정.txt"),
    "여비규정_일부개정_2026-02-01.docx": ("docx", "03_여비규정_부칙.txt"),
    "출장_FAQ.html": ("html", "04_출장_FAQ.txt"),
    "출장비_집행현황_2026_1분기.xlsx": ("xlsx", ""),
    "DH시리즈_사용설명서.pdf": ("webpdf", "06_DH-240_사용설명서.txt"),
    "DH-240_Service_Manual.pdf": ("docpdf", "07_DH-240_Service_Manual.txt"),
    "가격표_2026_상반기.xlsx": ("xlsx", ""),
    "고객불만_2026_1분기.csv": ("csv", ""),
    "경영회의_회의록_2026-03.docx": ("docx", "10_경영회의_회의록.txt"),
    "온열질환_예방_지침_스캔.pdf": ("scan", "11_온열질환_예방_공지.txt"),
    "조직도_2026.pptx": ("pptx", "12_조직도.txt"),
    "RE_Norvik_Q-26-0417.eml": ("eml", ""),
    "IT_헬프데스크_안내.md": ("copy", "14_IT_헬프데스크.md"),
    "비품_구매_절차.txt": ("copy", "15_비품_구매_절차.txt"),
    "취업규칙_휴가편_2023.odt": ("odt", "16_취업규칙_휴가편_2023.txt"),
    "휴가규정_2026-01-01.hwp": ("hwp", "17_휴가규정_2026.txt"),
    "휴가규정_일부개정_2026-05-01.pdf": ("docpdf", "18_휴가규정_일부개정.txt"),
    "정보보안규정_v4.docx": ("docx", "19_정보보안_규정_v4.txt"),
    "Supplier_Quality_Agreement.docx": ("docx", "20_Supplier_Quality_Agreement.txt"),
    "품질보고서_2026_1분기.pdf": ("mixed", "21_품질보고서_2026_1분기.txt"),
    "품질실적_2026.xlsx": ("xlsx", ""),
    "부산사무소_임대차계약서.hwpx": ("hwpx", "23_부산사무소_임대차계약서.txt"),
    "Distribution_Agreement_Meridia.pdf": ("webpdf", "24_Distribution_Agreement_Meridia.txt"),
    "2026년_예산서.ods": ("ods", ""),
    "MSDS_SC-20_세정제.pdf": ("webpdf", "26_MSDS_SC-20.txt"),
    "사내식당_통근버스_공지.png": ("png", "27_사내식당_통근버스_공지.txt"),
    "DH-400_출시계획.pptx": ("pptx", "28_DH-400_출시계획.txt"),
    "TS-9_Release_Notes.md": ("copy", "29_TS-9_Release_Notes.md"),
    "생산회의록_2026-04-16.txt": ("copy", "30_생산회의록_2026-04-16.txt"),
}


def blocks(text: str) -> list[Block]:
    """The blocks of a source text: h1 h2 h3 p li note page cols table unruled."""
    out: list[Block] = []
    loose = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("|"):
            row = [c.strip() for c in line.strip("|").split("|")]
            if out and out[-1][0] in ("table", "unruled") and out[-1][1][1]:
                out[-1][1][0].append(row)
            else:
                out.append(("unruled" if loose else "table", ([row], [True])))
            continue
        if out and out[-1][0] in ("table", "unruled"):
            out[-1][1][1].clear()
            loose = False
        if line == "@unruled":
            loose = True
        elif line == "@page":
            out.append(("page", ""))
        elif line.startswith("@cols"):
            out.append(("cols", int(line.split()[1])))
        else:
            for mark, kind in (("@note ", "note"), ("### ", "h3"), ("## ", "h2"), ("# ", "h1"), ("- ", "li")):
                if line.startswith(mark):
                    out.append((kind, line[len(mark) :]))
                    break
            else:
                if line:
                    out.append(("p", line))
    return [(k, v[0]) if k in ("table", "unruled") else (k, v) for k, v in out]


def spans(grid: list[list[Any]]) -> Iterator[tuple[int, int, int, int, Any]]:
    """Row, column, rows, columns and content of each cell, merged ones once."""
    width = max(len(r) for r in grid)
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            if cell in ("^", "<"):
                continue
            h, w = 1, 1
            while j + w < len(row) and row[j + w] == "<":
                w += 1
            while i + h < len(grid) and j < len(grid[i + h]) and grid[i + h][j] == "^":
                h += 1
            if len(row) == 1 and width > 1:
                w = width
            yield i, j, h, w, cell


def headed(grid: list[list[Any]]) -> bool:
    """Whether the first row is a head: tables of two columns of names and values have none."""
    return not (len(grid[0]) == 2 and grid[0][0] in ("일시",))


def page_html(parts: list[Block], css: str) -> str:
    """The blocks as a web page."""
    body: list[str] = []
    cols = 1
    for kind, v in parts:
        if kind in ("table", "unruled"):
            rows: dict[int, list[str]] = {}
            for i, _j, h, w, c in spans(v):
                tag = "th" if i == 0 and headed(v) else "td"
                rows.setdefault(i, []).append(f'<{tag} rowspan="{h}" colspan="{w}">{html.escape(c)}</{tag}>')
            inner = "\n".join(f"<tr>{''.join(rows.get(i, []))}</tr>" for i in range(len(v)))
            body.append(
                f'<table class="{kind}">\n{inner}\n</table>'.replace(' rowspan="1"', "").replace(' colspan="1"', "")
            )
        elif kind == "cols":
            body.append("</div>" if cols > 1 else "")
            body.append('<div class="cols">' if v > 1 else "")
            cols = v
        elif kind == "page":
            body.append('<div style="break-after:page"></div>')
        else:
            tag = {"note": 'p class="note"', "li": 'p class="li"'}.get(kind, kind)
            mark = "• " if kind == "li" else ""
            body.append(f"<{tag}>{mark}{html.escape(v)}</{tag.split()[0]}>")
    if cols > 1:
        body.append("</div>")
    title = next(v for k, v in parts if k == "h1")
    inner = "\n".join(b for b in body if b)
    head = f'<head><meta charset="utf-8"><title>{html.escape(title)}</title>\n<style>{css}</style></head>'
    return f'<!doctype html>\n<html lang="ko">\n{head}\n<body>\n{inner}\n</body>\n</html>\n'


PRINT_CSS = """@page{size:A4;margin:17mm 15mm}body{font:9.6pt/1.62 NanumGothic,sans-serif;text-align:justify}
h1{font-size:17pt;margin:0 0 2mm}h2{font-size:11pt;margin:4mm 0 1mm}h3{font-size:10pt;margin:2mm 0}
p{margin:0 0 2mm}
.note{font-size:8pt;color:#444}.cols{columns:2;column-gap:8mm}table{border-collapse:collapse;width:100%;
margin:1mm 0 3mm;font-size:8.6pt}.table td,.table th{border:.25mm solid #333;padding:.7mm 1.4mm}.unruled th{
border-bottom:.2mm solid #999;text-align:left}
.unruled td,.unruled th{padding:.3mm 1.2mm .3mm 0;vertical-align:top}tr{break-inside:avoid}"""
WEB_CSS = """body{font-family:sans-serif;max-width:48em;margin:2em auto;line-height:1.6}table{border-collapse:collapse}
td,th{border:1px solid #888;padding:.3em .7em}.note{color:#666;font-size:.9em}"""
BIG_CSS = PRINT_CSS.replace("9.6pt/1.62", "13pt/1.75").replace("8.6pt", "12pt").replace("17pt", "24pt")
BIG_CSS = BIG_CSS.replace("font-size:8pt", "font-size:11pt").replace(
    "font-size:11pt;margin:4mm", "font-size:14pt;margin:4mm"
)


def run(*cmd: str, cwd: Path | None = None) -> None:
    """Runs a command; its output is shown only if it fails."""
    done = subprocess.run(cmd, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{cmd[0]}: {done.stdout[-800:]}{done.stderr[-2000:]}")


def web_pdf(page: str, to: Path) -> None:
    """A web page printed to PDF by Chromium."""
    with tempfile.TemporaryDirectory() as d:
        src = Path(d) / "page.html"
        src.write_text(page, encoding="utf-8")
        run(
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--print-to-pdf={to}",
            src.as_uri(),
        )


def office(src: Path, form: str, to: Path) -> None:
    """A file converted by LibreOffice."""
    with tempfile.TemporaryDirectory() as d:
        run(
            "soffice",
            "--headless",
            f"-env:UserInstallation=file://{d}/profile",
            "--convert-to",
            form,
            "--outdir",
            d,
            str(src),
        )
        shutil.move(str(Path(d) / f"{src.stem}.{form.split(':')[0]}"), to)


def shade(cell: Any, colour: str) -> None:
    """Fills a cell of a Word table."""
    e = OxmlElement("w:shd")
    e.set(qn("w:val"), "clear")
    e.set(qn("w:fill"), colour)
    cell._tc.get_or_add_tcPr().append(e)


def make_docx(parts: list[Block], to: Path) -> None:
    """A Word document."""
    d = docx.Document()
    for name in ("Normal", "Heading 1", "Heading 2", "Heading 3", "Title", "List Bullet"):
        style = d.styles[name]
        style.font.name = FONT
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for a in ("w:eastAsia", "w:ascii", "w:hAnsi", "w:cs"):
            fonts.set(qn(a), FONT)
    d.styles["Normal"].font.size = Pt(10.5)
    d.styles["Normal"].paragraph_format.line_spacing = 1.4
    for s in ("created", "modified"):
        setattr(d.core_properties, s, WHEN.replace(tzinfo=None))
    d.core_properties.author = "Saesol Ongi (invented)"
    for kind, v in parts:
        if kind in ("h1", "h2", "h3"):
            d.add_heading(v, 0 if kind == "h1" else int(kind[1]) - 1)
        elif kind == "p":
            d.add_paragraph(v)
        elif kind == "li":
            d.add_paragraph(v, style="List Bullet")
        elif kind == "note":
            d.add_paragraph().add_run(v).font.size = Pt(8.5)
        elif kind == "page":
            d.add_page_break()
        elif kind == "cols":
            d.add_section(WD_SECTION.CONTINUOUS)._sectPr.xpath("./w:cols")[0].set(qn("w:num"), str(v))
        else:
            t = d.add_table(len(v), max(len(r) for r in v))
            t.style = "Table Grid" if kind == "table" else "Normal Table"
            for i, j, h, w, c in spans(v):
                cell = t.cell(i, j)
                if h * w > 1:
                    cell = cell.merge(t.cell(i + h - 1, j + w - 1))
                cell.text = c
                for p in cell.paragraphs:
                    p.paragraph_format.space_after = Pt(1)
                    for r in p.runs:
                        r.font.size = Pt(9)
                        r.bold = i == 0 and headed(v)
                if i == 0 and headed(v):
                    shade(cell, "E7EBF0")
            d.add_paragraph()
    d.save(str(to))


def make_pptx(parts: list[Block], to: Path) -> None:
    """Slides: one for the title, one for each h2."""
    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Inches(13.33), Inches(7.5)
    slide: Any = None
    top = Inches(1.5)
    for kind, v in parts:
        if kind in ("h1", "h2"):
            slide = deck.slides.add_slide(deck.slide_layouts[0 if kind == "h1" else 5])
            slide.shapes.title.text = v
            if kind == "h2":
                slide.shapes.title.left, slide.shapes.title.top = Inches(0.6), Inches(0.3)
                slide.shapes.title.width, slide.shapes.title.height = Inches(12), Inches(1)
            top = Inches(1.5)
        elif kind == "note":
            slide.placeholders[1].text = v
        elif kind == "table":
            wide = max(len(r) for r in v)
            shape = slide.shapes.add_table(len(v), wide, Inches(0.6), top, Inches(12), Inches(0.42 * len(v)))
            for i, j, h, w, c in spans(v):
                cell = shape.table.cell(i, j)
                if h * w > 1:
                    cell.merge(shape.table.cell(i + h - 1, j + w - 1))
                cell.text = c
                for p in cell.text_frame.paragraphs:
                    p.font.size = PPt(15)
            top = Emu(top + Inches(0.42 * len(v) + 0.3))
        elif kind in ("li", "p"):
            box = slide.shapes.add_textbox(Inches(0.7), top, Inches(11.8), Inches(0.5))
            box.text_frame.word_wrap = True
            box.text_frame.text = "• " + v
            box.text_frame.paragraphs[0].font.size = PPt(20)
            top = Emu(top + Inches(0.62))
    deck.core_properties.author = "Saesol Ongi (invented)"
    deck.core_properties.created = deck.core_properties.modified = WHEN.replace(tzinfo=None)
    deck.save(str(to))


def make_xlsx(book: dict[str, sheets.Grid], to: Path | io.BytesIO) -> None:
    """A workbook with merged cells; sums are plain numbers."""
    wb = openpyxl.Workbook()
    wb.remove(wb.active)
    line = Side(style="thin", color="888888")
    for name, grid in book.items():
        ws = wb.create_sheet(name)
        for i, j, h, w, c in spans(grid):
            cell = ws.cell(i + 1, j + 1, c)
            if isinstance(c, int):
                cell.number_format = "#,##0"
            elif isinstance(c, float):
                cell.number_format = "#,##0.0#"
            if h * w > 1:
                ws.merge_cells(start_row=i + 1, start_column=j + 1, end_row=i + h, end_column=j + w)
                cell.alignment = Alignment(vertical="center", horizontal="center" if w > 1 else None)
            if i == 0 and len(grid[0]) > 1 and grid[0][1] == "<":
                cell.font = Font(bold=True, size=14)
            elif isinstance(c, str) and (c.endswith("계") or c.startswith("합계")):
                cell.font = Font(bold=True)
                cell.fill = PatternFill("solid", fgColor="EEEEEE")
            if len(grid[i]) > 1:
                cell.border = Border(left=line, right=line, top=line, bottom=line)
        for col in range(1, max(len(r) for r in grid) + 1):
            ws.column_dimensions[openpyxl.utils.get_column_letter(col)].width = 18
    wb.properties.creator = "Saesol Ongi (invented)"
    wb.properties.created = wb.properties.modified = WHEN.replace(tzinfo=None)
    wb.save(to)


def rough(img: Image.Image, seed: int, angle: float, noise: float) -> Image.Image:
    """The picture as a cheap scanner gives it: skewed, grey, grainy, with a dark edge."""
    rng = np.random.default_rng(seed)
    img = img.convert("L").rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=246)
    a = np.asarray(img.filter(ImageFilter.GaussianBlur(0.45)), dtype=np.float32)
    h, w = a.shape
    a *= np.linspace(1.0, 0.955, w, dtype=np.float32)[None, :]
    a += rng.normal(0, noise, a.shape)
    a[:, : 6 + seed % 5] *= 0.75
    for _ in range(h * w // 25_000):
        y, x = int(rng.integers(0, h - 3)), int(rng.integers(0, w - 3))
        a[y : y + 2, x : x + 2] -= 90
    return Image.fromarray(np.clip(a, 0, 255).astype(np.uint8))


def pictures(pdf: Path, dpi: int) -> list[Image.Image]:
    """The pages of a PDF as pictures."""
    with tempfile.TemporaryDirectory() as d:
        run("pdftoppm", "-r", str(dpi), "-gray", str(pdf), f"{d}/p")
        return [Image.open(io.BytesIO(f.read_bytes())) for f in sorted(Path(d).glob("p*.pgm"))]


def scan(pages: list[Image.Image], to: Path, dpi: int) -> None:
    """Pictures bound as a PDF without text."""
    done = [rough(p, 7 + i, (-0.8, 0.6, -0.5)[i % 3], 6.0) for i, p in enumerate(pages)]
    packed = []
    for p in done:
        buf = io.BytesIO()
        p.save(buf, "JPEG", quality=62)
        packed.append(Image.open(buf))
    packed[0].save(to, "PDF", resolution=dpi, save_all=True, append_images=packed[1:])


def make_png(parts: list[Block], to: Path) -> None:
    """A notice as photographed on a wall: perspective, uneven light, grain."""
    with tempfile.TemporaryDirectory() as d:
        pdf = Path(d) / "n.pdf"
        web_pdf(page_html(parts, BIG_CSS), pdf)
        page = pictures(pdf, 130)[0]
    w, h = page.size
    page = page.crop((0, 0, w, int(h * 0.86)))
    w, h = page.size
    wall = Image.new("L", (w + 160, h + 160), 150)
    wall.paste(page, (80, 80))
    W, H = wall.size
    corners = (18, 6, 0, H - 4, W - 6, H, W - 22, 0)  # of the source, drawn into the full picture
    shot = wall.transform((W, H), Image.Transform.QUAD, corners, resample=Image.Resampling.BICUBIC, fillcolor=150)
    a = np.asarray(shot.rotate(0.9, resample=Image.Resampling.BICUBIC, fillcolor=150), dtype=np.float32)
    y, x = np.mgrid[0:H, 0:W]
    light = 1.05 - 0.28 * (((x - W * 0.35) / W) ** 2 + ((y - H * 0.3) / H) ** 2)
    a = a * light + np.random.default_rng(3).normal(0, 4, a.shape)
    soft = Image.fromarray(np.clip(a, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.5))
    soft.quantize(48).save(to, optimize=True)


def make_eml(to: Path) -> None:
    """A vendor's mail in two forms of text, with a quoted mail and a workbook."""
    m = EmailMessage()
    m["From"] = "Sunniva Tveit <sunniva.tveit@norvik-compressors.example>"
    m["To"] = "Wi Sung-min <smwi@saesol-ongi.example>"
    m["Cc"] = "Geum Bora <brgeum@saesol-ongi.example>"
    m["Subject"] = "RE: Price and lead time of NVK-R32-28 (quotation Q-26-0417)"
    m["Date"] = "Fri, 17 Apr 2026 10:42:00 +0200"
    m["Message-ID"] = "<q-26-0417.2@norvik-compressors.example>"
    text = (HERE / "docs" / "13_norvik.txt").read_text(encoding="utf-8")
    m.set_content(text, cte="quoted-printable")
    paras = "".join(f"<p>{html.escape(p)}</p>\n" for p in text.split("\n\n"))
    m.add_alternative(f"<html><body>\n{paras}</body></html>\n", subtype="html", cte="quoted-printable")
    buf = io.BytesIO()
    make_xlsx(sheets.quote(), buf)
    kind = ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet")
    m.add_attachment(buf.getvalue(), maintype=kind[0], subtype=kind[1], filename="Q-26-0417.xlsx")
    m.set_boundary("=====saesol-norvik-1=====")
    for i, part in enumerate(p for p in m.walk() if p.is_multipart() and p is not m):
        part.set_boundary(f"=====saesol-norvik-{i + 2}=====")
    to.write_bytes(m.as_bytes())


HP = "http://www.hancom.co.kr/hwpml/2011"
NS = f'xmlns:hp="{HP}/paragraph" xmlns:hs="{HP}/section" xmlns:hc="{HP}/core" xmlns:hh="{HP}/head"'
LANGS = ("HANGUL", "LATIN", "HANJA", "JAPANESE", "OTHER", "SYMBOL", "USER")
ALL = " ".join(f'{x.lower()}="{{0}}"' for x in LANGS)
DECL = '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>'


def hwpx_head() -> str:
    """The styles of an HWPX file: four letter shapes, three paragraph shapes, three borders."""
    face = '<hh:font id="0" face="나눔고딕" type="TTF" isEmbedded="0"/>'
    faces = "".join(f'<hh:fontface lang="{x}" fontCnt="1">{face}</hh:fontface>' for x in LANGS)
    sides = ("leftBorder", "rightBorder", "topBorder", "bottomBorder")
    fills = ""
    for n, kind in ((1, "NONE"), (2, "NONE"), (3, "SOLID")):
        edge = "".join(f'<hh:{s} type="{kind}" width="0.12 mm" color="#000000"/>' for s in sides)
        fills += (
            f'<hh:borderFill id="{n}" threeD="0" shadow="0" centerLine="NONE" breakCellSeparateLine="0">'
            f'<hh:slash type="NONE" Crooked="0" isCounter="0"/><hh:backSlash type="NONE" Crooked="0" isCounter="0"/>'
            f'{edge}<hh:diagonal type="SOLID" width="0.1 mm" color="#000000"/></hh:borderFill>'
        )
    chars = ""
    for n, (size, bold) in enumerate(((1000, ""), (1000, "<hh:bold/>"), (1800, "<hh:bold/>"), (850, ""))):
        chars += (
            f'<hh:charPr id="{n}" height="{size}" textColor="#000000" shadeColor="none" useFontSpace="0" '
            f'useKerning="0" symMark="NONE" borderFillIDRef="2"><hh:fontRef {ALL.format(0)}/>'
            f"<hh:ratio {ALL.format(100)}/>"
            f"<hh:spacing {ALL.format(0)}/><hh:relSz {ALL.format(100)}/><hh:offset {ALL.format(0)}/>{bold}"
            '<hh:underline type="NONE" shape="SOLID" color="#000000"/><hh:strikeout shape="NONE" color="#000000"/>'
            '<hh:outline type="NONE"/><hh:shadow type="NONE" color="#B2B2B2" offsetX="10" offsetY="10"/></hh:charPr>'
        )
    lines = ""
    for n, (align, before) in enumerate((("JUSTIFY", 0), ("CENTER", 0), ("LEFT", 600))):
        margin = "".join(
            f'<hc:{k} value="{before if k == "prev" else 0}" unit="HWPUNIT"/>'
            for k in ("intent", "left", "right", "prev", "next")
        )
        lines += (
            f'<hh:paraPr id="{n}" tabPrIDRef="0" condense="0" fontLineHeight="0" snapToGrid="1" '
            f'suppressLineNumbers="0" checked="0"><hh:align horizontal="{align}" vertical="BASELINE"/>'
            '<hh:heading type="NONE" idRef="0" level="0"/><hh:breakSetting breakLatinWord="KEEP_WORD" '
            'breakNonLatinWord="KEEP_WORD" widowOrphan="0" keepWithNext="0" keepLines="0" pageBreakBefore="0" '
            f'lineWrap="BREAK"/><hh:margin>{margin}</hh:margin><hh:lineSpacing type="PERCENT" value="160" '
            'unit="HWPUNIT"/><hh:border borderFillIDRef="2" offsetLeft="0" offsetRight="0" offsetTop="0" '
            'offsetBottom="0" connect="0" ignoreMargin="0"/></hh:paraPr>'
        )
    style = (
        '<hh:style id="0" type="PARA" name="바탕글" engName="Normal" paraPrIDRef="0" charPrIDRef="0" '
        'nextStyleIDRef="0" langID="1042" lockForm="0"/>'
    )
    return (
        f'{DECL}<hh:head {NS} version="1.4" secCnt="1"><hh:beginNum page="1" footnote="1" endnote="1" pic="1" tbl="1" '
        f'equation="1"/><hh:refList><hh:fontfaces itemCnt="7">{faces}</hh:fontfaces><hh:borderFills itemCnt="3">{fills}'
        f'</hh:borderFills><hh:charProperties itemCnt="4">{chars}</hh:charProperties><hh:tabProperties itemCnt="1">'
        '<hh:tabPr id="0" autoTabLeft="0" autoTabRight="0"/></hh:tabProperties>'
        f'<hh:paraProperties itemCnt="3">{lines}</hh:paraProperties><hh:styles itemCnt="1">{style}</hh:styles>'
        '</hh:refList><hh:compatibleDocument targetProgram="HWP201X"><hh:layoutCompatibility/></hh:compatibleDocument>'
        '<hh:docOption><hh:linkinfo path="" pageInherit="0" footnoteInherit="0"/></hh:docOption></hh:head>'
    )


def hwpx_p(inner: str, para: int = 0, page: int = 0) -> str:
    """One paragraph of an HWPX section."""
    return (
        f'<hp:p id="0" paraPrIDRef="{para}" styleIDRef="0" pageBreak="{page}" columnBreak="0" merged="0">{inner}</hp:p>'
    )


def hwpx_run(text: str, char: int = 0) -> str:
    """One run of text."""
    return f'<hp:run charPrIDRef="{char}"><hp:t>{escape(text)}</hp:t></hp:run>'


def hwpx_table(grid: list[list[str]], number: int) -> str:
    """A table as a run; merged cells by cellSpan."""
    width, cols = 42_520, max(len(r) for r in grid)
    one = width // cols
    rows: dict[int, str] = {}
    for i, j, h, w, c in spans(grid):
        p = hwpx_p(hwpx_run(c, 1 if i == 0 else 0), 1 if i == 0 else 0)
        rows[i] = rows.get(i, "") + (
            '<hp:tc name="" header="0" hasMargin="0" protect="0" editable="0" dirty="0" borderFillIDRef="3">'
            '<hp:subList id="" textDirection="HORIZONTAL" lineWrap="BREAK" vertAlign="CENTER" linkListIDRef="0" '
            f'linkListNextIDRef="0" textWidth="0" textHeight="0" hasTextRef="0" hasNumRef="0">{p}</hp:subList>'
            f'<hp:cellAddr colAddr="{j}" rowAddr="{i}"/><hp:cellSpan colSpan="{w}" rowSpan="{h}"/>'
            f'<hp:cellSz width="{one * w}" height="{1700 * h}"/>'
            '<hp:cellMargin left="510" right="510" top="141" bottom="141"/></hp:tc>'
        )
    body = "".join(f"<hp:tr>{rows.get(i, '')}</hp:tr>" for i in range(len(grid)))
    return (
        f'<hp:run charPrIDRef="0"><hp:tbl id="{1000 + number}" zOrder="{number}" numberingType="TABLE" '
        'textWrap="TOP_AND_BOTTOM" textFlow="BOTH_SIDES" lock="0" dropcapstyle="None" pageBreak="CELL" '
        f'repeatHeader="1" rowCnt="{len(grid)}" colCnt="{cols}" cellSpacing="0" borderFillIDRef="3" noAdjust="0">'
        f'<hp:sz width="{width}" widthRelTo="ABSOLUTE" height="{1700 * len(grid)}" heightRelTo="ABSOLUTE" protect="0"/>'
        '<hp:pos treatAsChar="1" affectLSpacing="0" flowWithText="1" allowOverlap="0" holdAnchorAndSO="0" '
        'vertRelTo="PARA" horzRelTo="COLUMN" vertAlign="TOP" horzAlign="LEFT" vertOffset="0" horzOffset="0"/>'
        '<hp:outMargin left="283" right="283" top="283" bottom="283"/>'
        f'<hp:inMargin left="510" right="510" top="141" bottom="141"/>{body}</hp:tbl><hp:t/></hp:run>'
    )


SECTION = (
    '<hp:run charPrIDRef="0"><hp:secPr id="" textDirection="HORIZONTAL" spaceColumns="1134" tabStop="8000" '
    'outlineShapeIDRef="0" memoShapeIDRef="0" textVerticalWidthHead="0" masterPageCnt="0">'
    '<hp:grid lineGrid="0" charGrid="0" wonggojiFormat="0"/>'
    '<hp:startNum pageStartsOn="BOTH" page="0" pic="0" tbl="0" equation="0"/>'
    '<hp:pagePr landscape="WIDELY" width="59528" height="84188" gutterType="LEFT_ONLY">'
    '<hp:margin header="4252" footer="4252" gutter="0" left="8504" right="8504" top="5668" bottom="4252"/></hp:pagePr>'
    '</hp:secPr><hp:ctrl><hp:colPr id="" type="NEWSPAPER" layout="LEFT" colCount="1" sameSz="1" sameGap="0"/></hp:ctrl>'
    "</hp:run>"
)


def make_hwpx(parts: list[Block], to: Path) -> None:
    """An HWPX file: the zip of XML files that it is."""
    body, page, tables = "", 0, 0
    plain: list[str] = []
    for n, (kind, v) in enumerate(parts):
        start = SECTION if n == 0 else ""
        if kind == "page":
            page = 1
            continue
        if kind == "table":
            tables += 1
            body += hwpx_p(start + hwpx_table(v, tables), 0, page)
            plain += ["\t".join(c for c in r if c not in ("^", "<")) for r in v]
        else:
            char, para = {"h1": (2, 1), "h2": (1, 2), "h3": (1, 2), "note": (3, 0)}.get(kind, (0, 0))
            body += hwpx_p(start + hwpx_run(v, char), para, page)
            plain.append(v)
        page = 0
    title = next(v for k, v in parts if k == "h1")
    opf = "http://www.idpf.org/2007/opf/"
    items = (("header", "Contents/header.xml"), ("section0", "Contents/section0.xml"), ("settings", "settings.xml"))
    manifest = "".join(f'<opf:item id="{a}" href="{b}" media-type="application/xml"/>' for a, b in items)
    files = {
        "version.xml": f'{DECL}<hv:HCFVersion xmlns:hv="{HP}/version" tagetApplication="WORDPROCESSOR" '
        'major="5" minor="1" '
        'micro="0" buildNumber="1" os="1" xmlVersion="1.4" application="made by script" appVersion="1.0"/>',
        "Contents/header.xml": hwpx_head(),
        "Contents/section0.xml": f"{DECL}<hs:sec {NS}>{body}</hs:sec>",
        "Contents/content.hpf": f'{DECL}<opf:package xmlns:opf="{opf}" version="" unique-identifier="" id="">'
        f"<opf:metadata><opf:title>{escape(title)}</opf:title><opf:language>ko</opf:language></opf:metadata>"
        f'<opf:manifest>{manifest}</opf:manifest><opf:spine><opf:itemref idref="header" linear="yes"/>'
        '<opf:itemref idref="section0" linear="yes"/></opf:spine></opf:package>',
        "settings.xml": f'{DECL}<ha:HWPApplicationSetting xmlns:ha="{HP}/app"><ha:CaretPosition listIDRef="0" '
        'paraIDRef="0" pos="0"/></ha:HWPApplicationSetting>',
        "META-INF/container.xml": f'{DECL}<ocf:container xmlns:ocf="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<ocf:rootfiles><ocf:rootfile full-path="Contents/content.hpf" media-type="application/hwpml-package+xml"/>'
        "</ocf:rootfiles></ocf:container>",
        "META-INF/manifest.xml": f"{DECL}<odf:manifest "
        'xmlns:odf="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        "Preview/PrvText.txt": "\r\n".join(plain)[:1000],
    }
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(zipfile.ZipInfo("mimetype", WHEN.timetuple()[:6]), "application/hwp+zip")
        for name, text in files.items():
            info = zipfile.ZipInfo(name, WHEN.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, text)


def make_hwp(parts: list[Block], to: Path) -> None:
    """An HWP 5 file, written by hwplib from a plain list of paragraphs and cells."""
    lines: list[str] = []
    for kind, v in parts:
        if kind == "table":
            lines.append(f"T\t{len(v)}\t{max(len(r) for r in v)}")
            lines += [f"C\t{i}\t{j}\t{h}\t{w}\t{c}" for i, j, h, w, c in spans(v)]
            lines.append("E")
        else:
            lines.append(f"{'B' if kind == 'page' else 'P'}\t{kind}\t{v}")
    with tempfile.TemporaryDirectory() as d:
        src = Path(d) / "in.tsv"
        src.write_text("\n".join(lines) + "\n", encoding="utf-8")
        run(
            "java",
            "-Dfile.encoding=UTF-8",
            "-cp",
            os.environ["HWPLIB"],
            str(HERE / "Hwp.java"),
            str(src),
            f"{d}/out.hwp",
        )
        shutil.move(f"{d}/out.hwp", to)


def make(name: str, way: str, source: str) -> None:
    """Makes one file."""
    to = OUT / name
    parts = blocks((HERE / "docs" / source).read_text(encoding="utf-8")) if source and way != "copy" else []
    with tempfile.TemporaryDirectory() as d:
        tmp = Path(d)
        if way == "copy":
            shutil.copyfile(HERE / "docs" / source, to)
        elif way == "docx":
            make_docx(parts, to)
        elif way in ("docpdf", "odt"):
            make_docx(parts, tmp / "a.docx")
            office(tmp / "a.docx", "pdf" if way == "docpdf" else "odt", to)
        elif way == "webpdf":
            web_pdf(page_html(parts, PRINT_CSS), to)
        elif way == "html":
            to.write_text(page_html(parts, WEB_CSS), encoding="utf-8")
        elif way == "scan":
            web_pdf(page_html(parts, BIG_CSS), tmp / "a.pdf")
            scan(pictures(tmp / "a.pdf", 150), to, 150)
        elif way == "mixed":
            cut = next(i for i, b in enumerate(parts) if b[0] == "page")
            make_docx(parts[:cut], tmp / "a.docx")
            office(tmp / "a.docx", "pdf", tmp / "a.pdf")
            web_pdf(page_html(parts[cut + 1 :], BIG_CSS), tmp / "b.pdf")
            scan(pictures(tmp / "b.pdf", 150), tmp / "c.pdf", 150)
            run("pdfunite", str(tmp / "a.pdf"), str(tmp / "c.pdf"), str(to))
        elif way == "png":
            make_png(parts, to)
        elif way == "pptx":
            make_pptx(parts, to)
        elif way == "xlsx":
            make_xlsx(sheets.BOOKS[name](), to)
        elif way == "ods":
            make_xlsx(sheets.BOOKS[name](), tmp / "a.xlsx")
            office(tmp / "a.xlsx", "ods", to)
        elif way == "csv":
            to.write_bytes(sheets.COMPLAINTS.replace("\n", "\r\n").encode("cp949"))
        elif way == "eml":
            make_eml(to)
        elif way == "hwpx":
            make_hwpx(parts, to)
        elif way == "hwp":
            make_hwp(parts, to)


def main() -> None:
    """Makes all files, or those with a given word in their name."""
    for name, (way, source) in FILES.items():
        if not sys.argv[1:] or any(w in name for w in sys.argv[1:]):
            make(name, way, source)
            print(f"{(OUT / name).stat().st_size:>8} {name}")


if __name__ == "__main__":
    main()
