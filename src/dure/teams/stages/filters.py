"""Years and names in a question about papers, read without a model."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_YEAR = r"(?:19[5-9]\d|20[0-4]\d)"
_KO = r"(?:\s?년(?:도)?)?"
_BETWEEN = re.compile(
    rf"(?<!\d)({_YEAR}){_KO}\s*(?:부터|에서|~|-|–|사이)\s*({_YEAR})(?!\d)|\b(?:between|from)\s+({_YEAR})\s+(?:and|to|until)\s+({_YEAR})",
    re.IGNORECASE,
)
_SINCE = re.compile(rf"(?<!\d)({_YEAR}){_KO}\s*(?:이후|부터|이래)|\b(?:since|from)\s+({_YEAR})\b", re.IGNORECASE)
_AFTER = re.compile(rf"\bafter\s+({_YEAR})\b", re.IGNORECASE)
_UNTIL = re.compile(rf"(?<!\d)({_YEAR}){_KO}\s*(?:까지|이전까지)|\b(?:until|up to|by)\s+({_YEAR})\b", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<!\d)({_YEAR}){_KO}\s*(?:이전|전에)|\bbefore\s+({_YEAR})\b", re.IGNORECASE)
_RECENT = re.compile(r"최근\s*(\d{1,2})\s*년|\b(?:last|past)\s+(\d{1,2})\s+years", re.IGNORECASE)
_IN = re.compile(
    rf"(?<!\d)({_YEAR})\s?년(?!\s*(?:이후|부터|이래|까지|이전|전에))|\b(?:in|of)\s+({_YEAR})\b", re.IGNORECASE
)
_VENUES = (
    "NeurIPS|NIPS|ICML|ICLR|ACL|EMNLP|NAACL|EACL|COLING|TACL|CVPR|ICCV|ECCV|AAAI|IJCAI|KDD|SIGIR|Interspeech|ICASSP"
    "|JMLR|Nature|Science"
)
_VENUE = re.compile(rf"(?<![A-Za-z])({_VENUES})(?![A-Za-z])")
_AUTHOR = re.compile(
    r"([A-Z][a-z]+(?:[ -][A-Z][a-z]+){0,2})\s?(?:이|가|의|씨가|교수의)\s?(?:쓴|작성한|발표한|저술한|논문)"
    r"|\b(?:by|from|of)\s+([A-Z][a-z]+(?:[ -][A-Z][a-z]+){0,2})(?=\s*(?:$|[,.?!]|before|after|since|in|about|on|and))"
)


@dataclass(slots=True)
class Filters:
    """What papers must be; None where nothing is asked."""

    year_from: int | None = None
    year_to: int | None = None
    author: str | None = None
    venue: str | None = None

    def as_args(self) -> dict[str, Any]:
        """Those that are set, as arguments of `search_papers`."""
        named = {"year_from": self.year_from, "year_to": self.year_to, "author": self.author, "venue": self.venue}
        return {name: value for name, value in named.items() if value is not None}


def filters_of(question: str) -> Filters:
    """The filters that a question states plainly."""
    found = Filters()
    if match := _BETWEEN.search(question):
        years = sorted(int(each) for each in match.groups() if each)
        found.year_from, found.year_to = years[0], years[-1]
    elif match := _RECENT.search(question):
        found.year_from = datetime.now(UTC).year - int(_one(match))
    else:
        if match := _SINCE.search(question):
            found.year_from = int(_one(match))
        elif match := _AFTER.search(question):
            found.year_from = int(_one(match)) + 1
        if match := _BEFORE.search(question):
            found.year_to = int(_one(match)) - 1
        elif match := _UNTIL.search(question):
            found.year_to = int(_one(match))
        if found == Filters() and (match := _IN.search(question)):
            found.year_from = found.year_to = int(_one(match))
    if match := _VENUE.search(question):
        found.venue = match[1]
    if match := _AUTHOR.search(question):
        found.author = _one(match)
    return found


def _one(match: re.Match[str]) -> str:
    return next(each for each in match.groups() if each)
