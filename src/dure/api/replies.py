"""JSON replies, and errors as replies: `{"error": {"code", "message", "details"}}`, whatever went wrong."""

import logging
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from dure.api.bodies import invalid
from dure.api.language import requested
from dure.errors import DureError, InvalidInput, MethodNotAllowed, NotFound, TooManyRequests, Unauthorized
from dure.messages import json_bytes, language_of

log = logging.getLogger("dure.api")


class Json(Response):
    """A JSON reply."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_bytes(content)


def error_reply(error: DureError, request: Request) -> Json:
    """The error in the language of the request: what it accepts, else the language of its text, else Korean."""
    text = getattr(request.state, "text", "")
    language = requested(request.headers.get("accept-language")) or (language_of(text) if text.strip() else "ko")
    headers = {}
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after)
    if "allow" in error.details:
        headers["Allow"] = error.details["allow"]
    return Json(error.as_dict(language), status_code=error.status, headers=headers)


def handle_errors(app: FastAPI) -> None:
    """Make every failure of `app` a JSON error."""

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, DureError)
        if error.status >= 500:
            log.warning("%s %s: %s: %s", request.method, request.url.path, error.code, error)
        return error_reply(error, request)

    async def validation(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return error_reply(invalid(error.errors()), request)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return error_reply(_of_http(error, request), request)

    app.add_exception_handler(DureError, ours)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, http)


def _of_http(error: HTTPException, request: Request) -> DureError:
    path = request.url.path
    if error.status_code == 404:
        return NotFound(what="path", id=path)
    if error.status_code == 405:
        allow = (error.headers or {}).get("Allow", "")
        return MethodNotAllowed(method=request.method, path=path, allow=allow)
    if 400 <= error.status_code < 500:
        return InvalidInput(reason=str(error.detail))
    return DureError()
