"""API keys: whose they are, and what they may do."""

import hashlib
import hmac
import re
from collections.abc import Iterable

from pydantic import SecretStr

from dure.errors import SettingsError, Unauthorized, phrase
from dure.storage.schema import DEFAULT_OWNER

_OWNER = re.compile(r"[A-Za-z0-9._@-]{1,56}")
_KEY = re.compile(r"[!-~]+")
"""What a header carries as it is written: anything else would never be recognised."""
ROLES = ("reader", "approver", "owner", "admin")
"""What a key may do, each all that those before it may: look; decide what runs wait for; ask and change what is its
owner's; accept what is for all owners."""


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
                raise SettingsError(key="DURE_API_KEYS", reason=phrase("api_auth.key"))
            digest = hashlib.sha256(key.encode()).digest()
            if any(known == digest for known, _, _ in self._known):
                # Whose it was would be the order's to say.
                raise SettingsError(key="DURE_API_KEYS", reason=phrase("api_auth.twice"))
            self._known.append((digest, owner or f"k-{digest.hex()[:16]}", role))

    def __bool__(self) -> bool:
        return bool(self._known)

    @property
    def owners(self) -> list[tuple[str, str]]:
        """Who has keys, each owner with the role of one."""
        return sorted({(owner, role) for _, owner, role in self._known})

    def may_ask(self, owner: str) -> bool:
        """Whether somebody may ask in the owner's name: has a key that may, where there are keys."""
        return not self._known or any((owner, role) in self.owners for role in ROLES[2:])

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
