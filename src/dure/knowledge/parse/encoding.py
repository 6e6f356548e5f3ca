"""Bytes of a text file as text: UTF-8, UTF-16, UTF-32, CP949 (which holds EUC-KR) or Windows-1252 (Latin-1 too)."""

import codecs
import re

from dure.knowledge.parse.problems import Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65536
_LOST, _FEW = "\ufffd", 0.2
"""What stands for bytes that are no text; the share of it, or of letters beyond ASCII, that is few."""
_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7"})
"""Text codecs of Python's that no file is in; punycode takes time by the square of the length."""


def decode(data: bytes, declared: str | None = None) -> str:
    """Text of `data`. `declared`: the encoding that the file itself names. Raises Unreadable for what is no text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    for encoding in filter(None, (utf16_without_bom(data), _python_name(declared), "utf-8", "cp949")):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    if is_binary(data):
        raise Unreadable("broken")
    readings = [data.decode(encoding, "replace") for encoding in ("utf-8", "cp949")]
    beyond = [letter for letter in readings[0] if letter > "\x7f"]
    if set(beyond) == {_LOST} and len(beyond) < _FEW * len(data):
        # Letters with accents among plain ones, none of them UTF-8.
        readings.append(data.decode("cp1252", "replace"))
    # A few spoilt bytes: the reading that loses least.
    text = min(reversed(readings), key=lambda text: text.count(_LOST))
    if text.count(_LOST) > _FEW * len(text):
        raise Unreadable("broken")
    return text


def declared(data: bytes, *, is_html: bool = True) -> str | None:
    """The encoding that a page names in its head, or an XML file in its first line."""
    from bs4.dammit import EncodingDetector

    return EncodingDetector.find_declared_encoding(data[:4096], is_html, search_entire_document=True)


def _python_name(declared: str | None) -> str | None:
    if not declared:
        return None
    # Windows calls CP949 by the name of the standard it extends.
    name = "cp949" if re.sub("[^a-z0-9]", "", declared.lower()) in ("euckr", "ksc56011987", "ksx1001") else declared
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    return codec.name if codec._is_text_encoding and codec.name.replace("_", "-") not in _NO_CHARSETS else None


def utf16_without_bom(data: bytes) -> str | None:
    """The byte order of UTF-16 text without a mark: its high bytes are zeros (ASCII) or those of Hangul."""
    sample = data[: _SAMPLE & ~1]
    if len(data) % 2 or len(sample) < 4 or not sample.count(0):
        return None
    for encoding, high in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        plain = sum(byte == 0 or 0xAC <= byte <= 0xD7 for byte in high)
        low = sample[0::2] if encoding == "utf-16-le" else sample[1::2]
        if plain >= 0.9 * len(high) and high.count(0) and low.count(0) <= 0.02 * len(low) + 1:
            return encoding
    return None


def _is_wide(data: bytes) -> bool:
    """Whether it is text of more than one byte a letter, which has zeros and other control characters within."""
    return data.startswith(tuple(bom for bom, _ in _BOMS)) or utf16_without_bom(data) is not None


def has_nul(data: bytes) -> bool:
    """Whether there is a NUL that is no part of a letter, which no text holds."""
    return b"\0" in data and not _is_wide(data)


def is_binary(data: bytes) -> bool:
    """Whether the bytes are no text in any encoding known here: many control characters."""
    sample = data[:_SAMPLE]
    if not sample or _is_wide(data):
        return False
    control = sum(byte < 32 and byte not in b"\t\n\v\f\r\x1b" for byte in sample)
    return control > 0.05 * len(sample)
