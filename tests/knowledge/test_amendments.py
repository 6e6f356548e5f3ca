"""What comes with rules that were amended."""

from dataclasses import replace

import pytest

from dure.knowledge.amendments import amendments
from dure.knowledge.search import Found
from dure.knowledge.versions import gives_way
from dure.sources import Passage

OLD, NEW = "여비규정_2025-07-01_전부개정", "여비규정_일부개정_2026-02-01"


async def test_search_brings_what_a_later_version_says_of_the_part(knowledge):
    rules = "제9조(정산) 출장자는 복귀일부터 10일 이내에 정산한다.\n\n제10조(가산) 부산은 하루 20,000원을 더한다."
    change = "여비 규정 일부개정 알림\n\n다. 제9조 가운데 “10일 이내”를 “7일 이내”로 한다."
    ids = [(await knowledge.add("a", f"{OLD}.txt", rules.encode())).id]
    ids.append((await knowledge.add("a", f"{NEW}.txt", change.encode())).id)
    # Another's is no version of one's own.
    await knowledge.add("b", "여비규정_일부개정_2026-03-01.txt", change.encode())
    await knowledge.wait("a", ids)
    found = await knowledge.search("a", ["출장자 복귀 정산"], 2)
    rule, later = found.passages
    assert (rule.title, later.title, later.document_id) == (OLD, NEW, ids[1])
    assert [each["why"].keys() for each in found.as_dict()["passages"]] == [{"words", "meaning", "context"}] * 2
    # No more than are asked for, and no other part's.
    assert len((await knowledge.search("a", ["출장자 복귀 정산"], 1)).passages) == 1
    [other] = [each for each in (await knowledge.search("a", ["부산 가산"], 5)).passages if "제10조" in each.text]
    assert other.title == OLD


async def test_what_amends_rules_without_dates_comes_with_them(knowledge):
    rules = "제19조 (반려동물) ① 두 마리까지 기른다.\n③ 세 번 어기면 위반금 30,000원을 부과한다."
    change = '# 은하마루아파트 관리규약 제5차 개정\n\n2. 제19조 제3항 중 "30,000원"을 "50,000원"으로 한다.'
    ids = [(await knowledge.add("a", "관리규약.txt", rules.encode())).id]
    ids.append((await knowledge.add("a", "관리규약_제5차_개정.md", change.encode())).id)
    await knowledge.wait("a", ids)
    found = await knowledge.search("a", ["반려동물 위반금"], 2)
    assert [each.document_id for each in found.passages] == ids


async def test_what_amends_rules_further_down_in_their_own_file_comes_with_them(knowledge):
    others = "".join(f"제{n}조(냉동실)\n냉동실 {n}호는 2시간마다 온도를 적나 본다.\n\n" for n in range(20, 60))
    text = (
        "# 창고 운영규칙\n\n## 제12조(냉장실)\n\n냉장실은 0~4도로 유지하고 2시간마다 온도를 적는다.\n\n"
        f"## 제15조(지게차)\n\n시속 8km를 넘지 않는다.\n\n## 그 밖의 조항\n\n{others}"
        "# 개정 (2026. 2. 10. 의결)\n\n## 제12조(냉장실)\n\n0~3도로 하고 30분마다 자동으로 남긴다.\n"
    )
    beside = "냉동실도 4도로 유지하고 2시간마다 온도를 적나 본다.\n"
    files = {"운영규칙.md": text, "안내.txt": beside, "메모.txt": beside}
    await knowledge.wait("a", [(await knowledge.add("a", name, its.encode())).id for name, its in files.items()])
    found = await knowledge.search("a", ["0~4도로 유지하고 2시간마다 온도를 적나"], 2)
    assert ["2시간" in found.passages[0].text, "0~3도" in found.passages[1].text] == [True, True]
    [other] = (await knowledge.search("a", ["지게차는 시속 8km"], 1)).passages
    assert "8km" in other.text


async def test_an_amendment_is_known_by_what_it_calls_itself_where_its_file_is_called_otherwise(knowledge):
    rules = "현장 안전보건관리규정\n\n제8조(작업 중지)\n순간풍속 초속 15m를 넘으면 타워크레인 작업을 멈춘다.\n"
    head = "현장 안전보건관리규정 제2차 개정 알림\n\n안전팀 / 2026년 10월 26일\n\n"
    change = head + "1. 제8조의 “순간풍속 초속 15m”를 “순간풍속 초속 10m”로 고친다."
    minutes = "협의체 회의록\n\n제8조의 “순간풍속 초속 15m”를 “순간풍속 초속 12m”로 고치자는 말이 있었다."
    beside = "타워크레인 작업 계획\n\n타워크레인은 바람이 불면 작업을 멈추어 세운다.\n"
    files = {"현장_안전보건관리규정.txt": rules, "안전규정_2차개정_알림.txt": change, "개정_의견.txt": minutes}
    files |= {f"계획{n}.txt": beside for n in range(3)}
    ids = [(await knowledge.add("a", name, its.encode())).id for name, its in files.items()]
    await knowledge.wait("a", ids)
    found = await knowledge.search("a", ["타워크레인 작업을 멈춘다"], 3)
    at = next(i for i, each in enumerate(found.passages) if each.document_id == ids[0])
    assert "10m" in found.passages[at + 1].text
    assert not [each for each in found.passages if "12m" in each.text]


LONG = {
    "ko": "창고의 상자는 해마다 장부와 맞추어 센다. ",
    "en": "Boxes in the cellar are counted every year. ",
}


@pytest.mark.parametrize(
    ("name", "rules", "title", "change", "closing", "asked", "other"),
    [
        (
            "도서관_이용규정",
            "제5조(대출) 책은 한 번에 열 권까지 빌린다.\n제9조(연체) 늦은 책은 하루에 200원을 낸다.",
            "도서관_이용규정_일부개정_2026-04-01",
            "제5조 중 “열 권”을 “다섯 권”으로 한다.\n제9조 중 “200원”을 “500원”으로 한다.",
            "제1조(시행일) 이 규정은 알린 날부터 시행한다. {0}\n제2조(사물함에 관한 경과조치) 빈 사물함은 뺀다. {0}\n"
            "제3조(연체에 관한 경과조치) 앞서 빌린 사람에게는 종전의 규정을 적용한다.",
            "책은 한 번에 몇 권까지 빌려?",
            "ko",
        ),
        (
            "Library_Rules",
            "Article 5 Loans\nTen books may be borrowed at once.\n\nArticle 9 Fines\nA late book costs 20 cents a day.",
            "Library_Rules_Amendment_2026-04-01",
            "In Article 5, for “Ten books” read “Five books”.\n\nIn Article 9, for “20 cents” read “50 cents”.",
            "Article 1 Commencement\n\nThese changes apply from the day of their notice. {0}\n\n"
            "Article 2 Lockers\n\nEmpty lockers are left out. {0}\n\n"
            "Article 3 Fines before notice\n\nBooks that were lent before are charged as before.",
            "how many books may be borrowed at once",
            "en",
        ),
    ],
)
async def test_what_an_amendment_closes_with_comes_with_it(
    knowledge, name, rules, title, change, closing, asked, other
):
    text = f"{change}\n\n{LONG[other] * 12}\n\n{closing.format(LONG[other] * 12)}\n"
    files = {f"{name}.txt": rules, f"{title}.txt": text} | {f"메모{n}.txt": LONG[other] for n in range(6)}
    ids = [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()]
    await knowledge.wait("a", ids)
    found = (await knowledge.search("a", [asked], 5)).passages
    at = next(i for i, each in enumerate(found) if each.document_id == ids[0])
    assert found[at + 1].text.startswith(change[:6])
    # Behind all else: since when it is so, and for whom, of what stands in the passage, not of lockers.
    first, *_, last = closing.format("").split("\n")
    assert {each.document_id for each in found[-2:]} == {ids[1]}
    assert all(any(part in each.text for each in found[-2:]) for part in (first[:9], last[:9]))


async def test_what_amends_the_last_that_has_room_displaces_the_least_of_the_others(knowledge):
    rules = "제12조(주차) 손님은 지하 둘째 층에 두 시간까지 차를 둔다."
    change = "주차 규정 일부개정\n\n제12조 중 “두 시간”을 “세 시간”으로 한다."
    near = "손님 주차 손님 차는 지하 둘째 층에 두 시간까지 둔다고 한다."
    files = {"주차_규정_2025-01-01.txt": f"{rules} {LONG['ko'] * 3}", "주차_규정_일부개정_2026-01-01.txt": change}
    files |= {f"메모{n}.txt": near + " 그렇다." * n for n in range(3)}
    ids = [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()]
    await knowledge.wait("a", ids)
    found = (await knowledge.search("a", ["손님 차는 지하 둘째 층에 몇 시간까지 두나"], 4)).passages
    assert [each.document_id in ids[:2] for each in found] == [False, False, True, True]


OTHERS = "".join(
    f"제{n}조(서류 {n})\n서류 {n}은 쓴 사람이 {n}년 동안 보관하고 정해진 곳에 적는다.\n" for n in range(20, 60)
)
RULES = (
    "제7조(회의비)\n① 회의비는 한 사람에 3만원까지 쓸 수 있다.\n② 외부 사람이 한 명 이상 참석한다.\n"
    "제13조(헌혈)\n헌혈한 직원은 그날 오후를 쉰다.\n제14조(연구비 카드)\n카드를 쓴 사람은 증빙을 열흘 안에 올린다.\n"
) + OTHERS
HEAD = "# 맺음\n"
"""A heading that tells of nothing."""
CLAUSES = "".join(
    f"{n}. Records of kind {n}\nThe Keeper files records of kind {n} and reports them to the Board in time.\n\n"
    for n in range(10, 60)
)
CONTRACT = (
    "3. Price\nThe fee for a hostel night falls due within 30 days of the invoice.\n\n"
    "5. Interest\n5.2 Late payment bears interest at a rate of 6% a year.\n\n"
)
ARTICLES = "".join(
    f"Article {n} Records of kind {n}\nThe Keeper files records of kind {n} and reports them to the Board in time.\n\n"
    for n in range(10, 60)
)
AGREEMENT = (
    "Article 3 Price\nThe fee for a hostel night falls due within 30 days of the invoice.\n\n"
    "Article 4 Guests\nGuests of the hostel may keep a dog.\n\n"
)


async def behind(knowledge, text: str, question: str) -> list[str]:
    """What stands right behind the first passage found for a question."""
    await knowledge.wait("a", [(await knowledge.add("a", "rules.txt", text.encode())).id])
    found = (await knowledge.search("a", [question], 3)).passages
    return [passage.text for passage in found[1:]]


@pytest.mark.parametrize(
    ("question", "change"),
    [
        ("회의비 한 사람", "제7조제1항 중 “3만원”을 “4만원”으로 한다."),
        ("회의비 한 사람", "제7조 제1항의 3만원을 4만원으로 올린다."),
        ("회의비 한 사람", "1. 제7조(회의비): 3만원 → 4만원"),
        ("회의비 한 사람", "가. 제7조(회의비)를 다음과 같이 한다.\n회의비를 없앤다."),
        ("회의비 한 사람", "제7조에 제3항을 다음과 같이 신설한다.\n③ 술값은 뺀다."),
        ("회의비 한 사람", "제7조 다음에 제7조의2를 신설한다."),
        ("회의비 한 사람", "제3조, 제5조제2항 및 제7조를 삭제한다."),
        ("헌혈한 직원은 오후", "제13조를 삭제한다."),
        ("헌혈한 직원은 오후", "제 13 조는 없앤다."),
    ],
)
async def test_what_tells_a_change_of_an_article_comes_with_it(knowledge, question, change):
    first, *_ = await behind(knowledge, f"{RULES}{HEAD}{change}\n", question)
    assert change.splitlines()[0] in first


@pytest.mark.parametrize(
    ("rules", "question", "change"),
    [
        (AGREEMENT + ARTICLES, "fee for a hostel night", "Article 3(1) is amended to read as agreed."),
        (AGREEMENT + ARTICLES, "guests of the hostel", "Article 4 is deleted."),
        (AGREEMENT + ARTICLES, "fee for a hostel night", "Replace Article 3 with the following:\nThe stay is free."),
        (AGREEMENT + ARTICLES, "fee for a hostel night", "In Article 3, for “30 days” read “60 days”."),
        (CONTRACT + CLAUSES, "fee for a hostel night", "In section 3, for 'within 30 days' read 'at once'."),
        (CONTRACT + CLAUSES, "late payment interest rate", "clause 5.2: replace 6% by 9%"),
    ],
)
async def test_what_tells_a_change_of_a_clause_comes_with_it(knowledge, rules, question, change):
    first, *_ = await behind(knowledge, f"{rules}# Closing remarks\n\n{change}\n", question)
    assert change.splitlines()[0] in first


@pytest.mark.parametrize(
    ("rules", "question", "change"),
    [
        (RULES, "회의비 한 사람", "제7조에 따라 3만원을 쓴 사람은 5일 안에 적는다."),
        (RULES, "회의비 한 사람", "제7조의 한도를 넘으면 원장이 정한다."),
        (RULES, "회의비 한 사람", "이 밖의 것은 제7조를 준용한다."),
        (RULES, "회의비 한 사람", "제61조(벌칙)\n제7조를 위반한 사람은 주의를 받는다."),
        (RULES, "회의비 한 사람", "제7조의2를 삭제한다."),
        (AGREEMENT + ARTICLES, "fee for a hostel night", "Under Article 3 the Board may ask for 40 days."),
        (AGREEMENT + ARTICLES, "fee for a hostel night", "Article 61 Rest\nArticle 3 applies to the Board as well."),
        (CONTRACT + CLAUSES, "fee for a hostel night", "Section 3 applies to the Board as well."),
    ],
)
async def test_a_cross_reference_brings_nothing(knowledge, rules, question, change):
    assert not any(change in each for each in await behind(knowledge, f"{rules}{HEAD}{change}\n", question))


async def test_what_an_amendment_announces_comes_from_the_passage_below(knowledge):
    new = "".join(f"{n} 카드의 증빙은 닷새 안에 {n}번 함에 넣고 그 번호를 장부에 적는다.\n" for n in "①②③④⑤⑥⑦⑧⑨⑩⑪⑫")
    text = f"{RULES}{HEAD}{'맺는 말은 원장이 쓴다. ' * 40}\n\n제14조를 다음과 같이 한다.\n{new}"
    first, second = await behind(knowledge, text, "카드를 쓴 사람 증빙 열흘")
    assert "제14조를 다음과 같이 한다." in first
    assert "닷새" in first + second


def test_what_gives_way_is_quoted_or_stands_beside_what_takes_its_place():
    rule = "The fee is due within 30 days and costs KRW 30,000; 회의비는 3만원까지 쓴다."
    assert gives_way("for “30 days” read “60 days”", rule)
    assert gives_way("replace KRW 30,000 by KRW 45,000", rule)
    assert gives_way("3만원을 4만원으로 한다.", rule)
    assert not gives_way("3만원을 4만원으로 한다.", rule, figures=False)
    assert not gives_way("3만원을 넘으면 5일 안에 낸다.", rule)
    assert not gives_way("“30 days” 안에 낸다.", rule)
    assert not gives_way("6만원을 4만원으로 한다.", rule)


MANUAL = (
    "Harbour Office: Handbook of the Quays\nIssue 4, kept by the Harbour Master, document HAR-QM-4\n\n"
    "3.1 Ships report two hours before they enter the harbour.\n"
    "3.2 A pilot is taken on board by ships of more than 80 metres, and is paid by the ship.\n\n"
) + "".join(f"{n}.1 The log of kind {n} is kept in its own room and shown to whoever asks.\n\n" for n in range(10, 50))
NOTICE = (
    "{}\nIssued on 3 May 2026. In force from 1 June 2026.\n"
    "1. Clause 3.2: “80 metres” {} “60 metres”.\n2. Clause 3.3: “green lamp” {} “blue lamp”.\n"
)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        # By its number, which stands on the first lines of the one and the first of the other.
        ("quays_notice_7.txt", "Change notice 7 to HAR-QM-4"),
        # In its first lines.
        ("Circular_9.txt", "Circular 9\nHarbour office, 3 May 2026. To all users of HAR-QM-4."),
        # By its name, whatever such a document is called.
        ("Beiblatt.txt", "Erratum: Harbour Handbook Quays"),
        ("Harbour_Handbook_Quays_corrigendum.txt", "To all who have it"),
    ],
)
@pytest.mark.parametrize("verb", ["is replaced by", "shall read", "gives way to"])
async def test_what_puts_words_in_the_place_of_others_amends_what_it_names(knowledge, name, head, verb):
    files = {"Harbour_Handbook_Quays.txt": MANUAL, name: NOTICE.format(head, verb, verb)}
    files["minutes.txt"] = "Minutes on ropes\nWould “60 metres” instead of “80 metres” in clause 3.2 help?"
    files |= {f"note{n}.txt": f"A pilot is taken on board by ships in winter, say those of quay {n}." for n in range(4)}
    ids = [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()]
    await knowledge.wait("a", ids)
    found = (await knowledge.search("a", ["which ships of more than 80 metres take a pilot on board"], 4)).passages
    at = next(i for i, each in enumerate(found) if each.document_id == ids[0])
    assert "60 metres" in found[at + 1].text
    assert found[at + 1].document_id == ids[1]


async def test_a_korean_notice_without_the_word_amends_what_its_first_line_names(knowledge):
    rules = "나루터 운영 요령\n\n제6조(승선) 배 한 척에 열두 명까지 탄다. 짐은 따로 싣는다.\n"
    notice = "나루터운영요령 정오표 (2026년 5월 3일)\n\n제6조 중 “열두 명”은 “열 명”의 잘못이다.\n"
    files = {"나루터_운영_요령.txt": rules, "바로잡음.txt": notice}
    files |= {f"쪽지{n}.txt": f"배 한 척에 몇 명까지 타는지 {n}번이나 물었다." for n in range(4)}
    ids = [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()]
    await knowledge.wait("a", ids)
    found = (await knowledge.search("a", ["배 한 척에 열두 명까지 타나"], 3)).passages
    at = next(i for i, each in enumerate(found) if each.document_id == ids[0])
    assert found[at + 1].document_id == ids[1]


async def test_a_number_is_of_the_document_that_has_it_in_its_title(knowledge):
    """What tells of a plan on its first lines is not amended with it."""
    plan = "Plan of the dig\n\n4. Trenches\nA trench is 90 centimetres deep and is dug by hand.\n"
    guide = "Guide for helpers at the dig RX55-12\n\n4. Trenches\nA trench at 90 centimetres is left by the ladder.\n"
    change = "Plan RX55-12: Amendment 1\n\n1. Section 4: trenches are 120 centimetres deep from 1 May 2026 on.\n"
    files = {"Plan_RX55-12.txt": plan, "Guide.txt": guide, "Change_1.txt": change}
    ids = [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()]
    await knowledge.wait("a", ids)
    found = (await knowledge.search("a", ["how deep is a trench dug by hand"], 3)).passages
    assert [each.document_id for each in found[:2]] == [ids[0], ids[2]]
    [alone] = (await knowledge.search("a", ["at how many centimetres is a trench left by the ladder"], 1)).passages
    behind, _ = await knowledge._database.read(amendments, ["a"], [alone])
    assert alone.document_id == ids[1]
    assert behind.get(alone.id, []) == []


@pytest.mark.parametrize(
    ("name", "rules", "change", "question"),
    [
        (
            "도서관_이용규정",
            "제2조(적용) 이 규정은 분관에도 적용한다.\n제5조(대출) 책은 열 권까지 빌린다.\n",
            "제5조 중 “열 권”을 “다섯 권”으로 한다.\n\n부칙\n제1조(시행일) 2026년 4월 1일부터 시행한다.\n"
            "제2조(대출에 관한 경과조치) 앞서 빌린 책은 종전과 같다.\n",
            "분관에도 적용하나",
        ),
        (
            "Library_Rules",
            "Article 2 Branches\nThese rules hold in the branches.\n\nArticle 5 Loans\nTen books may be borrowed.\n",
            "In Article 5, for “Ten books” read “Five books”.\n\nArticle 1 Commencement\n\nFrom 1 April 2026 on.\n\n"
            "Article 2 Loans before that\n\nBooks that were lent before stay as they were.\n",
            "do the rules hold in the branches",
        ),
    ],
)
async def test_an_amendments_own_articles_are_none_of_the_rules(knowledge, name, rules, change, question):
    files = {f"{name}.txt": rules, f"{name}_{'개정' if '규정' in name else 'Amendment'}_2026-04-01.txt": change}
    await knowledge.wait("a", [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()])
    found = (await knowledge.search("a", [question], 9)).passages
    rule = next(each for each in found if each.title == name)
    only = replace(rule, text=rules.partition("제5조")[0].partition("Article 5")[0])
    behind, closing = await knowledge._database.read(amendments, ["a"], [only])
    assert (behind.get(rule.id, []), closing.get(rule.id, [])) == ([], [])
    [told], _ = [its[rule.id] for its in await knowledge._database.read(amendments, ["a"], [rule])]
    assert "다섯 권" in told.text or "Five books" in told.text


async def test_what_was_before_amends_nothing(knowledge):
    files = {
        f"{OLD}.txt": "여비 규정\n\n제9조(정산) “10일 이내”란 날마다 세어 “열흘 안”을 뜻한다.\n",
        f"{NEW}.txt": "여비 규정 일부개정\n\n제9조(정산) 중 “10일 이내”를 “7일 이내”로 한다.\n",
    }
    await knowledge.wait("a", [(await knowledge.add("a", name, its.encode())).id for name, its in files.items()])
    found = (await knowledge.search("a", ["제9조 정산 10일 이내"], 9)).passages
    behind, _ = await knowledge._database.read(amendments, ["a"], found)
    assert {each.title: [other.title for other in behind.get(each.id, [])] for each in found} == {OLD: [NEW], NEW: []}


async def test_since_when_it_is_so_is_told_by_how_an_amendment_opens_that_closes_with_nothing(knowledge):
    lines = "".join(f"{n}. Clause {n}.1: “room {n}” is replaced by “hall {n}”.\n" for n in range(10, 40))
    text = NOTICE.format("Notice to HAR-QM-4", "is replaced by", "is replaced by") + lines
    files = {"Quays.txt": MANUAL.replace("its own room", "room 30"), "Notice.txt": text}
    ids = [(await knowledge.add("a", each, its.encode())).id for each, its in files.items()]
    await knowledge.wait("a", ids)
    found = (await knowledge.search("a", ["30.1 log of kind 30 in which room"], 6)).passages
    own = [each.text for each in found if each.document_id == ids[1]]
    assert any("Clause 30.1" in each for each in own)
    assert "In force from 1 June 2026." in own[-1]


def test_what_is_far_from_the_question_brings_no_closing():
    found = [Passage("d", "t", None, n, n + 1, f"{n}", id=n) for n in range(1, 5)]
    closing = {n: [Passage("e", "u", None, n, n + 1, f"closes {n}", id=10 + n)] for n in (1, 3)}
    assert [each.id for each in Found(found).followed({}, closing, 4).passages] == [1, 2, 3, 11]
