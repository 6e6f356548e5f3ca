"""What statements claim."""

import pytest

from dure.knowledge.claims import counts_otherwise, has_figure, missing, numbers, unsupported_numbers
from dure.knowledge.names import names
from dure.knowledge.worked import in_time

ROW = "모델: DH-240 | 소음: 62 dB | 가격: 1,250,000"


def test_figures_and_names_have_to_stand_in_one_source():
    assert missing("DH-240의 소음은 62 dB이다", ROW) == []
    assert missing("DH-120의 소음은 62 dB이다", ROW) == ["DH-120"]
    assert missing("DH-240의 소음은 57 dB이다", ROW) == ["57"]
    assert missing("DH-240은 125만 원이다", ROW) == []


def test_the_digits_of_a_name_are_no_figures():
    assert numbers("V7의 범위는 HG-7에서 5일, Phase 2") == {"5": 5, "2": 2}
    assert missing("범위는 7일이다", "Visit: V7 | Window (days): 3") == ["7"]
    assert missing("It costs 80 dollars.", "비용은 USD80이다") == []
    # In one language or the other, one of an order is no time.
    assert missing("3영업일 안에 보고한다", "Destruction follows the third visit.") == ["3영"]
    assert missing("3차 방문", "Destruction follows the third visit.") == []


@pytest.mark.parametrize(
    ("statement", "source", "wanting"),
    [
        ("It has 337M parameters.", "매개변수는 3억 3700만 개이다.", []),
        ("매개변수는 3억 3,700만 개입니다.", "It has 337M parameters.", []),
        ("It has 337M parameters.", "Parameters (M): 337", []),
        ("A 1.5B model.", "15억 매개변수의 모형", []),
        ("It has 337M parameters.", "매개변수는 3억 3600만 개이다.", ["337M"]),
        ("It has 40k rows.", "행은 4만 개이다.", []),
    ],
)
def test_thousands_and_millions_may_be_counted_by_a_letter(statement, source, wanting):
    assert missing(statement, source) == wanting
    assert unsupported_numbers(statement, [source]) == wanting


def test_what_was_asked_may_be_said_again():
    assert missing("30평에는 62 dB이다", ROW) == ["30"]
    assert missing("30평에는 62 dB이다", ROW, "30평이면 몇 dB야?") == []


def test_the_number_of_a_part_is_its_name_and_no_figure():
    under = "인사규정\n제3장 휴가 › 5. 한도"
    assert missing("3일과 5일의 휴가", "휴가는 신청한다", under) == ["3", "5"]
    assert missing("제3장의 휴가는 2일이다", "휴가는 2일이다", under) == []
    assert missing("제4장의 휴가는 2일이다", "휴가는 2일이다", under) == ["제4장"]
    assert missing("Leave is 7 days", "Section 7: leave is 8 days") == ["7"]
    assert missing("It was 12 in 2025", "12", "Report\n2025 in figures") == []


@pytest.mark.parametrize(
    ("statement", "source", "wanting"),
    [
        ("Article 10 allows it.", "제10조 (이월)", []),
        ("제10조가 허용한다.", "Article 10 (Carry-over)", []),
        ("Chapter 2, section 3.1", "제2장 › 제 3절", ["section 3.1"]),
        ("Article 10 allows it.", "제10조의2 (이월)", []),
        ("Article 10 allows it.", "제10장 (이월)", ["Article 10"]),
        ("Article 1 allows it.", "Article 10 (Carry-over)", ["Article 1"]),
        ("272,000 thousand won", "부서: 영업 | 예산(천원): 272,000", []),
        ("272,000 thousand won", "예산은 2억 7,200만원이다.", []),
        ("273,000 thousand won", "부서: 영업 | 예산(천원): 272,000", ["273,000 thousand"]),
    ],
)
def test_parts_and_sums_are_the_same_in_both_languages(statement: str, source: str, wanting: list[str]) -> None:
    assert missing(statement, source) == wanting


@pytest.mark.parametrize(
    ("statement", "source", "wanting"),
    [
        ("쌀은 5만 톤입니다.", "쌀 5톤", ["5만"]),
        ("쌀 5만 톤을 샀습니다.", "쌀 5톤", ["5만"]),
        ("43.5만 원 남았습니다.", "남은 돈: 43.5원", ["43.5만"]),
    ],
)
def test_before_a_verb_a_particle_is_no_ten_thousand(statement: str, source: str, wanting: list[str]) -> None:
    assert missing(statement, source) == wanting


def test_a_full_hour_may_be_told_with_its_minutes():
    assert missing("at or after 23:00", "23시 이후에") == []
    assert missing("at or after 23:30", "23시 이후에") == ["23:30"]


@pytest.mark.parametrize(
    ("statement", "source", "wanting"),
    [
        ("밤 11시(23시)에는", "밤 11시에 실험해도 돼?", []),
        ("오후 5시까지 합니다", "평일 09:00~17:00", []),
        ("5:30 pm에 닫습니다", "17시 30분에 닫는다", []),
        ("17시 30분까지 합니다", "오후 5시 30분에 닫는다", []),
        ("12시까지 합니다", "정오까지 한다", []),
        ("새벽 1시까지 합니다", "밤 1시까지 한다", []),
        ("오후 5시까지 합니다", "평일 09:00~18:00", ["오후 5시"]),
        ("오전 5시까지 합니다", "평일 09:00~17:00", ["오전 5시"]),
        ("오후 5시간 합니다", "평일 09:00~17:00", ["5"]),
        ("밤 11시(22시)에는", "밤 11시에 실험해도 돼?", ["22시"]),
    ],
)
def test_an_hour_of_the_afternoon_is_one_of_the_day(statement: str, source: str, wanting: list[str]) -> None:
    assert missing(statement, source) == wanting


def test_powers_and_indices_of_formulas_are_no_figures():
    assert missing("넓이는 $a^2 + x_{1}$ 이다", "넓이를 구한다") == []
    assert missing("넓이는 $a^2 = 9$ 이다", "넓이를 구한다") == ["9"]


@pytest.mark.parametrize(
    ("statement", "source", "wanted"),
    [
        ("Wash it 2 times a week.", "2주마다 물로 씻는다.", ["2 times"]),
        ("오즈가 2.2배였습니다", "They had 2.2 times the odds.", []),
        ("They had 2.2 times the odds.", "오즈가 2.2배였다.", []),
        ("용량의 2배를 두 번", "two times the dose", []),
        ("오즈가 2.3배였습니다", "They had 2.2 times the odds.", ["2.3"]),
        ("3배로 합니다", "3회 측정한다.", ["3배"]),
        ("Wash it 3 times.", "3주마다 씻는다.", ["3 times"]),
        ("Wash it 2 times a week.", "수영장에는 두 대가 든다.", ["2 times"]),
        ("Wash it every 2 weeks.", "2주마다 물로 씻는다.", []),
        ("Wash it 2 times a week.", "1m마다 2cm 이상 내려가게 한다.", ["2 times"]),
        ("It has to fall by 2 centimetres.", "1m마다 2cm 이상 내려가게 한다.", []),
        ("Return it within 3 days.", "사흘 안에 반납한다.", []),
        ("It takes 2 months.", "두 달이 걸린다.", []),
        ("모두 4개입니다.", "종류는 네 가지다.", []),
        ("3년 안에 반납합니다.", "Return it within 3 months.", ["3년"]),
        ("180일 안에 반납합니다.", "Return it within 180 days.", []),
        ("It takes 30-minute steps.", "30분씩 걸린다.", []),
        ("한 해에 2번 합니다.", "반기마다 한 번, 곧 한 해 2회 한다.", []),
        ("There are 3 rooms.", "회의실 3개가 있다.", []),
    ],
)
def test_units_are_compared_across_languages(statement, source, wanted):
    assert missing(statement, source) == wanted


def test_another_currency_is_missing():
    assert "EUR" in missing("택시비는 40,000유로까지", "택시비는 40,000원까지 실비로 준다")
    assert missing("40,000 euros", "40,000원") == ["EUR"]
    assert missing("KRW 40,000", "40,000원") == []
    # Where the source has none, it may stand above it.
    assert missing("5,282,000원", "대리점가 10대 이상: 5282000") == []


@pytest.mark.parametrize(
    ("question", "answer", "otherwise"),
    [
        ("늦으면 몇분까지 봐줘?", "2시간까지입니다.", True),
        ("늦으면 몇 분까지 봐줘?", "20분까지, 그 뒤 2시간입니다.", False),
        ("how many minutes may I be late?", "You may be 2 hours late.", True),
        ("토요일 몇 시에 닫아?", "15:00에 닫습니다.", False),
        # Nothing there counts so, or nothing is counted.
        ("몇 명까지 들어가?", "40인까지입니다.", False),
        ("몇 분까지 봐줘?", "DH-240입니다.", False),
        ("얼마나 늦어도 돼?", "2시간입니다.", False),
    ],
)
def test_an_answer_counts_what_is_asked_for_where_that_is_told(question, answer, otherwise):
    sources = ["예약 시각에서 20분이 지나면 취소한다.", "2시간씩 연장한다.", "He may be 20 minutes late."]
    assert counts_otherwise(answer, question, sources) == otherwise


@pytest.mark.parametrize(
    ("question", "text", "has"),
    [
        ("늦으면 몇분까지 봐줘?", "② 예약 시각에서 20분이 지나면 취소한다.", True),
        ("늦으면 몇분까지 봐줘?", "제11조(노트북석) 1일 4시간 예약한다.", False),
        ("하루에 얼마씩 받아?", "1권당 1일 100원", True),
        ("하루에 얼마씩 받아?", "제7조에 따라 받지 않는다.", False),
        ("how many chapters a day?", "No more than 25 chapters or articles a day.", True),
        ("토요일 몇 시에 닫아?", "15:00에 닫는다.", True),
    ],
)
def test_a_text_has_a_figure_of_what_is_asked_for(question, text, has):
    assert has_figure(text, question) == has


def test_what_surely_is_counted_is_the_noun_of_how_many():
    question = "How many lawyer hours went into the labels?"
    assert has_figure("Labelling took 310 hours altogether.", question, surely=True)
    assert not has_figure("We use 1,284 contracts, 702 of tenancy.", question, surely=True)
    assert counts_otherwise("It took 3 days.", question, ["Labelling took 310 hours altogether."])
    assert not has_figure("It took 310.", "how long did it take?", surely=True)


def test_a_letter_behind_a_figure_is_its_unit_and_no_name():
    assert names("소비전력은 1,480 W입니다.") == names("소비전력이 몇 W야?") == []
    assert missing("소비전력은 1,480 W입니다.", "소비 전력: 1,480 W") == []


def test_a_month_in_english_is_a_number_in_korean() -> None:
    assert missing("2026년 6월 1일부터이다", "valid from 1 June 2026") == []
    assert missing("4월 17일에 왔다", "Date: Fri, 17 Apr 2026") == []
    assert missing("6월 2일에 왔다", "It came on June 2.") == []
    assert missing("2026년 7월 1일부터이다", "valid from 1 June 2026") == ["2026년 7월 1일"]
    assert missing("5건이다", "It may be 3 of them") == ["5"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("6월 3일에", ["6월 3일"]),
        ("3 June 2026", ["3 June 2026"]),
        ("6월 17일과 7월 3일에", []),
        ("2025년 7월 3일에", ["2025년 7월 3일"]),
        ("2026년 7월 3일에", []),
        ("7월 회의는 17일에", []),
    ],
)
def test_a_day_is_not_made_of_parts_of_others(said: str, found: list[str]) -> None:
    assert missing(f"{said} 했다", "6월 17일에 신청하고 2026. 7. 3.에 냈다.") == found


@pytest.mark.parametrize(
    ("said", "source", "found"),
    [
        ("5분마다", "점검은 2026-05-04에 5일마다 한다", ["5분"]),
        ("4일 안에", "시행 2026. 4. 1.", ["4일"]),
        ("7도를 넘으면", "0~7도로 유지한다", []),
        ("7분을 넘으면", "0~7도로 유지한다", ["7분"]),
        ("0~5도로", "0~5분 안에 5도까지", ["0~5도"]),
        ("2 km를 넘으면", "시속 8km, 2시간마다", ["2 km"]),
        ("60달러를", "60개월", ["60달러"]),
        ("8%를", "8일 안에", ["8%"]),
        ("10일까지", "by the 10th day", []),
        ("2 km를 넘으면", "2시간마다", []),
    ],
)
def test_a_figure_of_a_day_or_span_has_its_unit(said: str, source: str, found: list[str]) -> None:
    assert missing(f"{said} 알린다", source) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("제16조제2항", []),
        ("Article 16(2)", []),
        ("Art. 16 and clause 16", []),
        ("paragraph 3", ["paragraph 3"]),
        ("제3항", ["제3항"]),
        ("Article 16(3)", ["Article 16(3)"]),
        ("Art. 2", ["Art. 2"]),
    ],
)
def test_parts_are_named_alike_in_both_languages(said: str, found: list[str]) -> None:
    assert missing(f"{said} 에 따른다", "제16조(전용)\n① 20%까지 할 수 있다.\n② 승인을 받는다.") == found


@pytest.mark.parametrize(
    ("figure", "text", "made"),
    [
        ("4월 22일", "4월 17일에 났으므로 3근무일 안, 곧 4월 22일까지입니다.", True),
        ("4월 23일", "4월 17일에 났으므로 3근무일 안, 곧 4월 23일까지입니다.", False),
        ("9 June", "Ten working days from 26 May 2026 end on 9 June.", True),
        ("10 June", "Ten working days from 26 May 2026 end on 10 June.", False),
        ("9월 21일", "처리 기간은 20일이므로 9월 1일에 요청하면 9월 21일까지입니다.", True),
        ("9월 22일", "처리 기간은 20일이므로 9월 1일에 요청하면 9월 22일까지입니다.", False),
        ("20", "9월 30일에 보내고 10월 20일에 내면 그 사이가 20일뿐입니다.", True),
        ("25", "9월 30일에 보내고 10월 20일에 내면 그 사이가 25일뿐입니다.", False),
        ("30 July 2026", "From 30 April it runs for three months, 3 months in figures, until 30 July 2026.", True),
        ("14 September", "The 2 weeks from 31 August end on 14 September.", True),
        ("3", "토크 렌치는 2026년 4월 1일부터 3개월마다 교정한다.", False),
        ("2월 30일", "2월 30일에서 10일 뒤.", False),
        ("31 January 2028", "A lease of 1 year from 1 February 2027 ends on 31 January 2028.", True),
        ("2월 29일", "2027년 3월 1일부터 1년이면 2월 29일까지입니다.", False),
        ("12월 9일", "총회는 둘째 수요일에 열리므로 2026년 12월에는 12월 9일입니다.", True),
        ("12월 16일", "총회는 둘째 수요일에 열리므로 2026년 12월에는 12월 16일입니다.", False),
        ("8 December", "It meets on the second Tuesday, so in 2026 on 8 December.", True),
        ("9 December", "It meets on the second Tuesday, so in 2026 on 9 December.", False),
        ("5월 30일", "분기가 끝나고 60일 안이므로 1분기 것은 2026년 5월 30일까지입니다.", True),
        ("15 May", "Due 45 days after the quarter, so for the first one by 15 May 2026.", True),
        ("16 May", "Due 45 days after the quarter, so for the first one by 16 May 2026.", False),
        ("31", "3월 2일 08:15에 신고하고 3월 3일 15:40에 고쳤으니 31시간 25분이 걸렸습니다.", True),
        ("25", "3월 2일 08:15에 신고하고 3월 3일 15:40에 고쳤으니 31시간 25분이 걸렸습니다.", True),
        ("32", "3월 2일 08:15에 신고하고 3월 3일 15:40에 고쳤으니 32시간 25분이 걸렸습니다.", False),
        ("50", "Reported on 2 March at 22:00, mended on 5 March at 00:00, 50 hours later.", True),
        ("49", "Reported on 2 March at 22:00, mended on 5 March at 00:00, 49 hours later.", False),
        ("18:30", "17:00에 시작하면 90분이 걸려 18:30에 끝납니다.", True),
        ("18:40", "17:00에 시작하면 90분이 걸려 18:40에 끝납니다.", False),
    ],
)
def test_days_that_lie_so_many_days_from_another(figure: str, text: str, made: bool) -> None:
    assert in_time(figure, text, lambda part: True) is made
    # What it is made of has to be known.
    assert not in_time("2228년 2월 29일", "60일 뒤인 2228년 2월 29일", lambda part: part != "2228")
    assert not in_time(figure, text, lambda part: False)


@pytest.mark.parametrize(
    ("said", "source", "held"),
    [
        ("이탈은 3영업일 안에 알린다.", "Deviations are reported promptly; a dose needs 3 vials.", False),
        ("이탈은 3일 안에 알린다.", "A dose needs 3 vials.", False),
        ("이탈은 3일 안에 알린다.", "Deviations are reported within 3 consecutive days.", True),
        ("병은 3개 든다.", "A dose needs 3 vials.", True),
        ("검사원은 3명이다.", "There are 3 inspectors.", True),
        ("12%를 줄인다.", "There are 12 rooms.", False),
    ],
)
def test_things_in_english_are_no_days(said: str, source: str, held: bool) -> None:
    assert (not missing(said, source)) == held
