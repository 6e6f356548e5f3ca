import pytest

from dure.data.columns import column_names, split_header, unique


@pytest.mark.parametrize(
    ("rows", "header", "count"),
    [
        ([["a", "b"], ["1", "2"]], ["a", "b"], 1),
        ([["표 제목", ""], ["", ""], ["a", "b"], ["1", "2"]], ["a", "b"], 1),
        ([["1", "2"], ["3", "4"]], [], 2),
        ([["영업", "100"], ["개발", "200"]], [], 2),
        ([["부서", "2022", "2023년"], ["영업", "1", "2"]], ["부서", "2022", "2023년"], 1),
        ([["부서", "2024.01", "2024.10"], ["영업", "1", "2"]], ["부서", "2024.01", "2024.10"], 1),
        ([["영업", "2024.13", "1"]], [], 1),
        ([["2024-01-01", "x"]], [], 1),
        ([["이름"], ["김두레"]], ["이름"], 1),
        ([["", ""], []], [], 0),
    ],
)
def test_split_header(rows, header, count):
    _, found, _, body = split_header(iter(rows))
    assert found == header
    assert len(list(body)) == count


def test_width_is_that_of_the_widest_row():
    assert split_header(iter([["a", "b"], ["1", "2", "3"]]))[2] == 3


def test_column_names():
    assert column_names(["이름", "", "이름", "Name", "name"], 6, set()) == [
        "이름",
        "col2",
        "이름_2",
        "Name",
        "name_2",
        "col6",
    ]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("매출 (만원)", "매출_만원"),
        ("2024", "_2024"),
        ("select", "select_"),
        ("!!!", "t"),
        ("한글", "한글"),
        ('a"b', "a_b"),
        ("x" * 100, "x" * 60),
    ],
)
def test_unique(wanted, name):
    assert unique(wanted, set(), {"select"}) == name
