"""An MCP server over stdio that starts at once, where the server is not what is tested: the SDK, which `odd.py` is made
with, takes a second to import."""

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

Given = dict[str, Any]


def crash(given: Given) -> str:
    print("last words with key sk-very-secret", file=sys.stderr, flush=True)
    os._exit(3)


NOTHING: Given = {"type": "object", "properties": {}}
TOOLS: dict[str, Callable[[Given], str]] = {
    "pid": lambda given: str(os.getpid()),
    "environment": lambda given: json.dumps(dict(os.environ)),
    "key": lambda given: str(given["_meta"].get("dure/idempotency-key")),
    "folder": lambda given: os.getcwd(),
    "crash": crash,
    "wait": lambda given: threading.Event().wait(given["arguments"]["seconds"]) or "waited",
}
SCHEMAS = {"wait": {"type": "object", "properties": {"seconds": {"type": "number"}}, "required": ["seconds"]}}
BESIDE = "ONE_BY_ONE" not in os.environ
writing = threading.Lock()


def result_of(method: str, given: Given) -> Given:
    match method:
        case "initialize":
            told = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}}
            return {**told, "serverInfo": {"name": "plain", "version": "7"}}
        case "tools/list":
            return {"tools": [{"name": name, "inputSchema": SCHEMAS.get(name, NOTHING)} for name in TOOLS]}
        case "tools/call":
            return {"content": [{"type": "text", "text": TOOLS[given["name"]](given)}]}
    raise NotImplementedError(method)


def answer(asked: Given) -> None:
    try:
        told: Given = {"result": result_of(asked["method"], asked.get("params", {}))}
    except NotImplementedError:
        told = {"error": {"code": -32601, "message": "Method not found"}}
    with writing:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.keys() >= {"id", "method"}:
            # Calls side by side, unless it is told otherwise; what still waits ends with the process.
            threading.Thread(target=answer, args=(asked,), daemon=True).start() if BESIDE else answer(asked)
