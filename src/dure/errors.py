"""Errors a person can read: a stable code, a fitting HTTP status, a sentence in Korean and English.

Every failure that reaches a user is a `DureError`. Its code is part of the HTTP contract; the sentence
is chosen by the language of the request when the error is shown, so errors carry parameters, not text.
"""

import json
import sys
from importlib.metadata import distribution
from shlex import quote
from typing import Any, Literal

Language = Literal["ko", "en"]


class Text(str):
    """A detail in both languages: English as a string, which is what is stored and sent, and Korean beside it, which
    is what the Korean sentence says."""

    ko: str

    def __new__(cls, en: str, ko: str) -> "Text":
        made = super().__new__(cls, en)
        made.ko = ko
        return made

    def said(self, language: Language) -> str:
        """It in that language."""
        return self.ko if language == "ko" else str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of."""
        return Text, (str(self), self.ko)


class DureError(Exception):
    """Base of all errors shown to users.

    code: stable snake_case name. status: HTTP status. ko/en: sentence templates over `details`.
    """

    code = "internal_error"
    status = 500
    ko = "처리 중 오류가 발생했습니다."
    en = "Something went wrong on our side."

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(self.message("en"))

    def message(self, language: Language = "en") -> str:
        """The sentence in `language`, with the details filled in."""
        if language == "en":
            return self.en.format_map(_Blank(self.details))
        korean = {name: each.ko if isinstance(each, Text) else each for name, each in self.details.items()}
        return self.ko.format_map(_Blank(korean))

    def kept(self) -> dict[str, Any]:
        """What `restore` makes it of again."""
        return {"code": self.code, "details": self.details}

    def as_dict(self, language: Language = "en") -> dict[str, Any]:
        """The body of an HTTP error: `{"error": {"code", "message", "details"}}`."""
        body = {"code": self.code, "message": self.message(language), "details": self.details}
        return {"error": body}


class _Blank(dict[str, Any]):
    """Leaves a missing parameter visible instead of raising while reporting an error."""

    def __missing__(self, key: str) -> str:
        return "…"


class InvalidInput(DureError):
    """The request cannot be used as it is."""

    code = "invalid_input"
    status = 422
    ko = "입력을 처리할 수 없습니다: {reason}"
    en = "The input cannot be used: {reason}"


class InvalidJson(InvalidInput):
    code = "invalid_json"
    status = 400
    ko = "요청 본문이 올바른 JSON이 아닙니다: {reason}"
    en = "The request body is not valid JSON: {reason}"


class UnsupportedMedia(InvalidInput):
    code = "unsupported_media_type"
    status = 415
    ko = "요청 본문의 형식이 맞지 않습니다({found}). 필요한 Content-Type: {wanted}"
    en = "The request body is of the wrong kind ({found}). Needed Content-Type: {wanted}"


class EmptyMessage(InvalidInput):
    code = "empty_message"
    ko = "메시지가 비어 있습니다. 질문을 입력해 주세요."
    en = "The message is empty. Please write a question."


class MessageTooLong(DureError):
    code = "message_too_long"
    status = 413
    ko = "메시지가 너무 깁니다({length}자). {limit}자까지 보낼 수 있습니다."
    en = "The message is too long ({length} characters); at most {limit} are accepted."


class InvalidText(InvalidInput):
    code = "invalid_text"
    ko = "메시지에 쓸 수 없는 문자(NUL 또는 짝이 없는 서로게이트)가 있습니다."
    en = "The message holds characters that cannot be used (NUL or a lone surrogate)."


class InvalidSession(InvalidInput):
    code = "invalid_session_id"
    ko = "세션 ID가 올바르지 않습니다. 영문자, 숫자, . _ - 로 1~128자만 쓸 수 있습니다."
    en = "The session id is not valid: 1 to 128 letters, digits and . _ - are accepted."


class UnknownTeam(InvalidInput):
    code = "unknown_team"
    ko = "'{team}' 팀이 없습니다. 쓸 수 있는 팀: {known}"
    en = "There is no team '{team}'. Known teams: {known}"


class TeamFileError(InvalidInput):
    """A user's team file is wrong; names file, line and key."""

    code = "team_file"
    ko = "팀 파일 {file}의 {line}번째 줄, {key}: {reason}"
    en = "Team file {file}, line {line}, {key}: {reason}"


class SettingsError(InvalidInput):
    code = "settings"
    ko = "설정 {key}이(가) 올바르지 않습니다: {reason}"
    en = "The setting {key} is not valid: {reason}"


class Unauthorized(DureError):
    code = "unauthorized"
    status = 401
    ko = "API 키가 필요합니다. 'Authorization: Bearer <키>' 헤더를 보내 주세요."
    en = "An API key is needed. Send the header 'Authorization: Bearer <key>'."


class Forbidden(DureError):
    code = "forbidden"
    status = 403
    ko = "이 요청은 받을 수 없습니다: {reason}"
    en = "This request is not accepted: {reason}"


class NotFound(DureError):
    code = "not_found"
    status = 404
    ko = "{what} '{id}'을(를) 찾을 수 없습니다."
    en = "There is no {what} '{id}'."

    def __init__(self, **details: Any) -> None:
        if "what" in details:
            details["what"] = Text(details["what"], _KOREAN.get(details["what"], details["what"]))
        super().__init__(**details)


_KOREAN = {
    "approval": "승인 요청",
    "artifact": "만든 파일",
    "document": "문서",
    "file": "파일",
    "message": "메시지",
    "page": "쪽",
    "paper": "논문",
    "path": "경로",
    "run": "실행",
    "session": "세션",
    "term": "용어",
}
"""What may not be found."""


class MethodNotAllowed(DureError):
    code = "method_not_allowed"
    status = 405
    ko = "{path}에는 {method} 메서드를 쓸 수 없습니다."
    en = "The method {method} is not available at {path}."


class Conflict(DureError):
    code = "conflict"
    status = 409
    ko = "지금 상태에서는 할 수 없습니다: {reason}"
    en = "This cannot be done in the present state: {reason}"


class SessionBusy(Conflict):
    code = "session_busy"
    ko = "이 세션에서 다른 요청을 처리하고 있습니다. 끝난 뒤에 다시 보내 주세요."
    en = "Another request is being worked on in this session. Send it again once that has ended."


class SessionWaiting(Conflict):
    """The session's last run waits for people; the error names it."""

    code = "session_waiting"
    ko = "이 세션은 승인을 기다리고 있습니다(실행 {run_id}). 먼저 결정하거나 취소해 주세요."
    en = "This session waits for an approval (run {run_id}). Decide or cancel it first."


class AlreadyDecided(Conflict):
    code = "already_decided"
    ko = "이미 결정된 승인입니다({approval_id}: {decided})."
    en = "This approval was decided already ({approval_id}: {decided})."


class LostRun(Conflict):
    """Another process works on the run now; whatever this one still does about it does not count."""

    code = "lost_run"
    ko = "다른 프로세스가 이 실행을 이어받았습니다."
    en = "Another process has taken over this run."


class DatabaseUnavailable(DureError):
    """The database server cannot be reached, or was lost while it stored something."""

    code = "database_unavailable"
    status = 503
    ko = "데이터베이스에 연결할 수 없습니다: {reason}"
    en = "The database cannot be reached: {reason}"


class TooLarge(DureError):
    code = "too_large"
    status = 413
    ko = "'{name}'이(가) 너무 큽니다({size} 바이트). {limit} 바이트까지 받을 수 있습니다."
    en = "'{name}' is too large ({size} bytes); at most {limit} bytes are accepted."


class UnsupportedFile(DureError):
    code = "unsupported_file"
    status = 415
    ko = "'{name}' 형식은 읽을 수 없습니다. 읽을 수 있는 형식: {known}"
    en = "'{name}' is of a kind that cannot be read. Readable: {known}"


class DocumentUnreadable(DureError):
    """A file of a known kind that could not be read: broken, encrypted, empty or huge."""

    code = "document_unreadable"
    status = 422
    ko = "문서를 읽을 수 없습니다: {reason}"
    en = "The document cannot be read: {reason}"


class KeysNeeded(SettingsError):
    """The server would be open to others without any API key."""

    code = "keys_needed"
    ko = "API 키 없이 {host}에서 열 수 없습니다. DURE_API_KEYS를 설정하거나 127.0.0.1에서 여세요."
    en = "Without API keys the server does not listen on {host}. Set DURE_API_KEYS, or listen on 127.0.0.1."


class CannotListen(DureError):
    code = "cannot_listen"
    ko = "{host}:{port}에서 열 수 없습니다: {reason}. 다른 포트는 --port로 정합니다."
    en = "Cannot listen on {host}:{port}: {reason}. Choose another port with --port."


class TooManyRequests(DureError):
    """As many runs are at work as `max_runs` lets. Nothing is stored."""

    code = "too_many_requests"
    status = 429
    retry_after = 2
    """Seconds after which to try again."""
    ko = "지금 처리하는 요청이 너무 많습니다({limit}개). 잠시 후에 다시 시도해 주세요."
    en = "Too many requests are being worked on ({limit}). Please try again a little later."


class NoResult(DureError):
    """What the model wrote is no JSON of the schema that was asked for."""

    code = "no_result"
    status = 502
    ko = "모델이 정해진 형식의 결과를 만들지 못했습니다: {reason}"
    en = "The model gave no result of the wanted form: {reason}"


class ModelError(DureError):
    """The model server answered, but not with something usable."""

    code = "model_error"
    status = 502
    ko = "모델 서버가 올바르게 답하지 않았습니다: {reason}"
    en = "The model server did not answer properly: {reason}"


class ModelUnavailable(DureError):
    code = "model_unavailable"
    status = 503
    ko = "모델 서버에 연결할 수 없습니다: {reason}"
    en = "The model server cannot be reached: {reason}"


class ModelTimeout(DureError):
    code = "model_timeout"
    status = 504
    ko = "모델 서버가 {seconds}초 안에 답하지 않았습니다."
    en = "The model server did not answer within {seconds} seconds."


class ModelRefused(ModelError):
    """The server answered 4xx: the request itself is not acceptable to it."""

    code = "model_refused"
    ko = "모델 서버가 요청을 거절했습니다({http_status}): {reason}"
    en = "The model server refused the request ({http_status}): {reason}"


class WeightsError(DureError):
    """The bundled model's weights could not be fetched or are not what they should be."""

    code = "weights"
    status = 503
    ko = "내장 모델을 준비할 수 없습니다: {reason}"
    en = "The bundled model cannot be made ready: {reason}"


class WeightsMissing(WeightsError):
    code = "weights_missing"
    ko = "내장 모델을 아직 받지 않았습니다. `dure models pull`로 받으세요."
    en = "The bundled model's weights are not there yet. Fetch them with `dure models pull`."


class Interrupted(DureError):
    """The process that worked on the run ended before it did."""

    code = "interrupted"
    status = 503
    ko = "서버가 다시 시작되어 답변이 중단되었습니다. 다시 질문해 주세요."
    en = "The server was restarted before the answer was complete. Please ask again."


class ShuttingDown(DureError):
    """The server ends while a request waits for its answer."""

    code = "shutting_down"
    status = 503
    ko = "서버가 종료되고 있습니다. 시작한 답변은 서버가 다시 켜지면 이어집니다."
    en = "The server is shutting down. An answer that was begun goes on once it is up again."


class ToolError(DureError):
    """A tool failed. Raised by tools; the agent loop hands the sentence to the model, the run goes on."""

    code = "tool_error"
    ko = "{reason}"
    en = "{reason}"


class ToolInputError(ToolError):
    """A tool cannot work with what it was given. Raised with the sentence in both languages: `ko=…, en=…`."""

    code = "tool_input"
    ko = "{ko}"
    en = "{en}"


def install_line(extra: str) -> str:
    """The command that adds an extra, from the wheel or in the clone that Dure was installed from (PEP 610): no package
    index has it."""
    origin = json.loads(distribution("dure").read_text("direct_url.json") or "{}")
    if "archive_info" in origin:
        wanted = quote(f"dure[{extra}] @ {origin['url']}")
        return f"python3 -m pip --python {quote(sys.executable)} install {wanted}"
    return f"python3 -m pip --python .venv/bin/python install -c constraints.txt '.[{extra}]'"


def restore(code: str, details: dict[str, Any]) -> DureError:
    """The error of a stored `code` and its details; an unknown code gives the base error."""
    kinds: list[type[DureError]] = [DureError]
    while kinds:
        kind = kinds.pop()
        if kind.code == code:
            return kind(**details)
        kinds.extend(kind.__subclasses__())
    return DureError(**details)
