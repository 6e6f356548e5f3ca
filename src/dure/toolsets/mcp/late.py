"""How calls to a server over stdio ended that were under way when this process died: `tied.py`, which looks after the
server, waits for them and leaves it in a file."""

import asyncio
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from dure.messages import short
from dure.storage.process import unlocked
from dure.tooling import ToolResult
from dure.toolsets.mcp.config import ServerConfig
from dure.toolsets.mcp.failures import McpError
from dure.toolsets.mcp.results import as_tool_result, redacted

KEY = "dure/idempotency-key"
"""In the `_meta` of a call: the same when the call is made again, no other call's."""
_KEPT = 86_400.0
"""Seconds after which a file is removed; of what stood there nobody knows then."""
_LOOK_SECONDS = 0.05
_MOST_TOLD = 300


@contextmanager
def left_in(folder: Path, config: ServerConfig) -> Iterator[Sequence[str]]:
    """What `tied.py` wants to know to leave answers in that folder; they are no news to a process that comes to the
    end. What is too old there is removed."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for each in folder.iterdir():
        with suppress(OSError), each.open() as file:
            if each.stat().st_mtime < time.time() - _KEPT and unlocked(file):
                each.unlink()
    harmless = [name for name in config.effects if config.effect(name) in ("read", "idempotent")]
    path = folder / secrets.token_hex(8)
    try:
        yield "--late", str(path), str(config.timeout), KEY, "\n".join(harmless)
    finally:
        path.unlink(missing_ok=True)


async def outcome(folder: Path, config: ServerConfig, key: str) -> ToolResult | None:
    """How the call of that key ended, waited for while its server is at it, within its time limit; None: unknown."""
    until = time.monotonic() + config.timeout
    while True:
        free, said = _left(folder, key)
        if free or time.monotonic() > until:
            break
        await asyncio.sleep(_LOOK_SECONDS)
    if "error" in said:
        reason = short(config.redact(str(said["error"]["message"])), _MOST_TOLD)
        return ToolResult(str(McpError(server=config.name, reason=reason)), is_error=True)
    # One that wants to be asked again with more has not ended.
    if said.get("result", {}).get("resultType", "complete") != "complete" or not said:
        return None
    from mcp_types import CallToolResult

    return redacted(as_tool_result(CallToolResult.model_validate(said["result"], by_name=False)), config)


def _left(folder: Path, key: str) -> tuple[bool, dict[str, Any]]:
    """Whether nobody is at the call of that key any more, and the JSON-RPC response to it, where there is one."""
    for each in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError), each.open(encoding="utf-8") as file:
            # Before it is read: what is written last is written under the lock.
            free = unlocked(file)
            said = dict(line.partition(" ")[::2] for line in file.read().split("\n")[:-1])
            if key in said:
                return free, orjson.loads(said[key] or "{}")
    return True, {}
