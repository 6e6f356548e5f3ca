"""JSON replies, and errors as replies: `{"error": {"code", "message", "details"}}`."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from dure.api.language import requested
from dure.errors import DureError, Language, TooManyRequests, Unauthorized
from dure.messages import json_bytes, language_of


class Json(Response):
    """A JSON reply."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_bytes(content)


def language_for(request: Request) -> Language:
    """The language that a request accepts, else that of its text, else Korean."""
    text = getattr(request.state, "text", "")
    return requested(request.headers.get("accept-language")) or (language_of(text) if text.strip() else "ko")


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
