"""The page at `/` and its files below `/static/`: held in memory, compressed once, open to all since they hold no data.

Files are asked for below a name made from the contents of all of them, `static/3f2a…/js/main.js`, and kept by browsers
for good; a new version has new names. All addresses are relative, so that the page may stand below any path.
"""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response

from dure.errors import existing
from dure.web.bundle import bundled

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""The kinds of files that are served."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
# The worker for reading offline (`sw.js`) looks after the whole page, under the page's policy.
_FRESH = {"Cache-Control": "no-cache", "Content-Security-Policy": _POLICY, "Service-Worker-Allowed": "/"}
_FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent: `packed` with gzip where that is smaller, else None."""

    media_type: str
    data: bytes
    packed: bytes | None
    etag: str


@dataclass(frozen=True, slots=True)
class Assets:
    """All files by their paths below `static/`, and the name of this version of them."""

    version: str
    files: dict[str, Asset]


@cache
def assets(folder: Path = FOLDER) -> Assets:
    """The files of `folder`, without hidden ones, links and kinds that are not known."""
    paths = [(path, path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.suffix in TYPES]
    seen = [each for each in paths if each[0].is_file() and not each[0].is_symlink()]
    found = bundled({name.as_posix(): path.read_bytes() for path, name in seen if not f"/{name}".count("/.")})
    version = hashlib.sha256(b"".join(name.encode() + b"\0" + data for name, data in sorted(found.items()))).hexdigest()
    version = version[:12]
    if "index.html" in found:
        found["index.html"] = found["index.html"].replace(b'"static/', f'"static/{version}/'.encode())
    return Assets(version, {name: _asset(Path(name).suffix, data) for name, data in found.items()})


def _asset(suffix: str, data: bytes) -> Asset:
    packed = gzip.compress(data, 9, mtime=0)
    # Weak: it stands for both forms, packed and not.
    etag = f'W/"{hashlib.sha256(data).hexdigest()[:16]}"'
    return Asset(TYPES[suffix], data, packed if len(packed) < len(data) else None, etag)


@router.api_route("/", methods=["GET", "HEAD"])
async def index(request: Request) -> Response:
    """The page."""
    return _reply(request, "index.html", _FRESH | {"Cross-Origin-Opener-Policy": "same-origin"})


@router.api_route("/static/{path:path}", methods=["GET", "HEAD"])
async def static(path: str, request: Request) -> Response:
    """A file of the page. Raises NotFound, also for one of another version."""
    version, _, name = path.partition("/")
    if version == assets().version:
        return _reply(request, name, {"Cache-Control": _FOR_GOOD})
    return _reply(request, path, _FRESH)


def unchanged(request: Request, etag: str) -> bool:
    """Whether who asks has it already: an If-None-Match (RFC 9110, 13.1.2) names its tag, or any."""
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    return etag.removeprefix("W/") in known or "*" in known


def _reply(request: Request, name: str, headers: dict[str, str]) -> Response:
    asset = existing(assets().files.get(name), "path", request.url.path)
    headers = headers | {"ETag": asset.etag, "Vary": "Accept-Encoding"}
    if unchanged(request, asset.etag):
        return Response(status_code=304, headers=headers)
    body = asset.data
    if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", "").lower():
        body = asset.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)
