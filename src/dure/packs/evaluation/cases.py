"""A user's evaluation set: one question a line, as JSON, with what is expected of it.

    {"question": "연차는 며칠이야?", "agents": ["rag_agent"], "answer": {"number": 15, "cites": "인사규정.txt"}}

| key | |
|---|---|
| `question` | the message |
| `history` | turns before it: `[{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]` |
| `team`, `level` | who is asked, and how; else the command's choice |
| `agents` or `pipeline` | who has to be chosen, in this order; `[]`: the team answers itself |
| `also` | other pipelines that are right too |
| `tools` | calls that have to be made, the given arguments equal: `[{"name": "calculate", "args": {…}}]` |
| `documents` | names of documents that have to be among what is found |
| `answer` | `contains` (a text or several), `regex`, `number` (in any writing), `cites` (a document or several) |
| `id`, `note` | kept for the results |
| `language` | `ko` or `en`, for whoever reads the file |
"""

import re
import unicodedata
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, cast

import orjson

from dure.errors import InvalidInput, Text
from dure.messages import Message

Json = dict[str, Any]
_ABOUT = {"id", "note", "language"}
_KEYS = _ABOUT | {"question", "history", "team", "level", "agents", "pipeline", "also", "tools", "documents", "answer"}
_CHECKS = frozenset({"contains", "regex", "number", "cites"})


class EvaluationFileError(InvalidInput):
    """A line of a user's evaluation set is wrong."""

    code = "evaluation_file"
    ko = "평가 파일 {file}의 {line}번째 줄: {reason}"
    en = "Evaluation file {file}, line {line}: {reason}"


@dataclass(slots=True)
class Expected:
    """What an answer has to be like; empty lists and None ask for nothing."""

    contains: list[str] = field(default_factory=list)
    regex: re.Pattern[str] | None = None
    number: Decimal | None = None
    cites: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Case:
    """A line of the set. None: nothing is expected there."""

    line: int
    question: str
    id: str = ""
    note: str = ""
    history: list[Message] = field(default_factory=list)
    team: str | None = None
    level: str | None = None
    pipelines: list[list[str]] | None = None
    """Those that are right; the first is the wanted one."""
    tools: list[Json] | None = None
    documents: list[str] | None = None
    answer: Expected | None = None


def read_cases(path: Path) -> list[Case]:
    """The cases of a JSON Lines file; blank lines and lines that begin with `#` are skipped.

    Raises EvaluationFileError naming the first wrong line, InvalidInput for a file that cannot be read or holds none.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(reason=f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(
            reason=Text(
                f"{path}: not UTF-8 (byte {error.start})", ko=f"{path}: UTF-8이 아닙니다({error.start}번째 바이트)"
            )
        ) from None
    cases = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                cases.append(_case(number, orjson.loads(line)))
            except _Wrong as error:
                raise EvaluationFileError(file=path.name, line=number, reason=error.reason) from None
            except orjson.JSONDecodeError as error:
                raise EvaluationFileError(file=path.name, line=number, reason=str(error)) from None
    if not cases:
        raise InvalidInput(reason=Text(f"{path}: no cases", ko=f"{path}: 평가할 질문이 없습니다"))
    return cases


def plain(text: str) -> str:
    """Text as it is compared: composed (Hangul may come in parts), without case, spaces made one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class _Wrong(Exception):
    """What is wrong with a line."""

    def __init__(self, en: str, ko: str) -> None:
        self.reason = Text(en, ko=ko)


def _case(number: int, value: Any) -> Case:
    if not isinstance(value, dict):
        raise _Wrong("an object is expected", "객체여야 합니다")
    unknown = sorted(set(value) - _KEYS)
    if unknown:
        raise _Wrong(
            f"unknown key '{unknown[0]}'; known: {', '.join(sorted(_KEYS))}",
            f"'{unknown[0]}'은(는) 없는 키입니다. 있는 것: {', '.join(sorted(_KEYS))}",
        )
    question = value.get("question")
    if not isinstance(question, str) or not question.strip():
        raise _Wrong("question: a text is expected", "question: 글이어야 합니다")
    if "agents" in value and "pipeline" in value:
        raise _Wrong(
            "agents and pipeline are two names of one thing: give one of them",
            "agents와 pipeline은 같은 것이니 하나만 쓰세요",
        )
    return Case(
        line=number,
        question=question,
        id=str(value.get("id", "")),
        note=str(value.get("note", "")),
        history=_history(value.get("history", [])),
        team=_text(value, "team"),
        level=_text(value, "level"),
        pipelines=_pipelines(value),
        tools=_tools(value.get("tools")),
        documents=None if value.get("documents") is None else _texts("documents", value["documents"]),
        answer=None if value.get("answer") is None else _expected(value["answer"]),
    )


def _text(value: Json, key: str) -> str | None:
    found = value.get(key)
    if found is not None and (not isinstance(found, str) or not found):
        raise _Wrong(f"{key}: a text is expected", f"{key}: 글이어야 합니다")
    return found


def _texts(key: str, value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(each, str) and each for each in texts):
        raise _Wrong(f"{key}: a text or a list of texts is expected", f"{key}: 글이나 글의 목록이어야 합니다")
    return texts


def _history(value: Any) -> list[Message]:
    roles = ("user", "assistant")
    for turn in value if isinstance(value, list) else [None]:
        if not isinstance(turn, dict) or set(turn) != {"role", "content"}:
            raise _Wrong(
                'history: a list of {"role", "content"} is expected', 'history: {"role", "content"}의 목록이어야 합니다'
            )
        if turn["role"] not in roles or not isinstance(turn["content"], str):
            raise _Wrong(
                "history: the role is user or assistant, the content a text",
                "history: role은 user나 assistant, content는 글이어야 합니다",
            )
    return cast("list[Message]", value)


def _pipelines(value: Json) -> list[list[str]] | None:
    key = "agents" if "agents" in value else "pipeline"
    wanted = value.get(key)
    if wanted is None:
        if "also" in value:
            raise _Wrong("also: needs agents beside it", "also: agents와 함께 써야 합니다")
        return None
    others = value.get("also", [])
    if not isinstance(others, list):
        raise _Wrong("also: a list of lists of agents is expected", "also: 에이전트 목록의 목록이어야 합니다")
    # One agent may be written as a text; in `also` a list of texts is as many pipelines of one agent.
    found = [[each] if isinstance(each, str) else each for each in [wanted, *others]]
    if not all(isinstance(each, list) and all(isinstance(a, str) and a for a in each) for each in found):
        raise _Wrong(f"{key}: a list of agents' names is expected", f"{key}: 에이전트 이름의 목록이어야 합니다")
    return found


def _tools(value: Any) -> list[Json] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value:
        raise _Wrong("tools: a list of calls is expected", "tools: 호출의 목록이어야 합니다")
    found = []
    for each in value:
        call = {"name": each} if isinstance(each, str) else each
        if not isinstance(call, dict) or not isinstance(call.get("name"), str) or set(call) - {"name", "args"}:
            raise _Wrong('tools: each is {"name", "args"}', 'tools: 하나하나가 {"name", "args"}여야 합니다')
        if not isinstance(call.get("args", {}), dict):
            raise _Wrong("tools: args is an object", "tools: args는 객체여야 합니다")
        found.append({"name": call["name"], "args": call.get("args", {})})
    return found


def _expected(value: Any) -> Expected:
    if not isinstance(value, dict) or not value or set(value) - _CHECKS:
        raise _Wrong(
            f"answer: an object with some of {', '.join(sorted(_CHECKS))} is expected",
            f"answer: {', '.join(sorted(_CHECKS))} 중에서 담은 객체여야 합니다",
        )
    expected = Expected()
    if "contains" in value:
        expected.contains = _texts("answer.contains", value["contains"])
    if "cites" in value:
        expected.cites = _texts("answer.cites", value["cites"])
    if "regex" in value:
        try:
            expected.regex = re.compile(value["regex"])
        except (re.error, TypeError, RecursionError, OverflowError) as error:
            raise _Wrong(f"answer.regex: {error}", f"answer.regex: {error}") from None
    if "number" in value:
        expected.number = _number(value["number"])
    return expected


def _number(value: Any) -> Decimal:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InvalidOperation
        number = Decimal(str(value).replace(",", ""))
    except InvalidOperation:
        raise _Wrong("answer.number: a number is expected", "answer.number: 수여야 합니다") from None
    if not number.is_finite():
        raise _Wrong("answer.number: a number is expected", "answer.number: 수여야 합니다")
    return number
