"""In which language a person is answered."""

import re
from typing import cast

from dure.errors import Language

_OURS = re.compile(r"(ko|en)(?:-[a-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d*)?))?")


def requested(accept_language: str | None) -> Language | None:
    """`ko` or `en`, whichever an Accept-Language header (RFC 9110, 12.5.4) prefers; None for neither."""
    found = [_OURS.fullmatch(part.strip()) for part in (accept_language or "").lower().split(",")]
    weights = [(float(each[2] or 1), each[1]) for each in found if each]
    weight, language = max(weights, key=lambda each: each[0], default=(0.0, ""))
    return cast("Language", language) if weight else None
