"""`/v1/timesheet`."""

from fastapi import APIRouter, Response

from dure.api.auth import Who
from dure.api.replies import Json
from timesheet import hours

router = APIRouter(prefix="/v1", tags=["timesheet"])


@router.get("/timesheet")
async def list_hours(who: Who) -> Response:
    """The caller's hours by project."""
    return Json({"projects": await who.dure.database.read(hours.by_project, who.owner)})
