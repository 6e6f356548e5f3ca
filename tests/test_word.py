"""Word files hold the pictures and charts that their Markdown shows."""

import io

import docx
from docx.oxml.ns import qn
from fixtures.pictures import png
from pptx.chart.chart import Chart as Read
from pptx.oxml import parse_xml

from dure.charted import Chart, Series
from dure.word import pictures_in, to_docx

SHOWN = "# 보고\n\n![요금 그래프](%EC%9B%94%EB%B3%84.svg)\n\n글 ![](./a.png) 뒤\n\n| 가 |\n| --- |\n| ![](a.png) |\n"


def test_pictures_are_known_by_the_names_of_their_files():
    assert pictures_in(f"{SHOWN}\n![](https://x.org/b.png)") == ["월별.svg", "a.png", "https://x.org/b.png"]
    assert pictures_in("`![](a.png)`") == []


def test_pictures_and_charts_stand_where_they_are_shown():
    chart = Chart("bar", "월별", "text", "월", [0.0, 0.0], ["9월", "10월"], [Series("요금", [8.0, 9.5])])
    made = to_docx(SHOWN, "보고", "ko", pictures={"월별.svg": chart, "a.png": png(width=3000)})
    document = docx.Document(io.BytesIO(made))
    drawn, wide = document.paragraphs[1], document.paragraphs[2]
    [inline] = drawn._p.xpath(".//wp:inline")
    assert inline.docPr.get("descr") == "요금 그래프"
    [named] = inline.xpath(".//*[local-name()='chart']")
    part = document.part.related_parts[named.get(qn("r:id"))]
    plot = Read(parse_xml(part.blob), None).plots[0]
    assert (list(plot.categories), list(plot.series[0].values)) == (["9월", "10월"], [8.0, 9.5])
    [numbers] = part.rels.values()
    assert numbers.target_part.blob[:2] == b"PK"
    assert wide.text == "글  뒤"
    assert max(shape.width.cm for shape in document.inline_shapes) <= 15.01
    assert document.tables[0].rows[1].cells[0]._tc.xpath(".//pic:pic")


def test_what_is_no_picture_there_is_what_it_is_called():
    document = docx.Document(io.BytesIO(to_docx(SHOWN, "보고", "ko")))
    assert document.paragraphs[1].text == "요금 그래프"
