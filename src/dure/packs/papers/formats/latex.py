"""LaTeX's accents, letters and commands as Unicode, the way BibTeX files and arXiv's titles use them.

The symbols are pylatexenc's. Its reader is not used: it takes a hundred times as long, cuts a line off at a bare %, and
ends in a RecursionError at a thousand open braces.
"""

import re
from functools import cache
from unicodedata import category, normalize

_TOKENS = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[{}$~]|-{2,3}|``|''|[^\\{}$~`'-]+|.", re.DOTALL)
_MARKS = "\u0300 \u0301 \u0302 \u0303 \u0304 \u0306 \u0307 \u0308 \u030a \u030b \u030c \u0323 \u0327 \u0328 \u0331"
_ACCENTS = dict(zip("`'^~=u.\"rHvdckb", _MARKS.split(), strict=True))
_LATIN = "o O l L ss ae AE oe OE aa AA i j dh DH th TH ng NG dj DJ"
_LETTERS = frozenset(_LATIN.split())
_NAMES = "textunderscore textbar textless textgreater textasciicircum copyright pounds S P ne degree sqrt epsilon phi"
_OWN = dict(zip(_NAMES.split(), "_|<>^©£§¶≠°√εφ", strict=True))
_OWN |= {"LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "newline": " ", "quad": " ", "qquad": " "}
"""Commands that pylatexenc has not, or as another sign."""
_PLAIN = {"~": " ", "--": "–", "---": "—", "``": "“", "''": "”", "{": "", "}": "", "$": ""}
_SIGNS = dict.fromkeys(",;:\\", " ") | dict.fromkeys("!/-()[]", "")
"""Commands of one sign that stand for space, or only for how text is set."""
_DOTLESS = {"ı": "i", "ȷ": "j"}
_ARGUMENT_DROPPED = frozenset({"href", "textcolor", "color", "vspace", "hspace", "label", "cite", "ref"})
"""Commands whose first argument is not shown."""


@cache
def _symbols() -> dict[str, str]:
    """Commands that stand for one sign or a word."""
    from pylatexenc.latex2text import get_default_latex_context_db

    found: dict[str, str] = {}
    for macro in get_default_latex_context_db().iter_macro_specs():
        shown = macro.simplify_repl
        if isinstance(shown, str) and (shown.isalpha() or (len(shown) == 1 and category(shown)[0] in "NPSZ")):
            found.setdefault(macro.macroname, shown)
    return found | _OWN


def to_text(latex: str) -> str:
    """Text without LaTeX. Braces and unknown commands are dropped, what they hold is kept. Takes time linear in the
    length of `latex`."""
    if not any(sign in latex for sign in "\\{}$~`'-"):
        return latex
    tokens = [found.group() for found in _TOKENS.finditer(latex)]
    out: list[str] = []
    accents: list[str] = []
    skipping: int | None = None
    depth = 0
    for i, mark in enumerate(tokens):
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if skipping is not None and depth <= skipping:
                skipping = None
                continue
            accents.clear()
        if skipping is not None:
            continue
        name = mark[1:].rstrip().rstrip("*") if mark[0] == "\\" and len(mark) > 1 else ""
        if name in _ACCENTS and i + 1 < len(tokens):
            accents.append(_ACCENTS[name])
            continue
        if name in _ARGUMENT_DROPPED and not accents:
            skipping = depth if tokens[i + 1 : i + 2] == ["{"] else None
            continue
        piece = _piece(mark, name)
        if accents:
            if not piece.strip():
                continue
            piece = piece.lstrip()
            first = _DOTLESS.get(piece[0], piece[0])
            piece = normalize("NFC", first + "".join(reversed(accents))) + piece[1:]
            accents.clear()
        out.append(piece)
    return "".join(out)


def _piece(mark: str, name: str) -> str:
    if not name:
        return _PLAIN.get(mark, mark.removeprefix("\\"))
    if len(name) == 1 and not name.isalpha():
        return _SIGNS.get(name, name)
    # A letter's command swallows the blank after it; a symbol's keeps it, as writers mean it.
    shown = _symbols().get(name, "")
    return shown + " " if shown and name not in _LETTERS and mark[-1].isspace() else shown
