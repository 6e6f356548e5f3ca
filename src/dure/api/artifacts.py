"""The files that runs made."""

import re

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

from dure.api.auth import Who
from dure.api.downloads import saved_as
from dure.api.replies import Json

router = APIRouter(prefix="/v1/runs", tags=["artifacts"])

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*", re.ASCII)


@router.get("/{run_id}/artifacts")
async def list_artifacts(run_id: str, who: Who) -> Response:
    """The files that the run made, in the order they were made."""
    return Json({"artifacts": await who.dure.runs.artifacts(who.owner, run_id)})


@router.get("/{run_id}/artifacts/{artifact_id}", response_class=FileResponse)
async def download(run_id: str, artifact_id: str, who: Who) -> Response:
    """One of them, to be saved."""
    artifact, path = await who.dure.runs.artifact(who.owner, run_id, artifact_id)
    media_type = artifact["media_type"]
    kind = media_type if _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream"
    return FileResponse(path, headers=saved_as(artifact["name"]) | {"Content-Type": kind})
