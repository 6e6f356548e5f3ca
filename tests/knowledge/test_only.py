"""Search in some documents alone, over every database; why something was found; what is near a document."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from dure.errors import Forbidden, InvalidInput, NotFound
from dure.storage.only import Only

ME = "me"
TODAY = datetime.now(UTC).date()
MAIL = "Subject: x\nFrom: Kim Dure <kim@example.com>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n"
MAIL += "연차휴가는 19일이다. 신청은 사흘 전에 한다."
RULE = "연차휴가는 {}일이다. 신청은 사흘 전에 한다."
SOME = [
    (Only(), ["15", "16", "17", "18", "19"]),
    (Only(kind="markdown"), ["16"]),
    (Only(kind="pdf"), []),
    (Only(folder="본사"), ["15", "16"]),
    (Only(folder="본사/인사"), ["16"]),
    (Only(folder="본사", kind="text"), ["15"]),
    (Only(folder="%"), []),
    (Only(folder="100%_"), ["18"]),
    (Only(shelf="rules"), ["18"]),
    (Only(shelf="personal"), ["15", "16", "17", "19"]),
    (Only(shelf="rules", folder="본사"), []),
    (Only(since=TODAY), ["15", "16", "17", "18", "19"]),
    (Only(since=date(9999, 1, 1)), []),
    (Only(until=date(2000, 1, 1)), []),
    (Only(until=TODAY + timedelta(days=1)), ["15", "16", "17", "18", "19"]),
    (Only(tag="hr rules"), ["15", "18"]),
    (Only(tag="HR Rules", shelf="personal"), ["15"]),
    (Only(tag="rules"), []),
    (Only(tag="%"), []),
    (Only(tag=""), []),
    (Only(author="kim dure"), ["19"]),
    (Only(author="dure", kind="text"), []),
    (Only(author="_"), []),
]


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
    tags = {"본사 - 규정.txt": ["HR  Rules", "100%"], "100%_ - 규정.txt": ["hr rules"], "본사2 - 규정.txt": ["hr"]}
    ids = [
        (await knowledge.add(ME, name, text.encode(), shelf, tags.get(name))).id
        for name, (text, shelf) in files.items()
    ]
    ids.append((await knowledge.add(ME, "메일.eml", MAIL.encode())).id)
    await knowledge.wait(ME, ids, embedded=True)
    return knowledge


async def found(knowledge, only, k=10):
    passages = (await knowledge.search(ME, ["연차휴가 며칠"], k, only)).passages
    return sorted(re.search(r"연차휴가는 (\d+)일", passage.text)[1] for passage in passages)


async def test_only_some(knowledge):
    assert [(only, await found(knowledge, only)) for only, _ in SOME] == SOME


async def test_a_filter_makes_up_for_what_it_leaves_out(knowledge):
    text = "\n\n".join(f"# {n}장\n\n{'연차휴가는 며칠 연차휴가 며칠. ' * 60}" for n in range(60))
    better = await knowledge.add(ME, "물음.md", text.encode())
    (better,) = await knowledge.wait(ME, [better.id], embedded=True)
    assert better.passages >= 60
    assert await found(knowledge, Only(folder="본사/인사"), k=1) == ["16"]


async def test_no_filter_leads_to_what_is_anothers(knowledge):
    with pytest.raises(NotFound):
        await knowledge.search("lee", ["연차휴가"], only=Only(shelf="rules"))
    for only in (
        Only(tag="hr rules"),
        Only(author="kim"),
        Only(kind="text"),
        Only(folder="본사"),
        Only(since=date(2000, 1, 1)),
        Only(shelf="personal"),
    ):
        assert (await knowledge.search("lee", ["연차휴가 며칠"], only=only)).passages == []


async def test_tags_are_changed_and_kept_by_the_next_version(knowledge):
    (document,) = [each for each in await knowledge.list(ME) if each.name == "본사 - 규정.txt"]
    assert document.tags == ["hr rules", "100%"]
    assert (await knowledge.tag(ME, document.id, ["내규", " 내규 ", "", "A\nB"])).tags == ["내규", "a b"]
    assert await found(knowledge, Only(tag="a b")) == ["15"]
    assert await found(knowledge, Only(tag="100%")) == []
    newer = await knowledge.add(ME, document.name, RULE.format(25).encode())
    await knowledge.wait(ME, [newer.id], embedded=True)
    assert await found(knowledge, Only(tag="내규")) == ["25"]
    same = await knowledge.add(ME, document.name, RULE.format(25).encode(), tags=["새"])
    assert (same.id, same.tags) == (newer.id, ["새"])


async def test_tags_that_cannot_be(knowledge):
    document = (await knowledge.list(ME))[0]
    for tags in (["가" * 101], list(map(str, range(51)))):
        with pytest.raises(InvalidInput):
            await knowledge.tag(ME, document.id, tags)
    with pytest.raises(NotFound):
        await knowledge.tag("lee", document.id, ["x"])
    shelved = next(each for each in await knowledge.list(ME) if each.shelf == "rules")
    await knowledge.shelves.put("rules", "lee", "reader")
    with pytest.raises(Forbidden):
        await knowledge.tag("lee", shelved.id, ["x"])


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
