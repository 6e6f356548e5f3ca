import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.numbers import in_words
from dure.packs.contracts.faults import WrongValue
from dure.packs.contracts.money import LIMIT, Money, read_money

WON = st.integers(1, int(LIMIT) - 1)


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("3,000만원", "30000000", "KRW"),
        ("3000만 원", "30000000", "KRW"),
        ("5천만 원", "50000000", "KRW"),
        ("1억 2천만원", "120000000", "KRW"),
        ("1억2,000만원", "120000000", "KRW"),
        ("1억 2천3백만 5천원", "123005000", "KRW"),
        ("3.5억", "350000000", "KRW"),
        ("만원", "10000", "KRW"),
        ("만 5천원", "15000", "KRW"),
        ("one hundred won", "100", "KRW"),
        ("백만 원", "1000000", "KRW"),
        ("삼천만원", "30000000", "KRW"),
        ("금 삼천만원정", "30000000", "KRW"),
        ("일금 30,000,000원정", "30000000", "KRW"),
        ("이억오천원정", "200005000", "KRW"),
        ("5천원", "5000", "KRW"),
        ("1만5천", "15000", "KRW"),
        ("2억 5,000", "200005000", "KRW"),
        ("1.125억", "112500000", "KRW"),
        ("금 삼천만 원정 (₩30,000,000)", "30000000", "KRW"),
        ("30,000,000원(금 삼천만원정)", "30000000", "KRW"),
        ("₩30,000,000", "30000000", "KRW"),
        ("KRW 30,000,000", "30000000", "KRW"),
        ("30,000,000 won", "30000000", "KRW"),
        ("３，０００만원", "30000000", "KRW"),
        ("USD 12,000", "12000", "USD"),
        ("12,000 usd", "12000", "USD"),
        ("$12,000.50", "12000.50", "USD"),
        ("US$ 12,000", "12000", "USD"),
        ("미화 1만 2천 달러", "12000", "USD"),
        ("$1.5 million", "1500000", "USD"),
        ("EUR 12k", "12000", "EUR"),
        ("EUR 1.5 M", "1500000", "EUR"),
        ("€99", "99", "EUR"),
        ("1,000유로", "1000", "EUR"),
        ("50만 엔", "500000", "JPY"),
        ("0원", "0", "KRW"),
        ("-5,000원", "-5000", "KRW"),
        ("금 일억 이천만 원정", "120000000", "KRW"),
        ("금 조사원정", "1000000000004", "KRW"),
        ("twelve thousand dollars", "12000", "USD"),
        ("USD 2 million 300 thousand", "2300000", "USD"),
    ],
)
def test_amounts_as_people_write_them(text, amount, currency):
    assert read_money(text) == (Money(Decimal(amount), currency), False)


@pytest.mark.parametrize("text", ["2억5천", "2억 5천원", "1조 5천억 3백", "5천", "3천5백", "이억오천", "오천"])
def test_an_amount_that_people_read_in_two_ways_is_refused(text):
    with pytest.raises(WrongValue) as caught:
        read_money(text, "KRW")
    assert "두 가지로" in caught.value.said["ko"]


@pytest.mark.parametrize("text", ["1.000원", "EUR 12.000", "1.500만원", "30,000,000원(VAT 별도)"])
def test_foreign_thousands_and_remarks_are_no_amounts(text):
    with pytest.raises(WrongValue, match="is not an amount"):
        read_money(text)


def test_an_amount_without_currency_takes_the_default_or_is_refused():
    assert read_money(30000000, "KRW") == (Money(Decimal(30000000), "KRW"), True)
    assert read_money("12,000", "KRW") == (Money(Decimal(12000), "KRW"), True)
    with pytest.raises(WrongValue, match="no currency"):
        read_money(30000000)


@pytest.mark.parametrize(
    "value",
    [
        *["", "원", "만큼", "천만다행", "삼오만원", "1,00원", "1,0000원", "1..5원", "1.원", "12,34,567원"],
        *[
            "약 3천만원",
            "3천만원 정도",
            "월 300만원",
            "3만2천억원",
            "1만 1억원",
            "5백3천원",
            "3,000만원 (VAT 별도)",
            "1억만원",
        ],
        *["3천만원(2천만원)", "USD 5 원", "XYZ 100", "100 bitcoin", "1.5원", "USD 1.234", "1e5원", "٣원", "²원"],
        *["1000조원 1000조원", "1경원", "9" * 20 + "원", "0." + "1" * 50 + "원", "1" * 79, "1" * 5000],
        *[True, None, [], {}, {"amount": 1}, {"amount": {"amount": 1}}, {"value": 3}, float("nan")],
        *[float("inf"), 1e300, {"amount": 5, "currency": "USD"}],
    ],
)
def test_what_is_no_amount_is_refused_in_both_languages(value):
    with pytest.raises(WrongValue) as caught:
        read_money(value)
    assert caught.value.said["ko"] != caught.value.said["en"]
    assert len(caught.value.said["ko"] + caught.value.said["en"]) < 500


def test_an_integer_that_python_does_not_print_is_refused():
    with pytest.raises(WrongValue, match="too large"):
        read_money(10**5000)


def test_an_amount_is_never_rounded():
    with pytest.raises(WrongValue):
        read_money("1.0000000000000000000000000000001만원")
    with pytest.raises(WrongValue):
        read_money("-1.00000000000000000000000000001원")
    assert read_money("9,999조 9,999억 9,999만 9,999원")[0].amount == LIMIT - 1


def test_amounts_are_shown_as_contracts_do():
    assert Money(Decimal(30_000_000), "KRW").shown("ko") == "30,000,000원(금 삼천만원정)"
    assert Money(Decimal(0), "KRW").shown("ko") == "0원"
    assert Money(Decimal(30_000_000), "KRW").shown("en") == "KRW 30,000,000"
    assert Money(Decimal("12000.5"), "USD").shown("ko") == "USD 12,000.50"


@given(WON)
def test_words_say_the_number(number):
    assert read_money(f"금 {in_words(number)}원정")[0].amount == number


@given(WON)
def test_what_is_shown_reads_back(number):
    money = Money(Decimal(number), "KRW")
    assert read_money(money.shown("ko")) == (money, False)
    assert read_money(money.shown("en")) == (money, False)


@given(
    st.lists(st.sampled_from(["3", "12", "1,000", "0.5", "천", "백", "만", "억", "조", "삼", " ", "원"]), max_size=12)
)
def test_mixed_units_agree_with_plain_arithmetic_or_are_refused(pieces):
    """Whatever is read lies between 0 and the limit and is a whole number of won."""
    try:
        money, _ = read_money("".join(pieces), "KRW")
    except WrongValue:
        return
    assert 0 <= money.amount < LIMIT
    assert money.amount == int(money.amount)


@given(st.text(max_size=90) | st.integers() | st.floats() | st.dictionaries(st.text(max_size=9), st.text(max_size=9)))
def test_nothing_else_is_ever_raised(value):
    try:
        money, _ = read_money(value, "KRW")
    except WrongValue:
        return
    assert isinstance(money, Money)


@pytest.mark.parametrize("piece", ["1억", "천", ",", "(", "1", " ", "만", "금", "-", "USD "])
def test_long_input_takes_linear_time(piece, assert_linear):
    def refused(text):
        with contextlib.suppress(WrongValue):
            read_money(text)

    assert_linear(refused, lambda n: piece * n, 200_000)
    with pytest.raises(WrongValue):
        read_money(piece * 200_000)
