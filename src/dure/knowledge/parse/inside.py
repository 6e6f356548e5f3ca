"""Files that hold files: mails (EML, MSG) with what is attached, archives (ZIP), books (EPUB)."""

import io
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import MIMEPart
from urllib.parse import unquote

from dure.errors import DureError
from dure.knowledge.parse import archive, html
from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Block, Page, Parsed
from dure.knowledge.parse.problems import Unreadable

_MOST = 500
"""Files read out of one."""
_DEEPEST = 2
"""Files within files within files: an archive of archives may unpack without end."""
_HEADS = ("Subject", "From", "To", "Cc", "Date")


def parse(data: bytes, deep: int = 0) -> Parsed:
    """The file's own text, then each file inside it under its name; of those that cannot be read the reason."""
    if data.startswith(archive.ZIP):
        return _book(data) if b"application/epub+zip" in data[:100] else _archive(data, deep)
    return _outlook(data, deep) if data.startswith(b"\xd0\xcf\x11\xe0") else _mail(data, deep)


def _mail(data: bytes, deep: int) -> Parsed:
    mail = message_from_bytes(data, policy=policy.default)
    heads = [f"{name}: {mail[name]}" for name in _HEADS if mail[name]]
    body = mail.get_body(("plain", "html"))
    text = "" if body is None else _text(body)
    # A mail within a mail has no bytes of its own.
    held = ((part, part.get_content()) for part in mail.iter_attachments())
    files = (
        (part.get_filename() or "?", each if isinstance(each, bytes) else str(each).encode()) for part, each in held
    )
    blocks = [Block("\n".join(heads)), Block(text), *_files(files, deep)]
    return Parsed([Page(None, tuple(blocks))], title=str(mail["Subject"] or ""), author=str(mail["From"] or ""))


def _text(part: MIMEPart) -> str:
    """A part's text, in the charset that the mail names for it."""
    data, charset = part.get_payload(decode=True), part.get_content_charset()
    assert isinstance(data, bytes)
    return html.parse(data, charset).pages[0].text if part.get_content_subtype() == "html" else decode(data, charset)


def _outlook(data: bytes, deep: int) -> Parsed:
    from oxmsg import Message

    mail = Message.load(io.BytesIO(data))
    heads = [f"{name}: {mail.message_headers[name]}" for name in _HEADS[1:] if name in mail.message_headers]
    text = mail.body or html.parse((mail.html_body or "").encode(), "utf-8").pages[0].text
    files = ((each.file_name or "?", each.file_bytes or b"") for each in mail.attachments)
    blocks = [Block("\n".join([f"Subject: {mail.subject}", *heads])), Block(text), *_files(files, deep)]
    return Parsed([Page(None, tuple(blocks))], title=mail.subject or "", author=mail.sender or "")


def _archive(data: bytes, deep: int) -> Parsed:
    with _unpacked(data) as parts:
        shown = (info for info in parts.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/"))
        named = (info for info in shown if not posixpath.basename(info.filename).startswith((".", "~$")))
        return Parsed([Page(None, tuple(_files(((_name(info), parts.read(info)) for info in named), deep)))])


def _name(info: zipfile.ZipInfo) -> str:
    """Without the flag for UTF-8 a name is read as cp437; Korean systems write cp949."""
    with suppress(UnicodeError):
        return info.filename if info.flag_bits & 0x800 else info.filename.encode("cp437").decode("cp949")
    return info.filename


def _book(data: bytes) -> Parsed:
    """The chapters in the order of the book's spine (EPUB 3.3, section 5.7)."""
    with _unpacked(data) as parts:
        place = archive.xml(parts.read("META-INF/container.xml")).find(".//{*}rootfile").get("full-path")
        package = archive.xml(parts.read(place))
        files = {item.get("id"): unquote(item.get("href")) for item in package.iter("{*}item")}
        spine = [files[each.get("idref")] for each in package.iter("{*}itemref") if each.get("idref") in files]
        title, author = (package.findtext(f".//{{*}}{name}") or "" for name in ("title", "creator"))
        pages = [html.parse(parts.read(posixpath.join(posixpath.dirname(place), href))).pages[0] for href in spine]
    return Parsed(pages, title=title, author=author)


def _unpacked(data: bytes) -> zipfile.ZipFile:
    archive.check(data, office=False)
    return zipfile.ZipFile(io.BytesIO(data))


def _files(files: Iterable[tuple[str, bytes]], deep: int) -> Iterator[Block]:
    from dure.knowledge.parse.kinds import KINDS, kind_of
    from dure.knowledge.parse.kinds import parse as parse_kind

    for number, (name, data) in enumerate(files):
        if number == _MOST:
            yield Block(f"… (only the first {_MOST} files are read)")
            return
        yield Block(name, 1)
        try:
            kind = kind_of(name, data)
            holds = KINDS[kind].module == "inside"
            if holds and deep == _DEEPEST:
                yield Block("…")
                continue
            parsed = parse(data, deep + 1) if holds else parse_kind(kind, data)
        except Exception as error:
            told = error if isinstance(error, DureError) else Unreadable("broken")
            yield Block(f"({told.message('ko')} · {told.message('en')})")
            continue
        for block in (block for page in parsed.pages for block in page.blocks):
            yield Block(block.text, block.level and block.level + 1, block.under + 1)
