"""Contracts that no template is for."""

import io

import docx
import pytest

from dure import Dure, Team
from dure.testing import ScriptedServer, call, say

LEASE = """# 상가 임대차계약서

## 제1조 (보증금)

보증금은 5천만원으로 한다.

## 제2조 (지급일)

월세는 매월 ____일에 낸다.
"""
NOTICE = {"ko": "검토된 양식 없이 쓴 것입니다", "en": "No checked template stands behind it"}


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_articles_of_the_models_own_are_the_same_two_files(ask, language):
    fields = {"title": "상가 임대차계약서", "text": LEASE}
    status, result = await ask("draft_contract", "en", template="plain", language=language, fields=fields)
    assert status == "ok"
    markdown, word = result.files
    assert [each.name for each in result.files] == ["상가-임대차계약서.md", "상가-임대차계약서.docx"]
    said = markdown.data.decode()
    assert said.startswith("# 상가 임대차계약서\n\n> ")
    assert said.count("# 상가 임대차계약서") == 1
    document = docx.Document(io.BytesIO(word.data))
    assert [each.text for each in document.paragraphs if each.style.name == "Heading 1"] == [
        "제1조 (보증금)",
        "제2조 (지급일)",
    ]
    assert NOTICE[language] in said
    assert NOTICE[language] in document.paragraphs[1].text
    assert "no checked template stands behind it" in result.text
    assert result.text.splitlines()[-1] == "- 월세는 매월 ____일에 낸다."
    assert (result.data["content"], result.data["gaps"]) == (said, ["월세는 매월 ____일에 낸다."])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "needs the fields title and text"),
        ({"title": "Lease", "text": " "}, "needs the fields title and text"),
        ({"text": LEASE}, "needs the fields title and text"),
        ({"title": "비밀유지 계약서", "text": LEASE}, "there is a template for it, nda"),
    ],
)
async def test_what_is_no_plain_draft_is_refused(ask, fields, said):
    status, result = await ask("draft_contract", "en", template="plain", language="ko", fields=fields)
    assert status == "error"
    assert said in result.text


async def test_a_lease_is_drafted_and_changed(tmp_path):
    team = Team(name="lawyers", kind="solo", description="x", agents=[Dure().teams["office"].agent("contract")])
    first = {"title": "상가 임대차계약서", "text": LEASE}
    steps = [
        *[
            call("draft_contract", template="임대차", language="ko", fields={"임대인": "편나래"}),
            call("contract_templates"),
        ],
        *[call("draft_contract", template="plain", language="ko", fields=first), say("초안입니다.")],
        call("draft_contract", template="plain", language="ko", fields={"text": LEASE.replace("5천", "6천")}),
        say("바꿨습니다."),
    ]
    given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native", "way": "direct"}
    async with ScriptedServer(*steps) as server, Dure(teams=[team], model_base_url=server.url, **given) as dure:
        made = await dure.chat("상가 임대차계약서 써줘", team="lawyers")
        session = made.metadata["thread_id"]
        changed = await dure.chat("보증금을 6천만원으로", team="lawyers", session_id=session)
        name, path = await dure.runs.artifact("default", changed.run_id, changed.metadata["artifacts"][0]["id"])
        assert name["name"] == "상가-임대차계약서.md", "its title stays"
        assert "6천만원" in path.read_text("utf-8")
    told = [m["content"] for m in server.requests[2]["messages"] if m["role"] == "tool"]
    assert "그 밖의 계약은 plain" in told[0]
    assert "- plain: 어느 양식에도 맞지 않는 계약을" in told[1]
    assert "as plain" in server.requests[0]["messages"][0]["content"]
