"""JSON replies, errors as replies, `{"error": {"code", "message", "details"}}`, and files that browsers save."""

import re
from typing import Any, cast
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from dure import __version__
from dure.errors import DureError, Language, TooManyRequests, Unauthorized
from dure.knowledge.files import UNSEEN
from dure.language import language_of_message
from dure.messages import json_bytes

_PLAIN = re.compile(r"[^A-Za-z0-9 ._()-]+")
_OURS = re.compile(r"(ko|en)(?:-[a-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d*)?))?")


def requested(accept_language: str | None) -> Language | None:
    """`ko` or `en`, whichever an Accept-Language header (RFC 9110, 12.5.4) prefers; None for neither."""
    found = [_OURS.fullmatch(part.strip()) for part in (accept_language or "").lower().split(",")]
    weights = [(float(each[2] or 1), each[1]) for each in found if each]
    weight, language = max(weights, key=lambda each: each[0], default=(0.0, ""))
    return cast("Language", language) if weight else None


class Json(Response):
    """A JSON reply."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_bytes(content)


def alive() -> Json:
    """The reply to `/healthz`."""
    return Json({"status": "ok", "version": __version__})


def language_for(request: Request) -> Language:
    """The language that a request accepts, else that of its text, else Korean."""
    text = getattr(request.state, "text", "")
    return requested(request.headers.get("accept-language")) or language_of_message(text)


def error_reply(error: DureError, request: Request, body: Any = None, status: int = 0) -> Json:
    """The error in the language of the request; body and status: instead of our own."""
    headers = {}
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after)
    if "allow" in error.details:
        headers["Allow"] = error.details["allow"]
    body = body or error.as_dict(language_for(request))
    return Json(body, status_code=status or error.status, headers=headers)


def saved_as(name: str) -> dict[str, str]:
    """The headers under which a file is saved as `name`, and runs nothing wherever it is opened.

    The name (RFC 6266) is for old clients in ASCII, for all others in UTF-8 (RFC 5987). Nothing in it can end the field
    or begin another, or turn its ending around.
    """
    name = UNSEEN.sub("", name)
    plain, whole = _PLAIN.sub("_", name), quote(name.encode("utf-8", "replace"), safe="")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}",
        "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    }
