"""The note that a mark stands for comes with the passage that has the mark."""

import pytest

FILL = "배관과 펌프는 분기마다 한 번 살펴보고 그 결과를 대장에 적는다. " * 9


async def found(open_knowledge, name: str, data: bytes, query: str, k: int = 2):
    knowledge = await open_knowledge()
    document = await knowledge.add("a", name, data)
    await knowledge.wait("a", [document.id])
    return (await knowledge.search("a", [query], k)).passages


MARKDOWN = (
    "# 탱크\n\n염소 농도는 0.4 ppm 이하이다.[^1]\n\n{0}\n\n## 기록\n\n{0}\n\n"
    "[^1]: 새 필터를 단 날에는 0.6 ppm까지 둔다.\n"
)
HTML = (
    "<p>염소 농도는 0.4 ppm 이하이다.<sup><a href='#n1'>1</a></sup> 넓이는 9 m<sup>2</sup>이다.</p><p>{0}</p><p>{0}</p>"
    "<ol><li id='n1'>새 필터를 단 날에는 0.6 ppm까지 둔다.</li></ol>"
)


STAR = "염소 농도: 0.4 ppm 이하* | 온도: 30도\n{0}\n{0}\n* 새 필터를 단 날에는 0.6 ppm까지 둔다."


@pytest.mark.parametrize(("name", "text"), [("탱크.md", MARKDOWN), ("탱크.html", HTML), ("탱크.txt", STAR)])
async def test_a_note_comes_with_its_mark(open_knowledge, name: str, text: str) -> None:
    first, second = await found(open_knowledge, name, text.format(FILL).encode(), "염소 농도")
    assert "0.4 ppm 이하" in first.text
    assert "0.6 ppm까지" in second.text
    assert "0.6 ppm" not in first.text


async def test_a_power_is_no_mark(open_knowledge) -> None:
    text = HTML.replace("이하이다.<sup><a href='#n1'>1</a></sup>", "이하이다.").format(FILL)
    for each in (text, STAR.replace("이하*", "*이하*")):
        passages = await found(open_knowledge, "탱크.html", each.format(FILL).encode(), "염소 농도")
        assert "농도" in passages[0].text
        assert not any("0.6 ppm" in passage.text for passage in passages)
