"""Statements that something stands in no document, which have no source."""

import re
from collections.abc import Iterable

from dure.knowledge.claims import denials
from dure.texts import TEXTS

_KOREAN, _ENGLISH = TEXTS.one("knowledge_absence.documents").values()
_IN_ENGLISH = re.compile(rf"\bin (?:\w+ ){{,2}}{_ENGLISH}\b", re.IGNORECASE)
_ACTING = re.compile(rf"\b{_ENGLISH}(?: \w+){{,2}} ?\Z", re.IGNORECASE)
_KIND = re.compile(r"[가-힣]{2,}(?=[^가-힣]*\Z)")
"""What a title calls its document: `회의록` in `6월_회의록_2026`."""


def is_absent(statement: str, titles: Iterable[str]) -> bool:
    """Whether a statement says that something is not in documents, which it calls so or by the last word of one of
    these titles (`회의록에 나와 있지 않다`); not that they deny something (`없다고 적혀 있다`)."""
    kinds = {_KOREAN, *(kind[0] for title in titles for kind in _KIND.finditer(title))}
    # By or according to a document something is denied.
    within = rf"(?:{'|'.join(map(re.escape, kinds))})에는?(?! [따의근])\s|{_KOREAN}에서는?\s"
    for denied in denials(statement):
        before, behind = statement[: denied.start()], statement[denied.end() :]
        if _ACTING.search(before) or _IN_ENGLISH.search(behind):
            return True
        if re.search(within, before) and not re.search(r"고\s", behind):
            return True
    return False
