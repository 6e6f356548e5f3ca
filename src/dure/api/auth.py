"""Who is asking: API keys, and the owner whose rows a request may see."""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from pydantic import SecretStr

from dure.api.language import requested
from dure.app import Dure
from dure.errors import Forbidden, Language, SettingsError, Unauthorized, phrase
from dure.storage import DEFAULT_OWNER

_OWNER = re.compile(r"[A-Za-z0-9._@-]{1,56}")
_KEY = re.compile(r"[!-~]+")
"""What a header carries as it is written: anything else would never be recognised."""


ROLES = ("reader", "approver", "owner", "admin")
"""What a key may do, each all that those before it may: look; decide what runs wait for; ask and change what is its
owner's; accept what is for all owners."""
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


class Keys:
    """API keys, their owners and roles, from `key`, `owner:key` or `owner:role:key`. Raises SettingsError for an
    unusable one.

    A key without an owner belongs to one of its own, made from its hash: `k-` and 16 hex digits.
    """

    def __init__(self, keys: Iterable[SecretStr]) -> None:
        self._known: list[tuple[bytes, str, str]] = []
        for given in keys:
            whose, colon, key = given.get_secret_value().rpartition(":")
            owner, _, role = whose.partition(":")
            role = role if ":" in whose else "owner"
            if not _KEY.fullmatch(key) or (colon and not _OWNER.fullmatch(owner)) or role not in ROLES:
                reason = phrase("api_auth.key")
                raise SettingsError(key="DURE_API_KEYS", reason=reason)
            digest = hashlib.sha256(key.encode()).digest()
            self._known.append((digest, owner or f"k-{digest.hex()[:16]}", role))

    def __bool__(self) -> bool:
        return bool(self._known)

    @property
    def owners(self) -> list[tuple[str, str]]:
        """Who has keys, each owner with the role of one."""
        return sorted({(owner, role) for _, owner, role in self._known})

    def owner(self, authorization: str | None) -> tuple[str, str]:
        """Owner and role of an `Authorization: Bearer <key>` header. Raises Unauthorized.

        Digests are compared, all of them, so that the time taken tells nothing about a key.
        """
        if not self._known:
            return DEFAULT_OWNER, "admin"
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Unauthorized
        digest = hashlib.sha256(key.strip().encode("utf-8", "surrogatepass")).digest()
        found = [whose for known, *whose in self._known if hmac.compare_digest(known, digest)]
        if not found:
            raise Unauthorized
        owner, role = found[0]
        return owner, role


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


Who = Annotated[Caller, Depends(caller)]
"""What every route takes that needs a key."""
