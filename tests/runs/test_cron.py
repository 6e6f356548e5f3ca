"""Cron lines: which times they name, and which are none."""

from datetime import UTC, datetime

import pytest

from dure.errors import InvalidInput
from dure.runs.cron import after, here


def times(line: str, zone: str, at: str, count: int = 2) -> list[str]:
    found, now = [], datetime.fromisoformat(at)
    for _ in range(count):
        now = after(line, zone, now)
        found.append(f"{now:%m-%d %H:%M}")
    return found


def test_a_line_is_read_by_the_clocks_of_its_zone() -> None:
    # 2026-11-25 is a Wednesday.
    assert times("0 9 * * 1-5", "Asia/Seoul", "2026-11-26T23:00+00:00") == ["11-27 00:00", "11-30 00:00"]
    assert times("*/20 8 * * *", "UTC", "2026-11-25T08:10+00:00", 3) == ["11-25 08:20", "11-25 08:40", "11-26 08:00"]
    assert times("@daily", "UTC", "2026-11-25T08:10+00:00", 1) == ["11-26 00:00"]
    assert times("0 0 L * *", "UTC", "2026-11-25T08:10+00:00", 1) == ["11-30 00:00"]


def test_the_time_itself_is_not_after_it() -> None:
    assert times("0 9 * * *", "UTC", "2026-11-25T09:00+00:00", 1) == ["11-26 09:00"]


def test_a_time_that_clocks_leave_out_comes_at_the_change() -> None:
    assert times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00+00:00") == ["03-29 01:00", "03-30 00:30"]


def test_a_time_that_comes_twice_counts_once_unless_each_hour_counts() -> None:
    assert times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00+00:00") == ["10-25 00:30", "10-26 01:30"]
    assert times("0 * * * *", "Europe/Berlin", "2026-10-24T23:30+00:00", 3) == [
        "10-25 00:00",
        "10-25 01:00",
        "10-25 02:00",
    ]


@pytest.mark.parametrize(
    "line",
    ["", "   ", "9", "* * * *", "* * * * * *", "61 * * * *", "0 24 * * *", "0 0 31 2 *", "a b c d e", "@reboot", "@x",
     "*/0 * * * *", "H * * * *", "0 9 * * 8", "매일 9시", "0 0 * * " + "1," * 60 + "1"],
)  # fmt: skip
def test_what_names_no_time(line: str) -> None:
    with pytest.raises(InvalidInput) as error:
        after(line, "UTC", datetime.now(UTC))
    assert error.value.details["key"] == "cron"
    assert "0 9 * * 1-5" in error.value.message("ko")
    assert "0 9 * * 1-5" in error.value.message("en")


@pytest.mark.parametrize("zone", ["", "Seoul", "../../etc/passwd", "/etc/passwd", "Asia", "x" * 300, "\x00"])
def test_what_is_no_zone(zone: str) -> None:
    with pytest.raises(InvalidInput) as error:
        after("0 9 * * *", zone, datetime.now(UTC))
    assert error.value.details["key"] == "zone"


def test_this_machine_has_a_zone() -> None:
    assert after("0 9 * * *", here(), datetime.now(UTC)) > datetime.now(UTC)


@pytest.mark.parametrize(
    ("given", "zone"),
    [("Asia/Seoul", "Asia/Seoul"), (":Asia/Seoul", "Asia/Seoul"), ("/usr/share/zoneinfo/Asia/Seoul", "Asia/Seoul")],
)
def test_the_zone_that_the_process_is_given(monkeypatch: pytest.MonkeyPatch, given: str, zone: str) -> None:
    monkeypatch.setenv("TZ", given)
    assert here() == zone


@pytest.mark.parametrize("given", ["", "KST-9", "/nowhere"])
def test_what_is_no_zone_is_left_to_the_machine(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.delenv("TZ", raising=False)
    machines = here()
    monkeypatch.setenv("TZ", given)
    assert here() == machines
