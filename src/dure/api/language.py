"""In which language a person is answered."""

from dure.errors import Language


def requested(accept_language: str | None) -> Language | None:
    """`ko` or `en`, whichever an Accept-Language header (RFC 9110, 12.5.4) prefers; None for neither."""
    best: Language | None = None
    weight = 0.0
    for part in (accept_language or "").split(","):
        tag, *parameters = [piece.strip().lower() for piece in part.split(";")]
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = float(parameter[2:])
                except ValueError:
                    quality = 0.0
        language: Language | None = {"ko": "ko", "en": "en"}.get(tag.split("-")[0])  # type: ignore[assignment]
        if language and quality > weight:
            best, weight = language, quality
    return best
