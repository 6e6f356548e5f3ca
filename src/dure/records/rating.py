"""What a person thinks of a run: 1 (useless) to 5 (perfect), with a comment."""

from dure.errors import InvalidInput, phrase
from dure.runs.ask import check_length

MAX_COMMENT = 4000
"""Characters of a comment."""


def checked_rating(rating: int, comment: str | None) -> tuple[int, str | None]:
    """Rating and comment as they are stored. Raises InvalidInput, or InvalidText for a comment that cannot be."""
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        raise InvalidInput(
            reason=phrase("records_rating.rating"),
            key="rating",
        )
    if comment is None or not comment.strip():
        return rating, None
    check_length("comment", comment, 0, MAX_COMMENT)
    return rating, comment.strip()
