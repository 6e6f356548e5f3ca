"""Every failure of the app as a JSON error, whatever went wrong."""

import logging

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from dure.api.bodies import invalid
from dure.api.replies import error_reply
from dure.errors import DureError, InvalidInput, MethodNotAllowed, NotFound

log = logging.getLogger("dure.api")

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")


def handle_errors(app: FastAPI) -> None:
    """Make every failure of `app` a JSON error."""

    async def failed(request: Request, error: Exception) -> Response:
        if isinstance(error, RequestValidationError):
            return error_reply(invalid(error.errors()), request)
        if isinstance(error, HTTPException):
            return error_reply(_of_http(error, request), request)
        assert isinstance(error, DureError)
        if error.status >= 500:
            log.warning("%s %s: %s: %s", request.method, request.url.path, error.code, error)
        return error_reply(error, request)

    for kind in (DureError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, failed)


def _of_http(error: HTTPException, request: Request) -> DureError:
    path = request.url.path
    if error.status_code == 404:
        return NotFound(what="path", id=path)
    if error.status_code == 405:
        # Of all routes of the path, where the framework tells the first one's.
        asked = [{**request.scope, "method": method} for method in _METHODS]
        found = [each for each in asked if any(r.matches(each)[0] is Match.FULL for r in request.app.routes)]
        allow = ", ".join(each["method"] for each in found)
        return MethodNotAllowed(method=request.method, path=path, allow=allow)
    if 400 <= error.status_code < 500:
        return InvalidInput(reason=str(error.detail))
    return DureError()
