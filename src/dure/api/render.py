"""`POST /v1/render`: Markdown as HTML that a page may show."""

import asyncio

from fastapi import APIRouter, Request, Response

from dure.api.auth import Who
from dure.api.bodies import Body, described, read_json
from dure.api.markdown import MAX_TEXT, render
from dure.api.replies import Json
from dure.errors import InvalidText, MessageTooLong

router = APIRouter(prefix="/v1", tags=["page"])

_SHORT = 2000
"""Characters that are rendered at once; more of them in a thread, so that others are not held up."""


class RenderBody(Body):
    """`POST /v1/render`."""

    text: str


@router.post("/render", openapi_extra=described(RenderBody))
async def render_markdown(request: Request, who: Who) -> Response:
    """Markdown as sanitized HTML, `{html}`: no script, style or picture in it, links marked, `[1]` a button.

    Raises MessageTooLong, InvalidText."""
    text = (await read_json(request, RenderBody, MAX_TEXT * 12 + 1024)).text
    if len(text) > MAX_TEXT:
        raise MessageTooLong(length=len(text), limit=MAX_TEXT)
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidText
    return Json({"html": render(text) if len(text) <= _SHORT else await asyncio.to_thread(render, text)})
