"""What a person thinks of a run: 1 (useless) to 5 (perfect), with a comment."""

from dure.errors import InvalidInput, Text
from dure.runs.ask import check_length

MAX_COMMENT = 4000
"""Characters of a comment."""


def checked_rating(rating: int, comment: str | None) -> tuple[int, str | None]:
    """Rating and comment as they are stored. Raises InvalidInput, or InvalidText for a comment that cannot be."""
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        raise InvalidInput(
            reason=Text("rating: a whole number from 1 to 5 is needed", ko="rating: 1에서 5까지의 정수여야 합니다"),
            key="rating",
        )
    if comment is None or not comment.strip():
        return rating, None
    check_length("comment", comment, 0, MAX_COMMENT)
    return rating, comment.strip()
