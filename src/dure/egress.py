"""Which web addresses may be opened: http and https to the public internet, and nothing else.

A model chooses the addresses, and what it reads (a page, a document, a redirect) may have chosen for it. So each
address is checked as text, its name is resolved once, and the connection goes to just the addresses that were checked
(`client`): there is no second look-up that could answer otherwise.

A name is refused when any of its addresses is: a public site has no private address, a rebinding attack has.
"""

import asyncio
import re
import socket
import ssl
import unicodedata
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any, Final

from dure.errors import ToolError
from dure.texts import TEXTS, Texts

if TYPE_CHECKING:
    import aiohttp

Address = IPv4Address | IPv6Address
Lookup = Callable[[str, int], Awaitable[Collection[str]]]
"""Host and port → IP addresses as text. Raises OSError for an unknown name."""

PORTS: Final = frozenset({80, 443, 8080, 8443})
MAX_URL_CHARS: Final = 4000

# IANA's special-purpose address registries, RFC 6890 and later; written out, since what `is_global` says differs
# from one Python to the next.
_REFUSED_V4: Final = tuple(
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",  # this network; on Linux, this machine
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; some clouds' metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's platform, reachable from its machines only
        "169.254.0.0/16",  # link-local; the clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
# Only 2000::/3 is given out as global unicast: that leaves out ::/8 with loopback, IPv4-mapped and -compatible
# addresses and NAT64 (64:ff9b::/96, 64:ff9b:1::/48), fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
_UNICAST_V6: Final = IPv6Network("2000::/3")
_REFUSED_V6: Final = tuple(
    IPv6Network(each)
    for each in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",
        "3fff::/20",  # documentation
    )
)

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)(?:#.*)?", re.DOTALL)
_BARE: Final = re.compile(r"[^\s/:?#@\[\]]+\.[^\s/:?#@\[\]]+(?:[/?#].*)?", re.DOTALL)
_AUTHORITY: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::([1-9][0-9]{0,4}))?")
_UNWANTED: Final = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ud800-\udfff]")
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that never belong to the public internet: RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal, and what
# networks at home and in firms use.
_REFUSED_NAMES: Final = frozenset(
    {
        *("alt", "arpa", "corp", "example", "home", "internal", "intra", "intranet", "invalid", "lan", "local"),
        *("localdomain", "localhost", "onion", "private", "test", "workgroup"),
    }
)


class WebError(ToolError, code="web_error", status=502):
    """One of the problems of `table`, with the parameters of its sentence."""

    table: Texts = TEXTS["egress"]

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.says = self.table[problem]
        super().__init__(problem=problem, **parameters)


class AddressRefused(WebError, code="address_refused", status=403):
    """The address is not one that may be opened."""


class HostUnavailable(WebError, code="page_unavailable"):
    """Nothing comes from there."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be opened: `url` is what to ask for, at one of `addresses` (IP addresses) only."""

    url: str
    host: str
    """As it stands in `url`: lower-case ASCII; an IPv6 address without brackets."""
    port: int
    addresses: tuple[str, ...]


def is_public(address: Address) -> bool:
    """Whether an IP address is one of a host on the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_V4)
    if address.scope_id is not None or address not in _UNICAST_V6:
        return False
    # ISATAP (RFC 5214): an IPv4 address behind the interface identifier ::5efe, with either value of its u bit.
    if (int(address) >> 32) & 0xFDFFFFFF == 0x5EFE:
        return False
    return not any(address in network for network in _REFUSED_V6)


async def lookup(host: str, port: int) -> list[str]:
    """All addresses of a name, from the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks addresses before they are opened.

    lookup: resolves names. reachable: which IP addresses may be opened. ports: which ports. trusted: hosts, `host` or
    `host:port`, that may be opened wherever they are.
    """

    lookup: Lookup = lookup
    reachable: Callable[[Address], bool] = is_public
    ports: Collection[int] = PORTS
    trusted: Collection[str] = ()

    async def check(self, url: str) -> Target:
        """What may be opened for `url`; a missing `https://` is added.

        Raises AddressRefused, and HostUnavailable for a name that does not exist.
        """
        from yarl import URL

        scheme, host, given_port, rest = _parts(url.strip(" \t\r\n"))
        port = given_port or (443 if scheme == "https" else 80)
        if {host.lower(), f"{host.lower()}:{port}"} & {each.lower() for each in self.trusted}:
            built = URL(f"{scheme}://{host}:{port}{rest}")
            plain = built.raw_host or ""
            return Target(str(built), plain, port, tuple(await self._resolved(plain, port)))
        if port not in self.ports:
            raise AddressRefused("port", port=port, known=", ".join(map(str, sorted(self.ports))))
        literal = _literal(host)
        name = str(literal) if literal else _name(host)
        shown = f"[{name}]" if isinstance(literal, IPv6Address) else name
        explicit = f":{given_port}" if given_port else ""
        try:
            built = URL(f"{scheme}://{shown}{explicit}{rest}")
        except ValueError:
            raise AddressRefused("malformed") from None
        # The client must read the address as it was read here.
        if (built.scheme, built.raw_host, built.port, built.user) != (scheme, name, port, None):
            raise AddressRefused("malformed")
        addresses = [name] if literal else await self._resolved(name, port)
        if not all(map(self._may_reach, addresses)):
            raise AddressRefused("private", host=name)
        return Target(str(built), name, port, tuple(addresses))

    async def _resolved(self, name: str, port: int) -> list[str]:
        try:
            found = list(dict.fromkeys(await self.lookup(name, port)))
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise HostUnavailable("unknown_host", host=name)
        return found

    def _may_reach(self, address: str) -> bool:
        try:
            return self.reachable(ip_address(address))
        except ValueError:
            return False


def _parts(url: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and the rest (path and query) of an address, strictly read."""
    if not url or len(url) > MAX_URL_CHARS:
        raise AddressRefused("malformed")
    if "://" not in url.split("?", 1)[0] and _BARE.fullmatch(url):
        url = f"https://{url}"
    match = _URL.fullmatch(url)
    if match is None:
        raise AddressRefused("scheme" if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", url) else "malformed")
    scheme, authority, rest = match[1].lower(), match[2], match[3]
    if scheme not in ("http", "https"):
        raise AddressRefused("scheme")
    if "@" in authority:
        raise AddressRefused("credentials")
    # A blank in a path is a careless link; anywhere else, and any other such character, is a trick.
    if _UNWANTED.search(authority) or _UNWANTED.search(rest.replace(" ", "")):
        raise AddressRefused("malformed")
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        raise AddressRefused("malformed")
    path = rest if rest.startswith("/") else f"/{rest}"
    return scheme, found[1], int(found[2]) if found[2] else None, path


def _literal(host: str) -> Address | None:
    """The host as an IP address, or None for a name. Other spellings of IPv4 addresses than the usual are refused."""
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1])
        if _NUMBER.fullmatch(host.lower().rstrip(".").rpartition(".")[2]):
            return IPv4Address(host)
    except ValueError:
        raise AddressRefused("numeric", host=host) from None
    return None


def _name(host: str) -> str:
    """The host's name in lower-case ASCII."""
    if not host.isascii():
        host = _ascii(host)
    name = host.lower()
    labels = name.split(".")
    if len(name) > 253 or len(labels) < 2 or not all(map(_LABEL.fullmatch, labels)):
        raise AddressRefused("host", host=host)
    if labels[-1] in _REFUSED_NAMES or name == "localhost":
        raise AddressRefused("host", host=host)
    return name


def _ascii(host: str) -> str:
    """An international name (한글.kr) in ASCII. Only letters, and written as they are: nothing that turns into
    another character (full-width digits, circled letters, other dots) when a resolver or browser tidies it."""
    import idna

    plain = unicodedata.normalize("NFKC", host) == host
    if not plain or not all(c.isascii() or unicodedata.category(c)[0] in "LM" for c in host):
        raise AddressRefused("host", host=host)
    try:
        return idna.encode(host).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise AddressRefused("host", host=host) from None


def client(
    target: Target, seconds: float | None, context: ssl.SSLContext | None = None, **more: Any
) -> "aiohttp.ClientSession":
    """Connects to the target's addresses and to nothing else, whatever a resolver may think: without cookies, proxies.

    seconds: for a whole request. context: instead of the system's certificates."""
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Pinned(AbstractResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
        ) -> list[ResolveResult]:
            if host != target.host:
                raise OSError(f"{host} was not checked")
            return [
                ResolveResult(
                    hostname=host,
                    host=address,
                    port=port,
                    family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                    proto=socket.IPPROTO_TCP,
                    flags=socket.AI_NUMERICHOST,
                )
                for address in target.addresses
            ]

        async def close(self) -> None:
            pass

    def checked_socket(info: Any) -> socket.socket:
        family, kind, protocol, _, place = info
        if place[0] not in target.addresses or place[1] != target.port:
            raise OSError(f"{place[0]} was not checked")
        return socket.socket(family, kind, protocol)

    connector = aiohttp.TCPConnector(
        resolver=Pinned(),
        use_dns_cache=False,
        force_close=True,
        socket_factory=checked_socket,
        ssl=context if context is not None else True,
    )
    alone: dict[str, Any] = {"connector": connector, "cookie_jar": aiohttp.DummyCookieJar(), "trust_env": False}
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=seconds), **alone, **more)


async def read_up_to(response: "aiohttp.ClientResponse", most: int) -> bytes:
    """The body of a reply; of one of more than `most` bytes the beginning, which is longer than that."""
    data = bytearray()
    async for piece in response.content.iter_any():
        data += piece
        if len(data) > most:
            break
    return bytes(data)
