"""A scripted model server for tests and benchmarks: real HTTP, OpenAI-compatible, fails on steps not consumed; and
Dure's own server over it."""

from dure.testing.server import Kind, ScriptedServer
from dure.testing.serving import served
from dure.testing.steps import (
    Step,
    call,
    calls,
    cut,
    fail,
    fail_in_stream,
    html,
    json,
    raw,
    rubbish,
    say,
    slow,
    stall,
)
from dure.testing.wire import tokens

__all__ = [
    "Kind",
    "ScriptedServer",
    "Step",
    "call",
    "calls",
    "cut",
    "fail",
    "fail_in_stream",
    "html",
    "json",
    "raw",
    "rubbish",
    "say",
    "served",
    "slow",
    "stall",
    "tokens",
]
