"""XML read as it comes, by lxml, without document types, entities or anything fetched."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from lxml import etree

from dure.packs.papers import TEXTS
from dure.packs.papers.formats.reading import Unusable

Element = Any
"""An element of lxml's."""


def elements(stream: BinaryIO, wanted: Sequence[str]) -> Iterator[Element]:
    """Each element of a name in `wanted`, whole; inside of it names lose their namespace. Raises Unusable, with the
    line, where the XML is broken, nested or long beyond reason (libxml2's limits), or has a document type."""
    names = [f"{{*}}{name}" for name in wanted]
    parsed = etree.iterparse(stream, tag=names, resolve_entities=False, remove_comments=True, remove_pis=True)
    try:
        for _, element in parsed:
            if element.getroottree().docinfo.doctype:
                raise Unusable(TEXTS.phrase("formats.doctype"))
            for each in element.iter():
                each.tag = etree.QName(each).localname
            yield element
    except etree.XMLSyntaxError as error:
        raise Unusable(TEXTS.phrase("formats.line", line=error.lineno, said=error.msg)) from None


def words(element: Element | None) -> str:
    """All text in an element."""
    return "".join(element.itertext()) if element is not None else ""
