from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dure.packs.contracts.faults import WrongValue
from dure.packs.contracts.money import Money
from dure.packs.contracts.template import Field, templates
from dure.packs.contracts.values import MAX_ITEMS, Missing, Part, Party, read_value

WORDS = {"ko": "항목", "en": "thing"}


def field(kind, **more):
    return Field(name="thing", kind=kind, label=WORDS, help=WORDS, **more)


def read(kind, value, language="ko", **more):
    return read_value(field(kind, **more), value, language)[0]


KINDS = ["text", "party", "date", "time", "money", "amounts", "integer", "duration", "choice", "list"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [None, "", " ", [], {}, "OOO", "TBD", "[이름]", "홍길동", "항목", "Thing", "미정"])
def test_nothing_and_stand_ins_are_missing(kind, value):
    with pytest.raises(Missing):
        read(kind, value)


def test_text_is_one_clean_line():
    assert read("text", " 공동\n연구\x00 ") == "공동 연구"
    assert read("text", 2026) == "2026"
    with pytest.raises(WrongValue, match="too long"):
        read("text", "가" * 1001)
    with pytest.raises(WrongValue, match="at most 5"):
        read("text", "가나다라마바", max=5)
    for value in (True, ["a"], {"a": 1}, 10**5000, "x" * 10**6):
        with pytest.raises(WrongValue):
            read("text", value)


def test_a_party_is_a_name_or_an_object():
    assert read("party", "두레") == Party("두레")
    given_fields = {"name": "두레", "representative": "김하늘", "address": None, "registration_number": "TBD"}
    assert read("party", given_fields) == Party("두레", "김하늘")
    for value in ({"name": ""}, {"name": "OOO"}, {"address": "서울"}):
        with pytest.raises(Missing):
            read("party", value)
    with pytest.raises(WrongValue, match="did you mean 'address'"):
        read("party", {"name": "두레", "adress": "서울"})
    for value in (
        3,
        ["두레"],
        {"name": ["두레"]},
        {"name": "가" * 101},
        {"name": "두레", "registration_number": "없음요"},
    ):
        with pytest.raises(WrongValue):
            read("party", value)


def test_objects_and_lists_may_come_as_json_text():
    assert read("party", '{"name": "두레", "address": "서울"}') == Party("두레", address="서울")
    assert read("list", '["설계", "개발"]') == ("설계", "개발")
    assert read("amounts", '[{"name": "기본급", "amount": "3원"}]')[0].name == "기본급"
    with pytest.raises(Missing):
        read("party", '{"name": 두레}')


def test_resident_registration_numbers_stay_out_of_contracts():
    value = {"name": "박바다", "registration_number": "900101-1234567"}
    with pytest.raises(WrongValue, match="resident registration number"):
        read("party", value, person=True)
    assert read("party", value).registration_number == "900101-1234567"  # a company's has as many digits


def test_an_amount_without_currency_is_won_in_korean_and_asked_for_in_english():
    won, notes = read_value(field("money"), 30_000_000, "ko")
    assert won == Money(Decimal(30_000_000), "KRW")
    assert notes == [
        {
            "ko": "통화가 없어 원화로 읽었습니다: 30,000,000원",
            "en": "read as won, since no currency was given: KRW 30,000,000",
        }
    ]
    with pytest.raises(WrongValue, match="no currency"):
        read("money", 30_000_000, "en")


def test_amounts_stay_in_their_range():
    with pytest.raises(WrongValue, match="out of range"):
        read("money", "-1원")
    with pytest.raises(WrongValue, match="out of range"):
        read("money", "11원", max=10)
    assert read("money", "0원").amount == 0


@pytest.mark.parametrize("value", [5, "5", "5일", "5 days", 5.0, " 5 ", "5%", "5분"])
def test_integers(value):
    assert read("integer", value, min=1, max=7) == 5


@pytest.mark.parametrize("value", [0, 8, "8", 5.5, "5.5", True, "다섯", "٥", [5], "5" * 5000, 10**18, -5, 1e300])
def test_what_is_no_integer_of_the_range(value):
    with pytest.raises(WrongValue):
        read("integer", value, min=1, max=7)


def test_durations_stay_in_their_range():
    assert read("duration", "3개월", max="6 months").months == 3
    with pytest.raises(WrongValue, match="at most 6 months"):
        read("duration", "1년", max="6 months")
    with pytest.raises(WrongValue, match="at least 10 days"):
        read("duration", "9일", min="10 days")
    with pytest.raises(WrongValue):
        read("duration", 3)


def test_choices_by_key_wording_and_alias():
    vat = templates()["service"].fields["vat"]
    for value in ("excluded", "EXCLUDED", "별도", "VAT 별도", "부가세별도"):
        assert read_value(vat, value, "ko")[0].key == "excluded"
    with pytest.raises(WrongValue, match="choices: included, excluded; did you mean 'included'"):
        read_value(vat, "includd", "ko")
    for value in (3, True, ["excluded"], {"excluded": 1}, "x" * 9999):
        with pytest.raises(WrongValue):
            read_value(vat, value, "ko")
    assert read("choice", "B", options={"b": WORDS}).key == "b"


def test_lists():
    assert read("list", ["설계", " 개발\n시험 ", "", "TBD"]) == ("설계", "개발 시험")
    assert read("list", "- 설계\n- 개발; 시험") == ("설계", "개발", "시험")
    with pytest.raises(Missing):
        read("list", ["TBD", ""])
    for value in (3, {"a": 1}, [["a"]], ["x"] * (MAX_ITEMS + 1), ["가" * 301], [None]):
        with pytest.raises(WrongValue):
            read("list", value)


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "기본급", "amount": "2,800,000원"}, {"name": "식대", "amount": "20만원"}],
        ["기본급 2,800,000원", "식대: 20만 원"],
        "기본급 2,800,000원, 식대 20만원",
        "기본급: 2,800,000원\n식대: 200,000원",
        "기본급 2,800,000원 + 식대 20만원",
    ],
)
def test_parts_of_a_sum(value):
    won = [Money(Decimal(2_800_000), "KRW"), Money(Decimal(200_000), "KRW")]
    assert read("amounts", value) == (Part("기본급", won[0]), Part("식대", won[1]))


def test_a_part_may_say_when_it_is_due():
    (part,) = read("amounts", {"name": "1차 중도금", "amount": "USD 4,000", "due": "2026-05-01"}, "en")
    assert part == Part("1차 중도금", Money(Decimal(4000), "USD"), "2026-05-01")
    (part,) = read("amounts", ["1차 중도금 1,000만원"])
    assert part.name == "1차 중도금"


@pytest.mark.parametrize(
    "value",
    [
        *[
            3,
            "기본급",
            "2,800,000원",
            ["기본급"],
            [{"name": "기본급"}],
            [{"amount": "3원"}],
            [{"name": "OOO", "amount": "3원"}],
        ],
        *[[{"name": "기본급", "amount": "3원", "tax": 1}], [{"name": "기본급", "amount": "-3원"}], [["기본급", "3원"]]],
        *[["기본급 3원"] * (MAX_ITEMS + 1), [{"name": "기본급", "amount": "3 gold"}]],
    ],
)
def test_what_are_no_parts(value):
    with pytest.raises(WrongValue):
        read("amounts", value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=40)
    | st.text("0123456789년월일원만억, ", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(["name", "amount", "due"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.sampled_from(KINDS), JSON, st.sampled_from(["ko", "en"]))
def test_nothing_else_is_ever_raised(kind, value, language):
    try:
        found = read(kind, value, language)
    except (Missing, WrongValue):
        return
    assert found
