import pytest

from dure.packs.contracts.checks import is_business_number
from dure.packs.contracts.draft import draft
from dure.packs.contracts.template import templates


@pytest.fixture
def done(fields):
    def drafted(template, **changed):
        return draft(templates()[template], "ko", fields(template, **changed))

    return drafted


def warnings(result):
    assert result.contract is not None, (result.missing, result.wrong)
    return "\n".join(each["en"] for each in result.warnings)


@pytest.mark.parametrize(
    "other",
    [
        "주식회사 에이컴퍼니",
        "에이컴퍼니(주)",
        "㈜에이컴퍼니",
        " 에이 컴퍼니 ",
        {"name": "비컴퍼니", "registration_number": "124 81 00998"},
    ],
)
def test_parties_must_differ(done, other):
    first = {"name": "에이컴퍼니", "registration_number": "124-81-00998"} if isinstance(other, dict) else "에이컴퍼니"
    result = done("nda", party_a=first, party_b=other)
    assert result.contract is None
    assert result.wrong["party_b"].said["ko"] == "갑과 같은 당사자입니다. 두 당사자는 달라야 합니다"


def test_namesakes_are_told_apart_by_their_numbers(done):
    first = {"name": "하늘", "registration_number": "124-81-00998"}
    second = {"name": "하늘", "registration_number": "220-81-62517"}
    assert done("nda", party_a=first, party_b=second).contract is not None


def test_dates_must_be_in_order(done):
    result = done("service", start_date="2026-07-01")
    assert result.wrong["end_date"].said["ko"] == "착수일(2026-07-01)보다 앞설 수 없습니다: 2026-06-30"
    assert done("service", start_date="2026-06-30").contract is not None


def test_sums_must_add_up(done):
    result = done("service", fee="3,100만원")
    assert result.wrong["payments"].said["en"] == "they add up to KRW 30,000,000, not to Fee, KRW 31,000,000"
    assert "통화가 다릅니다" in done("service", fee="USD 30,000,000").wrong["payments"].said["ko"]
    said = {"ko": "항목의 합이 용역 대금과 같음: 30,000,000원", "en": "the parts add up to Fee: KRW 30,000,000"}
    assert said in done("service").passed
    assert "payments" not in done("service", payments=None).wrong


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, ""),
        ({"days_per_week": 6}, "exceed the legal 8 and 40; the excess is overtime"),
        ({"work_end": "21:00", "days_per_week": 5}, "55 hours a week exceed 52"),
        ({"work_end": "20:00", "days_per_week": 4}, "10 hours a day"),
        ({"break_minutes": 30}, "a break of 30 minutes is shorter than the legal 60"),
        ({"work_end": "13:30", "break_minutes": 0, "days_per_week": 5}, "shorter than the legal 30"),
        ({"work_end": "10:00", "break_minutes": 0, "days_per_week": 7}, "no weekly holiday"),
        ({"work_end": "12:00", "break_minutes": 0, "days_per_week": 4}, "below 15 hours"),
        ({"work_start": "22:00", "work_end": "06:00"}, ""),
        ({"wage": "0원", "wage_parts": ["기본급 0원"]}, "Wage is zero"),
        ({"end_date": "2028-03-01"}, ""),
        ({"end_date": "2028-03-02"}, "more than two years"),
        ({"start_date": "2028-02-29", "end_date": "2030-03-01"}, "more than two years"),
        ({"start_date": "2028-02-29", "end_date": "2030-02-28"}, ""),
        ({"probation": "3개월", "probation_wage": "90%"}, ""),
        ({"probation": "3개월", "probation_wage": "90%", "end_date": "2027-03-01"}, ""),
        ({"probation": "3개월", "probation_wage": "90%", "end_date": "2027-02-28"}, "Minimum Wage Act"),
        ({"probation": "4개월", "probation_wage": 90}, "Minimum Wage Act"),
        ({"probation": "3개월", "probation_wage": 80}, "80% of the wage"),
        ({"probation": "6개월", "probation_wage": 100, "end_date": "2026-12-31"}, ""),
    ],
)
def test_warnings_of_employment(done, changed, expected):
    found = warnings(done("employment", **changed)).replace("Employee has no address", "").strip()
    assert expected in found
    assert bool(expected) == bool(found)


def test_the_wage_of_a_probation_wants_its_length(done):
    wrong = done("employment", probation_wage=90).wrong
    assert wrong["probation"].said["ko"] == "수습 기간 임금(%)을 정했으면 이것도 있어야 합니다"


def test_a_break_as_long_as_the_day_is_wrong(done):
    assert "break_minutes" in done("employment", work_end="10:00").wrong


def test_weekly_hours_are_told(done):
    assert {"ko": "1주 근로시간 40시간", "en": "40 working hours a week"} in done("employment").passed


def test_korean_business_numbers_have_a_check_digit(done):
    assert is_business_number([1, 2, 4, 8, 1, 0, 0, 9, 9, 8])
    assert not is_business_number([1, 2, 4, 8, 1, 0, 0, 9, 9, 7])
    wrong = {"name": "비컴퍼니", "registration_number": "124-81-00997"}
    assert "fails its check digit: 124-81-00997" in warnings(done("nda", party_b=wrong))


def test_different_currencies_are_told(done):
    assert "the currencies differ: Fee, Limit of liability" in warnings(done("service", liability_cap="USD 5"))
