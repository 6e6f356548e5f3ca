import re

import pytest

from dure.toolsets.mcp.naming import unique_names, valid


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("get_time", "get_time"),
        ("a.b/c d", "a_b_c_d"),
        ("검색", None),
        ("x" * 64, "x" * 64),
        ("x" * 65, None),
        ("", None),
    ],
)
def test_valid(name, wanted):
    made = valid(name)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", made)
    assert wanted is None or made == wanted


def test_names_too_long_or_foreign_stay_apart():
    assert valid("x" * 65) != valid("x" * 66)
    assert valid("검색") != valid("조회")


def test_own_names_are_kept():
    assert unique_names([("a", "x"), ("b", "y")]) == {("a", "x"): "x", ("b", "y"): "y"}


def test_clashing_names_get_their_servers():
    names = unique_names([("a", "search"), ("b", "search"), ("b", "other")])
    assert list(names.values()) == ["a_search", "b_search", "other"]


def test_taken_names_get_their_servers():
    assert unique_names([("a", "calculate")], taken={"calculate"}) == {("a", "calculate"): "a_calculate"}


def test_prefixed_names_take_none_from_others():
    names = unique_names([("a", "x"), ("b", "x"), ("c", "a_x")])
    assert names["c", "a_x"] == "a_x"
    assert len(set(names.values())) == 3


def test_names_alike_after_cleaning():
    assert len(set(unique_names([("a", "x.y"), ("a", "x_y")]).values())) == 2


def test_korean_server_names():
    names = unique_names([("날씨", "get"), ("시간", "get")])
    assert len(set(names.values())) == 2
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in names.values())
