"""Search in some documents alone, over every database; why something was found; what is near a document."""

from datetime import UTC, date, datetime

import pytest

from dure.errors import NotFound
from dure.storage.documents import Only

ME = "me"
TODAY = datetime.now(UTC).date()
RULE = "연차휴가는 {}일이다. 신청은 사흘 전에 한다."


@pytest.fixture(params=[False, True], ids=["words", "meaning"])
async def knowledge(request, open_knowledge, embedder):
    knowledge = await open_knowledge(embedder if request.param else None)
    await knowledge.shelves.put("rules", ME, "editor")
    files = {
        "본사 - 규정.txt": (RULE.format(15), "personal"),
        "본사 - 인사 - 규정.md": (RULE.format(16), "personal"),
        "본사2 - 규정.txt": (RULE.format(17), "personal"),
        "100%_ - 규정.txt": (RULE.format(18), "rules"),
    }
    ids = [(await knowledge.add(ME, name, text.encode(), shelf)).id for name, (text, shelf) in files.items()]
    await knowledge.wait(ME, ids, embedded=True)
    return knowledge


async def found(knowledge, only, k=10):
    passages = (await knowledge.search(ME, ["연차휴가 며칠"], k, only)).passages
    return sorted(passage.text[6:8] for passage in passages)


@pytest.mark.parametrize(
    ("only", "days"),
    [
        (Only(), ["15", "16", "17", "18"]),
        (Only(kind="markdown"), ["16"]),
        (Only(kind="pdf"), []),
        (Only(folder="본사"), ["15", "16"]),
        (Only(folder="본사/인사"), ["16"]),
        (Only(folder="본사", kind="text"), ["15"]),
        (Only(folder="%"), []),
        (Only(folder="100%_"), ["18"]),
        (Only(shelf="rules"), ["18"]),
        (Only(shelf="personal"), ["15", "16", "17"]),
        (Only(shelf="rules", folder="본사"), []),
        (Only(since=TODAY), ["15", "16", "17", "18"]),
        (Only(since=date(9999, 1, 1)), []),
        (Only(until=date(2000, 1, 1)), []),
        (Only(until=TODAY), ["15", "16", "17", "18"]),
    ],
)
async def test_only_some(knowledge, only, days):
    assert await found(knowledge, only) == days


async def test_a_filter_makes_up_for_what_it_leaves_out(knowledge):
    for n in range(60):
        await knowledge.add(ME, f"{n}.txt", f"연차휴가는 며칠 연차휴가 며칠 {n}".encode())
    await knowledge.wait(ME, [d.id for d in await knowledge.list(ME)], embedded=True)
    assert await found(knowledge, Only(folder="본사/인사"), k=1) == ["16"]


async def test_no_filter_leads_to_what_is_anothers(knowledge):
    with pytest.raises(NotFound):
        await knowledge.search("lee", ["연차휴가"], only=Only(shelf="rules"))
    for only in (Only(kind="text"), Only(folder="본사"), Only(since=date(2000, 1, 1)), Only(shelf="personal")):
        assert (await knowledge.search("lee", ["연차휴가 며칠"], only=only)).passages == []


async def test_why(knowledge):
    text = "# 경비\n\n## 출장 숙박\n\n" + "하루 구만원까지 쓴다. 영수증을 낸다.\n\n" * 30
    document = await knowledge.add(ME, "숙박비.md", text.encode())
    await knowledge.wait(ME, [document.id], embedded=True)
    told = (await knowledge.search(ME, ["출장 숙박 영수증"])).as_dict()["passages"]
    told = [each for each in told if each["document_id"] == document.id]
    assert len(told) > 1
    for each in told:
        assert each["why"]["words"] > 0
        assert each["why"]["context"] is not each["text"].startswith("#"), "later passages stand under the heading"
        assert (each["why"]["meaning"] != 0) is (knowledge.embedder is not None)
    assert (await knowledge.search(ME, [" "])).as_dict() == {"passages": [], "evidence": 0.0}


async def test_nearest_documents(knowledge):
    for name, text in {"a.txt": "장비 대여는 총무팀에 신청한다.", "b.txt": "장비 대여 신청은 총무팀이 받는다."}.items():
        await knowledge.add(ME, name, text.encode())
    await knowledge.add("lee", "c.txt", "장비 대여는 총무팀에 신청한다. 비밀이다.".encode())
    by_name = {d.name: d.id for d in await knowledge.wait(ME, [d.id for d in await knowledge.list(ME)], embedded=True)}
    near = await knowledge.nearest_documents(ME, by_name["a.txt"], 2)
    assert near[0][0].name == "b.txt"
    assert "총무팀" in near[0][1].text
    assert len(near) <= 2
    assert all(document.id != by_name["a.txt"] for document, _ in near)
    with pytest.raises(NotFound):
        await knowledge.nearest_documents("lee", by_name["a.txt"])
