"""Accept-Language."""

import pytest

from dure.api.replies import requested


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, None),
        ("", None),
        ("fr", None),
        ("ko", "ko"),
        ("ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        ("en-GB;q=0.7, ko;q=0.3", "en"),
        ("fr, en;q=0.1", "en"),
        ("en;q=x, ko;q=0.2", "ko"),
        ("ko;q=0", None),
        (";;,,q=1", None),
    ],
)
def test_the_preferred_of_ours(header: str | None, language: str | None) -> None:
    assert requested(header) == language
