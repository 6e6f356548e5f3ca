"""The rows that are left of a table come with those before them, and what belongs beside a passage with it."""

import pytest

HEAD = "# 조사 보고서\n\n통영 연안을 조사했다. " + "정점마다 방형구를 아홉 개씩 놓고 해조류를 걷어 무게를 쟀다. " * 8
LINE = "| T{0} | 61{0} | 65{0} | 70{0} |"
TABLE = "## 생체량\n\n| 정점 | 2024년(g/m²) | 2025년(g/m²) | 2026년(g/m²) |\n|---|---|---|---|\n"
END = "\n\n생체량은 T3이 가장 크다. " + "수온은 지난해보다 올랐고 질산염은 다른 정점보다 낮았다. " * 15


async def searched(open_knowledge, rows, query, k=1):
    knowledge = await open_knowledge()
    text = f"{HEAD}\n\n{TABLE}" + "\n".join(LINE.format(n) for n in range(rows)) + END
    document = await knowledge.add("a", "보고서.md", text.encode())
    await knowledge.wait("a", [document.id])
    found = (await knowledge.search("a", [query], k)).passages
    for passage in found:
        assert (await knowledge.text("a", document.id))[passage.start : passage.end] == passage.text
    return found, await knowledge.passages("a", document.id)


async def test_the_last_rows_come_with_the_first(open_knowledge):
    [found], stored = await searched(open_knowledge, 10, "생체량 정점 T0 T1 T2")
    cut = next(each for each in stored if "정점: T0" in each.text)
    assert "정점: T9" not in cut.text, "the table is cut"
    assert (found.id, found.start) == (cut.id, cut.start)
    assert found.text.split("\n")[-1].startswith("정점: T9 | "), "to the table's end, no further"


async def test_not_twice(open_knowledge):
    found, _ = await searched(open_knowledge, 10, "생체량 정점 T0 T1 T2 T8 T9", k=6)
    assert "\n".join(each.text for each in found).count("정점: T9") == 1


async def test_a_long_table_stays_cut(open_knowledge):
    [found], stored = await searched(open_knowledge, 40, "생체량 정점 T0 T1 T2")
    assert found.text in [each.text for each in stored]


FILLING = "다른 부서의 이야기로서 여기에서 찾는 것과는 아무 상관이 없는 말만 길게 적어 둔 대목이다. "
RULES = (
    "제1조(목적) 이 규정은 요금을 정한다.\n제2조(심사 요금) ① 심사 요금은 {0}와 같다. 먼저 낸 요금은 돌려주지 않는다. "
    + FILLING * 5
    + "\n제3조(적용) 규정을 적용한다. "
    + FILLING * 7
    + "\n\n{0} 금액\n구분 | 정기 | 신속\n구분: 갑 | 정기: 330원 | 신속: 210원\n구분: 을 | 정기: 280원 | 신속: 160원\n"
)


async def found_in(open_knowledge, files, query, k=6):
    knowledge = await open_knowledge()
    notes = {f"쪽지{n}.txt": f"{n}번 쪽지. {FILLING * n} 요금." for n in range(6)}
    ids = [(await knowledge.add("a", name, text.encode())).id for name, text in (files | notes).items()]
    await knowledge.wait("a", ids)
    return (await knowledge.search("a", [query], k)).passages


@pytest.mark.parametrize("name", ["별표 2", "제19조"])
async def test_the_part_that_an_article_refers_to_comes_with_it(open_knowledge, name):
    found = await found_in(
        open_knowledge, {"규정.txt": RULES.format(name)}, "심사 요금을 먼저 낸 뒤 돌려받나요? 을은 얼마"
    )
    assert found[0].text.startswith("제1조")
    assert any(each.text.startswith(f"{name} 금액") for each in found)


async def test_a_clause_that_another_names_by_its_number_comes_with_it(open_knowledge):
    other = "Nothing of this has to do with what somebody may want to know about those matters. "
    manual = f"4.1 Refunds of the charge follow clause 9.3 below. {other * 6}\n\n{other * 8}\n\n9.3 Ninety days."
    notes = {f"note{n}.txt": f"Note {n}: {other * (n + 1)} charge" for n in range(6)}
    found = await found_in(open_knowledge, {"manual.txt": manual} | notes, "Refunds of the charge")
    assert any("\n9.3 Ninety" in each.text for each in found)


async def test_the_rule_that_an_amendment_changes_comes_with_what_it_closes_with(open_knowledge):
    rules = f"제1조(목적) 정한다.\n{FILLING * 9}\n제28조(간접비) 몫은 25%로 한다.\n{FILLING * 9}"
    change = (
        f"# 연구 규정 일부개정\n{FILLING * 8}\n제28조 중 “25%”를 “30%”로 한다.\n{FILLING * 8}\n\n## 부칙\n"
        "2027년 1월 20일 뒤에 서명하는 계약의 간접비는 제28조의 개정 규정에 따른다."
    )
    files = {"연구_규정_2025.txt": rules, "연구_규정_일부개정_2026-07-13.md": change}
    found = await found_in(open_knowledge, files, "1월 20일 뒤에 서명하는 계약의 간접비는 얼마야?")
    assert any("제28조(간접비)" in each.text for each in found)


async def test_the_other_half_of_a_table_comes_rather_than_what_has_little_to_do_with_it(open_knowledge):
    rows = "\n".join(
        f"| V{n} | {n}주 | {n * 7} mL | 채혈과 심전도를 하고 설문지를 받은 다음 약을 내준다 |" for n in range(16)
    )
    table = f"# 방문\n\n| 방문 | 때 | 채혈량 | 하는 일 |\n|---|---|---|---|\n{rows}\n\n{FILLING * 9}"
    found = await found_in(open_knowledge, {"일정.md": table}, "V1 V2 방문 때 채혈량")
    assert {"V1", "V15"} <= {line.split(" | ")[0][4:] for each in found for line in each.text.split("\n")}


async def test_rows_of_one_log_have_half_of_the_places(open_knowledge):
    log = "번호,종류,내용\n" + "\n".join(
        f"{n},프린터,프린터 종이가 걸려 {n}번 자리에서 빼냈고 다시 켰다" for n in range(90)
    )
    notes = {f"안내{n}.txt": f"프린터 종이가 걸리면 {n}층 자리로 알린다." for n in range(4)}
    found = await found_in(open_knowledge, {"접수.csv": log} | notes, "프린터 종이가 걸려 빼냈다")
    assert [each.title for each in found].count("접수") == 3
    alone = await found_in(open_knowledge, {"접수2.csv": log}, "프린터 종이가 걸려 빼냈다 번호 종류 내용 접수2", k=4)
    assert len(alone) == 4
