"""Reads a `mcpServers` file: the shape that MCP clients share, a JSON object of servers by name.

    {"mcpServers": {
        "time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "Asia/Seoul"}},
        "wiki": {"type": "http", "url": "https://wiki.example/mcp", "headers": {"Authorization": "Bearer ${WIKI_KEY}"}}
    }}

`${NAME}` and `${NAME:-default}` stand for environment variables, so that keys need not be in the file.
Beyond the common keys Dure reads `disabled` (true: left alone), `timeout` (seconds of one call), `roots` (folders that
the server is told of) and `effects` (effect class by tool name, `"*"` for the rest; wins over what the server says of
its tools).
Other keys belong to other clients and are ignored.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from dure.errors import SettingsError, phrase
from dure.settings import is_address
from dure.tooling import Effect

Transport = Literal["stdio", "http", "sse"]

_TYPES: dict[str, Transport] = {"stdio": "stdio", "http": "http", "streamablehttp": "http", "sse": "sse"}
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_KINDS: dict[type, str] = {str: "text", list: "a list of texts", dict: "an object of texts"}
_SHORTEST_SECRET = 6
_SECRET = re.compile(r"key|token|secret|passw|auth|credential|cookie", re.IGNORECASE)
"""Names of variables, headers and options whose values are secrets."""
_OPTION = re.compile(r"--?[\w-]+")
_ASSIGNED = re.compile(r"-{0,2}([\w-]+)(?:=|:\s*)(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server. A wrong entry keeps its place, with `error` set and nothing else to be relied on."""

    name: str
    transport: Transport = "stdio"
    command: str = ""
    args: list[str] = field(default_factory=list, repr=False)
    env: dict[str, str] = field(default_factory=dict, repr=False)
    cwd: Path | None = None
    url: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    oauth: dict[str, str] = field(default_factory=dict, repr=False)
    """Of a client that was registered by hand: `clientId`, `clientSecret`; of one that describes itself at an address:
    `clientMetadataUrl`; `callbackPort` of `dure mcp login`."""
    filled: dict[str, str] = field(default_factory=dict, repr=False)
    """The environment variables that the entry names as `${NAME}`, and their values."""
    timeout: float = 60.0
    """Seconds of one call."""
    roots: list[Path] = field(default_factory=list)
    """Folders that the server is told it may work in."""
    effects: dict[str, Effect] = field(default_factory=dict)
    disabled: bool = False
    error: str | None = None

    @property
    def logs_in(self) -> bool:
        """Whether a person can be asked to log in: no key is given."""
        key = "authorization" in map(str.lower, self.headers) or urlsplit(self.url).username
        return self.transport != "stdio" and not key

    def effect(self, tool: str) -> Effect:
        """Of the server's tool of that name: what stands here alone, never what the server says of it."""
        return self.effects.get(tool) or self.effects.get("*", "external")

    def redact(self, text: str) -> str:
        """`text` without what may be a key: the values of the environment, of the headers and of arguments that are
        keys by their names, whatever was filled in for a `${NAME}`, the URL's query and password."""
        url, values = urlsplit(self.url), [value for _, value in self._named()]
        return str(_without(text, [*values, url.query, url.password or ""]))

    def redact_result(self, value: Any) -> Any:
        """A tool's result, text or JSON, without those of the values that are keys by their names: a server may repeat
        what it was given, and other values, such as a time zone, are what results are made of."""
        return _without(value, [text for name, text in self._named() if _SECRET.search(name)])

    def _named(self) -> list[tuple[str, str]]:
        """What the server is given, by the names it goes by; of `Bearer KEY` the key alone, too."""
        named = [*self.env.items(), *self.headers.items(), *self.filled.items(), *self.oauth.items()]
        # Of arguments only what is a key by its name: `--token KEY`, `--token=KEY`, `Authorization: Bearer KEY`.
        options = [pair for pair in pairwise(self.args) if _OPTION.fullmatch(pair[0])]
        options += [(found[1], found[2]) for each in self.args if (found := _ASSIGNED.fullmatch(each))]
        named += [(name, value) for name, value in options if _SECRET.search(name)]
        return named + [(name, value.split(" ", 1)[1]) for name, value in named if " " in value]


def _without(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in sorted(secrets, key=len, reverse=True):
            value = value.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else value
        return value
    if isinstance(value, dict):
        return {key: _without(each, secrets) for key, each in value.items()}
    return [_without(each, secrets) for each in value] if isinstance(value, list) else value


def read_config(source: Path | Mapping[str, Any] | None) -> list[ServerConfig]:
    """The servers of a file, or of the same thing as a mapping; none for None.

    Raises SettingsError naming file and key when the whole cannot be read. A single wrong entry raises nothing: its
    `error` says what is wrong.
    """
    if source is None:
        return []
    where, folder = "mcpServers", Path.cwd()
    if isinstance(source, Path):
        where, folder = str(source), source.resolve().parent
        source = _load(source)
    servers = source.get("mcpServers") if isinstance(source, Mapping) else None
    if not isinstance(servers, Mapping):
        raise SettingsError(key=where, reason=phrase("toolsets_mcp_config.servers"))
    return [_entry(str(name), entry, folder) for name, entry in servers.items()]


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise SettingsError(key=str(path), reason=error.strerror or str(error)) from None
    except json.JSONDecodeError as error:
        reason = phrase("toolsets_mcp_config.json", said=error.msg)
        raise SettingsError(key=f"{path}, line {error.lineno}", reason=reason) from None
    except (UnicodeDecodeError, RecursionError):
        raise SettingsError(key=str(path), reason=phrase("toolsets_mcp_config.encoding")) from None


class _Wrong(Exception):
    pass


def _entry(name: str, entry: Any, folder: Path) -> ServerConfig:
    try:
        if not isinstance(entry, Mapping):
            raise _Wrong("must be an object")
        return _read(name, entry, folder)
    except _Wrong as error:
        return ServerConfig(name, error=f"mcpServers.{name}: {error}")


def _read(name: str, entry: Mapping[str, Any], folder: Path) -> ServerConfig:
    if entry.get("disabled") is True:
        return ServerConfig(name, disabled=True)
    filled: dict[str, str] = {}
    kinds = {"command": str, "args": list, "env": dict, "cwd": str, "url": str, "headers": dict, "oauth": dict}
    kinds["roots"] = list
    given = {key: _given(entry, key, kind, filled) for key, kind in kinds.items()}
    transport = _transport(entry)
    if transport == "stdio":
        given["url"] = ""
    elif not given["url"].startswith(("http://", "https://")):
        raise _Wrong("url: must start with http:// or https://")
    elif not is_address(given["url"]):
        raise _Wrong("url: must have a host, and a port up to 65535")
    if transport == "stdio" and not given["command"].strip():
        raise _Wrong("command: is empty")
    if not re.fullmatch("|https://[^/]+/.+", given["oauth"].get("clientMetadataUrl", "")):
        raise _Wrong("oauth.clientMetadataUrl: must be a page, https://…/…")
    if not given["oauth"].get("callbackPort", "0").isdecimal():
        raise _Wrong("oauth.callbackPort: must be a number")
    try:
        given["cwd"] = folder / Path(given["cwd"]).expanduser() if given["cwd"] else None
        given["roots"] = [(folder / Path(each).expanduser()).resolve() for each in given["roots"]]
    except RuntimeError:
        raise _Wrong("cwd, roots: nobody here has that home folder") from None
    seconds, effects = entry.get("timeout", 60.0), entry.get("effects", {})
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= 86_400:
        raise _Wrong("timeout: must be seconds, above 0 and at most 86400")
    known = get_args(Effect)
    if not isinstance(effects, Mapping) or not all(each in known for each in effects.values()):
        raise _Wrong(f"effects: must be an object of tool names and one of {', '.join(known)}")
    return ServerConfig(name, transport, **given, filled=filled, timeout=float(seconds), effects=dict(effects))


def _transport(entry: Mapping[str, Any]) -> Transport:
    kind = entry.get("type", entry.get("transport"))
    if kind is None:
        if ("command" in entry) == ("url" in entry):
            raise _Wrong("needs either a command (stdio) or a url (streamable HTTP); with both, a type")
        return "stdio" if "command" in entry else "http"
    plain = re.sub("[-_]", "", kind.lower()) if isinstance(kind, str) else ""
    if plain not in _TYPES:
        raise _Wrong(f"type: {kind!r} is not supported; known: stdio, http (streamable HTTP), sse")
    return _TYPES[plain]


def _given(entry: Mapping[str, Any], key: str, kind: type, filled: dict[str, str]) -> Any:
    """The text, list of texts or object of texts that the entry has at `key`, with what stands for variables."""
    value = entry.get(key) or kind()
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    if not isinstance(value, kind) or not all(isinstance(each, str | int | float) for each in parts):
        raise _Wrong(f"{key}: must be {_KINDS[kind]}")
    if isinstance(value, dict):
        return {str(name): _expanded(str(each), f"{key}.{name}", filled) for name, each in value.items()}
    texts = [_expanded(str(each), key, filled) for each in parts]
    return texts if kind is list else texts[0]


def _expanded(value: str, key: str, filled: dict[str, str]) -> str:
    if "\0" in value:
        raise _Wrong(f"{key}: holds a NUL character")

    def fill(found: re.Match[str]) -> str:
        given = os.environ.get(found[1], found[2])
        if given is None:
            raise _Wrong(f"{key}: the environment variable {found[1]} is not set")
        if found[1] in os.environ:
            filled[found[1]] = given
        return given

    return _VARIABLE.sub(fill, value)
