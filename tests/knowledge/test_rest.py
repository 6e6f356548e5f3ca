"""The rows that are left of a table come with those before them."""

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
