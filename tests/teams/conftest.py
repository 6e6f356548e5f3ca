"""A scripted model for the team `papers`, and how it is asked."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from dure import Dure
from dure.events import Routed
from dure.runs import Answer
from dure.testing import Step, json, say

Ask = Callable[..., Awaitable[tuple[Answer, list[str]]]]

SEARCH: dict[str, Any] = {
    "queries": ["attention is all you need"],
    **dict.fromkeys(("year_from", "year_to", "author", "venue", "field")),
}
RECALL = {
    "term_ko": "두레질",
    "term_en": "durejil",
    "aliases": [],
    "field": "nlp",
    "easy_ko": "함께 일하는 것입니다.",
    "easy_en": "Working together.",
    "expert_ko": "여러 에이전트가 일을 나누는 방식이다.",
    "expert_en": "A way of dividing work among agents.",
}


class Scholar:
    """Fills in the forms of the stages, takes notes of the parts of long texts, and writes `words`.

    sql: its queries, in order; search: what it puts into the form of a search. `asked`: the fields of each form, or
    "write"; `tasks` and `given`: the system text and the last message of each time that it wrote or noted something.
    """

    def __init__(
        self, words: str = "답입니다 [1].", *, notes: str = "메모", sql: Iterable[str] = (), **search: Any
    ) -> None:
        self.words, self.notes, self.sql = words, notes, iter(sql)
        self.search = SEARCH | search
        self.asked: list[str] = []
        self.tasks: list[str] = []
        self.given: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Step:
        form = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
        self.asked.append(",".join(form) or "write")
        if "tools" in form:
            return json({"tools": form["tools"]["enum"][0]})
        if "queries" in form:
            return json(self.search)
        if "sql" in form:
            return json({"sql": next(self.sql)})
        if "term_ko" in form:
            return json(RECALL)
        task = body["messages"][0]["content"]
        self.tasks.append(task)
        self.given.append(body["messages"][-1]["content"])
        return say(self.notes if task.startswith("Note what") else self.words)


@pytest.fixture
def make_scholar() -> type[Scholar]:
    return Scholar


@pytest.fixture
def ask() -> Ask:
    """`answer, agents = await ask(dure, "…", level="easy")`: what team `papers` says, and who was chosen."""

    async def answered(dure: Dure, message: str, **options: Any) -> tuple[Answer, list[str]]:
        events = [e async for e in dure.stream(message, team="papers", **options)]
        answer = await dure.runs.answer("default", events[0].run_id)
        return answer, next(e.agents for e in events if isinstance(e, Routed))

    return answered
