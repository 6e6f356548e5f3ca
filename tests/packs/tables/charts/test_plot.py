"""Charts: well-formed, within their frame, and harmless."""

import re
from xml.etree import ElementTree

import pytest

from dure.charted import Chart, Series
from dure.knowledge.parse.parsed import one_line
from dure.packs.tables.charts.plot import HEIGHT, WIDTH, plot
from dure.packs.tables.charts.svg import cut

SVG = "{http://www.w3.org/2000/svg}"
KINDS = ["bar", "line", "area", "scatter", "pie"]


def chart(kind="bar", values=(3.0, 1.0, 2.0), *more, axis="text", x=None, labels=None, title="제목", name="값"):
    count = len(values)
    series = [Series(name, list(values)), *(Series(f"{name}{i}", list(each)) for i, each in enumerate(more, 2))]
    return Chart(kind, title, axis, "가로", x or [0.0] * count, labels or [f"r{i}" for i in range(count)], series)


def tree(data):
    root = ElementTree.fromstring(data)
    assert root.tag == f"{SVG}svg"
    return root


def of(root, tag):
    return list(root.iter(SVG + tag))


def words(root):
    return [each.text for each in of(root, "text")]


def test_bars():
    root = tree(plot(chart(values=(3.0, None, -2.0), labels=["가", "나", "다"])))
    assert {"제목", "가", "나", "다", "가로", "값", "-2", "0", "3"} <= set(words(root))
    bars = [each for each in of(root, "rect") if each.get("fill") == "#3b7dd8"]
    assert [each.find(f"{SVG}title").text for each in bars] == ["가 · 값: 3", "다 · 값: -2"]
    tops = [float(each.get("y")) for each in bars]
    heights = [float(each.get("height")) for each in bars]
    assert tops[0] + heights[0] == pytest.approx(tops[1], abs=0.02)  # both stand on zero
    assert heights[0] / heights[1] == pytest.approx(1.5, rel=0.01)


def test_lines_have_gaps_and_single_points():
    root = tree(plot(chart("line", (1.0, 2.0, None, 4.0, None, 1.0, 2.0))))
    assert len(of(root, "path")) == 2
    assert len(of(root, "circle")) == 5
    assert len(of(tree(plot(chart("line", (5.0,)))), "circle")) == 1
    area = tree(plot(chart("area", (1.0, 2.0, -1.0))))
    assert [each.get("fill-opacity") for each in of(area, "path")] == ["0.28", None]


def test_several_series_have_a_legend_and_colours():
    root = tree(plot(chart("line", (1.0, 2.0), (2.0, 1.0), (3.0, 3.0), name="팀")))
    assert {"팀", "팀2", "팀3"} <= set(words(root))
    assert len({each.get("stroke") for each in of(root, "path")}) == 3


def test_times_stand_where_they_are():
    days = [0.0, 86_400.0, 9 * 86_400.0]
    root = tree(plot(chart("scatter", (1.0, 2.0, 3.0), axis="time", x=days)))
    first, second, third = (float(each.get("cx")) for each in of(root, "circle"))
    assert (third - first) / (second - first) == pytest.approx(9, rel=0.01)
    assert "1970-01-03" in words(root)
    unordered = tree(plot(chart("line", (3.0, 1.0, 2.0), axis="number", x=[3.0, 1.0, 2.0])))
    steps = [float(at) for at in re.findall(r"[ML]([\d.]+) ", of(unordered, "path")[0].get("d"))]
    assert steps == sorted(steps)


def test_pies():
    root = tree(plot(chart("pie", (3.0, 1.0, 0.0), labels=["가", "나", "다"])))
    assert [each.find(f"{SVG}title").text for each in of(root, "path")] == ["가: 3 (75.0%)", "나: 1 (25.0%)"]
    assert {"가", "나", "다", "75.0%", "25.0%", "0.0%"} <= set(words(root))
    assert len(of(tree(plot(chart("pie", (3.0, 0.0)))), "circle")) == 1
    assert "50.0%" in words(tree(plot(chart("pie", (1e300, 1e300)))))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "values",
    [
        (1e300, 2.0, 5e299), (1e-300, 3e-300), (7.0,), (7.0, 7.0, 7.0), (0.1 + 0.2, 0.3), (1.0, None, 3.0),
        tuple(float(i % 7 + 1) for i in range(10)), (123456789012.0, 1.0),
    ],
)  # fmt: skip
def test_everything_stands_within_the_frame(kind, values):
    for axis in ("text", "number", "time"):
        x = [float(i) * 1e6 for i in range(len(values))]
        data = plot(chart(kind, values, axis=axis, x=x, labels=["아주 긴 이름의 항목입니다 " * 4] * len(values)))
        assert not re.search(rb"\b(nan|inf)\b", data)
        for each in tree(data).iter():
            for key, most in (
                ("x", WIDTH),
                ("cx", WIDTH),
                ("x2", WIDTH),
                ("y", HEIGHT),
                ("cy", HEIGHT),
                ("y2", HEIGHT),
            ):
                if each.get(key) is not None:
                    assert -1 <= float(each.get(key)) <= most + 1, (key, each.attrib)
            if each.get("height") is not None:
                assert float(each.get("height")) >= 0


HOSTILE = [
    "</title></text><script>alert(1)</script>",
    '" onload="alert(1)" x="',
    "]]><!ENTITY x SYSTEM 'file:///etc/passwd'>&x;",
    "<image href='http://127.0.0.1/x'/>",
    "\x00\x08\x1b\ud800\ufffe\u202eevil",
    "}} </style><style>* {fill: url(http://127.0.0.1/)}",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_text_and_nothing_else(kind, text):
    given = Chart(
        kind, text, "text", text, [0.0, 0.0], [text, "b"], [Series(text, [1.0, 2.0]), Series(text, [2.0, 1.0])]
    )
    data = plot(given)
    root = tree(data)
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        *("svg", "title", "style", "rect", "line", "path", "circle", "text", "metadata")
    }
    for each in root.iter():
        assert not [key for key in each.attrib if key.startswith("on") or "href" in key]
    assert len(of(root, "style")) == 1
    assert "url(" not in of(root, "style")[0].text
    assert b"<!" not in data
    assert one_line(text)[:5] in "".join(each.text or "" for each in root.iter())


def test_text_is_cut_by_its_width():
    assert cut("가나다라마바사", 60) == "가나다라…"
    assert cut("abcdefg", 60) == "abcdefg"
    assert cut("", 10) == ""
