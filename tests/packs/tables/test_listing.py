"""What `list_tables` says of many tables."""

import io

import openpyxl

from dure.packs.tables.listing import ROOM

TICKETS = "번호,담당자,상태\n1,김두레,완료\n2,이서울,대기\n"


async def test_the_table_of_a_question_is_shown_in_full_and_all_others_are_named(knowledge, ask, monkeypatch) -> None:
    """By its name, by a value, and by a column."""
    for number in range(45):
        heads = ",".join(f"{number}호기 {part} 점검 결과" for part in ("압축기", "송풍기", "열교환기", "제어반"))
        await knowledge.add("me", f"설비점검_{number:02}.csv", f"{heads}\n양호,양호,교체,양호\n".encode())
    await knowledge.add("me", "헬프데스크 티켓.csv", TICKETS.encode())
    for question in ("헬프데스크 티켓은 몇 건이야?", "이서울이 맡은 것은?", "담당자별로 세어줘"):
        text = (await ask("list_tables", about=question)).text
        assert text.startswith(
            "표 헬프데스크_티켓 (2행, 문서 헬프데스크 티켓.csv)\n열: 번호 BIGINT, 담당자 VARCHAR, 상태"
        )
        assert "| 2 | 이서울 | 대기 |" in text
        assert all(f"표 설비점검_{number:02} (1행" in text for number in range(45))
        assert text.count("열: ") <= 4
        assert len(text) < ROOM
    # Without a question all have their columns, as long as there is room.
    text = (await ask("list_tables")).text
    assert "열: 번호 BIGINT, 담당자 VARCHAR" in text
    assert all(f"표 설비점검_{number:02} (1행" in text for number in range(45))
    assert "| --- |" not in text
    assert len(text) < ROOM
    # Of more than there is room for names alone are told.
    monkeypatch.setattr("dure.packs.tables.listing.ROOM", 700)
    text = (await ask("list_tables", about="헬프데스크 티켓은 몇 건이야?")).text
    assert "| 2 | 이서울 | 대기 |" in text
    assert "\n설비점검_00\n설비점검_01\n" in text
    assert text.splitlines()[-1].startswith("… ")
    assert len(text) < 700


async def test_of_a_very_wide_table_as_many_columns_are_told_as_there_is_room_for(knowledge, ask) -> None:
    heads = ",".join(f"{number}번째 항목의 아주 길고 자세한 이름 (단위: 천원과 부가세 별도)" for number in range(200))
    await knowledge.add("me", "넓은표.csv", f"{heads}\n{','.join('1' * 200)}\n".encode())
    text = (await ask("list_tables", about="넓은표")).text
    assert "열: _0번째_항목의" in text
    assert "열 1" in text.splitlines()[1][-20:], "how many more there are"
    assert len(text) < ROOM


VISITS = """번호,상태,메모
1,완료,낯가림
2,완료,
3,완료,약 하루 2번
4,완료,
5,취소,
6,취소,보호자 '급한 일'
합계,,
"""


async def test_the_values_of_a_column_that_has_few_are_told(knowledge, ask) -> None:
    """None of the rows that are shown is cancelled, and whoever counts visits has to know that some are."""
    await knowledge.add("me", "방문.csv", VISITS.encode())
    text = (await ask("list_tables", about="방문은 몇 건이야?")).text
    assert "열의 값 전부: 상태 IN ('완료', '취소')\n" in text
    assert "낯가림" not in text.split("열의 값")[1], "what stands in one row each is no kind of anything"


async def test_of_more_values_than_there_is_room_for_some_columns_are_left_out(knowledge, ask) -> None:
    heads = ",".join(f"질문 {number}" for number in range(60))
    rows = "\n".join(",".join([answer] * 60) for answer in ["그렇다", "아니다"] * 2)
    await knowledge.add("me", "설문.csv", f"{heads}\n{rows}\n".encode())
    text = (await ask("list_tables", about="설문")).text
    (line,) = [line for line in text.splitlines() if line.startswith("열의 값 전부")]
    assert line.startswith("열의 값 전부: 질문_0 IN ('그렇다', '아니다'), 질문_1 IN")
    assert len(line) < 700


async def test_where_there_are_few_tables_all_have_their_columns(knowledge, ask) -> None:
    """What is asked for may be called otherwise there; rows are those of the nearest."""
    await knowledge.add("me", "수업예약.csv", "예약,강사,금액\n1,김두레,30000\n".encode())
    await knowledge.add(
        "me", "orders.csv", b"order_id,maker,status\nG1,Han,paid\nG2,Oh,paid\nG3,Ha,cancelled\nG4,No,paid"
    )
    text = (await ask("list_tables", about="작가별 주문 금액")).text
    assert text.startswith("표 수업예약 ")
    assert "표 orders (4행, 문서 orders.csv)\n열: order_id VARCHAR, maker VARCHAR, status VARCHAR\n" in text
    assert "열의 값 전부: status IN ('paid', 'cancelled')" in text
    assert "G1" not in text
    assert "다른 표" not in text


async def test_a_question_in_english_gets_rows_of_tables_in_korean_too(knowledge, ask) -> None:
    """No word of it stands in them, and what a column holds has to be known to ask for it."""
    await knowledge.add("me", "예산.csv", "부서,항목,잔액\n품질팀,분석 용역비,5500\n연구팀,재료비,380\n".encode())
    await knowledge.add("me", "보유장비.csv", "장비,위치\n교반기,2동\n건조로,3동\n".encode())
    await knowledge.add("me", "quality.csv", b"test,quality team\nT1,Han\nT2,Oh\n")
    text = (await ask("list_tables", about="How much of the quality team's analysis budget is left?")).text
    assert text.index("| T1 | Han |") < text.index("| 품질팀 | 분석 용역비 | 5500 |")
    assert "| 건조로 | 3동 |" in text
    text = (await ask("list_tables", about="품질팀의 예산 잔액은?")).text
    assert "| 품질팀 | 분석 용역비 | 5500 |" in text
    assert "| T1 | Han |" not in text
    assert "| 건조로 | 3동 |" not in text


async def test_of_sheets_that_are_one_table_too_that_one_is_shown(knowledge, ask) -> None:
    """Each by itself would say the same again."""
    book = openpyxl.Workbook()
    for month in ("1월", "2월", "3월"):
        sheet = book.create_sheet(month)
        for row in (["담당", "건수"], ["김두레", 3], ["이서울", 4]):
            sheet.append(row)
    book.save(file := io.BytesIO())
    await knowledge.add("me", "티켓.xlsx", file.getvalue())
    text = (await ask("list_tables", about="김두레의 티켓은 월별로 몇 건이야?")).text
    assert text.startswith("표 티켓 (6행, 문서 티켓.xlsx의 시트 1월, 2월, 3월)\n")
    assert "시트 IN ('1월', '2월', '3월')" in text
    assert text.count("| 김두레 | 3 |") == 3, "a row of each sheet"
    assert "표 티켓_1월 (2행" in text


async def test_where_a_question_names_tables_the_others_are_told_by_name_alone(knowledge, ask) -> None:
    files = {
        "교육_신청_내역_2026.csv": "번호,담당자,상태\n1,김두레,완료\n",
        "헬프데스크 티켓.csv": TICKETS,
        "비품대장.csv": "품명,담당자\n의자,이서울\n",
        "sales.csv": "region,owner,sales\nnorth,Kim,3\n",
        "branch offices 2025.csv": "office,owner\nnorth,Lee\n",
    }
    for name, rows in files.items():
        await knowledge.add("me", name, rows.encode())

    async def shown(question: str) -> set[str]:
        blocks = (await ask("list_tables", about=question)).text.split("\n\n")
        return {each.split()[1] for each in blocks if "\n열: " in each}

    every = await shown("담당자별로 세어줘")
    assert len(every) == 5
    assert await shown("교육_신청_내역에서 담당자별로 세어줘") == {"교육_신청_내역_2026"}
    assert await shown("교육 신청 내역 표의 담당자별 건수") == {"교육_신청_내역_2026"}
    assert await shown("헬프데스크 티켓과 비품대장의 담당자를 견줘줘") == {"헬프데스크_티켓", "비품대장"}
    assert await shown("Count the owners in sales.csv") == {"sales"}
    assert await shown("Count the owners of branch_offices_2025") == {"branch_offices_2025"}
    # A word that may be what is asked for is no name: a column is called so.
    assert await shown("Sales by owner?") == every
    assert await shown("비품대장의 담당자별 건수") == {"비품대장"}
    # What far more is said of than of the others.
    assert await shown("north region sales of Kim by owner") == {"sales"}
