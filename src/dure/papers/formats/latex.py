"""LaTeX's accents, letters and commands as Unicode, the way BibTeX files and arXiv's titles use them."""

import re
import unicodedata

_TOKENS = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[{}$~]|-{2,3}|``|''|[^\\{}$~`'-]+|.", re.DOTALL)
_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
_LETTERS = {
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
    "dh": "ð",
    "DH": "Ð",
    "th": "þ",
    "TH": "Þ",
    "ng": "ŋ",
    "NG": "Ŋ",
    "dj": "đ",
    "DJ": "Đ",
}
_SYMBOLS = {
    "textendash": "–",
    "textemdash": "—",
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotesingle": "'",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textbackslash": "\\",
    "textunderscore": "_",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textregistered": "®",
    "texttrademark": "™",
    "textdegree": "°",
    "copyright": "©",
    "pounds": "£",
    "S": "§",
    "P": "¶",
    "dots": "…",
    "ldots": "…",
    "cdots": "⋯",
    "times": "×",
    "pm": "±",
    "cdot": "·",
    "infty": "∞",
    "rightarrow": "→",
    "to": "→",
    "leftarrow": "←",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "neq": "≠",
    "ne": "≠",
    "approx": "≈",
    "sim": "∼",
    "in": "∈",
    "ell": "ℓ",
    "star": "⋆",
    "ast": "∗",
    "circ": "∘",
    "degree": "°",
    "nabla": "∇",
    "partial": "∂",
    "sum": "∑",
    "prod": "∏",
    "int": "∫",
    "forall": "∀",
    "exists": "∃",
    "mid": "|",
    "newline": " ",
    "quad": " ",
    "qquad": " ",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "BibTeX": "BibTeX",
    "sqrt": "√",
    "log": "log",
    "exp": "exp",
    "min": "min",
    "max": "max",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "lim": "lim",
}
_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon"
_GREEK = dict(zip(_SMALL.split(), "αβγδεζηθικλμνξοπρστυ", strict=True)) | {
    "varepsilon": "ε",
    "vartheta": "ϑ",
    "varphi": "φ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
_PLAIN = {"~": " ", "--": "–", "---": "—", "``": "“", "''": "”", "{": "", "}": "", "$": ""}
_SIGNS = dict.fromkeys(",;:\\", " ") | dict.fromkeys("!/-()[]", "")
"""Commands of one sign that stand for space, or only for how text is set."""
_DOTLESS = {"ı": "i", "ȷ": "j"}
_ARGUMENT_DROPPED = frozenset({"href", "textcolor", "color", "vspace", "hspace", "label", "cite", "ref"})
"""Commands whose first argument is not shown."""


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
        if _is_accent(name, tokens, i):
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
            piece = unicodedata.normalize("NFC", first + "".join(reversed(accents))) + piece[1:]
            accents.clear()
        out.append(piece)
    return "".join(out)


def _is_accent(name: str, tokens: list[str], i: int) -> bool:
    """Whether a command puts an accent on what follows."""
    return name in _ACCENTS and i + 1 < len(tokens)


def _piece(mark: str, name: str) -> str:
    if not name:
        return _PLAIN.get(mark, mark if mark != "\\" else "")
    for table in (_LETTERS, _SYMBOLS, _GREEK):
        if name in table:
            # A letter's command swallows the blank after it; a symbol's keeps it, as writers mean it.
            return table[name] + (" " if table is not _LETTERS and mark[-1].isspace() else "")
    if len(name) == 1 and not name.isalpha():
        return _SIGNS.get(name, name)
    return ""
