"""Times of day: as questions name them, and as columns hold them."""

from dataclasses import replace

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.data.questions.clock import figure, times
from dure.data.questions.linking import link
from dure.data.questions.query import Filter, Query, schema
from dure.data.questions.sql import compiled
from dure.data.questions.tables import Column, described, profile

NINE_TO_EIGHT = [(9.0, 20.5)]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("저녁 여섯시 정각에 시작하는 예약", [("18:00", ())]),
        ("저녁 여섯시 정각이나 그 뒤에 시작하는", [("18:00", (">=",))]),
        ("9시나 그 전에", [("09:00", ("<=",))]),
        ("오후 6시 이후", [("18:00", (">=", ">"))]),
        ("오후에 3:30 이후", [("15:30", (">=", ">"))]),
        ("18시부터 20시까지", [("18:00", (">=",)), ("20:00", ("<=",))]),
        ("오전 9시 30분 전에", [("09:30", ("<", "<="))]),
        ("10시 반 넘어서", [("10:30", (">",))]),
        ("낮 12시", [("12:00", ())]),
        ("밤 12시", [("00:00", ())]),
        ("밤 한시", [("01:00", ())]),
        ("밤 11시", [("23:00", ())]),
        ("starts at 6 pm or later", [("18:00", (">=",))]),
        ("after 6:30pm", [("18:30", (">",))]),
        ("12:15 a.m.", [("00:15", ())]),
        ("between 9:00 and 11:30", [("09:00", ()), ("11:30", ())]),
        ("3시 이후", [("15:00", (">=", ">"))]),
        ("9시 5분까지", [("09:05", ("<=",))]),
        ("2시간 넘게", []),
        ("비율이 3:2", []),
        ("25:00", []),
        ("점수 30시리즈", []),
    ],
)
def test_times_of_day(question: str, told: list[tuple[str, tuple[str, ...]]]) -> None:
    """Of an hour that may be of either half of the day that half is meant which the data have."""
    found = list(times(question, NINE_TO_EIGHT))
    assert [(each.value, each.ops) for each in found] == told
    assert [next(times("3시 이후")).value, next(times("3시 이후", [(0.0, 23.0)])).value] == ["03:00", "03:00"]


@given(st.text(st.sampled_from("0123456789:시분반 오후전apm"), max_size=20))
def test_whatever_is_written_is_within_a_day(text: str) -> None:
    assert all(0 <= float(figure(each.value)) <= 25 for each in times(text))


CELLS = ["10:00:00", "18:00", "오후 6:30", "7:15 PM", "20시", ""]


@pytest.fixture(scope="module")
def bookings():
    db = duckdb.connect()
    db.execute("CREATE TABLE b (room VARCHAR, starts VARCHAR, score VARCHAR)")
    db.executemany(
        "INSERT INTO b VALUES (?, ?, ?)", [(f"{n}호", cell, "3:2") for n, cell in enumerate([*CELLS, "18:00"])]
    )
    columns = [Column(name, "VARCHAR", name) for name in ("room", "starts", "score")]
    found = db.execute(profile("b", columns))
    counts = dict(zip([each[0] for each in found.description], found.fetchone(), strict=True))
    return db, described("b", columns, counts, {"starts": CELLS[:5], "score": ["3:2"]})


def test_a_column_of_times_is_compared_and_not_summed(bookings) -> None:
    db, description = bookings
    starts, score = description.fields[1:]
    assert (starts.kind, starts.unit, starts.clock) == ("number", "시", (10.0, 20.0))
    assert score.kind == "category"
    assert "total starts" not in description.measures
    late = Query("rows", (Filter("starts", ">=", "18:30"),), "number")
    assert db.execute(compiled(late, description)).fetchall() == [(3,)]
    most = Query("starts", (), "list", order="highest", limit=1)
    assert db.execute(compiled(most, description)).fetchall() == [(18.0, 2)]


@pytest.mark.parametrize("question", ["저녁 여섯시나 그 뒤에 시작하는 예약은 몇 건?", "6시 이후 예약", "18:00 넘어서"])
def test_a_time_of_the_question_is_one_of_such_a_column(bookings, question: str) -> None:
    _, description = bookings
    links = link(question, description)
    assert [(each.value, each.of) for each in links.numbers] == [("18:00", frozenset({"starts"}))]
    filters = schema(description, links)["properties"]["filters"]["items"]["anyOf"]
    assert {each["properties"]["field"]["const"] for each in filters} >= {"starts"}
    two = schema(description, link("2 이후에 starts", description))["properties"]["filters"]["items"]["anyOf"]
    own = [e["properties"]["value"]["enum"] for e in two if e["properties"]["field"]["const"] == "starts"]
    assert own == [[""]]


def test_of_several_columns_of_times_the_one_is_meant_that_is_named(bookings) -> None:
    _, description = bookings
    ends = replace(description.field("starts"), name="ends", label={"ko": "종료", "en": "ends"}, names=())
    both = replace(description, fields=(*description.fields, ends))
    for question, fields in (("ends after 18:00", {"ends"}), ("after 18:00", {"starts", "ends"})):
        assert [each.of for each in link(question, both).numbers] == [fields]


def test_figures_in_sql() -> None:
    assert [figure(each) for each in ("300000", "0.5", "18:00", "09:05")] == ["300000", "0.5", "18", repr(9 + 5 / 60)]
