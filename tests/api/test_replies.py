"""Names of files that browsers save."""

import re
from urllib.parse import unquote

import pytest

from dure.api.replies import saved_as


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("a.txt", "a.txt"),
        ("계약서.docx", "계약서.docx"),
        ('a"; filename="b.exe', 'a"; filename="b.exe'),
        ("a\r\nX: y", "aX: y"),
        ("a\nSet-Cookie: b=c\x00\x1b.txt", "aSet-Cookie: b=c.txt"),
        ("a;b%41'", "a;b%41'"),
        ("\ud800", "?"),
        ("é\\x", "é\\x"),
        ("송장\u202exe.fdp", "송장xe.fdp"),
        ("\u2066a\u2069\u200b.md", "a.md"),
        ("", ""),
    ],
)
def test_a_name_cannot_leave_its_field(name: str, saved: str) -> None:
    header = saved_as(name)["Content-Disposition"]
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    kind, plain, extended = header.split("; ")
    assert kind == "attachment"
    assert re.fullmatch(r'filename="[A-Za-z0-9 ._()-]*"', plain)
    assert unquote(extended.removeprefix("filename*=UTF-8''")) == saved


def test_what_is_saved_runs_nothing() -> None:
    assert saved_as("a.html")["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
