"""Schedules: questions that are asked at times, and what came of them."""

from typing import Any, get_type_hints

from fastapi import APIRouter, Request, Response
from pydantic import create_model

from dure.api.auth import Who
from dure.api.bodies import Body, described, read_json
from dure.api.replies import Json
from dure.runs.schedules import What, said

router = APIRouter(prefix="/v1/schedules", tags=["schedules"])
_LIMIT = 1 << 20
_FIELDS: Any = {key: (kind, "" if kind is str else None) for key, kind in get_type_hints(What).items()}
ScheduleBody = create_model(
    "ScheduleBody",
    __base__=Body,
    __doc__="`POST /v1/schedules`, and what is to be changed with `PATCH`. What values may be is checked where they "
    "are stored.",
    **_FIELDS,
    secret=(str | None, None),
)
ScheduleChange = create_model("ScheduleChange", __base__=ScheduleBody, paused=(bool | None, None))


@router.get("")
async def list_schedules(who: Who) -> Response:
    """The schedules, oldest first, each with its last run."""
    found = await who.dure.schedules.list(who.owner)
    return Json({"schedules": [said(each, who.language or "ko") for each in found]})


@router.post("", status_code=201, openapi_extra=described(ScheduleBody))
async def add_schedule(request: Request, who: Who) -> Response:
    """Make a schedule. The reply has the `secret` that webhooks are signed with, this once."""
    body = await read_json(request, ScheduleBody, _LIMIT)
    made = await who.dure.schedules.add(who.owner, **body.model_dump())
    return Json(said(made, who.language or "ko"), status_code=201)


@router.get("/{schedule_id}")
async def get_schedule(schedule_id: str, who: Who) -> Response:
    """A schedule with its last runs, newest first."""
    return Json(said(await who.dure.schedules.get(who.owner, schedule_id), who.language or "ko"))


@router.patch("/{schedule_id}", openapi_extra=described(ScheduleChange))
async def change_schedule(schedule_id: str, request: Request, who: Who) -> Response:
    """Change what is given, pause it (`paused: true`) or resume it."""
    body = await read_json(request, ScheduleChange, _LIMIT)
    changed = await who.dure.schedules.change(who.owner, schedule_id, **body.model_dump(exclude_unset=True))
    return Json(said(changed, who.language or "ko"))


@router.delete("/{schedule_id}", status_code=204, response_class=Response)
async def remove_schedule(schedule_id: str, who: Who) -> None:
    """Delete a schedule; its runs stay."""
    await who.dure.schedules.remove(who.owner, schedule_id)


@router.post("/{schedule_id}/run", status_code=202)
async def run_schedule(schedule_id: str, who: Who) -> Response:
    """Ask now; answers with the `run_id`. 409 while the last run has not ended."""
    return Json({"run_id": await who.dure.schedules.run(who.owner, schedule_id)}, status_code=202)
