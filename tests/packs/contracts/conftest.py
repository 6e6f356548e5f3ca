from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import Any

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from dure.messages import ToolCall
from dure.packs.contracts.tools import TOOLS
from dure.tooling import ToolContext, ToolResult
from dure.toolsets import run_call

KOREAN: dict[str, dict[str, Any]] = {
    "nda": {
        "kind": "상호",
        "party_a": {"name": "주식회사 에이컴퍼니", "representative": "김하늘", "address": "서울시 중구 을지로 1"},
        "party_b": {"name": "비컴퍼니", "registration_number": "124-81-00998"},
        "purpose": "공동 연구 가능성의 검토",
        "effective_date": "2026년 3월 1일",
        "term": "1년 6개월",
    },
    "service": {
        "client": "에이컴퍼니",
        "provider": "비컴퍼니",
        "project": "사내 포털 개편",
        "scope": ["화면 설계", "개발과 시험"],
        "start_date": "2026-03-02",
        "end_date": "2026.6.30.",
        "fee": "3,000만원",
        "vat": "별도",
        "payments": [
            {"name": "계약금", "amount": "1,000만원", "due": "계약 체결 후 7일 이내"},
            {"name": "잔금", "amount": "2천만 원", "due": "검수 완료 후"},
        ],
    },
    "employment": {
        "employer": {"name": "(주)두레", "address": "서울시 중구 을지로 1"},
        "employee": "박바다",
        "start_date": "2026-03-02",
        "workplace": "본사 3층",
        "duties": "웹 서비스 개발",
        "work_days": "월요일부터 금요일까지",
        "days_per_week": 5,
        "work_start": "09:00",
        "work_end": "오후 6시",
        "break_minutes": 60,
        "weekly_holiday": "매주 일요일",
        "wage_basis": "월급",
        "wage": "300만원",
        "wage_parts": [{"name": "기본급", "amount": "2,800,000원"}, {"name": "식대", "amount": "20만원"}],
        "pay_day": 25,
    },
}
ENGLISH: dict[str, dict[str, Any]] = {
    "nda": KOREAN["nda"]
    | {
        "kind": "one-way",
        "party_a": "Acme Ltd",
        "party_b": "Bolt LLC",
        "purpose": "evaluating a joint product",
        "effective_date": "1 March 2026",
        "term": "two years",
    },
    "service": KOREAN["service"]
    | {
        "client": "Acme Ltd",
        "provider": "Bolt LLC",
        "project": "Redesign of the portal",
        "scope": ["design", "development"],
        "fee": "USD 12,000",
        "payments": ["Deposit: USD 4,000", {"name": "Rest", "amount": "$8,000", "due": "on acceptance"}],
    },
    "employment": KOREAN["employment"] | {"wage": "KRW 3,000,000", "wage_basis": "monthly", "work_end": "6 pm"},
}


def tree(markdown: str) -> BeautifulSoup:
    """What a reader of Markdown sees."""
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    return BeautifulSoup(html, "html.parser")


def tables(markdown: str) -> list[list[tuple[str, ...]]]:
    """The cells of its tables, row by row."""
    rows = [table.find_all("tr") for table in tree(markdown).find_all("table")]
    return [[tuple(cell.get_text() for cell in row.find_all(["th", "td"])) for row in each] for each in rows]


Ask = Callable[..., Awaitable[tuple[str, ToolResult]]]


@pytest.fixture
def fields() -> Callable[..., dict[str, Any]]:
    """A template's fields, complete and right; keyword arguments replace single ones, None takes one out."""

    def given(template: str, language: str = "ko", **changed: Any) -> dict[str, Any]:
        found = deepcopy({"ko": KOREAN, "en": ENGLISH}[language][template]) | changed
        return {name: each for name, each in found.items() if each is not None}

    return given


@pytest.fixture
def ask() -> Ask:
    """Call a tool as an agent does: `status, result = await ask("draft_contract", speaks="en", template=…)`."""
    tools = {each.name: each for each in TOOLS}

    async def call(name: str, speaks: str = "ko", **args: Any) -> tuple[str, ToolResult]:
        result = await run_call(tools, ToolCall(name, args), ToolContext("kim", language=speaks))
        return result.status, result

    return call
