import json

import pytest

from dure.errors import SettingsError
from dure.toolsets.mcp import McpServers
from dure.toolsets.mcp.config import read_config


def one(entry, name="s"):
    return read_config({"mcpServers": {name: entry}})[0]


def test_no_configuration_has_no_servers():
    assert read_config(None) == []
    assert McpServers(None).tools() == {}


def test_reads_stdio_entries(tmp_path):
    path = tmp_path / "mcp.json"
    entry = {"command": "uvx", "args": ["mcp-server-time", 3], "env": {"TZ": "Asia/Seoul"}, "cwd": "work"}
    path.write_text("\ufeff" + json.dumps({"mcpServers": {"시간": entry}}), "utf-8")
    (config,) = read_config(path)
    assert (config.name, config.transport, config.command) == ("시간", "stdio", "uvx")
    assert config.args == ["mcp-server-time", "3"]
    assert config.env == {"TZ": "Asia/Seoul"}
    assert config.cwd == tmp_path / "work"
    assert (config.timeout, config.effects, config.disabled, config.error) == (60, {}, False, None)


@pytest.mark.parametrize("kind", [None, "http", "streamable-http", "streamableHttp"])
def test_reads_http_entries(kind):
    entry = {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer k"}, "timeout": 5}
    config = one(entry if kind is None else entry | {"type": kind})
    assert (config.transport, config.url, config.timeout) == ("http", "https://x.example/mcp", 5)
    assert config.headers == {"Authorization": "Bearer k"}


def test_fills_in_environment_variables(monkeypatch):
    monkeypatch.setenv("KEY", "abc")
    entry = {"command": "c", "args": ["${KEY}-${NONE:-x}"], "env": {"A": "${KEY}"}}
    config = one(entry)
    assert config.args == ["abc-x"]
    assert config.env == {"A": "abc"}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("text", "must be an object"),
        ({}, "either a command"),
        ({"command": ""}, "command: is empty"),
        ({"command": 3}, "command: must be text"),
        ({"command": "c", "args": "x"}, "args: must be a list"),
        ({"command": "c", "args": [{}]}, "args: must be a list"),
        ({"command": "c", "env": []}, None),
        ({"command": "c", "env": ["A=1"]}, "env: must be an object"),
        ({"command": "c", "env": {"A": None}}, "env: must be an object"),
        ({"command": "c", "env": {"A": "${NOT_SET_ANYWHERE}"}}, "env.A: the environment variable NOT_SET_ANYWHERE"),
        ({"command": "c\0"}, "NUL"),
        ({"command": "c", "cwd": "~nosuchuser/x"}, "cwd, roots: nobody here has that home folder"),
        ({"url": "ftp://x"}, "url: must start with http"),
        ({"url": "http://[::1"}, "url: must have a host"),
        ({"url": "http://localhost:99999/mcp"}, "url: must have a host"),
        ({"type": "stdio", "command": "c", "url": "http://[::1"}, None),
        (
            {"command": "c", "url": "http://x/mcp"},
            "a url (streamable HTTP); with both, a type",
        ),
        ({"type": "http", "command": "c", "url": "http://x/mcp"}, None),
        ({"env": {"A": "b"}}, "either a command"),
        ({"type": "http", "command": "c"}, "url: must start with http"),
        ({"type": "websocket", "url": "http://x"}, "type: 'websocket' is not supported"),
        ({"url": "http://x", "oauth": {"callbackPort": "any"}}, "oauth.callbackPort: must be a number"),
        ({"type": 3, "url": "http://x"}, "type: 3"),
        ({"command": "c", "timeout": 0}, "timeout"),
        ({"command": "c", "timeout": "5"}, "timeout"),
        ({"command": "c", "timeout": True}, "timeout"),
        ({"command": "c", "effects": {"x": "harmless"}}, "effects"),
        ({"command": "c", "autoApprove": ["x"], "unknown": 1}, None),
    ],
)
def test_a_wrong_entry_says_what_is_wrong(entry, words):
    error = one(entry).error
    if words is None:
        assert error is None
    else:
        assert error.startswith("mcpServers.s: ")
        assert words in error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "line 1"),
        (b'{\n"mcpServers": {,}}', "line 2"),
        (b"[]", "mcpServers"),
        (b"{}", "mcpServers"),
        (b'{"mcpServers": []}', "mcpServers"),
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 100_000, "JSON"),
    ],
)
def test_an_unusable_file_is_named(tmp_path, content, words):
    path = tmp_path / "mcp.json"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        read_config(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"none\.json"):
        McpServers(tmp_path / "none.json")


def test_secrets_are_not_shown(monkeypatch):
    monkeypatch.setenv("KEY", "sk-secret-1")
    stdio = one({"command": "c", "args": ["--key=${KEY}"], "env": {"K": "${KEY}"}})
    http = one({"url": "https://me:pass-word@x/mcp?token=abcdef", "headers": {"Authorization": "Bearer sk-secret-1"}})
    assert "secret" not in repr(stdio) + repr(http)
    assert "pass-word" not in repr(http)
    assert stdio.redact("no sk-secret-1 here") == "no *** here"
    assert http.redact("sk-secret-1 pass-word token=abcdef") == "*** *** ***"


def test_results_lose_what_is_a_key_by_its_name_and_nothing_else():
    env = {"API_KEY": "canary-key", "TZ": "Asia/Seoul", "PIN_TOKEN": "123"}
    headers = {"Authorization": "Bearer canary-token"}
    (config,) = read_config({"mcpServers": {"a": {"command": "c", "env": env}}})
    found = config.redact_result({"zone": "Asia/Seoul", "list": ["canary-key!", 123, None]})
    assert found == {"zone": "Asia/Seoul", "list": ["***!", 123, None]}
    (config,) = read_config({"mcpServers": {"a": {"url": "http://localhost/mcp", "headers": headers}}})
    assert config.redact_result("Bearer canary-token, canary-token") == "***, ***"


def test_an_address_that_is_not_used_is_no_obstacle():
    assert one({"type": "stdio", "command": "c", "url": "http://[::1"}).redact("said") == "said"


def test_keys_in_arguments_and_addresses_are_not_shown(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "tok-canary")
    monkeypatch.setenv("MY_FOLDER", "/srv/shared")
    args = ["--verbose", "--token", "${MY_TOKEN}", "${MY_FOLDER:-/}", "--api-key=literal-1", "--password", "literal-2"]
    config = one({"command": "c", "args": [*args, "--header", "Authorization: Bearer literal-3"]})
    assert "canary" not in repr(config)
    assert config.redact("bad option --verbose") == "bad option --verbose"
    said = f"bad options {config.args}"
    assert not any(word in config.redact(said) for word in ("canary", "literal", "shared"))
    assert not any(word in config.redact_result(said) for word in ("canary", "literal"))
    assert config.redact_result({"files": ["/srv/shared/a", "--verbose"]}) == {"files": ["/srv/shared/a", "--verbose"]}
    http = one({"url": "https://x.example/${MY_TOKEN}/mcp"})
    assert http.redact("404 for https://x.example/tok-canary/mcp") == "404 for https://x.example/***/mcp"
