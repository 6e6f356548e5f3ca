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
from types import MappingProxyType
from typing import Any

import orjson

from dure.errors import InvalidInput, Text
from dure.messages import Message
from dure.tooling import an_object
from dure.toolsets.arguments import InvalidArguments, valid

Json = dict[str, Any]
_NAME: Json = {"type": "string", "minLength": 1}
_PIPELINE: Json = {"type": "array", "items": _NAME}
_SOME: Json = {"type": "array", "items": _NAME, "minItems": 1}
_CALL = an_object({"name": _NAME, "args": {"type": "object"}}, "args")
_TURN = an_object({"role": {"enum": ["user", "assistant"]}, "content": {"type": "string"}})
_ANSWER: Json = {
    **{key: _SOME for key in ("contains", "cites")},
    "regex": {"type": "string"},
    "number": {"type": ["number", "string"]},
}
_LINE: Json = {
    **{key: {} for key in ("id", "note", "language")},
    "question": {"type": "string", "pattern": r"\S"},
    "history": {"type": "array", "items": _TURN},
    **dict.fromkeys(("team", "level"), _NAME),
    **dict.fromkeys(("agents", "pipeline"), _PIPELINE),
    "also": {"type": "array", "items": _PIPELINE},
    "tools": {"type": "array", "items": _CALL, "minItems": 1},
    "documents": _SOME,
    "answer": {**an_object(_ANSWER, *_ANSWER), "minProperties": 1},
}
_SCHEMA = an_object({"case": an_object(_LINE, *(_LINE.keys() - {"question"}))})
"""Of a line, named so that a fault is told with its place. One value may stand for a list of one: `valid` mends it."""


class EvaluationFileError(InvalidInput, code="evaluation_file"):
    """A line of a user's evaluation set is wrong."""

    says = MappingProxyType(
        {"ko": "평가 파일 {file}의 {line}번째 줄: {reason}", "en": "Evaluation file {file}, line {line}: {reason}"}
    )


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
    unknown = sorted(set(value) - set(_LINE))
    if unknown:
        raise _Wrong(
            f"unknown key '{unknown[0]}'; known: {', '.join(sorted(_LINE))}",
            f"'{unknown[0]}'은(는) 없는 키입니다. 있는 것: {', '.join(sorted(_LINE))}",
        )
    if "agents" in value and "pipeline" in value:
        raise _Wrong(
            "agents and pipeline are two names of one thing: give one of them",
            "agents와 pipeline은 같은 것이니 하나만 쓰세요",
        )
    if isinstance(value.get("tools"), list):
        # A call may be written as its tool's name.
        value["tools"] = [{"name": each} if isinstance(each, str) else each for each in value["tools"]]
    value = _valid(value)
    wanted = value.get("agents", value.get("pipeline"))
    if wanted is None and "also" in value:
        raise _Wrong("also: needs agents beside it", "also: agents와 함께 써야 합니다")
    return Case(
        line=number,
        question=value["question"],
        id=str(value.get("id", "")),
        note=str(value.get("note", "")),
        history=value.get("history", []),
        team=value.get("team"),
        level=value.get("level"),
        pipelines=None if wanted is None else [wanted, *value.get("also", [])],
        tools=[{"args": {}, **each} for each in value["tools"]] if "tools" in value else None,
        documents=value.get("documents"),
        answer=_expected(value["answer"]) if "answer" in value else None,
    )


def _valid(line: Json) -> Json:
    faults = []
    for language in ("en", "ko"):
        try:
            found: Json = valid(_SCHEMA, {"case": line}, language)["case"]
            return found
        except InvalidArguments as error:
            faults.append(error.faults.removeprefix("- "))
    raise _Wrong(*faults)


def _expected(answer: Json) -> Expected:
    expected = Expected(answer.get("contains", []), cites=answer.get("cites", []))
    if "regex" in answer:
        try:
            expected.regex = re.compile(answer["regex"])
        except (re.error, RecursionError, OverflowError) as error:
            raise _Wrong(f"answer.regex: {error}", f"answer.regex: {error}") from None
    if "number" in answer:
        expected.number = _number(str(answer["number"]).replace(",", ""))
    return expected


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise _Wrong("answer.number: a number is expected", "answer.number: 수여야 합니다")
    return number
