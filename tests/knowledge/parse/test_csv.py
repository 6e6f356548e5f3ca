"""CSV tables."""

import pytest

from dure.knowledge.parse.csv import delimiter, parse
from dure.knowledge.parse.table import MAX_ROWS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_encodings_and_delimiters(encoding, mark):
    text = f"이름{mark}부서\n김두레{mark}영업\n이여울{mark}재무\n"
    assert parse(text.encode(encoding)).pages[0].text.splitlines()[1] == "이름: 김두레 | 부서: 영업"


def test_a_comma_inside_cells_does_not_win():
    assert delimiter('a;"1,5"\nb;"2,5"\nc;3\n') == ";"


def test_commas_in_quotes_do_not_count():
    assert delimiter('이름,금액,태그\n김,"1,000",a;b\n이,"2,000,000",b;c\n박,300,c;d\n') == ","
    assert delimiter('a,"b\nc|d"\ne,"f|g\n') == ","


def test_long_tables_are_cut_with_a_word():
    lines = parse(b"a,b\n" + b"1,2\n" * (MAX_ROWS + 10)).pages[0].text.splitlines()
    assert len(lines) == MAX_ROWS + 1
    assert str(MAX_ROWS) in lines[-1]


def test_an_open_quote_harms_nothing():
    assert "b" in parse(b'a,"b\nc,d').pages[0].text
