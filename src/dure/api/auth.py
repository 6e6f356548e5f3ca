"""Who is asking: API keys, and the owner whose rows a request may see."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from pydantic import SecretStr

from dure.api.language import requested
from dure.app import Dure
from dure.errors import Language, SettingsError, Unauthorized, phrase
from dure.storage import DEFAULT_OWNER

_OWNER = re.compile(r"[A-Za-z0-9._@-]{1,56}")
_KEY = re.compile(r"[!-~]+")
"""What a header carries as it is written: anything else would never be recognised."""


class Keys:
    """API keys and their owners, from `key` or `owner:key`. Raises SettingsError for an unusable one.

    A key without an owner belongs to one of its own, made from its hash: `k-` and 16 hex digits.
    """

    def __init__(self, keys: Iterable[SecretStr]) -> None:
        self._owners: list[tuple[bytes, str]] = []
        for given in keys:
            owner, colon, key = given.get_secret_value().rpartition(":")
            if not _KEY.fullmatch(key) or (colon and not _OWNER.fullmatch(owner)):
                reason = phrase("api_auth.key")
                raise SettingsError(key="DURE_API_KEYS", reason=reason)
            digest = hashlib.sha256(key.encode()).digest()
            self._owners.append((digest, owner or f"k-{digest.hex()[:16]}"))

    def __bool__(self) -> bool:
        return bool(self._owners)

    def owner(self, authorization: str | None) -> str:
        """The owner of an `Authorization: Bearer <key>` header. Raises Unauthorized.

        Digests are compared, all of them, so that the time taken tells nothing about a key.
        """
        if not self._owners:
            return DEFAULT_OWNER
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Unauthorized
        digest = hashlib.sha256(key.strip().encode("utf-8", "surrogatepass")).digest()
        found = [owner for known, owner in self._owners if hmac.compare_digest(known, digest)]
        if not found:
            raise Unauthorized
        return found[0]


@dataclass(slots=True)
class Caller:
    """Who asks, of which Dure, in which language (None: none was asked for)."""

    owner: str
    dure: Dure
    language: Language | None


_BEARER = HTTPBearer(auto_error=False, scheme_name="key", description="Needed where the server has API keys.")
"""For the OpenAPI description alone; what it finds is not used."""


async def caller(request: Request, _: Annotated[Any, Security(_BEARER)]) -> Caller:
    """Raises Unauthorized without a valid key, when any key is set."""
    keys: Keys = request.app.state.keys
    owner = keys.owner(request.headers.get("authorization"))
    return Caller(owner, request.app.state.dure, requested(request.headers.get("accept-language")))


Who = Annotated[Caller, Depends(caller)]
"""What every route takes that needs a key."""
