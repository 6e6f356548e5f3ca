"""Makes the twelve files of the set. python make.py; needs python-docx, openpyxl, python-pptx and chromium."""

from __future__ import annotations

import csv
import shutil
import subprocess
import tempfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.worksheet import Worksheet
from pptx import Presentation
from pptx.util import Cm, Pt

OUT = Path(__file__).parent.parent
KO = "이 문서에 나오는 기관, 사람, 장소, 수치는 모두 지어낸 것입니다."
EN = "The organisations, people, places and figures in this document are all invented."
Rows = list[list[Any]]


def rows(text: str) -> Rows:
    """Lines, or parts between semicolons, as rows; cells divided by a bar; plain figures become numbers."""
    found = [[c.strip() for c in line.split("|")] for line in text.strip().replace(";", "\n").splitlines()]
    return [[int(c) if c.lstrip("-").isdigit() else c for c in r] for r in found]


RULES = """
# 윤슬시도서관문화재단 도서관 이용규정
(제정 2019. 3. 4. / 전부개정 2024. 12. 12. / 시행 2025. 1. 1.)
## 제1장 총칙
제1조(목적) 이 규정은 윤슬시도서관문화재단(이하 "재단")이 운영하는 도서관의 이용에 필요한 사항을 정한다.
제2조(적용 범위) 중앙도서관, 하늘채도서관, 버들도서관, 나루작은도서관에 적용한다. 윤슬문화센터의 대관과 강좌는 \
따로 정한다.
제3조(개관 시간) 도서관별 개관 시간과 정기 휴관일은 다음 표와 같다. 공휴일은 모든 도서관이 쉰다.
@ 도서관 | 평일 | 주말 | 정기 휴관일 ;; 중앙도서관 | 09:00~22:00 | 09:00~18:00 | 매주 월요일
@ 하늘채도서관 | 09:00~20:00 | 09:00~18:00 | 매주 화요일 ;; 버들도서관 | 09:00~20:00 | 09:00~17:00 | 매주 금요일
@ 나루작은도서관 | 10:00~18:00 | 토요일 10:00~15:00 | 매주 일·월요일
## 제2장 회원
제4조(회원의 구분) 회원은 다음과 같이 나눈다.
@ 구분 | 자격 | 가입 서류 ;; 일반회원 | 시에 살거나 직장·학교가 있는 만 19세 이상 | 신분증, 주소나 재직 확인 서류
@ 청소년회원 | 만 13세 이상 18세 이하 | 학생증 또는 청소년증
@ 어린이회원 | 만 12세 이하 | 보호자 신분증, 가족관계 확인 서류
@ 가족회원 | 같은 주소에 사는 2명 이상 | 주민등록등본
@ 단체회원 | 구성원 10명 이상인 시내 기관·모임 | 고유번호증 또는 회원 명단
@ 배려회원 | 장애인, 임산부, 만 65세 이상 | 해당 증명서
@ 준회원 | 시 밖에 사는 사람 | 신분증, 보증금 20,000원(탈퇴 때 돌려준다)
제5조(회원증) ① 회원증은 가입한 날부터 3년간 쓸 수 있고, 만료 30일 전부터 갱신할 수 있다. ② 재발급 수수료는 \
2,000원이다. 다만 어린이회원은 1,000원으로 하고, 낡아서 읽히지 않는 회원증은 무료로 바꾸어 준다.
## 제3장 대출과 반납
제6조(대출) ① 회원별 대출 권수, 기간, 연장 횟수는 별표 1과 같다. ② 연장은 반납 예정일까지 신청하고, 다른 회원이 \
예약한 자료는 연장하지 않는다. ③ 참고도서, 연속간행물 최신호, 향토자료는 빌려주지 않는다.
제7조(연체) ① 반납 예정일을 넘기면 연체한 날만큼 대출을 정지하되 60일을 넘지 않는다. ② 연체료를 내면 대출 정지를 \
푼다. 연체료는 1권당 1일 100원으로 하고, 1회 반납에 10,000원을 넘지 않는다.
제8조(분실과 훼손) ① 빌린 자료를 잃어버리거나 훼손한 회원은 같은 자료를 사서 낸다. ② 같은 자료를 살 수 없으면 \
시가에 처리 수수료 3,000원을 더하여 낸다. ③ 신고한 날부터 30일 안에 변상하지 않으면 변상할 때까지 대출을 \
정지한다.
제9조(상호대차) ① 다른 도서관의 자료를 1인 3권까지 받아 볼 수 있으며 수수료는 없다. ② 도착 알림을 받은 날부터 \
4일 안에 찾아가지 않으면 돌려보낸다. ③ 시 밖의 도서관에서 빌려 오는 자료는 1권당 4,500원을 받는다.
제10조(택배 대출) 택배 대출은 1회 3,500원이며 한 번에 5권까지 보낸다. 배려회원은 월 2회까지 무료로 한다.
## 제4장 시설
제11조(노트북석) ① 노트북석은 1일 4시간 예약할 수 있고, 빈자리가 있으면 2시간씩 한 번 연장한다. ② 예약 시각에서 \
20분이 지나도록 오지 않으면 취소하고, 한 달에 세 번 취소되면 30일간 예약을 받지 않는다.
제12조(복사와 출력) 복사·출력 요금은 다음 표와 같다.
@ 종류 | A4 | A3 ;; 흑백 | 50원 | 100원 ;; 컬러 | 300원 | 500원 ;; 스캔 | 무료 | 무료
제13조(메이커룸) 중앙도서관 메이커룸의 3D 프린터는 재료 1g당 80원을 받고, 한 번에 3시간까지 쓴다.
## 별표 1 회원별 대출 한도
@ 구분 | 책(권) | 비도서(점) | 기간(일) | 연장 | 예약(권) ;; 일반회원 | 5 | 2 | 14 | 1회 7일 | 3
@ 청소년회원 | 5 | 1 | 14 | 1회 7일 | 3 ;; 어린이회원 | 7 | 1 | 14 | 1회 7일 | 3
@ 가족회원 | 15 | 4 | 14 | 1회 7일 | 5 ;; 단체회원 | 50 | 0 | 30 | 없음 | 0
@ 배려회원 | 10 | 3 | 21 | 2회 각 7일 | 5 ;; 준회원 | 2 | 0 | 14 | 없음 | 1
"""

MINUTES = """
# 제2차 운영위원회 회의록
일시: 2026년 4월 21일(화) 15:00~17:10 / 장소: 윤슬문화센터 세미나실 A / 기록: 경영지원팀 류다온
참석: 위원 9명 가운데 8명(위원장 양서우, 위원 8명 가운데 배로운 위원 불참). 배석: 대표이사 한도윤, 각 관장과 \
담당자
## 1. 안건별 결과
@ 번호 | 안건 | 결과 | 비고
@ 1 | 중앙도서관 여름철 야간 연장(7~8월, 22시에서 23시로) | 보류 | 인건비를 다시 뽑아 다음 회의에서 논의
@ 2 | 버들도서관 리모델링과 임시 휴관 | 원안 의결 | 2026. 7. 6.~8. 28. 휴관
@ 3 | 윤슬문화센터 주차 요금 징수 | 부결 | 찬성 3, 반대 5
@ 4 | 나루작은도서관 무인 반납함 설치 | 원안 의결 | 620만 원 이내
@ 5 | 여름밤 음악회 개최 | 수정 의결 | 7월 17일에서 7월 24일로
@ 6 | 하늘채도서관 카페 유치 | 철회 | 제안 부서가 거두어들임
## 2. 논의 내용
안건 1. 석하람은 작년 8월 21시 이후 이용자가 하루 평균 37명이었다고 보고했다. 위원들은 연장에 드는 인건비 근거가 \
모자란다고 보아 결정을 미루었다.
안건 2. 공사비는 1억 8,400만 원이며 2026년 예산에 들어 있다. 휴관하는 동안 버들도서관 예약 자료는 \
하늘채도서관에서 찾는다. 공사 소음 때문에 어린이실 공사를 먼저 한다. 시공사는 아직 정하지 않았고 6월에 입찰한다.
안건 3. 시민 부담과 주변 골목 주차를 걱정하는 의견이 많아 부결되었다. 지금처럼 이용자에게 2시간 무료로 둔다.
안건 4. 1층 출입문 왼쪽에 두며, 한 번에 책 60권이 들어간다. 수거는 하루 두 번으로 한다.
안건 5. 원안의 7월 17일은 장마가 이어질 우려가 있어 한 주 미루었다. 비가 오면 야외 마당이 아니라 대공연장에서 \
연다.
## 3. 할 일
@ 담당 | 할 일 | 기한 ;; 오재헌 | 야간 연장 인건비 산출 | 2026. 6. 5.
@ 맹기훈 | 나루작은도서관 무인 반납함 설치 | 2026. 5. 29. ;; 구세영 | 버들도서관 휴관 안내문 게시 | 2026. 6. 8.
@ 우시현 | LumenShelf 동시 접속 추가 견적 확인 | 2026. 5. 15.
@ 안유채 | 여름학기 폐강 기준 안내 정비 | 2026. 5. 22. ;; 진하솔 | 여름밤 음악회 출연팀 확정 | 2026. 6. 12.
## 4. 다음 회의
2026년 6월 16일(화) 15:00, 중앙도서관 4층 회의실
"""


def docx(name: str, text: str) -> None:
    """A DOCX of lines: # title, ## heading, @ rows of a table (divided by ;;), else a paragraph."""
    doc = Document()
    doc.styles["Normal"].font.name = "NanumGothic"
    doc.styles["Normal"].font.size = Pt(10)
    block: list[list[str]] = []
    for line in [*text.strip().replace(" ;; ", "\n@ ").splitlines(), KO]:
        if line.startswith("@ "):
            block.append([c.strip() for c in line[2:].split("|")])
            continue
        if block:
            table = doc.add_table(rows=0, cols=len(block[0]), style="Table Grid")
            for r in block:
                for cell, value in zip(table.add_row().cells, r, strict=True):
                    cell.text = value
            block = []
            doc.add_paragraph()
        if line.startswith("# "):
            doc.add_heading(line[2:], 0)
        elif line.startswith("## "):
            doc.add_heading(line[3:], 2)
        else:
            doc.add_paragraph(line)
    doc.save(str(OUT / name))


CSS = (
    "<style>@page{size:A4;margin:17mm}body{font-family:NanumGothic,DejaVu Sans,sans-serif;"
    "font-size:10.5pt;line-height:1.6}"
    "table{border-collapse:collapse;margin:8px 0}td,th{border:1px solid #555;padding:3px 9px}h1{font-size:16pt}"
    "h2{font-size:12pt}.small{font-size:8.5pt;color:#444}</style>"
)


def table(text: str) -> str:
    """An HTML table of rows; the first is the head."""
    found = [[c.strip() for c in line.split("|")] for line in text.strip().splitlines()]
    head = "".join(f"<th>{c}</th>" for c in found[0])
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in r) + "</tr>\n" for r in found[1:])
    return f"<table><tr>{head}</tr>\n{body}</table>"


AMENDMENT = f"""
<h1>도서관 이용규정 일부개정</h1>
<p>공포 2026. 3. 18. &nbsp; 시행 2026. 4. 1. &nbsp; 윤슬시도서관문화재단 대표이사 한도윤</p>
<h2>1. 개정 이유</h2>
<p>대출 권수를 늘려 달라는 요구가 많고, 연체료가 어린이 이용을 막는다는 의견이 있어 대출 한도와 연체 조항을 고친다.</p>
<h2>2. 개정 내용</h2>
<p>도서관 이용규정 일부를 다음과 같이 개정한다.</p>
<p>제7조를 다음과 같이 한다.<br>
제7조(연체) ① 반납 예정일을 넘기면 연체한 날만큼 대출을 정지하되 30일을 넘지 않는다.
② 연체료를 내면 대출 정지를 푼다. 연체료는 1권당 1일 50원으로 하고, 1회 반납에 5,000원을 넘지 않는다.
③ 어린이회원과 배려회원에게는 연체료를 받지 않는다.
④ 반납 예정일 다음 날 개관 시각 전에 반납함에 넣은 자료는 연체로 보지 않는다.</p>
<p>제9조제1항 중 "1인 3권"을 "1인 5권"으로 하고, 같은 조 제2항 중 "4일"을 "3일"로 한다.</p>
<p>제13조 중 "1g당 80원"을 "1g당 100원"으로 한다.</p>
<p>별표 1을 다음과 같이 한다.</p>
<h2>별표 1 회원별 대출 한도</h2>
{
    table('''구분 | 책(권) | 비도서(점) | 기간(일) | 연장 | 예약(권)
일반회원 | 7 | 2 | 14 | 1회 7일 | 3
청소년회원 | 7 | 2 | 14 | 1회 7일 | 3
어린이회원 | 10 | 2 | 14 | 1회 7일 | 3
가족회원 | 20 | 6 | 14 | 1회 7일 | 6
단체회원 | 80 | 0 | 40 | 없음 | 0
배려회원 | 12 | 4 | 28 | 2회 각 7일 | 5
준회원 | 3 | 0 | 14 | 없음 | 1''')
}
<h2>부칙</h2>
<p>제1조(시행일) 이 규정은 2026년 4월 1일부터 시행한다.</p>
<p>제2조(연체료에 관한 경과조치) 2026년 3월 31일까지 연체가 시작된 자료는 반납하는 날까지 종전의 연체료에 따른다.</p>
<p>제3조(대출 기간에 관한 경과조치) 시행 전에 빌린 자료의 대출 기간은 종전과 같다.</p>
<p class="small">{KO}</p>
"""

AGREEMENT = f"""
<h1>Institutional Licence Agreement</h1>
<p>No. LS-2025-3071, signed on 5 December 2025 between <b>LumenShelf Digital AS</b>, Bergvik ("the Licensor"), and
<b>Yunseul City Library and Culture Foundation</b>, Yunseul ("the Licensee").</p>
<h2>1. Licensed content</h2>
<p>1.1 The LumenShelf Core Collection of about 21,500 e-books and 48 e-journals. Audiobooks are not part of it.</p>
<p>1.2 The Licensor may withdraw a title on 60 days' written notice. If more than 5% of the titles are withdrawn in a
year, the fee of that year is reduced in proportion.</p>
<h2>2. Authorised users</h2>
<p>2.1 Holders of a valid library card of the Licensee, its staff, and walk-in users on the premises of the four
libraries. Remote access is given to card holders and staff only.</p>
<p>2.2 Up to 40 users may be connected at the same time.</p>
<p>2.3 One user may download no more than 25 chapters or articles a day. Downloaded e-books expire after 14 days.</p>
<h2>3. Term and fees</h2>
<p>3.1 The term begins on 1 January 2026 and ends on 31 December 2028.</p>
{
    table('''Year | Annual fee (USD) | Invoice date | Payment due
2026 | 18,400 | 15 January 2026 | 45 days
2027 | 19,100 | 15 January 2027 | 45 days
2028 | 19,850 | 15 January 2028 | 45 days''')
}
<p>3.2 Additional concurrent users are sold in packs of five at USD 1,150 a pack and year.</p>
<p>3.3 Late payment bears interest of 0.8% a month.</p>
<h2>4. Service</h2>
<p>4.1 The platform is available 99.5% of each month, planned maintenance aside. Maintenance is announced at least
7 days ahead.</p>
<p>4.2 If availability falls below 99.5% in a month, the Licensor credits 3% of the monthly share of the fee; below
98.0%, 10% of it.</p>
{
    table('''Severity | Example | First response | Target for a fix
1 | Platform down for all users | 2 hours | 8 hours
2 | Sign-in fails for one library | 6 hours | 2 working days
3 | Single title does not open | 2 working days | 10 working days''')
}
<h2>5. Permitted and prohibited use</h2>
<p>5.1 Licensee may supply single articles to other libraries in paper or secured PDF, no more than 30 a year.</p>
<p>5.2 Text and data mining needs the prior written consent of the Licensor. Use for training of language models is
prohibited.</p>
<h2>6. Usage data and privacy</h2>
<p>6.1 COUNTER reports are delivered by the 10th day of the following month. The Licensor keeps no reading history of
persons beyond 90 days.</p>
<h2>7. Termination</h2>
<p>7.1 Either party may end this agreement at the end of a calendar year by written notice given 120 days before.</p>
<p>7.2 If the public funds of the Licensee are cut by more than 15%, it may end the agreement with 60 days' notice.</p>
<p>7.3 After the end, access to e-journal volumes of the paid years remains for 5 years; access to e-books ends.</p>
<h2>8. Law</h2>
<p>This agreement is governed by the law of the Republic of Korea. Disputes go to arbitration in Seoul.</p>
<p>For the Licensor: Orla Brandvik, Head of Accounts. For the Licensee: Han Do-yun, Chief Executive.</p>
<p class="small">{EN}</p>
"""

FAQ = """
책은 몇 권까지 빌릴 수 있나요? | 일반회원은 5권, 어린이회원은 7권까지 14일간 빌릴 수 있습니다.
읽고 싶은 책이 도서관에 없어요. | 희망도서를 한 달에 3권까지 신청하세요. 한 권에 50,000원이 넘는 책, 수험서, \
만화는 사지 않습니다. 신청에서 비치까지 보통 3주 걸리고, 신청한 분이 7일간 먼저 빌립니다.
반납함에 넣은 책은 언제 반납 처리되나요? | 반납함은 매일 아침 8시 30분에 비웁니다. 꺼낸 날 반납으로 처리됩니다. \
DVD와 큰 그림책은 반납함에 넣지 말고 자료실에 내 주세요.
주차할 수 있나요? | 중앙도서관은 74면, 윤슬문화센터는 112면입니다. 이용자는 2시간 무료이고, 중앙도서관만 그 뒤 \
10분에 200원을 받습니다. 하늘채도서관과 버들도서관에는 주차장이 없습니다.
음식을 먹어도 되나요? | 뚜껑 있는 음료만 자료실에 가지고 들어올 수 있습니다. 도시락은 중앙도서관 지하 1층 \
휴게실에서 드세요.
전자책은 어떻게 보나요? | 누리집에서 회원 번호로 로그인합니다. 국내 전자책은 한 번에 3권, 10일간 볼 수 있고 \
연장은 되지 않습니다. 외국 전자책은 LumenShelf에서 봅니다. 접속 문의: eres@yunseul-lib.example
사물함을 쓰고 싶어요. | 중앙도서관 2층 사물함은 하루 500원, 한 달 9,000원이며 한 달 사용은 매월 1일에 \
접수합니다.
세미나실을 빌리면 얼마인가요? | 윤슬문화센터 세미나실 A는 오전 35,000원, 세미나실 B는 오전 22,000원입니다(2025년 \
요금).
강좌 신청은 어디서 하나요? | 누리집에서 선착순으로 받습니다. 전화로는 받지 않고, 컴퓨터가 어려운 만 65세 이상은 \
윤슬문화센터 1층에서 도와드립니다.
분실물은 어디에 있나요? | 각 도서관 안내데스크에서 14일간 보관한 뒤 경찰서 유실물 창구로 보냅니다.
와이파이 비밀번호가 뭔가요? | YS-LIB에 연결하고 회원 번호로 인증하면 되며 비밀번호는 따로 없습니다. 한 번 \
인증하면 4시간 갑니다.
"""


def pdf(name: str, body: str) -> None:
    """A PDF of an HTML body, printed by Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(f"<!DOCTYPE html><meta charset='utf-8'><title>{Path(name).stem}</title>{CSS}{body}", "utf-8")
        tool = shutil.which("chromium") or "chromium"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        subprocess.run([tool, *flags, f"--print-to-pdf={OUT / name}", page.as_uri()], check=True, capture_output=True)


def html() -> None:
    """The FAQ."""
    body = "".join(f"<dt>{q}</dt>\n<dd>{a}</dd>\n" for q, a in rows(FAQ))
    nav = "<nav><a href='/'>처음</a> | <a href='/search'>자료 찾기</a> | <a href='/class'>강좌</a></nav>"
    text = (
        f"<!DOCTYPE html>\n<html lang='ko'><head><meta charset='utf-8'><title>자주 묻는 질문</title>{CSS}</head>\n"
        f"<body>{nav}\n<h1>자주 묻는 질문</h1>\n<p class='small'>마지막 수정: 2025. 11. 10. 이용자서비스 담당</p>\n"
        f"<dl>\n{body}</dl>\n<footer class='small'>윤슬시도서관문화재단. {KO}</footer></body></html>\n"
    )
    (OUT / "자주묻는질문.html").write_text(text, encoding="utf-8")


SAFETY = f"""안전·대피 안내 (직원용)
윤슬시도서관문화재단 경영지원팀 시설·안전 담당 / 2026. 2. 16. 고침

1. 불이 났을 때
  (1) 처음 본 사람이 발신기를 누르고 "불이야"라고 세 번 외친다.
  (2) 안내데스크 근무자가 119에 신고하고 안내 방송을 한다.
  (3) 층 담당은 화장실과 서고를 살핀 뒤 마지막으로 나온다.
  (4) 승강기는 쓰지 않는다. 휠체어 이용자는 계단참의 대피 의자로 두 사람이 옮긴다.
  (5) 모이는 곳에서 15분 안에 인원을 세어 시설·안전 담당에게 알린다.

2. 모이는 곳과 안전 책임자
  건물              모이는 곳                     책임자    최대 수용 인원
  중앙도서관        앞마당 느티나무               임가온    850명
  하늘채도서관      옆 어린이공원 정자            방준서    320명
  버들도서관        버들천 다리 앞 공터           구세영    280명
  나루작은도서관    나루초등학교 정문             모아인    60명
  윤슬문화센터      뒤편 야외 마당                도하진    900명

3. 자동심장충격기(AED)
  중앙도서관: 1층 안내데스크 옆, 3층 종합자료실 입구
  하늘채도서관: 1층 현관
  버들도서관: 2층 계단 앞
  윤슬문화센터: 대공연장 로비, 지하 1층 연습실 복도
  나루작은도서관: 없음. 2026년 9월에 놓을 예정이며, 그때까지는 나루초등학교 보건실의 것을 쓴다.
  배터리와 패드는 매월 첫 근무일에 확인하고 점검표에 적는다. 패드는 2년마다 바꾼다.

4. 훈련
  소방 훈련은 한 해 두 번 한다. 올해 첫 훈련은 2026년 5월 20일 14시 중앙도서관,
  둘째 훈련은 10월 14일 14시 윤슬문화센터이다. 훈련하는 동안 대출 창구는 40분간 닫는다.

5. 지진
  흔들리는 동안 책상 아래에서 머리를 보호한다. 서가 사이에 있으면 통로 끝으로 나온다. 규모 5.0 이상이면 그날 문을 닫고
  건물을 점검한다.

6. 다친 이용자가 있을 때
  사고 보고서는 그날 안에 시설·안전 담당(내선 1115)에게 낸다. 병원에 간 사고는 대표이사에게 1시간 안에 알린다.
  영조물 배상 보험의 자기 부담금은 한 건에 100,000원이다.

{KO}
"""

VOLUNTEER = f"""# 자원봉사 운영지침

윤슬시도서관문화재단, 2026. 1. 5. 시행. 담당: 이용자서비스 석하람

## 1. 활동과 자격

| 활동 | 나이 | 미리 받는 교육 | 1회 시간 | 하는 곳 |
| --- | --- | --- | --- | --- |
| 서가 정리 | 만 14세 이상 | 1시간 | 2시간 | 모든 도서관 |
| 책 읽어 주기 | 만 19세 이상 | 6시간 | 1시간 | 하늘채·버들도서관 |
| 점자·녹음 도서 만들기 | 만 17세 이상 | 12시간 | 3시간 | 중앙도서관 |
| 행사 돕기 | 만 16세 이상 | 없음 | 4시간 | 윤슬문화센터 |

만 18세 이하는 보호자 동의서를 냅니다. 책 읽어 주기를 하는 사람은 범죄 경력 조회 동의서도 냅니다.

## 2. 실비

| 하루 활동 시간 | 교통비 | 식비 |
| --- | ---: | ---: |
| 2시간 미만 | 0원 | 0원 |
| 2시간 이상 4시간 미만 | 4,000원 | 0원 |
| 4시간 이상 | 4,000원 | 8,000원 |

실비는 다음 달 10일에 계좌로 넣습니다.

## 3. 지킬 일

- 못 나오게 되면 전날 18시까지 담당자에게 알립니다.
- 알리지 않고 두 번 빠지면 6개월간 활동할 수 없습니다.
- 하루에 인정하는 시간은 6시간까지입니다. 교육 시간은 절반만 인정합니다.
- 이용자의 대출 기록을 보거나 남에게 말하지 않습니다.

## 4. 혜택

| 지난해 활동 시간 | 혜택 |
| --- | --- |
| 20시간 이상 | 사물함 한 달 무료 |
| 50시간 이상 | 이용규정 별표 1의 책 권수에 3권을 더해 대출, 강좌 수강료 20% 할인 |
| 100시간 이상 | 위의 혜택과 대공연장 기획 공연 초대권 2장 |

모든 봉사자는 재단이 든 상해 보험에 들어갑니다. 보험 기간은 등록한 날부터 1년입니다.

---
{KO}
"""

BUDGET = """
인건비 | 보수 | 2412000 | 2538000; 인건비 | 법정부담금 | 268400 | 281600
인건비 | 퇴직급여 | 198000 | 206500; 자료구입비 | 도서 | 312000 | 298000
자료구입비 | 전자자료 | 84500 | 96200; 자료구입비 | 연속간행물 | 41300 | 38600
자료구입비 | 비도서 | 18200 | 15400; 프로그램비 | 강좌 운영 | 126700 | 134000
프로그램비 | 공연·전시 | 98300 | 112500; 프로그램비 | 독서문화행사 | 47600 | 52800
프로그램비 | 자원봉사 운영 | 14900 | 16300; 시설비 | 전기·가스·수도 | 221400 | 236800
시설비 | 청소·경비 용역 | 183600 | 191200; 시설비 | 수선유지 | 72000 | 79500
시설비 | 버들도서관 리모델링 | 0 | 184000; 전산비 | 도서관리시스템 유지보수 | 62300 | 64800
전산비 | PC 교체 | 28000 | 35100
"""
BUYING = """
중앙도서관 | 156000 | 96200 | 19800 | 8200; 하늘채도서관 | 68000 | 0 | 8900 | 4100
버들도서관 | 56000 | 0 | 7400 | 2300; 나루작은도서관 | 18000 | 0 | 2500 | 800
"""
VISITS = """
중앙도서관 | 41820 | 30214 | 38460 | 28077 | 44915 | 32650 | 46230 | 39482
하늘채도서관 | 17340 | 19880 | 16205 | 18640 | 18770 | 20915 | 19415 | 25340
버들도서관 | 13960 | 11302 | 13120 | 10688 | 14385 | 11950 | 14050 | 13874
나루작은도서관 | 3410 | 2945 | 3085 | 2710 | 3640 | 3120 | 3905 | 3868
"""
COURSES = """
문학 | 시 쓰는 저녁 | 하운결 | 화 19:00~21:00 | 2026-06-09 | 10 | 15 | 60000 | 0 | 세미나실 B
문학 | 고전 함께 읽기 | 명서진 | 수 10:00~12:00 | 2026-06-10 | 8 | 20 | 48000 | 0 | 세미나실 A
미술 | 수채화 첫걸음 | 설가람 | 목 14:00~16:00 | 2026-06-11 | 10 | 12 | 80000 | 25000 | 창작실
미술 | 연필 드로잉 | 설가람 | 금 19:00~21:00 | 2026-06-12 | 8 | 14 | 64000 | 12000 | 창작실
음악 | 우쿨렐레 기초 | 국이안 | 화 14:00~15:30 | 2026-06-09 | 10 | 10 | 70000 | 0 | 연습실 1
음악 | 합창 교실 | 국이안 | 목 19:00~21:00 | 2026-06-11 | 10 | 30 | 50000 | 5000 | 소공연장
어린이 | 그림책 놀이 | 금예나 | 토 10:00~11:30 | 2026-06-13 | 8 | 16 | 40000 | 15000 | 세미나실 A
어린이 | 코딩 로봇 교실 | 변우주 | 토 13:00~15:00 | 2026-06-13 | 8 | 12 | 72000 | 30000 | 창작실
어르신 | 스마트폰 배우기 | 피은상 | 월 10:00~12:00 | 2026-06-15 | 3 | 18 | 0 | 0 | 버들도서관 강의실
어르신 | 건강 요가 | 태미소 | 수 14:00~15:00 | 2026-06-10 | 10 | 20 | 30000 | 0 | 연습실 2
"""
RENT = """
대공연장 | 320 | 240000 | 320000 | 400000 | 850000; 소공연장 | 96 | 110000 | 150000 | 190000 | 400000
전시실 | 60 | - | - | - | 90000; 세미나실 A | 40 | 40000 | 50000 | 60000 | 130000
세미나실 B | 24 | 25000 | 32000 | 40000 | 85000; 연습실 1 | 12 | 12000 | 16000 | 20000 | 42000
연습실 2 | 20 | 18000 | 24000 | 30000 | 64000
"""
RENT_NOTES = [
    "토·일요일과 공휴일은 기본 대관료에 20%를 더한다.",
    "비영리단체는 기본 대관료의 30%를 깎는다. 부속설비와 냉난방비는 깎지 않는다.",
    "냉난방비: 대공연장 시간당 30,000원, 소공연장 시간당 12,000원, 그 밖의 공간은 대관료에 들어 있다.",
    "취소: 사용일 14일 전까지 전액, 7일 전까지 70%, 3일 전까지 50%를 돌려준다. 그 뒤에는 돌려주지 않는다.",
]
GEAR = """
그랜드 피아노 | 회 | 70000 | 조율은 빌리는 쪽이 따로 부담(120,000원)
빔 프로젝터 | 회 | 20000 | 세미나실 A는 붙박이라 무료; 무선 마이크 | 대 | 10000 | 처음 2대는 대공연장만 무료
기본 조명 | 회 | 50000 | 대공연장·소공연장; 녹화 장비 | 회 | 40000 | 담당자가 다루며 파일로 줌
이젤 | 개 | 2000 | 전시실
"""
CUT = """
만 65세 이상 | 50% | 신분증; 장애인 | 50% | 복지카드
국가유공자 | 40% | 증서; 두 자녀 이상 가정 | 30% | 등본
자원봉사 50시간 이상 | 20% | 봉사 확인서
"""
CUT_NOTES = [
    "재료비는 깎지 않으며, 할인은 하나만 적용한다.",
    "환불: 개강 전 전액, 총 회차의 1/3이 지나기 전 2/3, 1/2이 지나기 전 1/2. 그 뒤에는 돌려주지 않는다.",
    "신청자가 정원의 50%에 못 미치면 폐강하고 전액 돌려준다.",
    "접수: 2026년 5월 18일 10시부터 누리집 선착순. 어린이 강좌는 5월 19일 10시부터.",
]


def sheet(ws: Worksheet, title: str, body: Rows, merge: tuple[str, ...] = (), notes: list[str] | None = None) -> None:
    """Fills a sheet: title, blank, the table, notes; merged ranges; bold sums."""
    ws.append([title])
    ws.append([])
    for r in body:
        ws.append(r)
    last = ws.max_row
    width = max(len(r) for r in body)
    ws.merge_cells(start_row=1, start_column=1, end_row=1, end_column=width)
    ws["A1"].font = Font(bold=True, size=13)
    line = Side(style="thin", color="888888")
    for number, r in enumerate(ws.iter_rows(min_row=3, max_row=last, max_col=width), 3):
        total = any("소계" in str(c.value) or "합계" in str(c.value) for c in r)
        for c in r:
            c.border = Border(line, line, line, line)
            c.font = Font(bold=total or number == 3)
            if total:
                c.fill = PatternFill("solid", fgColor="EEEEEE")
            if isinstance(c.value, int):
                c.number_format = "#,##0"
    for span in merge:
        ws.merge_cells(span)
        ws[span.split(":")[0]].alignment = Alignment(vertical="center", horizontal="center")
    ws.append([])
    for note in [*(notes or []), KO]:
        ws.append([note])
    for i in range(width):
        ws.column_dimensions["ABCDEFGHIJKL"[i]].width = 17


def grouped(body: Rows, count: list[int], label: int = 1) -> tuple[Rows, list[str], list[int]]:
    """Rows with a 소계 after each group of the first column; the ranges to merge; the sums of all."""
    out: Rows = []
    merges: list[str] = []
    start = 0
    for i, r in enumerate(body):
        out.append(list(r) if i == start else ["", *r[1:]])
        if i + 1 == len(body) or body[i + 1][0] != r[0]:
            sums: list[Any] = [""] * len(r)
            sums[label] = "소계"
            for c in count:
                sums[c] = sum(x[c] for x in body[start : i + 1])
            out.append(sums)
            merges.append(f"A{4 + len(out) - 1 - (i + 1 - start)}:A{4 + len(out) - 1}")
            start = i + 1
    return out, merges, [sum(x[c] for x in body) for c in count]


def workbooks() -> None:
    """The budget with visits, and the courses with room hire."""
    wb = Workbook()
    ws: Any = wb.active
    ws.title = "예산"
    body, merges, total = grouped([[*r, r[3] - r[2]] for r in rows(BUDGET)], [2, 3, 4])
    head = ["구분", "항목", "2025년 결산", "2026년 예산", "증감"]
    note = ["2026. 1. 12. 확정. 예산·회계 담당 오재헌"]
    sheet(ws, "2026년 예산 (단위: 천원)", [head, *body, ["합계", "", *total]], tuple(merges), note)
    body = [[*r, sum(r[1:])] for r in rows(BUYING)]
    sums = ["합계", *(sum(r[c] for r in body) for c in range(1, 6))]
    head = ["도서관", "도서", "전자자료", "연속간행물", "비도서", "계"]
    sheet(wb.create_sheet("자료구입비_관별"), "2026년 관별 자료구입비 (단위: 천원)", [head, *body, sums])
    body = rows(VISITS)
    part = ["도서관 소계", *(sum(r[c] for r in body) for c in range(1, 9))]
    centre = ["윤슬문화센터", 9750, "-", 8890, "-", 12430, "-", 13680, "-"]
    every = ["합계", *(a + b if isinstance(b, int) else a for a, b in zip(part[1:], centre[1:], strict=True))]
    head1 = ["관", "1월", "", "2월", "", "3월", "", "4월", ""]
    head2 = ["", *["방문(명)", "대출(권)"] * 4]
    spans = ("A3:A4", "B3:C3", "D3:E3", "F3:G3", "H3:I3")
    ws = wb.create_sheet("방문_대출_2026")
    sheet(ws, "2026년 1~4월 방문자와 대출 권수", [head1, head2, *body, part, centre, every], spans)
    wb.save(OUT / "2026_예산과_이용현황.xlsx")

    wb = Workbook()
    ws = wb.active
    ws.title = "여름학기 강좌"
    body, merges, total = grouped(rows(COURSES), [6])
    head = ["분야", "강좌", "강사", "요일·시간", "개강일", "회차", "정원", "수강료(원)", "재료비(원)", "장소"]
    last = ["합계", "", "", "", "", "", *total, "", "", ""]
    sheet(ws, "2026년 여름학기 강좌 (윤슬문화센터)", [head, *body, last], tuple(merges))
    head = ["대상", "수강료 할인", "확인 서류"]
    sheet(wb.create_sheet("할인_환불"), "수강료 할인과 환불", [head, *rows(CUT)], (), CUT_NOTES)
    head1 = ["공간", "정원(명)", "기본 대관료(원)", "", "", ""]
    head2 = ["", "", "오전 09~12시", "오후 13~17시", "야간 18~22시", "종일"]
    spans = ("A3:A4", "B3:B4", "C3:F3")
    ws = wb.create_sheet("대관료")
    sheet(ws, "윤슬문화센터 대관료 (2026. 1. 1.부터)", [head1, head2, *rows(RENT)], spans, RENT_NOTES)
    head = ["설비", "단위", "요금(원)", "비고"]
    sheet(wb.create_sheet("부속설비"), "부속설비 사용료 (2026. 1. 1.부터)", [head, *rows(GEAR)])
    wb.save(OUT / "문화센터_강좌_대관_2026.xlsx")


COMPLAINTS = """
01-06 | 중앙도서관 | 민원 | 시설 | 3층 열람실 난방이 약함 | 방문 | 완료 | 맹기훈 | 01-07
01-06 | 하늘채도서관 | 문의 | 대출 | 가족회원 등록 서류 | 전화 | 완료 | 염보라 | 01-06
01-08 | 윤슬문화센터 | 민원 | 대관 | 연습실 2 이중 예약 | 전화 | 완료 | 곽이든 | 01-09
01-09 | 중앙도서관 | 민원 | 소음 | 노트북석 통화 소음 | 누리집 | 완료 | 석하람 | 01-12
01-13 | 버들도서관 | 민원 | 시설 | 남자 화장실 세면대 물샘 | 방문 | 완료 | 맹기훈 | 01-20
01-15 | 중앙도서관 | 건의 | 장서 | 큰글자책 늘려 달라 | 누리집 | 완료 | 노은결 | 01-29
01-16 | 나루작은도서관 | 건의 | 반납 | 무인 반납함 설치 요청 | 방문 | 완료 | 모아인 | 01-30
01-20 | 중앙도서관 | 민원 | 전자자료 | LumenShelf 접속 인원 초과 | 전자우편 | 완료 | 편지호 | 01-23
01-22 | 윤슬문화센터 | 문의 | 강좌 | 봄학기 환불 기준 | 전화 | 완료 | 안유채 | 01-22
01-28 | 하늘채도서관 | 민원 | 소음 | 어린이실 공 튀기는 소리 | 방문 | 완료 | 염보라 | 01-29
01-30 | 중앙도서관 | 민원 | 대출 | 연체료가 잘못 매겨짐 | 누리집 | 완료 | 석하람 | 02-02
02-03 | 버들도서관 | 민원 | 시설 | 2층 조명 깜박임 | 전화 | 완료 | 맹기훈 | 02-10
02-04 | 중앙도서관 | 문의 | 시설 | 메이커룸 예약 방법 | 전화 | 완료 | 차소율 | 02-04
02-06 | 윤슬문화센터 | 민원 | 주차 | 공연 날 출차 40분 걸림 | 누리집 | 완료 | 진하솔 | 02-13
02-10 | 중앙도서관 | 민원 | 소음 | 열람실 의자 끄는 소리 | 누리집 | 완료 | 석하람 | 02-24
02-11 | 하늘채도서관 | 건의 | 시설 | 수유실 소파 교체 | 누리집 | 완료 | 방준서 | 03-04
02-12 | 중앙도서관 | 민원 | 상호대차 | 도착 알림이 오지 않음 | 전화 | 완료 | 탁여름 | 02-13
02-19 | 윤슬문화센터 | 민원 | 강좌 | 수채화 강좌 재료비가 비쌈 | 누리집 | 완료 | 안유채 | 02-26
02-19 | 버들도서관 | 문의 | 프로그램 | 어르신 스마트폰 강좌 일정 | 방문 | 완료 | 피은상 | 02-20
02-24 | 중앙도서관 | 민원 | 전자자료 | 전자책 앱 로그인 실패 | 전자우편 | 완료 | 편지호 | 02-27
02-26 | 중앙도서관 | 민원 | 시설 | 엘리베이터 버튼 고장 | 방문 | 완료 | 맹기훈 | 02-27
03-04 | 하늘채도서관 | 민원 | 소음 | 새학기 단체 방문 소음 | 전화 | 완료 | 염보라 | 03-05
03-05 | 중앙도서관 | 민원 | 주차 | 정산기 카드 인식 안 됨 | 방문 | 완료 | 차소율 | 03-06
03-10 | 나루작은도서관 | 문의 | 대출 | 준회원 보증금 반환 | 전화 | 완료 | 모아인 | 03-11
03-11 | 윤슬문화센터 | 민원 | 대관 | 소공연장 냉난방비 안내 누락 | 누리집 | 완료 | 곽이든 | 03-16
03-13 | 중앙도서관 | 건의 | 장서 | 베트남어 그림책 구입 | 방문 | 처리 중 | 노은결 |
03-17 | 중앙도서관 | 민원 | 전자자료 | LumenShelf 접속 인원 초과 | 전자우편 | 처리 중 | 우시현 |
03-18 | 버들도서관 | 민원 | 시설 | 비 오는 날 현관 미끄러움 | 방문 | 완료 | 맹기훈 | 03-19
03-20 | 윤슬문화센터 | 민원 | 시설 | 대공연장 좌석 12번 팔걸이 파손 | 방문 | 완료 | 맹기훈 | 03-25
03-24 | 중앙도서관 | 민원 | 소음 | 야간 열람실 코 고는 소리 | 누리집 | 완료 | 석하람 | 03-30
03-25 | 하늘채도서관 | 문의 | 자원봉사 | 책 읽어 주기 교육 날짜 | 전화 | 완료 | 석하람 | 03-25
03-26 | 윤슬문화센터 | 건의 | 강좌 | 직장인 저녁 요가 개설 | 누리집 | 처리 중 | 안유채 |
03-27 | 중앙도서관 | 민원 | 대출 | 예약 도서가 다른 사람에게 나감 | 누리집 | 완료 | 석하람 | 04-03
03-30 | 버들도서관 | 건의 | 시설 | 자전거 거치대 추가 | 누리집 | 처리 중 | 맹기훈 |
03-31 | 나루작은도서관 | 민원 | 시설 | 출입문 닫힘 장치 고장 | 전화 | 완료 | 맹기훈 | 04-02
"""


def complaints() -> None:
    """The log of the first quarter."""
    with (OUT / "민원접수대장_2026_1분기.csv").open("w", encoding="utf-8-sig", newline="") as f:
        w = csv.writer(f)
        w.writerow(["접수번호", "접수일", "지점", "구분", "분야", "내용", "접수경로", "상태", "담당", "처리일"])
        for i, line in enumerate(COMPLAINTS.strip().splitlines(), 1):
            c = [x.strip() for x in line.split("|")]
            w.writerow([f"C26-{i:03}", f"2026-{c[0]}", *c[1:8], f"2026-{c[8]}" if c[8] else ""])
        w.writerow([KO])


SLIDES = {
    "조직과 정원 (2026. 3. 2. 기준)": """부서 | 책임자 | 인원
대표이사 | 한도윤 | 1; 경영지원팀 | 팀장 서미란 | 11; 중앙도서관 | 관장 임가온 | 19
하늘채도서관 | 관장 방준서 | 9; 버들도서관 | 관장 구세영 | 8; 나루작은도서관 | 담당 모아인 | 3
윤슬문화센터 | 센터장 도하진 | 9; 계 |  | 60""",
    "경영지원팀·윤슬문화센터 연락처": """이름 | 직위 | 맡은 일 | 내선
한도윤 | 대표이사 | 총괄 | 1001; 서미란 | 팀장 | 경영지원 총괄 | 1110; 오재헌 | 과장 | 예산·회계 | 1112
류다온 | 대리 | 인사·급여 | 1113; 맹기훈 | 과장 | 시설·안전 | 1115; 차소율 | 주임 | 정보화 | 1117
도하진 | 센터장 | 문화센터 총괄 | 6100; 안유채 | 대리 | 강좌 운영 | 6103; 곽이든 | 주임 | 대관 | 6105
진하솔 | 대리 | 공연·전시 | 6107""",
    "도서관 연락처": """이름 | 직위 | 맡은 일 | 내선
임가온 | 관장 | 중앙도서관 총괄 | 2100; 노은결 | 사서 | 장서 개발 | 2103
편지호 | 사서 | 전자자료(휴직) | 2105; 우시현 | 사서 | 전자자료(대행) | 2106
석하람 | 사서 | 이용자서비스·자원봉사 | 2107; 탁여름 | 사서 | 상호대차·택배 대출 | 2109
방준서 | 관장 | 하늘채도서관 총괄 | 3100; 염보라 | 사서 | 어린이 자료 | 3102
구세영 | 관장 | 버들도서관 총괄 | 4100; 피은상 | 사서 | 어르신 프로그램 | 4103
모아인 | 사서 | 나루작은도서관 총괄 | 5100""",
}
CHANGES = [
    "편지호 사서 육아 휴직: 2026. 3. 2.~2026. 8. 31. 대행 우시현 사서(장서 개발에서 옮김)",
    "곽이든 주임 승진: 2026. 1. 1. (서기에서)",
    "당직: 주말 당직은 관별로 한 명, 대체 휴무는 14일 안에 쓴다",
    "휴가 중 대신 일하는 사람: 맹기훈 → 차소율, 안유채 → 진하솔, 오재헌 → 류다온",
    KO,
]


def pptx() -> None:
    """The org chart and telephone list."""
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "조직도와 직원 연락처 2026"
    first.placeholders[1].text = "윤슬시도서관문화재단 경영지원팀 / 2026. 3. 2."
    for title, text in SLIDES.items():
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        body = [[str(c) for c in r] for r in rows(text)]
        grid = slide.shapes.add_table(len(body), len(body[0]), Cm(1.5), Cm(4), Cm(22), Cm(len(body))).table
        for i, r in enumerate(body):
            for j, value in enumerate(r):
                grid.cell(i, j).text = value
                grid.cell(i, j).text_frame.paragraphs[0].font.size = Pt(12)
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "바뀐 점과 대행"
    slide.placeholders[1].text = "\n".join(CHANGES)
    deck.save(str(OUT / "조직도_직원연락처_2026.pptx"))


MAIL = f"""Dear Si-hyeon,

Thank you for your mail. Here is what I can say.

1. Turnaways. In April your users were refused 312 times because all 40
seats were taken, against 187 in March. Most of them fell between 20:00
and 22:00.

2. Extra seats. Fifteen seats are more than you need; I propose ten, that
is two packs. For the eight months from 1 May to 31 December 2026 we ask
USD 1,380 for both packs, after a discount of 10%. The quotation is
Q-5520 and is valid until 29 May 2026.

3. Audiobooks. They are a separate product of 640 titles. I can open a
free trial until 30 June 2026; the yearly price after that would be
USD 2,900.

4. Maintenance. The platform will be down on Sunday 17 May 2026 from
02:00 to 06:00 Korean time.

5. Sign-in. The certificate of the single sign-on changes on 3 June 2026.
Please ask your IT colleague to load the new one before that day; the
file comes from our support desk (support@lumenshelf.example).

I am away from 18 to 22 May. In that week please write to my colleague
Teodor Lindqvae.

Kind regards,
Orla Brandvik
Head of Accounts, LumenShelf Digital AS

On Mon, 4 May 2026 at 10:12, Woo Si-hyeon wrote:
> Dear Orla,
>
> our readers complain that they cannot get into LumenShelf in the evening.
> Could you tell us the number of refusals in April?
> We think of 15 more seats. What would they cost until the end of the year?
> Our committee also asked about audiobooks, above all in English for children.
> The complaint about chapter 7 of "Tidal Gardens" not opening is solved.
>
> Best wishes,
> Woo Si-hyeon, E-resources, Yunseul City Library and Culture Foundation

{EN}
"""


def eml() -> None:
    """The mail."""
    m = EmailMessage()
    m["From"] = "Orla Brandvik <orla.brandvik@lumenshelf.example>"
    m["To"] = "Woo Si-hyeon <sihyeon.woo@yunseul-lib.example>"
    m["Cc"] = "Teodor Lindqvae <teodor.lindqvae@lumenshelf.example>"
    m["Date"] = "Wed, 06 May 2026 09:41:00 +0200"
    m["Subject"] = "RE: Turnaways and extra seats"
    m["Message-ID"] = "<q5520.0506@lumenshelf.example>"
    m.set_content(MAIL)
    (OUT / "RE_LumenShelf_extra_seats.eml").write_bytes(m.as_bytes())


def main() -> None:
    """Makes all files."""
    docx("도서관_이용규정_2025-01-01.docx", RULES)
    docx("운영위원회_회의록_2026-04-21.docx", MINUTES)
    pdf("이용규정_일부개정_2026-04-01.pdf", AMENDMENT)
    pdf("LumenShelf_License_Agreement.pdf", AGREEMENT)
    html()
    (OUT / "안전_대피_안내.txt").write_text(SAFETY, encoding="utf-8")
    (OUT / "자원봉사_운영지침.md").write_text(VOLUNTEER, encoding="utf-8")
    workbooks()
    complaints()
    pptx()
    eml()


if __name__ == "__main__":
    main()
