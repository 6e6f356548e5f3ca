"""Who is asking: API keys, and the owner whose rows a request may see."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from dure.api.bodies import Body, only, read_json
from dure.api.replies import requested
from dure.app import Dure
from dure.errors import Forbidden, Language, phrase
from dure.keys import ROLES, Keys

Route = TypeVar("Route", bound=Callable[..., object])


def needs(role: str) -> Callable[[Route], Route]:
    """Says which role a route needs that is not the usual one."""

    def said(route: Route) -> Route:
        route.role = role  # type: ignore[attr-defined]
        return route

    return said


def needed(request: Request) -> str:
    """The role that a request needs: what its route says, else `reader` to look and `owner` for anything else."""
    usual = "reader" if request.method in ("GET", "HEAD") else "owner"
    return str(getattr(request.scope.get("endpoint"), "role", usual))


@dataclass(slots=True)
class Caller:
    """Who asks, in which role, of which Dure, in which language (None: none was asked for)."""

    owner: str
    dure: Dure
    language: Language | None
    role: str


_BEARER = HTTPBearer(auto_error=False, scheme_name="key", description="Needed where the server has API keys.")
"""For the OpenAPI description alone; what it finds is not used."""


async def caller(request: Request, _: Annotated[Any, Security(_BEARER)]) -> Caller:
    """Raises Unauthorized without a valid key, when any key is set, and Forbidden for one whose role is too small."""
    keys: Keys = request.app.state.keys
    owner, role = keys.owner(request.headers.get("authorization"))
    if ROLES.index(role) < ROLES.index(needed(request)):
        raise Forbidden(reason=phrase("api_auth.role", role=role, needed=needed(request)))
    return Caller(owner, request.app.state.dure, requested(request.headers.get("accept-language")), role)


Client = Annotated[Caller, Depends(caller)]
"""What routes of others' protocols take that need a key: their clients may send more than is known here."""


async def _exact(request: Request, who: Client) -> Caller:
    """Raises InvalidInput for a parameter or a body that the route does not take: it would be asked for in vain."""
    route = request.scope["route"]
    only({field.alias for field in route.dependant.query_params}, request.query_params, "query")
    sent = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
    if sent and "requestBody" not in (route.openapi_extra or {}):
        await read_json(request, Body, 65_536)
    return who


Who = Annotated[Caller, Depends(_exact)]
"""What every other route takes that needs a key."""
