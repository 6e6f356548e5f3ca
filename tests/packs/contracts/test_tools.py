import io
import sys
from typing import Any, cast

import docx
import orjson
import pytest

from dure.messages import ToolCall
from dure.packs.contracts.template import NAMES, templates
from dure.packs.contracts.tools import TOOLS
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import run_call


def test_the_tools_only_make_files_of_the_runs_own():
    assert [(each.name, each.effect) for each in TOOLS] == [
        ("contract_templates", "read"),
        ("draft_contract", "read"),
    ]


async def test_templates_are_listed(ask):
    status, result = await ask("contract_templates")
    assert status == "ok"
    assert "- nda: 비밀유지계약서. " in result.text
    assert "필수 항목: kind, party_a, party_b, purpose, effective_date, term" in result.text
    assert [each["name"] for each in result.data["templates"]] == list(NAMES)
    assert result.text.splitlines()[-1] == (await ask("contract_templates", template="plain"))[1].text


@pytest.mark.parametrize("name", NAMES)
async def test_fields_of_a_template_are_told(ask, name):
    for language in ("ko", "en"):
        status, result = await ask("contract_templates", language, template=name)
        assert status == "ok"
        for field in templates()[name].fields.values():
            assert f"- {field.name} (" in result.text
            assert field.help[language] in result.text
        assert len(result.text) < 6000
    assert "(one of mutual, one_way; required)" in (await ask("contract_templates", "en", template="nda"))[1].text


async def test_the_articles_are_told_before_a_draft_and_with_it(ask, fields):
    """Whoever wants a clause that stands there already is told so."""
    listed = (await ask("contract_templates", template="employment"))[1]
    assert "늘 들어가는 조항: 계약 기간, 근무 장소, " in listed.text
    assert ", 비밀유지, " in listed.text
    _, korean = await ask("draft_contract", template="employment", language="ko", fields=fields("employment"))
    assert "(총 14개 조: 제1조 (계약 기간), 제2조 (근무 장소), " in korean.text
    assert "제10조 (비밀유지)" in korean.text
    _, english = await ask("draft_contract", "en", template="employment", language="en", fields=fields("employment"))
    assert "(14 articles: Article 1. Term, " in english.text


@pytest.mark.parametrize("name", ["NDA", "비밀유지계약서", "비밀유지 계약", "Non-Disclosure Agreement"])
async def test_templates_have_other_names(ask, name):
    assert (await ask("contract_templates", template=name))[1].data["name"] == "nda"


@pytest.mark.parametrize("tool", ["contract_templates", "draft_contract"])
async def test_an_unknown_template_is_told_with_the_nearest(ask, tool):
    more = {"language": "ko", "fields": {}} if tool == "draft_contract" else {}
    status, result = await ask(tool, template="emploiment", **more)
    assert status == "error"
    there = "있는 양식: nda, service, employment, 그 밖의 계약은 plain"
    expected = f"'emploiment' 양식은 없습니다. 'employment'을(를) 뜻했나요? {there}"
    assert result.text == expected
    status, result = await ask(tool, "en", template="x" * 10_000 + "\n", **more)
    assert status == "error"
    assert len(result.text) < 300


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", NAMES)
async def test_a_complete_contract_is_made_as_two_files(ask, fields, name, language):
    status, result = await ask(
        "draft_contract", language, template=name, language=language, fields=fields(name, language)
    )
    assert status == "ok", result.text
    markdown, word = result.files
    assert (markdown.media_type, word.name) == ("text/markdown", markdown.name.removesuffix(".md") + ".docx")
    title = templates()[name].title[language]
    assert markdown.data.decode().startswith(f"# {title}\n")
    assert docx.Document(io.BytesIO(word.data)).paragraphs[0].text == title
    assert markdown.name in result.text
    assert ("초안이며 법률 자문이 아닙니다" if language == "ko" else "a draft and no legal advice") in result.text
    assert (result.data["missing"], result.data["wrong"]) == ([], [])
    assert result.data["files"] == [markdown.name, word.name]
    assert any("필수 조항" in each or "required clauses" in each for each in result.data["checks"])


async def test_the_contract_and_the_talk_may_differ_in_language(ask, fields):
    _, result = await ask("draft_contract", "ko", template="service", language="en", fields=fields("service", "en"))
    assert result.files[0].data.decode().startswith("# Service Agreement\n")
    assert "용역계약서 초안을 만들었습니다: service-Acme-Ltd-Bolt-LLC.md" in result.text


async def test_all_that_was_said_is_told_again_of_what_the_contract_says(ask, fields):
    _, result = await ask("draft_contract", template="nda", language="ko", fields=fields("nda", penalty="5,000만원"))
    assert "\n- 위약금: 50,000,000원" in result.text
    assert result.text.count("관할 법원") == 1, "a default is told as one alone"


async def test_what_is_missing_is_asked_for(ask, fields):
    given = fields("nda", party_b="OOO", term=None, purpose={"a": 1}, effective_date="내일")
    status, result = await ask("draft_contract", template="nda", language="ko", fields=given)
    assert status == "ok"
    assert result.files == []
    assert result.text == (
        "계약서를 만들지 않았습니다(비밀유지계약서). 값을 지어내지 말고 아래를 사용자에게 물어보세요.\n\n"
        "빠진 항목:\n"
        "- 을 (party_b): 둘째 당사자. 일방 계약에서는 정보를 받는 쪽\n"
        "- 계약 기간 (term): 비밀정보를 주고받는 기간, 예: 1년\n\n"
        "고칠 항목:\n"
        "- 이용 목적 (purpose): 글이어야 합니다\n"
        "- 효력 발생일 (effective_date): '내일'은 연월일이 분명한 날짜가 아닙니다"
        "(예: 2026-03-01, 2026년 3월 1일)"
    )
    assert [each["field"] for each in result.data["missing"]] == ["party_b", "term"]
    assert [each["field"] for each in result.data["wrong"]] == ["purpose", "effective_date"]


@pytest.mark.parametrize("name", NAMES)
async def test_with_nothing_given_everything_required_is_asked_for(ask, name):
    _, result = await ask("draft_contract", "en", template=name, language="en", fields={})
    required = [each.name for each in templates()[name].fields.values() if each.required]
    assert [each["field"] for each in result.data["missing"]] == required
    assert result.text.startswith("No contract was made")


async def test_an_unknown_field_is_told_with_the_nearest(ask, fields):
    given = fields("nda") | {"efective_date": "2026-01-01", "x\n# y": 1}
    _, result = await ask("draft_contract", "en", template="nda", language="ko", fields=given)
    reasons = {each["field"]: each["reason"] for each in result.data["wrong"]}
    assert reasons["efective_date"] == "the template has no such field; did you mean 'effective_date'?"
    assert "x # y" in reasons


async def test_fields_may_be_named_by_their_labels(ask, fields):
    given = fields("nda", purpose=None) | {"이용 목적": "공동 개발"}
    _, result = await ask("draft_contract", template="nda", language="ko", fields=given)
    assert "공동 개발" in result.files[0].data.decode()
    given["purpose"] = "다른 목적"
    _, result = await ask("draft_contract", template="nda", language="ko", fields=given)
    assert result.data["wrong"][0]["reason"] == "두 번 주어졌습니다"


async def test_defaults_are_told_and_nothing_else_is_filled_in(ask, fields):
    _, result = await ask(
        "draft_contract", template="nda", language="ko", fields=fields("nda", survival="5년", law="TBD")
    )
    assumed = {each["field"]: each["value"] for each in result.data["assumed"]}
    assert assumed == {"return_days": "14", "law": "대한민국 법", "court": "서울중앙지방법원"}
    assert "- 관할 법원: 서울중앙지방법원" in result.text
    assert "값이 아니어서 쓰지 않은 항목: 준거법" in result.text
    assert "위약금" not in result.files[0].data.decode()


@pytest.mark.parametrize(
    ("first", "second", "stem"),
    [
        ("에이컴퍼니", "비컴퍼니", "nda-에이컴퍼니-비컴퍼니"),
        ("../../etc/passwd", "C:\\x\\y.exe", "nda-etc-passwd-C-x-y-exe"),
        ("(주)두레 & 벗", "A/B <c>|?*", "nda-두레-벗-A-B-c"),
        ("!!!1", "가" * 100, "nda-1-" + "가" * 30),
    ],
)
async def test_file_names_are_safe_and_telling(ask, fields, first, second, stem):
    given = fields("nda", party_a=first, party_b=second)
    _, result = await ask("draft_contract", template="nda", language="ko", fields=given)
    assert [each.name for each in result.files] == [f"{stem}.md", f"{stem}.docx"]
    assert all(len(each.name.encode()) < 250 for each in result.files)


@pytest.mark.parametrize(
    "fields",
    [
        {f"field{at}": "x" * 1000 for at in range(5000)},
        {"purpose": "[" * 20_000, "party_a": {"name": "<" * 100_000}},
        {"scope": ["x" * 300] * 10_000, "term": "1년 " * 100_000},
        {"purpose": eval("[" * 90 + "]" * 90)},
        {"party_a": {f"k{at}": "v" for at in range(10_000)}},
        {"penalty": "9" * 100_000, "effective_date": "2026-" * 50_000},
    ],
)
async def test_enormous_input_gets_a_short_answer(ask, fields):
    status, result = await ask("draft_contract", template="nda", language="ko", fields=fields)
    assert status == "ok"
    assert len(result.text) < 10_000
    assert len(orjson.dumps(result.data)) < 100_000


async def test_wrong_shapes_are_told_by_the_schema(ask):
    for bad in ({"fields": "x"}, {"language": "fr"}, {"template": 3}, {"more": 1}):
        args = {"template": "nda", "language": "ko", "fields": {}} | bad
        status, result = await ask("draft_contract", **args)
        assert status == "error"
        assert "인자가 맞지 않아" in result.text


def test_importing_the_tools_loads_no_machinery():
    import subprocess

    heavy = ("docx", "lxml", "dure.packs.contracts.document")
    code = f"import sys, dure.packs.contracts.tools; print([each for each in {heavy} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Drafted:
    """Stands for the run: what its drafts found."""

    def __init__(self) -> None:
        self.datas: list[dict[str, Any]] = []

    async def found(self, tool: str) -> list[dict[str, Any]]:
        return self.datas[::-1]

    async def draft(self, **fields: Any) -> ToolResult:
        call = ToolCall("draft_contract", {"template": "service", "language": "ko", "fields": fields})
        context = ToolContext("kim", run=cast("Any", self))
        result = await run_call({each.name: each for each in TOOLS}, call, context)
        self.datas.append(result.data)
        return result


async def test_a_draft_that_is_changed_keeps_what_was_said_before(fields):
    said, run = fields("service"), Drafted()
    wrong = await run.draft(**said | {"late_rate": 6, "end_date": "그때쯤"})
    assert [each["field"] for each in wrong.data["wrong"]] == ["end_date"]
    whole = await run.draft(end_date=said["end_date"])
    assert whole.data["files"], whole.text
    changed = await run.draft(fee="420만원", provider={"address": "부산시 중구 1"}, payments=None)
    assert "4,200,000원" in changed.text
    assert "지난 초안에서 그대로 둔 항목: " in changed.text
    given = changed.data["given"]
    assert (given["late_rate"], given["provider"]) == (6, {"name": "비컴퍼니", "address": "부산시 중구 1"})
    assert "payments" not in given
    without = await run.draft(late_rate=None)
    assert without.data["files"]
    assert "late_rate" not in without.data["given"]


async def test_of_a_draft_of_other_parties_nothing_is_kept(fields):
    run = Drafted()
    await run.draft(**fields("service"))
    other = await run.draft(client="에이컴퍼니", provider="씨컴퍼니", fee="100만원")
    assert "project" in [each["field"] for each in other.data["missing"]]
