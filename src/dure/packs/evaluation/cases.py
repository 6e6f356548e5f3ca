"""A user's evaluation set: one question a line, as JSON, with what is expected of it; the keys stand in
`docs/experiments.md`.

    {"question": "연차는 며칠이야?", "agents": ["rag_agent"], "answer": {"number": 15, "cites": "인사규정.txt"}}
"""

import re
import unicodedata
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson

from dure.errors import InvalidInput, Text
from dure.messages import Message
from dure.packs.evaluation import TEXTS
from dure.tooling import an_object
from dure.toolsets.arguments import InvalidArguments, valid

Json = dict[str, Any]
_TEXT = TEXTS["cases"]
_NAME: Json = {"type": "string", "minLength": 1}
_PIPELINE: Json = {"type": "array", "items": _NAME}
_SOME: Json = {"type": "array", "items": _NAME, "minItems": 1}
_CALL = an_object({"name": _NAME, "args": {"type": "object"}}, "args")
_TURN = an_object({"role": {"enum": ["user", "assistant"]}, "content": {"type": "string"}})
_ANSWER: Json = {
    **{key: _SOME for key in ("contains", "cites")},
    "regex": {"type": "string"},
    "number": {"type": ["number", "string"], "pattern": r"^\s*-?[0-9][0-9,]*(\.[0-9]+)?\s*$"},
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


class EvaluationFileError(InvalidInput, code="evaluation_file", texts=TEXTS):
    """A line of a user's evaluation set is wrong."""


@dataclass(slots=True, kw_only=True)
class Case:
    """A line of the set. None: nothing is expected there."""

    line: int
    question: str
    id: Any = ""
    note: Any = ""
    language: Any = ""
    history: list[Message] = field(default_factory=list)
    team: str | None = None
    level: str | None = None
    agents: list[str] | None = None
    also: list[list[str]] = field(default_factory=list)
    tools: list[Json] | None = None
    documents: list[str] | None = None
    answer: Json | None = None
    """`contains`, `regex`, `number` (a Decimal) and `cites`, those that are asked for."""

    @property
    def pipelines(self) -> list[list[str]] | None:
        """Those that are right; the first is the wanted one."""
        return None if self.agents is None else [self.agents, *self.also]


def read_cases(path: Path) -> list[Case]:
    """The cases of a JSON Lines file; blank lines and lines that begin with `#` are skipped.

    Raises EvaluationFileError naming the first wrong line, InvalidInput for a file that cannot be read or holds none.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(reason=f"{path}: {getattr(error, 'strerror', None) or error}") from None
    cases = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                cases.append(_case(number, orjson.loads(line)))
            except InvalidInput as error:
                raise EvaluationFileError(file=path.name, line=number, reason=error.details["reason"]) from None
            except orjson.JSONDecodeError as error:
                raise EvaluationFileError(file=path.name, line=number, reason=str(error)) from None
    if not cases:
        raise _wrong("none", path=path)
    return cases


def plain(text: str) -> str:
    """Text as it is compared: composed (Hangul may come in parts), without case, spaces made one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _wrong(fault: str, **values: object) -> InvalidInput:
    return InvalidInput(reason=Text(**_TEXT[fault].filled(**values)))


def _case(number: int, value: Any) -> Case:
    if not isinstance(value, dict):
        raise _wrong("object")
    if isinstance(value.get("tools"), list):
        # A call may be written as its tool's name.
        value["tools"] = [{"name": each} if isinstance(each, str) else each for each in value["tools"]]
    value = _valid(value)
    if "pipeline" in value:
        if "agents" in value:
            raise _wrong("twice")
        value["agents"] = value.pop("pipeline")
    if "also" in value and "agents" not in value:
        raise _wrong("also")
    case = Case(line=number, **value)
    case.tools = case.tools and [{"args": {}, **each} for each in case.tools]
    answer = case.answer or {}
    try:
        re.compile(answer.get("regex", ""))
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidInput(reason=f"answer.regex: {error}") from None
    if "number" in answer:
        answer["number"] = Decimal(str(answer["number"]).replace(",", ""))
    return case


def _valid(line: Json) -> Json:
    for place, held, known in (("", line, _LINE), ("answer: ", line.get("answer"), _ANSWER)):
        if unknown := [key for key in held if key not in known] if isinstance(held, dict) else []:
            raise _wrong("unknown", place=place, key=unknown[0][:40], known=", ".join(known))
    try:
        found: Json = valid(_SCHEMA, {"case": line})["case"]
        return found
    except InvalidArguments as error:
        raise InvalidInput(reason=Text(error.faults.removeprefix("- "), error.faults.ko.removeprefix("- "))) from None
