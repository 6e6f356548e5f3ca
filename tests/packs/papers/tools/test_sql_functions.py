import sqlite3

import pytest

from dure.errors import ToolInputError
from dure.packs.papers.tools.sql_functions import MOST_TRIMMED, formatted, replace_functions


@pytest.mark.parametrize(
    "call",
    [
        "printf('%.1f%%', 66.666)",
        "printf('%d of %d', 3, 4)",
        "printf('%5d|%-5d|%05d|%+d|% d', 42, 42, 42, 42, 42)",
        "printf('%,d', 1234567)",
        "printf('%s (%s)', 'BERT', 2019)",
        "printf('%10s|%-10s|%.2s', 'abc', 'abc', 'abc')",
        "printf('%.3e %g %G', 12345.678, 0.0001, 1e20)",
        "printf('%x %X', 255, 255)",
        "printf('%d %s %f', NULL, NULL, NULL)",
        "printf('%d %.2f', '12 papers', '3.14159')",
        "printf('%d', 'none')",
        "printf('%lld', 9223372036854775807)",
        "printf('%.0f %.2f', 2.5, 0.005)",
        "printf('100%% of %%d %s', 'x')",
        "printf('%%%d%%', 7)",
        "printf(NULL)",
        "printf('더 %s', '많이')",
        "printf('no value %d')",
        "printf('%08.2f', 3.14159)",
        "trim('  x  ')",
        "trim('xxaxx', 'x')",
        "ltrim('xyxa', 'yx')",
        "rtrim('axy', 'xy')",
        "trim(NULL, 'x')",
        "trim('x', NULL)",
        "trim(121, 1)",
        "trim('abc', '')",
    ],
)
def test_gives_what_sqlite_gives(call):
    theirs, ours = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    replace_functions(ours, lambda function: function)
    if call.startswith("printf") and theirs.execute(f"SELECT {call}") is None:
        pytest.fail(call)
    expected, got = (db.execute(f"SELECT {call}").fetchone() for db in (theirs, ours))
    theirs.close()
    ours.close()
    assert got == expected


@pytest.mark.parametrize("template", ["%100d", "%.100f", "%*d", "%c", "%q", "%w", "%n", "%", "%5", "x" * 2_000])
def test_refuses_what_it_does_not_know(template):
    with pytest.raises(ToolInputError):
        formatted(template, 1)


def test_refuses_to_trim_many_letters():
    db = sqlite3.connect(":memory:")
    replace_functions(db, lambda function: function)
    assert db.execute("SELECT trim('ab', ?)", ["a" * MOST_TRIMMED]).fetchone() == ("b",)
    with pytest.raises(sqlite3.OperationalError):
        db.execute("SELECT trim('ab', ?)", ["a" * (MOST_TRIMMED + 1)])
    db.close()
