"""The forms in which titles, names and identifiers are compared."""

import re
import unicodedata

from dure.knowledge.parse.parsed import one_line as one_line
from dure.patterns import later

_DOI = later(r"10\.\d{4,9}/[^\s\"<>{}|\\^`]+")
_ARXIV_DOI = later(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
ARXIV = r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}"
"""An arXiv id without its version, of the new and of the old form."""
_ARXIV = later(
    r"(?:ar[xX]iv:\s*|arxiv\.org/(?:abs|pdf|html)/|(?<![A-Za-z0-9_./-]))"
    rf"({ARXIV})(?:v\d+)?(?![A-Za-z0-9_-]|\.\d)"
)
_ARXIV_ID = later(rf"(?:arxiv:)?({ARXIV})(?:v\d+)?", re.IGNORECASE)
_ACL = later(r"(?<![A-Za-z0-9_.-])([A-Z]\d{2}-\d{4,5}|(?:19|20)\d{2}\.[a-z0-9]+-[a-z0-9]+\.\d+)(?![A-Za-z0-9_-]|\.\d)")
_WORDS = later(r"[^\W_]+")
_SHORT = 3
"""Words of a short name, at most; letters of one that is an abbreviation."""
_MADE_UP = later(r"[a-z][A-Z]|[A-Z]{2}|\d|-[A-Z]")
"""What tells a made-up name from words: "Deep learning: a survey" has none before its colon."""
_OTHERS = later(
    r"(?:[\s,](?:et\.? al\b|and others\b|외|등)|(?<=[가-힣])외(?= ?\d))[^A-Za-z가-힣]{0,9}[명인]?\W{0,3}\Z",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Compatibility forms unified (NFKC), case folded, in a form that doing so again does not change."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def title_key(title: str) -> str:
    """A title's letters and digits, case folded: "BERT: Pre-training …" and "Bert pretraining …" are one."""
    return "".join(_WORDS.findall(plain(title)))[:300]


def alias_key(alias: str) -> str:
    """As `title_key`: "GPT-3" and "gpt 3" are one."""
    return title_key(alias)[:100]


def names_in(title: str) -> list[str]:
    """The short name before a colon of a title, if any: of "Q-Fade: Early prediction" `Q-Fade`."""
    head, colon, _ = title.partition(":")
    named = colon and (head.split() == [head] or (len(head.split()) <= _SHORT and _MADE_UP.search(head)))
    # Of a title all in capitals, the name is hardly so.
    return [head.title() if title.isupper() and len(head) > _SHORT else head] if named else []


def doi(text: str) -> str:
    """A DOI in lower case, without `https://doi.org/`; "" for what is none, and for arXiv's own, which are ids."""
    found = _DOI.search(text)
    if found is None or _ARXIV_DOI.match(found.group()):
        return ""
    return found.group().rstrip(".,;:)]}'").lower()[:200]


def arxiv_id(text: str) -> str:
    """An arXiv id without its version (https://info.arxiv.org/help/arxiv_identifier.html); "" for what is none."""
    text = text.strip()
    by_doi = _ARXIV_DOI.search(text)
    found = _ARXIV_ID.fullmatch(by_doi[1] if by_doi else text.split("?")[0].removesuffix(".pdf"))
    if found is None:
        found = _ARXIV.search(text)
    return found[1].lower() if found else ""


def acl_id(text: str) -> str:
    """An ACL Anthology id (https://aclanthology.org/info/ids/), alone or in its address or DOI; "" for what is none."""
    found = _ACL.search(text.strip().removesuffix(".pdf").removesuffix("/").rpartition("/")[2])
    return found[1] if found else ""


def ids_in(text: str) -> tuple[list[str], list[str], list[str]]:
    """The DOIs, arXiv ids and ACL ids that stand in a text, each once, in order."""
    dois = [each for each in (doi(found.group()) for found in _DOI.finditer(text)) if each]
    arxiv = [found[1].lower() for found in _ARXIV.finditer(text)]
    arxiv += [arxiv_id(found.group()) for found in _DOI.finditer(text) if _ARXIV_DOI.match(found.group())]
    acl = [found[1] for found in _ACL.finditer(text)]
    return list(dict.fromkeys(dois)), list(dict.fromkeys(a for a in arxiv if a)), list(dict.fromkeys(acl))


def person(name: str) -> str:
    """A name in reading order: "Vaswani, Ashish" is "Ashish Vaswani"; "Sutton, Jr., R." is "R. Sutton, Jr.". Typed and
    printed apostrophes are one."""
    parts = [part.strip() for part in one_line(name).replace("’", "'").split(",") if part.strip()]
    if len(parts) == 2:
        return in_order(parts[1], parts[0])[:200]
    if len(parts) == 3:
        return f"{parts[2]} {parts[0]}, {parts[1]}"[:200]
    return " ".join(parts)[:200]


def in_order(given: str, family: str) -> str:
    """The parts of a name in reading order; a Korean one is one word, which the family's begins."""
    return family + given if re.fullmatch("[가-힣]{2,5}", family + given) else f"{given} {family}".strip()


def person_asked(name: str) -> list[str]:
    """The words of a name by which somebody looks for an author's papers, each a `name_key`: of "Vaswani et al." and
    "Vaswani 외 3명" one. A word of one letter stands for all names that begin with it."""
    return list(filter(None, map(name_key, person(without_others(name)).split())))


def without_others(name: str) -> str:
    """A name without "et al." or its like behind it."""
    return _OTHERS.sub("", one_line(name))


def name_key(name: str) -> str:
    """A name's words without accents and dots, case folded, parted by blanks."""
    bare = "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
    return " ".join(_WORDS.findall(plain(bare)))[:200]


def reference_key(reference: str) -> str:
    """What a reference is looked for by: `key:…` as it is, else `doi:`, `arxiv:`, `acl:` or `title:` and the id."""
    if reference.startswith("key:"):
        return reference[:300]
    text = one_line(reference)
    short = len(text) < 100 and " " not in text.strip()
    if short and (found := arxiv_id(text)):
        return f"arxiv:{found}"
    if found := doi(text):
        return f"doi:{found}"
    if short and (found := acl_id(text)):
        return f"acl:{found}"
    key = title_key(text)
    return f"title:{key}"[:300] if len(key) >= 8 else ""
