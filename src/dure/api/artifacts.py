"""The files that runs made."""

import re
from urllib.parse import quote

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

from dure.api.auth import Who
from dure.api.replies import Json

router = APIRouter(prefix="/v1/runs", tags=["artifacts"])

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*", re.ASCII)
_PLAIN = re.compile(r"[^A-Za-z0-9 ._()-]+")


@router.get("/{run_id}/artifacts")
async def list_artifacts(run_id: str, who: Who) -> Response:
    """The files that the run made, in the order they were made."""
    return Json({"artifacts": await who.dure.runs.artifacts(who.owner, run_id)})


@router.get("/{run_id}/artifacts/{artifact_id}", response_class=FileResponse)
async def download(run_id: str, artifact_id: str, who: Who) -> Response:
    """One of them, to be saved."""
    artifact, path = await who.dure.runs.artifact(who.owner, run_id, artifact_id)
    media_type = artifact["media_type"]
    headers = {
        "Content-Type": media_type if _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream",
        "Content-Disposition": disposition(artifact["name"]),
        # Whatever the file is, opened in a browser it runs nothing.
        "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    }
    return FileResponse(path, headers=headers)


def disposition(name: str) -> str:
    """A Content-Disposition that saves the file under its name (RFC 6266): for old clients in ASCII, for all others
    in UTF-8 (RFC 5987). Nothing in the name can end the field or begin another.
    """
    plain = _PLAIN.sub("_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name.encode('utf-8', 'replace'), safe='')}"
