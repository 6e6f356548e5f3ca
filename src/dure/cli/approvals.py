"""A run that waits, in the terminal: what it asks, and what people decide. Loaded with the runs themselves."""

import asyncio
import sys
from typing import Any

import orjson

from dure.agents.approvals import asks_form
from dure.app import Dure
from dure.cli.show import Show
from dure.cli.terminal import clean, err, note
from dure.cli.words import language, say
from dure.messages import json_bytes
from dure.runs import AnswerRecord
from dure.texts import TEXTS
from dure.tooling import in_thread
from dure.toolsets.arguments import InvalidArguments, valid

WAITS = 3
"""Exit code of a command whose run waits for people."""

_ACTIONS = TEXTS["cli_approvals.actions"]
_KEYS = {"a": "approve", "e": "edit", "r": "reject", "w": "answer", "l": "later"}


def lines(approval: dict[str, Any]) -> list[str]:
    """An approval as lines: the question, who would use what, and the arguments."""
    who = " · ".join(filter(None, [approval["agent"], approval["tool"]]))
    found = [f"? {approval['title']}"]
    if who:
        found.append(f"  {who}")
    if approval["kind"] == "step":
        # The task stands in the title; the results are read, not copied.
        for number, result in approval["args"].get("results", {}).items():
            found += [f"  [{number}]", *(f"  {line}" for line in str(result).splitlines())]
    elif approval["args"] or asks_form(approval):
        # Of a form, the fields that are asked for.
        approval = approval | {"args": approval["args"] or approval["schema"].get("properties", {})}
        found += [f"  {line}" for line in pretty(approval["args"]).splitlines()]
    return found


def pretty(value: Any) -> str:
    """JSON over several lines, its text readable."""
    return json_bytes(value, orjson.OPT_INDENT_2).decode()


def can_ask() -> bool:
    """Whether there is a person to ask: standard input and error are a terminal."""
    return sys.stdin.isatty() and err().is_terminal


def how_to_decide(run_id: str) -> None:
    """Say how a waiting run is decided later."""
    waits = say(f"{run_id} 실행이 결정을 기다립니다", f"Run {run_id} waits for a decision")
    note(f"{waits}: dure runs decide {run_id}", "yellow")


async def ask_all(approvals: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Ask the person at the terminal for each approval; None when they want to decide later."""
    decisions = []
    for approval in approvals:
        note("")
        for line in lines(approval):
            note(line, "yellow" if line.startswith("?") else "")
        decided = await _ask(approval)
        if decided is None:
            return None
        decisions.append({"approval_id": approval["id"], **decided})
    return decisions


async def _ask(approval: dict[str, Any]) -> dict[str, Any] | None:
    keys = {key: action for key, action in _KEYS.items() if action in approval["actions"] or action == "later"}
    menu = " / ".join(f"[{key}] {_ACTIONS[action][language()]}" for key, action in keys.items())
    while True:
        given = await _read(f"{menu}: ")
        if given is None:
            return None
        action = keys.get(given.strip().lower(), given.strip().lower())
        if action not in keys.values():
            continue
        if action == "later":
            return None
        decided = await _details(action, approval)
        if decided is not None:
            return {"action": action, **decided}


async def _details(action: str, approval: dict[str, Any]) -> dict[str, Any] | None:
    """What goes with an action; None to choose again."""
    if action == "edit" or (action == "answer" and asks_form(approval)):
        args = await _arguments(approval)
        return None if args is None else {"args": args}
    if action == "reject":
        return {"message": await _read(say("이유 (없으면 Enter): ", "Reason (Enter for none): ")) or ""}
    if action == "answer":
        text = await _read(say("답: ", "Answer: "))
        return {"message": text} if text and text.strip() else None
    return {}


async def _arguments(approval: dict[str, Any]) -> dict[str, Any] | None:
    """New arguments that fit, asked for until they do; None for an empty line."""
    while True:
        text = await _read(say("값 (한 줄 JSON, 빈 줄은 취소): ", "The values (JSON on one line, empty to go back): "))
        if not text or not text.strip():
            return None
        try:
            return valid(approval["schema"], orjson.loads(text))
        except orjson.JSONDecodeError as error:
            note(say(f"올바른 JSON이 아닙니다: {error}", f"Not valid JSON: {error}"), "red")
        except InvalidArguments as error:
            note(error.faults.said(language()), "red")


async def _read(prompt: str) -> str | None:
    """A line from the terminal, None at its end or on Ctrl-C. What is asked goes to standard error: standard output
    is the answer's.

    While the person thinks the process goes on: a lease on its runs lapses unless it is renewed."""
    print(clean(prompt), end="", file=sys.stderr, flush=True)
    try:
        line = await _line()
    except asyncio.CancelledError:
        # Ctrl-C at a question leaves it for later; what the command is at otherwise, it cancels.
        task = asyncio.current_task()
        if task is None or not task.uncancel():
            return None
        raise
    return line.rstrip("\n") if line else None


async def _line() -> str:
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    try:
        # Not a thread that reads: one that is not answered would hold standard input when the program ends.
        loop.add_reader(sys.stdin.fileno(), there.set)
    except NotImplementedError:  # Windows
        return await in_thread(sys.stdin.readline)
    try:
        await there.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()


async def follow(dure: Dure, owner: str, run_id: str, *, quiet: bool = False, after: int = 0) -> AnswerRecord:
    """Show a run from its event `after` on, asking at the terminal whenever it waits; where nobody can be asked, or
    they decide later, the waiting answer is returned.
    """
    show, seen = Show(quiet=quiet), 0
    while True:
        with show:
            # From the first one: those before tell what the steps are of which the others tell.
            async for number, event in dure.runs.events(owner, run_id, seen):
                show.event(event, told=number <= after)
                seen = number
        answer = await dure.runs.answer(owner, run_id)
        if answer.status != "waiting" or quiet or not can_ask():
            return answer
        decisions = await ask_all(answer.approvals)
        if decisions is None:
            return answer
        await dure.runs.decide(owner, run_id, decisions)
