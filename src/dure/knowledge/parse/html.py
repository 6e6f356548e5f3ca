"""HTML: what a reader sees, block by block; without scripts, navigation and hidden parts."""

import re
from typing import Any

from dure.knowledge.parse import table
from dure.knowledge.parse.encoding import declared, decode
from dure.knowledge.parse.parsed import RAISED, Block, Page, Parsed

_HIDDEN = ["script", "style", "noscript", "template", "nav", "svg", "iframe", "object", "button", "select"]
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_TEXTS = "address blockquote dd details div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre summary ul"
_PARTS = "article aside body figcaption figure footer form fieldset header main section"
_BLOCKS = f"{_TEXTS} {_PARTS} caption table td th tr".split()


def parse(data: bytes, encoding: str | None = None) -> Parsed:
    """encoding: what the file that holds the page says, as a mail does, which counts before what the page says."""
    from bs4 import BeautifulSoup

    text = decode(data, encoding or declared(data))
    # Where no tag ends any more, none begins: the parser would look for each one's end through all the rest.
    whole, end, rest = text.rpartition(">")
    soup = BeautifulSoup(whole + end + rest.replace("<", "&lt;"), "html.parser")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    for tag in soup.find_all(_HIDDEN):
        tag.decompose()
    items = {f"#{tag['id']}": tag for tag in soup.find_all("li", id=True)}
    for tag in soup.find_all("sup"):
        if (mark := tag.get_text().strip()).isdecimal():
            link = tag.find("a") or tag.find_parent("a")
            if link is not None and (note := items.pop(str(link.get("href")), None)) is not None:
                note.insert(0, f"{mark.translate(RAISED)} ")  # A reader sees its number in the list.
            tag.replace_with(mark.translate(RAISED))
    for tag in soup.find_all("table"):
        if not tag.find("table"):
            rows = (
                [cell(each, each.get_text(" ")) for each in row.find_all(["td", "th"])] for row in tag.find_all("tr")
            )
            tag.replace_with("\n" + "\n".join(table.lines(table.spanned(rows))).replace("\n", "\x00") + "\n")
    # The end of a block is \x01, a line end and a blank that are meant \x00 and \x02, a heading \x03, its level … \x04.
    for meant in [text for tag in soup.find_all("pre") for text in tag.strings]:
        meant.replace_with(meant.replace("\n", "\x00").replace(" ", "\x02"))
    for tag in soup.find_all("br"):
        tag.replace_with("\x01")
    for tag in soup.find_all(_HEADINGS):
        _edge(tag, f"\x03{tag.name[1]}", "\x04")
    for tag in soup.find_all(_BLOCKS):
        _edge(tag, "\x01", "\x01")
    text = re.sub(r"[^\S\x00\x01]+", " ", (soup.body or soup).get_text())
    text = re.sub(r"[^\S\x00]*\x01[\s\x01]*", "\n", text)
    text = text.replace("\x00", "\n").replace("\x02", " ")
    parts = [part for part in re.split(r"\n(?=\x03)|(?<=\x04)", text) if part.strip()]
    blocks = [
        Block(part.strip("\n\x03\x04")[1:], int(part.strip("\n")[1])) if part.startswith("\x03") else Block(part)
        for part in parts
    ]
    return Parsed([Page(None, tuple(blocks))], title=title)


def cell(tag: Any, text: str) -> table.Cell:
    """A cell of that text, with what its tag says of the rows and columns that it takes."""
    spans = (str(tag.get(name, "1")) for name in ("rowspan", "colspan"))
    return table.Cell(text, *(int(span) if span.isdecimal() and int(span[:4]) else 1 for span in spans))


def _edge(tag: Any, before: str, after: str) -> None:
    tag.insert(0, before)
    tag.append(after)
