"""XML read as it comes, without document types, entities or anything fetched."""

import contextlib
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element
from xml.parsers import expat

from dure.packs.papers.formats.reading import Unusable

_DEEPEST = 50
_LARGEST = 5_000_000
"""Characters of one element that is kept."""
_CHUNK = 1 << 16


def elements(
    stream: BinaryIO, wanted: frozenset[str], context: frozenset[str]
) -> Iterator[tuple[Element, list[Element]]]:
    """Each `wanted` element, whole, with those around it that have a name of `context` (attributes only), outermost
    first. Names lose their namespace. Raises Unusable, with the line, where the XML is broken or has a document type.
    """
    reader = _Reader(wanted, context)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse
    with contextlib.suppress(AttributeError):
        # Newer Pythons tell expat's own guard against growth how soon to look; here nothing can grow.
        parser.SetReparseDeferralEnabled(False)
    more = True
    while more:
        data = stream.read(_CHUNK)
        more = bool(data)
        try:
            parser.Parse(data, not more)
        except expat.ExpatError as error:
            yield from reader.take()
            reason = expat.ErrorString(error.code)
            raise Unusable(f"line {error.lineno}: {reason}", f"{error.lineno}번째 줄: {reason}") from None
        except Unusable as error:
            yield from reader.take()
            line = parser.CurrentLineNumber
            raise Unusable(f"line {line}: {error.reason}", f"{line}번째 줄: {error.ko}") from None
        yield from reader.take()


def _refuse(*_: object) -> None:
    raise Unusable("document types and entities are not read", "문서 형식 선언과 엔티티는 읽지 않습니다")


class _Reader:
    """What the parser tells, made into elements."""

    def __init__(self, wanted: frozenset[str], context: frozenset[str]) -> None:
        self._wanted, self._context = wanted, context
        self._around: list[Element | None] = []
        self._inside: list[Element] = []
        self._size = 0
        self._done: list[tuple[Element, list[Element]]] = []

    def take(self) -> list[tuple[Element, list[Element]]]:
        done, self._done = self._done, []
        return done

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        if len(self._around) + len(self._inside) >= _DEEPEST:
            raise Unusable(f"elements are nested more than {_DEEPEST} deep", f"요소가 {_DEEPEST}단계보다 깊습니다")
        element = Element(name, attributes)
        if self._inside:
            self._inside[-1].append(element)
            self._inside.append(element)
        elif name in self._wanted:
            self._inside, self._size = [element], 0
        else:
            self._around.append(element if name in self._context else None)

    def characters(self, text: str) -> None:
        if not self._inside:
            return
        self._size += len(text)
        if self._size > _LARGEST:
            raise Unusable(f"an element of more than {_LARGEST:,} characters", f"{_LARGEST:,}자보다 긴 요소입니다")
        last = self._inside[-1]
        if len(last):
            last[-1].tail = (last[-1].tail or "") + text
        else:
            last.text = (last.text or "") + text

    def end(self, _: str) -> None:
        if not self._inside:
            self._around.pop()
            return
        element = self._inside.pop()
        if not self._inside:
            self._done.append((element, [each for each in self._around if each is not None]))


def words(element: Element | None) -> str:
    """All text in an element."""
    return "".join(element.itertext()) if element is not None else ""
