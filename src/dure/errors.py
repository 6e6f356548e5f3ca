"""Errors a person can read: a stable code, a fitting HTTP status, a sentence in Korean and English.

Every failure that reaches a user is a `DureError`. Its code is part of the HTTP contract; the sentence
is chosen by the language of the request when the error is shown, so errors carry parameters, not text.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from shlex import quote
from typing import Any, TypeVar

from dure.texts import TEXTS, Catalogue, Said, Texts, said
from dure.texts import Language as Language
from dure.texts import Text as Text
from dure.texts import phrase as phrase
from dure.texts.korean import filled

T = TypeVar("T")

_KNOWN: "dict[str, type[DureError]]" = {}
"""The errors by code."""


def no_key(key: object, known: Iterable[str]) -> Text:
    """That there is no such key, and which one may be meant."""
    from difflib import get_close_matches

    near = get_close_matches(str(key).lower(), known, 1)
    return phrase("errors_keys.near" if near else "errors_keys.none", near="".join(near))


def wrong(found: Mapping[str, Any], known: Iterable[str] = ()) -> Text:
    """What is wrong with a value, of one of pydantic's errors; a ValueError of ours may say it in both languages.
    known: of which one may be meant by a key that there is not."""
    if known and found["type"] == "extra_forbidden":
        return no_key(found["loc"][-1], known)
    told = found["msg"].removeprefix("Value error, ")
    ours = getattr(found.get("ctx", {}).get("error"), "args", ())
    if ours and isinstance(ours[0], Text):
        return ours[0]
    bounds = {name: str(each).replace(" or ", ", ") for name, each in found.get("ctx", {}).items()}
    kind = found["type"] if found["type"] in _WRONG else "other"
    return phrase(f"errors_wrong.{kind}", **{**bounds, "told": told})


_WRONG = TEXTS["errors_wrong"]
"""What is wrong with values, by the types of pydantic's errors."""


class DureError(Exception):
    """Base of all errors shown to users. A class of them says its own `code`, a stable name in snake case, and its HTTP
    `status` where they are not those of the class above.

    says: the sentence by language, a template over `details`: what stands under the code in the table `errors` of the
    catalogue, `texts` for a pack's own.
    """

    code = "internal_error"
    status = 500
    run_id = ""
    """Of the run that ended with it, where it is one's."""
    says: Mapping[Language, str] = TEXTS.one("errors.internal_error")

    def __init_subclass__(cls, code: str = "", status: int = 0, texts: Catalogue = TEXTS) -> None:
        if code:
            cls.code = code
            cls.says = cls.__dict__.get("says") or Said(texts, "errors", code)
            _KNOWN.setdefault(code, cls)
        if status:
            cls.status = status

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(self.message("en"))

    def message(self, language: Language = "en") -> str:
        """The sentence in `language`, with the details filled in."""
        return filled(self.says[language], _Blank(said(self.details, language)))

    def both(self) -> dict[str, str]:
        """The sentence by language."""
        return {"en": self.message("en"), "ko": self.message("ko")}

    def kept(self) -> dict[str, Any]:
        """What `restore` makes it of again."""
        return {"code": self.code, "details": self.details}

    def as_dict(self, language: Language = "en") -> dict[str, Any]:
        """The body of an HTTP error: `{"error": {"code", "message", "details"}}`."""
        return {"error": {"code": self.code, "message": self.message(language), "details": self.details}}


class _Blank(dict[str, Any]):
    """Leaves a missing parameter visible instead of raising while reporting an error."""

    def __missing__(self, key: str) -> str:
        return "…"


class InvalidInput(DureError, code="invalid_input", status=422):
    """The request cannot be used as it is."""


class AlreadyOpen(InvalidInput, code="already_open"):
    """A `Dure` is opened within its block."""


class NotOpen(InvalidInput, AttributeError, code="not_open"):
    """A `Dure` is asked outside of its block: the parts that are opened there are attributes of it only within."""


class InvalidJson(InvalidInput, code="invalid_json", status=400): ...


class BadFraming(InvalidInput, code="bad_framing", status=400):
    """The head of a request tells the end of its body in two ways."""


class RequestTimeout(DureError, code="request_timeout", status=408):
    """The body of a request does not come."""


class UnsupportedMedia(InvalidInput, code="unsupported_media_type", status=415): ...


class EmptyMessage(InvalidInput, code="empty_message"): ...


class MessageTooLong(DureError, code="message_too_long", status=413): ...


class InvalidText(InvalidInput, code="invalid_text"): ...


class InvalidSession(InvalidInput, code="invalid_session_id"): ...


class UnknownTeam(InvalidInput, code="unknown_team"): ...


class UnknownModel(InvalidInput, code="unknown_model"): ...


class TeamFileError(InvalidInput, code="team_file"):
    """A user's team file is wrong; names file, line and key."""


class SettingsError(InvalidInput, code="settings"): ...


class Unauthorized(DureError, code="unauthorized", status=401): ...


class Forbidden(DureError, code="forbidden", status=403): ...


class NotFound(DureError, code="not_found", status=404):
    def __init__(self, **details: Any) -> None:
        if details.get("what") in _THINGS:
            details["what"] = phrase(f"errors_things.{details['what']}")
        super().__init__(**details)


_THINGS = TEXTS["errors_things"]
"""What may not be found."""


def existing(thing: T | None, what: str, id: str) -> T:
    """`thing`. Raises NotFound where it is None."""
    if thing is None:
        raise NotFound(what=what, id=id[:128])
    return thing


class MethodNotAllowed(DureError, code="method_not_allowed", status=405): ...


class Conflict(DureError, code="conflict", status=409): ...


class SessionBusy(Conflict, code="session_busy"): ...


class SessionWaiting(Conflict, code="session_waiting"):
    """The session's last run waits for people; the error names it."""


class AlreadyDecided(Conflict, code="already_decided"): ...


class LostRun(Conflict, code="lost_run"):
    """Another process works on the run now; whatever this one still does about it does not count."""


class DatabaseUnavailable(DureError, code="database_unavailable", status=503):
    """The database server cannot be reached, or was lost while it stored something."""


class FilesUnavailable(DureError, code="files_unavailable", status=503):
    """The folder or bucket of documents' originals and runs' files cannot be used."""


class TooLarge(DureError, code="too_large", status=413):
    """`limit` in bytes; `size` where the whole is known, of what is still coming in nobody knows it."""

    def __init__(self, **details: Any) -> None:
        told = {"most": f"{details['limit'] / 1e6:.3g} MB"} if "limit" in details else {}
        super().__init__(**details | told)


class UnsupportedFile(DureError, code="unsupported_file", status=415): ...


class DocumentUnreadable(DureError, code="document_unreadable", status=422):
    """A file of a known kind that could not be read: broken, encrypted, empty or huge."""


class KeysNeeded(SettingsError, code="keys_needed"):
    """The server would be open to others without any API key."""


class CannotListen(DureError, code="cannot_listen"): ...


class TooManyRequests(DureError, code="too_many_requests", status=429):
    """As many runs are at work, of all or of this owner, as the settings let. Nothing is stored."""

    retry_after = 2
    """Seconds after which to try again."""


class OverBudget(TooManyRequests, code="over_budget"):
    """The owner's budget for the day is spent."""

    def __init__(self, **details: Any) -> None:
        super().__init__(**details)
        # It begins anew with the next day of UTC.
        self.retry_after = 86_400 - int(time.time()) % 86_400


class NoResult(DureError, code="no_result", status=502):
    """What the model wrote is no JSON of the schema that was asked for."""


class ModelError(DureError, code="model_error", status=502):
    """The model server answered, but not with something usable."""


class ModelUnavailable(DureError, code="model_unavailable", status=503): ...


class ModelTimeout(DureError, code="model_timeout", status=504): ...


class ModelRefused(ModelError, code="model_refused"):
    """The server answered 4xx: the request itself is not acceptable to it."""


class ContextExceeded(ModelRefused, code="context_exceeded", status=413):
    """What the model was to read is longer than its context."""


class WeightsError(DureError, code="weights", status=503):
    """The bundled model's weights could not be fetched or are not what they should be."""


class WeightsMissing(WeightsError, code="weights_missing"): ...


class Interrupted(DureError, code="interrupted", status=503):
    """The process that worked on a run ended before it did. `calls`, `done`: as of `Diverged`, where there are any."""

    def __init__(self, **details: Any) -> None:
        if details.get("done"):
            self.says = TEXTS.one("errors.interrupted_after")
        super().__init__(**details)


class Diverged(Conflict, code="diverged"):
    """A run that goes on came to something else than its record has. `at`: where; `calls`: its recorded calls with
    effects, `{call_id, name, args, status, reached}` each; `done`: those in words."""


class ShuttingDown(DureError, code="shutting_down", status=503):
    """The server ends while a request waits for its answer."""


class ToolError(DureError, code="tool_error"):
    """A tool failed. Raised by tools; the agent loop hands the sentence to the model, the run goes on."""


class ToolInputError(ToolError, code="tool_input"):
    """A tool cannot work with what it was given. Raised with the sentence in both languages: `ko=…, en=…`."""

    def message(self, language: Language = "en") -> str:
        return str(self.details.get(language, "…"))


def tool_fault(texts: Texts) -> Callable[..., ToolInputError]:
    """What makes an error of one of these texts: `fault("long", most=80)`, its key and the values in it."""
    return lambda key, **values: ToolInputError(**texts[key].filled(**values))


def install_line(extra: str) -> str:
    """The command that adds an extra, from the wheel or in the clone that Dure was installed from (PEP 610): no package
    index has it."""
    # Loaded with the line that needs it: whatever reads a document is begun anew, and loads this file.
    from importlib.metadata import distribution

    origin = json.loads(distribution("dure").read_text("direct_url.json") or "{}")
    if "archive_info" in origin:
        wanted = quote(f"dure[{extra}] @ {origin['url']}")
        return f"python3 -m pip --python {quote(sys.executable)} install {wanted}"
    return f"python3 -m pip --python .venv/bin/python install -c constraints.txt '.[{extra}]'"


def missing(key: str, extra: str) -> SettingsError:
    """What is raised where a library of that extra is not installed."""
    return SettingsError(key=key, reason=phrase("errors_missing.extra", line=install_line(extra)))


def restore(code: str, details: dict[str, Any], told: Mapping[Language, str] | None = None) -> DureError:
    """The error of a stored `code` and its details; an unknown code gives the base error. told: its sentence by
    language as it was told, since details are stored in English alone."""
    error = _KNOWN.get(code, DureError)(**details)
    if told:
        error.says = {**error.says, **{of: text.replace("{", "{{").replace("}", "}}") for of, text in told.items()}}
    return error
