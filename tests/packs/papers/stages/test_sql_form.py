"""Any form gives SQL that the guard lets through and the engine runs; what stands in it stays text."""

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.data.rows import Rows
from dure.data.store import Store
from dure.packs.papers.stages.filters import FIELDS, Filters
from dure.packs.papers.stages.sql_form import Form, Measure, Order, Row, author_is, select, text
from dure.packs.papers.tools.sql_tables import LIMITS, TABLES

ROWS = {
    "papers": [
        ["p1", "Attention O'Clock", 2017, "NeurIPS", "nlp", None, None, None, None],
        ["p2", "BERT", 2019, "NAACL", "nlp", 7, None, None, None],
        ["p3", "50% of_ResNet", 2016, None, "vision", None, None, None, None],
    ],
    "authors": [[1, "Geoffrey E. Hinton"], [2, "Kaiming He"], [3, "Ann O'Neil"]],
    "paper_authors": [["p1", 1, 1], ["p1", 2, 2], ["p2", 1, 1], ["p3", 3, 1]],
    "citations": [["p2", "p1"], ["p3", "p1"], ["p2", "p3"]],
    "glossary": [["어텐션", "attention", "nlp"], ["과적합", "overfitting", "learning"]],
}
PAPERS = st.lists(
    st.fixed_dictionaries({"id": st.one_of(st.sampled_from(["p1", "p2"]), st.text(max_size=8))}), max_size=2
)
WORDS = st.one_of(st.none(), st.text(max_size=12), st.sampled_from(["'; DROP TABLE papers; --", "%' OR 1=1 --", "\\'"]))
YEARS = st.one_of(st.none(), st.integers(1900, 2100))
FORMS = st.builds(
    Form,
    rows=st.sampled_from(get_args(Row)),
    measure=st.one_of(st.none(), st.sampled_from(get_args(Measure))),
    total=st.sampled_from(["sum", "mean", "share"]),
    order=st.one_of(st.none(), st.sampled_from(get_args(Order))),
    limit=st.one_of(st.none(), st.integers(1, 100)),
    filters=st.builds(
        Filters,
        year_from=YEARS,
        year_to=YEARS,
        author=WORDS,
        venue=WORDS,
        field=st.one_of(st.none(), st.sampled_from(FIELDS)),
    ),
    venues=st.lists(st.text(max_size=8), max_size=2),
    title=WORDS,
    only=PAPERS,
    citing=PAPERS,
    cited_by=PAPERS,
)


@pytest.fixture(scope="module")
def engine():
    made = Store()
    made.begin(TABLES)
    for table, rows in ROWS.items():
        made.add(table, rows)
    return made


def ask(engine: Store, sql: str) -> Rows:
    return engine.query(sql, LIMITS, "sqlite")


@given(form=FORMS)
def test_any_form_runs(engine: Store, form: Form) -> None:
    if not form.fits():
        return
    ran = ask(engine, select(form))
    assert ran.columns
    if form.rows == "all":
        assert len(ran.rows) == 1


def test_each_kind_of_form_runs(engine: Store) -> None:
    kinds = product(get_args(Row), (None, *get_args(Measure)), ("sum", "mean", "share"), (None, "most", "oldest"))
    fitting = [form for rows, measure, total, order in kinds if (form := Form(rows, measure, total, order)).fits()]
    assert len(fitting) > 100
    for form in fitting:
        assert ask(engine, select(form)).columns, form


def run(engine: Store, **fields) -> list[list]:
    form = Form(**fields)
    assert form.fits()
    return ask(engine, select(form)).rows


def test_what_is_counted(engine: Store) -> None:
    first, second = [{"id": "p1"}], [{"id": "p2"}]
    assert run(engine, rows="all", measure="papers") == [[3]]
    assert run(engine, rows="all", measure="papers", filters=Filters(2017, 2019)) == [[2]]
    assert run(engine, rows="all", measure="papers", filters=Filters(author="G. Hinton")) == [[2]]
    assert run(engine, rows="all", measure="papers", filters=Filters(author="O'Neil")) == [[1]]
    assert run(engine, rows="all", measure="papers", citing=first) == [[2]]
    assert run(engine, rows="all", measure="papers", citing=[*first, {"id": "p3"}]) == [[1]], "those that cite both"
    assert run(engine, rows="all", measure="papers", cited_by=second) == [[2]]
    assert run(engine, rows="all", measure="papers", title="o'clock") == [[1]]
    assert run(engine, rows="all", measure="papers", title="%") == [[3]], "LIKE reads nothing into it"
    assert run(engine, rows="all", measure="authors", only=first) == [[2]]
    assert run(engine, rows="all", measure="authors", total="mean") == [[1.33]]
    assert run(engine, rows="all", measure="papers", total="share", filters=Filters(field="nlp")) == [[2, 66.7]]
    assert run(engine, rows="field", measure="papers") == [["nlp", 2], ["vision", 1]]
    assert run(engine, rows="year", measure="papers")[0] == [2016, 1]
    assert run(engine, rows="author", measure="citations", order="most", limit=1) == [["Geoffrey E. Hinton", 2]]
    cited = run(engine, rows="paper", measure="citations", order="most", limit=2)
    assert cited == [["Attention O'Clock", 2017, 2, None], ["50% of_ResNet", 2016, 1, None]]
    assert run(engine, rows="paper", order="oldest", limit=1)[0][0] == "50% of_ResNet"
    assert run(engine, rows="all", measure="terms") == [[2]]
    assert run(engine, rows="field", measure="terms", filters=Filters(field="nlp")) == [["nlp", 1]]


def test_what_cannot_be_counted_so() -> None:
    for wrong in (
        Form(),
        Form(rows="author"),
        Form(rows="year", measure="years"),
        Form(rows="paper", order="most"),
        Form(rows="all", measure="papers", total="mean"),
        Form(rows="all", measure="terms", filters=Filters(year_from=2019)),
    ):
        assert not wrong.fits(), wrong


def test_text_stays_text() -> None:
    assert text("it's") == "'it''s'"
    assert text("a\x00b\nc") == "'abc'"
    assert author_is("  ") == "0 = 1"
