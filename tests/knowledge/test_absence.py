"""What documents do not have."""

import pytest
from fixtures.passages import passage

from dure.knowledge.cite import cite
from dure.knowledge.figured import is_absent

TITLES = ["대표회의_회의록_2026-07-16", "관리규약", "Elevator_Maintenance_Agreement"]


@pytest.mark.parametrize(
    ("said", "absent"),
    [
        ("이름은 회의록에 나와 있지 않습니다.", True),
        ("자세한 금액은 문서에서 확인되지 않았습니다.", True),
        ("문서에는 벌점이라는 말이 나오지 않습니다.", True),
        ("개강일은 문서에서 찾을 수 없어 날짜를 비워 두었습니다.", True),
        ("'정하지 않음'은 회의록에 기한이 나와 있지 않은 경우입니다.", True),
        ("The documents do not say who answers.", True),
        ("The documents name no later visit.", True),
        ("I did not find the figure in these documents.", True),
        ("규약에는 벌점이라는 말이 없습니다.", True),
        ("그 날짜는 회의록에 없습니다.", True),
        # Something is denied, by the document or by the answer itself.
        ("관리사무소는 주말에 문을 열지 않습니다.", False),
        ("문서에는 주말에 문을 열지 않는다고 적혀 있습니다.", False),
        ("관리규약에 따르면 주말에는 문을 열지 않습니다.", False),
        ("관리규약에서는 주말 근무를 허용하지 않습니다.", False),
        ("The documents say that it does not open.", False),
        ("The agreement does not allow it.", False),
        ("이름은 회의록에 나와 있습니다.", False),
    ],
)
def test_what_is_not_there_is_told_of_the_documents(said: str, absent: bool) -> None:
    assert is_absent(said, TITLES) == absent


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("조정 기한은 문서에서 확인되지 않았습니다.", []),
        ("조정 기한은 관리규약에 나와 있지 않습니다.", []),
        ("The documents do not say who answers.", []),
        ("관리사무소는 주말에 문을 열지 않습니다.", [[]]),
        ("벌금 50,000원은 관리규약에 나와 있지 않습니다.", [["50,000"]]),
    ],
)
def test_that_something_is_not_there_needs_no_source(said: str, missing: list[list[str]]) -> None:
    rules = passage("층간소음 민원은 관리사무소에 신고한다.", "관리규약")
    checks = cite(f"민원은 관리사무소에 신고합니다 [1]. {said}", [rules], "민원은 어디에 신고해?").checks
    assert [each["missing"] for each in checks or []] == missing
