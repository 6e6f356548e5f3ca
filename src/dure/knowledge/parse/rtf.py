"""RTF: its text, by striprtf."""

from dure.knowledge.parse.parsed import Page, Parsed


def parse(data: bytes) -> Parsed:
    from striprtf.striprtf import rtf_to_text

    # RTF is ASCII; what is not is written as an escape, which names its encoding itself.
    text: str = rtf_to_text(data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    return Parsed([Page(None, text)])
