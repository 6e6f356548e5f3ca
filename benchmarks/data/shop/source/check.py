"""Proves the answers from the files themselves. python check.py: exits 1 if a figure, a cell or a sentence differs."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Any

from docx import Document
from openpyxl import load_workbook
from score import KINDS, RULE, judge, load, names

ROOT = Path(__file__).parent.parent
BOOKINGS, FIRINGS, MEMBERS = "수업예약_2026_가을.xlsx", "가마_소성일지.csv", "회원명부_11월.xlsx"
ORDERS, STOCK = "shop_orders_2026.csv", "유약_소지_재고표.xlsx"
RULES, MINUTES, AGREEMENT = "이용규정.docx", "운영회의_2026-10-19.txt", "Consignment_Agreement_Orrin_Vale.docx"
GUIDE, NOTICE = "가마_사용_안내.md", "연말연시_공지.html"

Row = dict[str, Any]
WORDS = {"2": "two", "3": "three", "8": "eight", "10": "ten"}


def text(value: Any) -> str:
    """A cell as a text; days as 2026-10-04."""
    if value is None:
        return ""
    return value.date().isoformat() if isinstance(value, datetime) else str(value)


def sheet(name: str, title: str, head: int = 1) -> list[Row]:
    """The rows of a sheet; cells of a merged group hold its value."""
    book = load_workbook(ROOT / name)
    page = book[title]
    for area in list(page.merged_cells.ranges):
        value = page.cell(area.min_row, area.min_col).value
        page.unmerge_cells(str(area))
        if area.min_row > head:
            for line in range(area.min_row, area.max_row + 1):
                page.cell(line, area.min_col).value = value
    top = [text(c.value) for c in page[head]]
    lines = page.iter_rows(min_row=head + 1, values_only=True)
    return [dict(zip(top, map(text, line), strict=True)) for line in lines]


def table(name: str, code: str) -> list[Row]:
    """The rows of a CSV."""
    with (ROOT / name).open(encoding=code, newline="") as file:
        return list(csv.DictReader(file))


def words(name: str) -> str:
    """The text of a document, spaces made one."""
    if name.endswith(".docx"):
        paper = Document(str(ROOT / name))
        parts = [p.text for p in paper.paragraphs]
        parts += [" | ".join(c.text for c in r.cells) for t in paper.tables for r in t.rows]
        return " ".join(parts)
    return " ".join(re.sub(r"<[^>]+>", " ", (ROOT / name).read_text(encoding="utf-8")).split())


def num(value: Any) -> float:
    """A figure, with or without commas."""
    return float(str(value).replace(",", ""))


def show(value: float) -> str:
    """A figure as answers write it."""
    return f"{round(value):,}" if abs(value - round(value)) < 1e-9 else str(round(value, 2))


def where(lines: Iterable[Row], **want: Any) -> list[Row]:
    """The rows that hold these values; a tuple is any of them, a text that ends in * a beginning."""

    def fits(have: str, value: Any) -> bool:
        if isinstance(value, tuple):
            return have in value
        return have.startswith(value[:-1]) if value.endswith("*") else have == value

    return [r for r in lines if all(fits(r[k], v) for k, v in want.items())]


def total(lines: Iterable[Row], column: str) -> float:
    """The sum of a column."""
    return sum(num(r[column]) for r in lines)


def groups(lines: Iterable[Row], by: str, column: str) -> list[tuple[str, float]]:
    """Sums by group, greatest first."""
    found: dict[str, float] = {}
    for r in lines:
        found[r[by]] = found.get(r[by], 0.0) + num(r[column])
    return sorted(found.items(), key=lambda p: -p[1])


def one(lines: list[Row], *columns: str) -> list[str]:
    """Cells of the one row there is."""
    if len(lines) != 1:
        raise ValueError(f"{len(lines)} rows")
    return [lines[0][c] for c in columns]


def top(lines: list[Row], column: str, count: int = 1, least: bool = False) -> list[Row]:
    """The first rows by a column, which must not tie with the next one."""

    def key(r: Row) -> Any:
        return r[column] if "-" in r[column] else num(r[column])

    ranked = sorted((r for r in lines if r[column]), key=key, reverse=not least)
    if key(ranked[count - 1]) == key(ranked[count]):
        raise ValueError("a tie")
    return ranked[:count]


def first(pairs: list[tuple[str, float]], count: int) -> list[str]:
    """The names of the greatest groups, which must not tie with the next one."""
    if pairs[count - 1][1] == pairs[count][1]:
        raise ValueError("a tie")
    return [n for n, _ in pairs[:count]]


def sums(pairs: list[tuple[str, float]]) -> list[str]:
    """The figures of groups."""
    return [show(v) for _, v in pairs]


def day(value: str) -> str:
    """2026-10-04 as 10월 4일."""
    d = date.fromisoformat(value)
    return f"{d.month}월 {d.day}일"


def refund(line: Row) -> str:
    """What the rule gives back for a booking that was cancelled."""
    left = (date.fromisoformat(line["수업일"]) - date.fromisoformat(line["취소일"])).days
    return show(num(line["금액"]) * (1.0 if left >= 3 else 0.5 if left else 0.0))


MONTHS = {m: sheet(BOOKINGS, m) for m in ("9월", "10월")}
TOTALS = {m: lines.pop() for m, lines in MONTHS.items()}
SEP, OCT = MONTHS["9월"], MONTHS["10월"]
B = SEP + OCT
F = table(FIRINGS, "cp949")
M = sheet(MEMBERS, "11월")
S = table(ORDERS, "utf-8")
K = sheet(STOCK, "재고", 4)
SOLD = where(S, status=("shipped", "paid"))
GLAZE = where(K, 구분="유약")
SHORT = [r for r in K if num(r["재고(kg)"]) < num(r["안전재고(kg)"])]
OWN_GLAZE = where(GLAZE, 공급처="도람유약")
LATE = where(M, **{"반": "화목 저녁반", "11월 납부": "미납"})
RAKU = where(F, 의뢰인="서지안", 소성종류="락쿠")
BROKEN = where(F, 소성일="2026-10-12")

CALC: dict[str, Callable[[], list[str]]] = {
    "dev-01": lambda: [show(len(where(S, status="cancelled")))],
    "dev-02": lambda: [show(len(GLAZE))],
    "dev-03": lambda: [show(len(where(S, status="refunded")))],
    "dev-04": lambda: [show(len(where(S, country="UK")))],
    "dev-05": lambda: [show(len(SHORT))],
    "dev-06": lambda: [show(total(SOLD, "amount_krw"))],
    "dev-07": lambda: sums(groups(SOLD, "maker", "amount_krw")),
    "dev-08": lambda: [show(total(where(K, 구분="소지"), "재고(kg)"))],
    "dev-09": lambda: [show(round(total(OWN_GLAZE, "판매단가(원/kg)") / len(OWN_GLAZE)))],
    "dev-10": lambda: [r["품명"] for r in top(where(K, 구분="안료"), "판매단가(원/kg)")],
    "dev-11": lambda: first(groups(SOLD, "item", "qty"), 1),
    "dev-12": lambda: [r["품명"] for r in top(GLAZE, "최근 입고일", 3, least=True)],
    "dev-13": lambda: [day(*one(where(K, 품명="하늘빛유"), "최근 입고일"))],
    "dev-14": lambda: one(where(K, 품명="흑토"), "재고(kg)"),
    "dev-15": lambda: [day(*one(where(S, order_id="G2634"), "ship_date"))],
    "dev-16": lambda: one(where(S, order_date="2026-08-25", channel="fair"), "item"),
    "dev-17": lambda: one(where(K, 품명="조합토"), "위치"),
    "dev-23": lambda: [show(num(one(where(K, 품명="백자토"), "판매단가(원/kg)")[0]) * 1.08)],
    "dev-24": lambda: [r["품명"] for r in GLAZE if r["최근 입고일"] < "2025-10-31"],
    "dev-25": lambda: [show(len(where(S, country="DE", status="cancelled")))],
    "dev-26": lambda: [f"{show(-num(r['재고(kg)']) + num(r['안전재고(kg)']))}kg" for r in where(K, 품명="청자토")],
    "dev-27": lambda: [
        show(len(where(S, order_date="2026-09*", status=("shipped", "paid", "refunded")))),
    ],
    "test-01": lambda: [show(len(where(B, 상태="취소")))],
    "test-02": lambda: [show(len(where(OCT, 상태="노쇼")))],
    "test-03": lambda: [show(len(where(SEP, 상태="완료")))],
    "test-04": lambda: [show(len(where(OCT, 경로="홈페이지")))],
    "test-05": lambda: [show(len(where(F, 가마="2호", 소성종류="초벌")))],
    "test-06": lambda: [show(len(where(F, 소성일="2026-09*", 결과="일부 파손")))],
    "test-07": lambda: [show(len(where(F, 담당="")))],
    "test-08": lambda: [show(len({r["회원"] for r in where(M, **{"11월 납부": "미납"})}))],
    "test-09": lambda: [show(len(where(M, 반="토요 가족반")))],
    "test-10": lambda: [show(len({r["회원"] for r in where(M, 비고="학생 할인")}))],
    "test-11": lambda: [show(total(where(SEP, 상태="완료"), "금액"))],
    "test-12": lambda: [show(total(where(B, 상태="완료", 수업="물레 체험"), "금액"))],
    "test-13": lambda: sums(groups(where(OCT, 상태="완료"), "강사", "금액")),
    "test-14": lambda: [f"{100 * len(where(B, 상태='노쇼')) / len(B):.1f}"],
    "test-15": lambda: [show(total(where(F, 가마="1호"), "전력량"))],
    "test-16": lambda: [show(total(where(F, 소성종류="락쿠"), "요금"))],
    "test-17": lambda: [f"{total(where(F, 가마='1호'), '점수') / len(where(F, 가마='1호')):.1f}"],
    "test-18": lambda: sums(groups(M, "반", "월회비")),
    "test-19": lambda: [day(r["소성일"]) for r in top(F, "전력량")],
    "test-20": lambda: [r["의뢰인"] for r in top(F, "요금")],
    "test-21": lambda: first(groups(where(OCT, 상태="완료"), "예약자", "금액"), 3),
    "test-22": lambda: [r["회원"] for r in top(M, "등록일", least=True)],
    "test-23": lambda: first(groups(where(SEP, 상태="완료"), "수업", "금액"), 1),
    "test-24": lambda: first(groups([r for r in F if r["의뢰인"] != "공방"], "의뢰인", "점수"), 3),
    "test-25": lambda: one(where(B, 예약번호="R1016"), "예약자"),
    "test-26": lambda: [f"{v}명" for v in one(where(B, 예약자="금해솔", 수업일="2026-10-12"), "인원")],
    "test-27": lambda: one(where(B, 예약자="사공윤"), "상태"),
    "test-28": lambda: [r["반"] for r in where(M, 회원="엄태경")],
    "test-29": lambda: one(where(F, 소성일="2026-09-09", 결과="중단"), "메모"),
    "test-30": lambda: one(where(F, 소성일="2026-10-26", 소성종류="락쿠"), "최고온도"),
    "test-31": lambda: one(where(F, 소성일="2026-08-09", 의뢰인="심나율"), "점수", "요금"),
    "test-32": lambda: one(where(M, 회원="백시후"), "선반"),
    "test-33": lambda: one(where(M, 회원="하도담"), "월회비"),
    "test-34": lambda: one(where(M, 선반="나-36"), "회원", "반"),
    "test-45": lambda: [refund(r) for r in where(B, 예약자="변아로", 상태="취소")],
    "test-46": lambda: [show(3000 * int(one(BROKEN, "메모")[0].removesuffix("점 파손")))],
    "test-47": lambda: [refund(r) for r in where(B, 예약자="금해솔", 수업일="2026-10-25", 상태="취소")],
    "test-48": lambda: [show(total(where(LATE, 회원="문소율"), "월회비") * 1.03)],
    "test-49": lambda: [show(len(where(OCT, 상태="취소")))],
    "test-50": lambda: [show(len(where(OCT, 상태="완료", 강사="노아린")))],
    "test-51": lambda: [show(total(where(F, 가마="1호", 소성일="2026-09*"), "점수"))],
    "test-52": lambda: [show(num(r["월회비"])) for r in LATE],
    "test-55": lambda: [r["결과"] for r in top(RAKU, "소성일")],
}

SAYS: dict[str, list[tuple[str, str]]] = {
    "dev-18": [(GUIDE, "초벌과 재벌은 속 온도가 100℃ 아래로 내려간 다음에 문을 엽니다.")],
    "dev-19": [(GUIDE, "두께는 12mm를 넘기지 않습니다.")],
    "dev-20": [(NOTICE, "12월 28일(월)부터 1월 3일(일)까지 공방을 쉽니다.")],
    "dev-21": [(NOTICE, "12월에는 보자기 포장을 한 점에 4,000원에 해 드립니다.")],
    "dev-22": [(GUIDE, "소성 신청은 화요일 18시까지 합니다.")],
    "dev-23": [(NOTICE, "2027년 1월 4일부터 소지(흙) 판매단가를 8% 올립니다.")],
    "dev-24": [(GUIDE, "마지막으로 들어온 날부터 12개월이 지난 유약은 시험편을 먼저 굽습니다.")],
    "dev-28": [(GUIDE, "진사유는 3호 가마에서만 굽습니다."), (GUIDE, "3호 | 가스 | 0.3㎥ | 1,300℃")],
    "test-35": [(RULES, "당일에 취소하거나 연락 없이 오지 않으면 돌려주지 않는다.")],
    "test-36": [(RULES, "수업을 시작하고 20분이 지나면 그날 수업에 들어올 수 없다.")],
    "test-37": [(RULES, "초벌 | 1,500")],
    "test-38": [(RULES, "다 구운 작품은 알림을 보낸 날부터 60일 동안 보관한다.")],
    "test-39": [(RULES, "열쇠를 잃어버리면 도어록 교체비 35,000원을 낸다.")],
    "test-40": [(RULES, "물레 수업은 만 8세부터 받을 수 있다.")],
    "test-41": [(MINUTES, "12월 5일(토) 11시부터 17시까지 하기로 함. 담당 오다래.")],
    "test-42": [(MINUTES, "열전대를 새것으로 바꾸기로 함. 예산 480,000원")],
    "test-43": [(AGREEMENT, "keeps a commission of 38% of that price")],
    "test-44": [(AGREEMENT, "within 21 days after the end of each calendar quarter")],
    "test-45": [(RULES, "수업일 2일 전이나 하루 전에 취소하면 수업료의 50%를 돌려준다.")],
    "test-46": [(RULES, "소성 중에 파손된 작품은 그 점수만큼 소성료를 돌려준다."), (RULES, "락쿠 | 3,000")],
    "test-47": [(RULES, "수업일 2일 전이나 하루 전에 취소하면 수업료의 50%를 돌려준다.")],
    "test-48": [(RULES, "5일을 넘기면 그달 회비의 3%를 연체료로 더한다.")],
    "test-53": [(RULES, "수업일 3일 전까지 취소하면 수업료 전액을 돌려준다.")],
    "test-54": [(AGREEMENT, "Either party may end it by 90 days' written notice.")],
    "test-56": [(MINUTES, "찬성 2, 반대 2로 정하지 못함."), (MINUTES, "다음 회의에서 다시 다룸.")],
}

EVERYTHING = " ".join(
    [words(n) for n in (RULES, MINUTES, AGREEMENT, GUIDE, NOTICE)]
    + [json.dumps(t, ensure_ascii=False) for t in (B, F, M, S, K)]
)
ABSENT: dict[str, Callable[[], bool]] = {
    "dev-29": lambda: one(where(K, 품명="산화크롬"), "최근 입고일") == [""],
    "dev-30": lambda: not where(S, order_date="2026-12*") and max(r["order_date"] for r in S) < "2026-11",
    "test-57": lambda: not where(B, 수업일="2026-11*") and sorted(MONTHS) == ["10월", "9월"],
    "test-58": lambda: not re.search("월급|급여|시급|봉급|salary|wage", EVERYTHING),
    "test-59": lambda: all(not r["전력량"] for r in where(F, 가마="3호")),
    "test-60": lambda: "Orrin Vale" not in EVERYTHING.replace(words(AGREEMENT), ""),
}


def tables() -> list[str]:
    """What is wrong in the tables themselves: sums, prices, sizes."""
    bad = []
    for month, lines in MONTHS.items():
        bad += [f"{month} {c}" for c in ("인원", "금액") if num(TOTALS[month][c]) != total(lines, c)]
    price = {"물레 체험": 45000, "핸드빌딩": 38000, "접시 그림": 30000, "커플 물레": 50000, "어린이 흙놀이": 25000}
    for r in B:
        heads = int(r["인원"])
        if num(r["금액"]) != price[r["수업"]] * heads * (9 if heads >= 5 else 10) // 10:
            bad.append(r["예약번호"])
        if (r["상태"] == "취소") != bool(r["취소일"]) or r["취소일"] > r["수업일"]:
            bad.append(r["예약번호"])
    fee = {"초벌": 1500, "재벌": 2500, "락쿠": 3000}
    bad += [r["일지번호"] for r in F if num(r["요금"]) != fee[r["소성종류"]] * num(r["점수"])]
    bad += [r["order_id"] for r in S if num(r["amount_krw"]) != num(r["qty"]) * num(r["unit_price_krw"])]
    for name, lines in (("bookings", B), ("firings", F), ("members", M), ("orders", S), ("stock", K)):
        print(f"{name}: {len(lines)} rows")
    for lines, key in ((B, "예약번호"), (F, "일지번호"), (M, "선반"), (S, "order_id"), (K, "품번")):
        if len({r[key] for r in lines}) != len(lines):
            bad.append(f"{key} twice")
    return bad


def proves(question: Row) -> list[str]:
    """What is wrong with a question."""
    bad, mine = [], question["id"]
    known = [d for d in (CALC, SAYS, ABSENT) if mine in d]
    if not known:
        bad.append("nothing proves it")
    if mine in CALC:
        found = CALC[mine]()
        if not found:
            bad.append("nothing found")
        for v in found:
            said = RULE.holds([v, WORDS.get(v, v)], question["answer"])  # or in another form that `must` takes
            if not said and not any(RULE.holds(m, v) for m in question["must"]):
                bad.append(f"{v} is not in the answer")
        if len(found) < len(question["must"]) and mine not in SAYS:
            bad.append(f"{len(question['must'])} must, {len(found)} found")
        shown = " / ".join([*found, *(f"{v}{u}" for v in found for u in ("건", "명"))])
        bad += [f"{m} is not {found}" for m in question["must"] if not RULE.holds(m, shown)]
    for file, sentence in SAYS.get(mine, []):
        if sentence not in words(file):
            bad.append(f"{sentence} is not in {file}")
        if file not in question["files"]:
            bad.append(f"{file} is not in files")
    if mine in ABSENT and not ABSENT[mine]():
        bad.append("the files tell it")
    if question["kind"] != "impossible":
        bad += [f"must {m}" for m in question["must"] if not RULE.holds(m, question["answer"])]
    bad += [f"must_not {m}" for m in question["must_not"] if RULE.offends(m, question["answer"])]
    if judge(question, question["answer"], names()) != "right":
        bad.append("the answer itself is not right")
    for m in question["must_not"]:
        if judge(question, f"{m} / {question['answer']}", names()) != "wrong":
            bad.append(f"{m} beside the answer is not wrong")
    if question["kind"] != "impossible" and judge(question, "문서에서 확인할 수 없습니다.", names()) != "refused":
        bad.append("a refusal is not told")
    bad += [f"no file {f}" for f in question["files"] if not (ROOT / f).is_file()]
    if question["kind"] not in KINDS or (len(question["turns"]) == 2) != (question["kind"] == "follow"):
        bad.append("kind or turns")
    return bad


def main() -> int:
    """Prints what is wrong, and how many there are of each kind."""
    questions = load()
    bad = [f"tables: {b}" for b in tables()] + [f"{q['id']}: {b}" for q in questions for b in proves(q)]
    if set(CALC) | set(SAYS) | set(ABSENT) != {q["id"] for q in questions} or len(questions) != 90:
        bad.append("ids")
    used = {s: {f for q in questions if q["split"] == s for f in q["files"]} for s in ("dev", "test")}
    if used["dev"] & used["test"]:
        bad.append(f"both splits use {used['dev'] & used['test']}")
    seen = Counter((q["split"], q["kind"]) for q in questions)
    for kind in KINDS:
        print(f"{kind:11} dev {seen['dev', kind]:2}  test {seen['test', kind]:2}")
    print("\n".join(bad) or "all right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
