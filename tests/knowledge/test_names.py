"""Names, and which of them sources have."""

import pytest

from dure.knowledge.names import absent, beyond, instead, names, parts, told_of, unheard_of


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("DH-240은 NVK-R32-28I 압축기를 쓴다", ["DH-240", "NVK-R32-28I"]),
        ("E7이 5km 밖 30A 차단기에 떴다", ["E7"]),
        ("well-known facts of 2024", []),
        ("음성공장 C동의 정원과 A의 B, 미스터Q로", ["C동"]),
    ],
)
def test_names(text, wanted):
    assert names(text) == wanted


def test_a_part_within_a_part_is_both():
    assert parts("제19조 1호와 제3조의2 2항, 제 8 조제1항") == [
        "제19조",
        "제1호",
        "제3조의2",
        "제2항",
        "제8조",
        "제1항",
    ]


def test_a_name_is_another_where_more_letters_or_digits_follow():
    assert absent("NVK-R32-28", ["NVK-R32-28I"]) == ["NVK-R32-28"]
    assert absent("NVK-R32", ["NVK-R32-28"]) == ["NVK-R32"]
    assert absent("DH-24", ["DH-240"]) == ["DH-24"]
    assert absent("DH240과 dh 240", ["DH-240"]) == []
    assert absent("음성공장 C동 휴게실", ["음성공장 A동과 B동의 휴게실"]) == ["C동"]
    assert absent("C동 휴게실", ["The lounge of building C"]) == []
    assert absent("B동 휴게실", ["음성공장 A동과 B 동의 휴게실"]) == []


def test_a_number_beyond_those_of_the_things_told_of_is_of_none_of_them():
    printers = ["위치: 본사 2층 | 이름: PRN-201", "위치: 본사 4층 | 이름: PRN-402"]
    assert beyond("본사 5층 프린터 이름이 뭐야?", printers[1], printers) == ["5층"]
    # What stands between the numbers may have been left out.
    assert beyond("본사 3층 프린터 이름이 뭐야?", printers[1], printers) == []
    # A rule tells of no month, nor does a day in it.
    assert beyond("6월 출장의 숙박 한도는?", "2월 1일부터 95,000원으로 한다.", ["1월과 3월에 점검한다."]) == []
    assert beyond("4월 출장비는?", "2026년 2월 출장비", ["2026년 1월 출장비", "2026년 2월 출장비"]) == ["4월"]


def test_a_letter_that_none_of_the_things_told_of_has_is_of_none_of_them():
    rooms = ["세미나실 A: 40명", "세미나실 B: 24명", "비타민 C를 준다."]
    assert beyond("세미나실 c 하루 빌리는 데 얼마야?", rooms[0], rooms) == ["세미나실 C"]
    assert beyond("세미나실b는 얼마야?", rooms[0], rooms) == []
    # Of another thing than the source tells of.
    assert beyond("연습실 D는 얼마야?", rooms[0], rooms) == []
    assert beyond("비타민 C는?", rooms[2], rooms) == []


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("안도윤 부장님 내선번호 알려줘", ["안도윤 부장"]),
        ("배수현 부장 내선은?", []),
        # No name as those are; one that stands elsewhere; what cells have beside figures or alone.
        ("담당 부장은 누구야?", []),
        ("노은재 부장은 언제 와?", []),
        ("차장이 부장인 팀은?", []),
        ("지난주 처리 중인 건은?", []),
        ("최하나 대리는?", []),
    ],
)
def test_a_name_beside_what_others_have_beside_theirs_is_unheard_of(question, wanted):
    cells = ["배수현 부장", "봉재성 부장", "최누리 대리", "처리 중", "2 층", "3 층"]
    assert unheard_of(question, cells, [*cells, "노은재 차장"]) == wanted


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("P1", "P1 within 1 hour, solved within 8 hours;"),
        ("P2", " P2 within 4 hours,"),
        ("P3", " P3 and P4 within 5 days."),
        ("P4", " and P4 within 5 days."),
        ("E07", None),
        ("P1 and P4", "P1 within 1 hour, solved within 8 hours; and P4 within 5 days."),
    ],
)
def test_what_a_sentence_tells_of_others_of_a_kind_is_not_of_the_one_that_is_said(said, wanted):
    text = "P1 within 1 hour, solved within 8 hours; P2 within 4 hours, P3 and P4 within 5 days."
    assert told_of(text, said) == (wanted or text)


def test_another_of_its_kind_stands_in_the_place_of_a_name():
    assert instead("V9의 범위", "Visit: V10 | Window: 7", "") == ["V9"]
    assert instead("GN-221", "Subject GN-221-014", "") == instead("V9의 범위", "Visit: V10", "V9") == []
    assert instead("V9의 범위", "Window: 7 (E07)", "") == []
