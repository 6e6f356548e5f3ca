"""Every failure of the app as a JSON error, whatever went wrong."""

import logging

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from dure.api.bodies import invalid
from dure.api.replies import error_reply
from dure.errors import DureError, InvalidInput, MethodNotAllowed, NotFound

log = logging.getLogger("dure.api")


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
