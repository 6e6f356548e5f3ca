"""Plain text, and RTF's by striprtf; form feeds part its pages, where it has any."""

from dure.knowledge.parse.encoding import decode
from dure.knowledge.parse.parsed import Page, Parsed


def parse(data: bytes) -> Parsed:
    if data.startswith(b"{\\rtf"):
        from striprtf.striprtf import rtf_to_text

        # RTF is ASCII; what is not is written as an escape, which names its encoding itself.
        text: str = rtf_to_text(data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
        return Parsed([Page(None, text)])
    pages = decode(data).split("\f")
    return Parsed([Page(i if pages[1:] else None, page) for i, page in enumerate(pages, 1)], flows=len(pages) > 1)
