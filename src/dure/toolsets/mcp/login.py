"""OAuth 2.1 at MCP servers over HTTP, by the library: what a login gave is kept in the vault and refreshed; a person
logs in anew where that is not enough."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth, union_scopes
from mcp.client.client import Client
from mcp.shared import auth as oauth
from pydantic import AnyUrl, BaseModel

from dure.errors import phrase
from dure.messages import short
from dure.settings import is_loopback
from dure.storage.vault import Vault
from dure.toolsets.mcp.config import ServerConfig
from dure.toolsets.mcp.failures import McpError, first_of
from dure.toolsets.mcp.transport import Stderr, open_transport

_ENDED = 1.0
"""A time in the past: of a token that is refused before its own."""
_OTHERS_SECONDS = 1.0
_MAX_REASON = 200
_ASKS = "WWW-Authenticate"


class _Kept(BaseModel):
    """What a login gave, and what a refresh needs."""

    url: str
    client: oauth.OAuthClientInformationFull
    tokens: oauth.OAuthToken
    expires: float | None = None
    wanted: str = ""
    """Scopes that were lacking."""
    server: oauth.OAuthMetadata | None = None
    resource: oauth.ProtectedResourceMetadata | None = None


class _Auth(OAuthClientProvider):
    """Keeps what it gets in the vault. It is its own `TokenStorage`."""

    def __init__(self, config: ServerConfig, vault: Vault, redirect: str, *handlers: Any) -> None:
        self.config, self.vault = config, vault
        self._name, self.wanted = f"mcp {config.name}"[:512], ""
        local = is_loopback(urlsplit(redirect).hostname or "")
        about = oauth.OAuthClientMetadata(
            redirect_uris=[AnyUrl(redirect)], client_name="Dure", application_type="native" if local else "web"
        )
        leads, waits = handlers or (None, None)
        super().__init__(config.url, about, self, leads, waits, config.oauth.get("clientMetadataUrl"))

    async def _load(self) -> _Kept | None:
        """What is kept of a login at this address: of another one's servers it is none of their business."""
        sealed = await self.vault.get(self._name)
        kept = _Kept.model_validate_json(sealed) if sealed else None
        return kept if kept and kept.url == self.config.url else None

    async def get_tokens(self) -> oauth.OAuthToken | None:
        if (kept := await self._load()) is None:
            return None
        held, self.wanted = self.context, kept.wanted
        held.oauth_metadata, held.protected_resource_metadata = kept.server, kept.resource
        held.token_expiry_time, held.client_info = kept.expires, kept.client
        self._hide(kept.tokens)
        return kept.tokens

    async def set_tokens(self, tokens: oauth.OAuthToken) -> None:
        held = self.context
        assert held.client_info is not None
        kept = _Kept(
            url=self.config.url,
            client=held.client_info,
            tokens=tokens,
            expires=held.token_expiry_time,
            wanted=self.wanted,
            server=held.oauth_metadata,
            resource=held.protected_resource_metadata,
        )
        self._hide(tokens)
        await self.vault.put(self._name, kept.model_dump_json().encode())

    async def get_client_info(self) -> oauth.OAuthClientInformationFull | None:
        return self.context.client_info

    async def set_client_info(self, client_info: oauth.OAuthClientInformationFull) -> None:
        """Kept with the tokens that it gets: until then those of an earlier registration are good."""

    def _hide(self, tokens: oauth.OAuthToken) -> None:
        # What the configuration fills in is masked wherever the server's words are shown.
        self.config.filled["access token"] = tokens.access_token
        self.config.filled["refresh token"] = tokens.refresh_token or ""


class Held(_Auth):
    """Goes with the requests of a session. refused: called when a person has to log in, with whether nothing goes
    without that (else it is one call that needs more), and the server's `WWW-Authenticate`."""

    def __init__(self, config: ServerConfig, vault: Vault, refused: Callable[[bool, str], None]) -> None:
        super().__init__(config, vault, "http://127.0.0.1/")
        self._refused, self._dead = refused, ""

    async def get_tokens(self) -> oauth.OAuthToken | None:
        if (tokens := await super().get_tokens()) and tokens.access_token == self._dead:
            self.context.token_expiry_time = _ENDED
        return tokens

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        held = self.context
        if held.current_tokens is None:
            held.current_tokens = await self.get_tokens()
        if (tokens := held.current_tokens) is not None and held.is_token_valid():
            # Not by the library, which lets each request wait until the one before it is answered.
            request.headers["Authorization"] = f"Bearer {tokens.access_token}"
            response = yield request
            if response.status_code == 403 and extract_field_from_www_auth(response, "error") == "insufficient_scope":
                self.wanted = union_scopes(tokens.scope, extract_scope_from_www_auth(response)) or ""
                await self.set_tokens(tokens)
                self._refused(False, response.headers.get(_ASKS, ""))
            if response.status_code != 401:
                return
            self._dead = tokens.access_token
        async with held.lock:
            # Another process may have refreshed them, and a refresh token is good for one time.
            held.current_tokens = await self.get_tokens()
        async with aclosing(super().async_auth_flow(request)) as flow:
            with suppress(StopAsyncIteration):
                outgoing = await anext(flow)
                while True:
                    response = yield outgoing
                    if outgoing is request and response.status_code == 401:
                        if tokens is not None and await self._others(request):
                            response = yield request
                        if response.status_code == 401:
                            self._refused(True, response.headers.get(_ASKS, ""))
                        return
                    outgoing = await flow.asend(response)

    async def _others(self, request: httpx2.Request) -> bool:
        """Whether another process was faster to refresh: the request gets what that one keeps in a moment."""
        await asyncio.sleep(_OTHERS_SECONDS)
        newer = self.context.current_tokens = await self.get_tokens()
        key = f"Bearer {newer.access_token}" if newer else ""
        before = request.headers.get("Authorization")
        request.headers["Authorization"] = key
        return key not in ("", before)


class Login(_Auth):
    """One login of a person: `begin` tells where to go, `finish` takes what came back from there.

    whose: a secret of the browser that it began in; "" where whoever began it listens for the answer alone.
    challenge: the `WWW-Authenticate` with which a call was refused, of a server that asks for a login only there."""

    def __init__(
        self, config: ServerConfig, vault: Vault, redirect: str, whose: str, seconds: float, challenge: str
    ) -> None:
        super().__init__(config, vault, redirect, self._show, lambda: self._answer)
        self.state, self.whose, self._seconds = "", whose, seconds
        self._refused, self._challenge = False, challenge
        self._address: asyncio.Future[str] = asyncio.Future()
        self._answer: asyncio.Future[oauth.AuthorizationCodeResult] = asyncio.Future()

    async def begin(self) -> str:
        """The address at which the person says yes. Raises McpError."""
        self.task: asyncio.Future[Any] = asyncio.create_task(self._run())
        await asyncio.wait([self.task, self._address], return_when=asyncio.FIRST_COMPLETED)
        if not self._address.done():
            await self.task
            raise McpError(server=self.config.name, reason=phrase("toolsets_mcp.none"))
        return self._address.result()

    async def finish(self, code: str, issuer: str | None, error: str) -> None:
        """Takes the code, or why there is none, once. Raises McpError."""
        if code and not error:
            self._answer.set_result(oauth.AuthorizationCodeResult(code=code, state=self.state, iss=issuer))
        else:
            self._answer.set_exception(McpError(server=self.config.name, reason=short(error, _MAX_REASON) or "no code"))
        await asyncio.shield(self.task)

    async def get_tokens(self) -> None:
        """None: it begins anew, also as a client, since the server may have forgotten the one that is known."""
        kept, known = await self._load(), self.config.oauth
        self._more = kept.wanted if kept else ""
        if identity := known.get("clientId"):
            secret = known.get("clientSecret")
            way = "client_secret_basic" if secret else "none"
            self.context.client_info = oauth.OAuthClientInformationFull(
                client_id=identity, client_secret=secret, token_endpoint_auth_method=way, redirect_uris=[]
            )

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        async with aclosing(super().async_auth_flow(request)) as flow:
            outgoing = await anext(flow)
            with suppress(StopAsyncIteration):
                while True:
                    response = yield outgoing
                    if self._refused and outgoing is request and response.status_code != 401:
                        self._refused = False
                        response = httpx2.Response(401, headers={_ASKS: self._challenge}, request=request)
                    outgoing = await flow.asend(response)

    async def _show(self, address: str) -> None:
        asked = httpx2.URL(address)
        self.state = asked.params["state"]
        if self._more:
            asked = asked.copy_set_param("scope", union_scopes(asked.params.get("scope"), self._more))
        self._address.set_result(str(asked))

    async def _run(self) -> None:
        name = self.config.name
        try:
            async with asyncio.timeout(self._seconds):
                transport = open_transport(self.config, Stderr(name), int, int, int, self)
                async with Client(transport, cache=None) as client:
                    # Some let in whoever comes, and ask for a login at what comes next.
                    await client.list_tools()
                    self._refused = not self._address.done()
                    if self._refused:
                        # As the calls were that are refused.
                        await client.list_tools()
        except Exception as error:
            why = first_of(error)
            if isinstance(why, McpError):
                raise why from None
            reason = short(self.config.redact(str(why) or type(why).__name__), _MAX_REASON)
            raise McpError(server=name, reason=reason) from None
