"""Documents by what somebody calls them."""

import difflib
import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from dure.knowledge.versions import titled
from dure.sources import SUB

if TYPE_CHECKING:
    from dure.knowledge.document import Document

_NEAR = 5
_LIKE = 0.4
"""From how like a name has to be to be told, of 1."""


def named(documents: Sequence["Document"], wanted: str) -> list["Document"]:
    """Those of that id, name or title; what stands behind it in a passage's heading may stand there, too."""
    for name in (_plain(wanted), _plain(wanted.partition(SUB)[0])):
        if found := [each for each in documents if name == each.id or name in _names(each) or _titles(each, name)]:
            return found
    return []


def holding(documents: Sequence["Document"], wanted: str) -> list["Document"]:
    """Those of whose name it is a part, letters and digits alone."""
    return [each for each in documents if _letters(wanted) in _letters(each.name)]


def nearest(documents: Sequence["Document"], wanted: str) -> list["Document"]:
    """Some whose names are like it, those that hold it first."""
    name = _plain(wanted)[:200]
    of = {known: each for each in documents for known in _names(each)}
    inside = [each for each in of if name in each]
    near = [*inside, *difflib.get_close_matches(name, of, _NEAR, _LIKE)]
    return list({of[each].id: of[each] for each in near}.values())[:_NEAR]


def _names(document: "Document") -> list[str]:
    return [_plain(each) for each in (document.name, PurePath(document.name).stem, document.title)]


def _titles(document: "Document", name: str) -> bool:
    """Whether a name is a document's own title, without what its file's name tells besides."""
    return _plain(titled(name, document.name)) == _plain(document.title)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()


def _letters(name: str) -> str:
    return "".join(re.findall(r"[^\W_]+", _plain(name)))
