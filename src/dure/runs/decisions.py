"""What people decide about a run that waits: checked, noted once, and read again by the run that goes on."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from dure.agents import Decision, Question
from dure.agents.approvals import asks_form, told
from dure.errors import AlreadyDecided, Conflict, InvalidInput, Language, existing, phrase
from dure.events import Event, RunWaiting
from dure.messages import canonical, json_bytes
from dure.runs.ask import check_kinds, check_length, check_text, one_of
from dure.runs.engine import Place
from dure.runs.history import unmarked
from dure.storage import approvals as approval_rows
from dure.storage import now, stamp
from dure.storage import runs as run_rows
from dure.texts import TEXTS
from dure.tooling import Tool
from dure.toolsets.arguments import InvalidArguments, valid

_STATUS = {"approve": "approved", "edit": "edited", "reject": "rejected", "answer": "answered", "expire": "expired"}
_KINDS: dict[str, Any] = {"approval_id": str, "action": str, "args": object, "message": str | None}
_MAX_MESSAGE = 10_000
_ASKED = TEXTS.one("runs_decisions.asked")
_SHOWN = 300
"""Characters of an argument of a call on one line."""
_MOST = 20_000
"""Characters of a result, or of an argument that is longer than that: nobody answers for what they cannot read."""
_LEFT = TEXTS.one("runs_decisions.left")


def rows_of(questions: list[Question], owner: str, run_id: str, hours: float) -> list[dict[str, Any]]:
    """Questions as rows to be stored, each with an id of its own and its time limit."""
    expires_at = stamp(datetime.now(UTC) + timedelta(hours=hours))
    rows = []
    for question in questions:
        asked = asdict(question) | {"actions": list(question.actions)}
        rows.append(
            {
                "id": f"p-{secrets.token_hex(12)}",
                "owner": owner,
                "run_id": run_id,
                "key": asked.pop("key"),
                "args_hash": question.args_hash,
                "question": asked,
                "status": "pending",
                "created_at": now(),
                "expires_at": expires_at,
            }
        )
    return rows


def public(row: dict[str, Any]) -> dict[str, Any]:
    """An approval as users see it."""
    kept = {key: row[key] for key in ("id", "run_id", "args_hash", "created_at", "expires_at")}
    run = {"session_id": row["session_id"], "asked": row["message"]} if "session_id" in row else {}
    question: dict[str, Any] = row["question"]
    return kept | run | question


def asked_text(approvals: list[dict[str, Any]], language: Language) -> str:
    """What the run waits for, as an answer's text, with the arguments of calls and what steps build on."""
    lines = []
    for each in approvals:
        lines.append(f"- {each['title']}")
        if each["kind"] == "step":
            results = each["args"].get("results", {}).values()
            lines += "\n\n".join(_quoted(unmarked(result), "  ", language) for result in results).splitlines()
        elif each["tool"]:
            lines += [_argument(name, value, language) for name, value in each["args"].items()]
    return "\n".join([_ASKED[language], "", *lines])


def _argument(name: str, value: Any, language: Language) -> str:
    """An argument of a call: what is long or has several lines, such as a letter, as it is."""
    text = value if isinstance(value, str) else json_bytes(value).decode()
    if "\n" in text.strip() or len(text) > _SHOWN:
        return f"  - {name}:\n{_quoted(text, '    ', language)}"
    shown = " ".join(text.split()).replace("`", "'")
    return f"  - {name}: `{shown}`"


def _quoted(text: str, indent: str, language: Language) -> str:
    """A text line by line, so that rows stay rows; of a very long one its beginning, and how much is left."""
    shown = whole = text.strip()
    if len(whole) > _MOST:
        lines, _, begun = whole[:_MOST].rpartition("\n")
        shown = lines if begun.startswith("|") else whole[:_MOST]
        shown += f"\n\n… {_LEFT[language].format(count=len(whole) - len(shown))}"
    return "\n".join(f"{indent}> {line}".rstrip() for line in shown.splitlines())


def decided_of(rows: list[dict[str, Any]]) -> Callable[[Question], Decision | None]:
    """The decisions stored for a run, found by what was asked."""
    known = {(row["key"], row["args_hash"]): Decision(**row["decision"]) for row in rows if row["decision"]}
    return lambda question: known.get((question.key, question.args_hash))


def allowed(rows: list[dict[str, Any]]) -> set[str]:
    """The calls that people said may run."""
    yes = ("approved", "edited")
    return {row["question"]["call_id"] for row in rows if row["status"] in yes and row["question"].get("call_id")}


def refused(rows: list[dict[str, Any]], recorded: Sequence[Event], language: Language) -> str:
    """What people said of all that a run waited for last, where they allowed and answered nothing of it; else empty."""
    ids = {a["id"] for each in recorded[-1:] if isinstance(each, RunWaiting) for a in each.approvals}
    said = [(row["question"], Decision(**row["decision"])) for row in rows if row["id"] in ids and row["decision"]]
    if any(decision.action not in ("reject", "expire") for _, decision in said):
        return ""
    lines = ((q["tool"] or q["title"], told(Question("", q["kind"], ""), decision, language)) for q, decision in said)
    return "\n".join(f"- {name}: {text}" for name, text in lines)


def check_tool(row: dict[str, Any], tool: Tool | None) -> None:
    """Raises Conflict where a call cannot run any more as it was asked about: its tool is gone or has changed."""
    asked = row["question"]
    if tool is not None and asked["kind"] == "tool":
        # Those asked by an earlier version know the schema alone.
        known = asked.get("tool_hash")
        same = known == tool.digest if known else canonical(tool.parameters) == canonical(asked["schema"])
    else:
        same = tool is not None
    if not same:
        raise Conflict(reason=phrase("runs_decisions.changed", tool=asked["tool"]), approval_id=row["id"])


def check(decisions: Sequence[dict[str, Any]]) -> None:
    """Raises InvalidInput for what is no decision, `{approval_id, action, args?, message?}`, and for two of one
    approval."""
    for number, decision in enumerate(decisions):
        check_kinds(_KINDS, decision)
        if (id := decision["approval_id"]) in [each["approval_id"] for each in decisions[:number]]:
            raise InvalidInput(reason=phrase("runs_decisions.twice", id=id), key="approval_id")


def decide(
    connection: sa.Connection,
    owner: str,
    run_id: str,
    decisions: list[dict[str, Any]],
    executor: str,
    place: Place,
) -> bool:
    """Note all decisions or none; True when nothing is open any more and the run is now `executor`'s to go on with:
    `place` says so. Else it is queued.

    Raises NotFound for a run or approval that is not the owner's, AlreadyDecided, Conflict for a run that does not
    wait, InvalidInput for an action that was not offered or arguments that do not fit.
    """
    # Of decisions that come at once the last one has to see the others, or nobody would go on with the run; and none
    # comes between what is read of an approval and what is noted.
    run = existing(run_rows.get(connection, owner, run_id, lock=True), "run", run_id)
    rows = {row["id"]: row for row in approval_rows.of_run(connection, owner, run_id)}
    if run["status"] != "waiting" and not any(each["approval_id"] in rows for each in decisions):
        raise Conflict(reason=phrase("runs_decisions.idle"), status=run["status"])
    for decision in decisions:
        row = existing(rows.get(decision["approval_id"]), "approval", decision["approval_id"])
        checked = _checked(row, decision)
        approval_rows.decide(connection, owner, row["id"], _STATUS[checked["action"]], checked)
    return _go_on(connection, run, executor, place)


def expire(connection: sa.Connection, owner: str, run_id: str, executor: str, place: Place) -> bool:
    """Count what is overdue as "no"; as `decide`."""
    run = run_rows.get(connection, owner, run_id, lock=True)
    return run is not None and _go_on(connection, run, executor, place)


def _go_on(connection: sa.Connection, run: dict[str, Any], executor: str, place: Place) -> bool:
    owner, run_id = run["owner"], run["id"]
    for row in approval_rows.overdue(connection, owner, run_id):
        approval_rows.decide(connection, owner, row["id"], _STATUS["expire"], {"action": "expire"})
    if run["status"] != "waiting" or approval_rows.pending(connection, owner, run_id):
        return False
    run_rows.leave(connection, owner, run_id, "queued")
    return place(connection, run) and run_rows.take(connection, run_id, None, executor)


def _checked(row: dict[str, Any], decision: dict[str, Any]) -> dict[str, Any]:
    if row["status"] != "pending":
        raise AlreadyDecided(approval_id=row["id"], decided=row["status"])
    if row["expires_at"] <= now():
        raise AlreadyDecided(approval_id=row["id"], decided="expired")
    action, message, args = decision["action"], decision.get("message") or "", decision.get("args")
    offered, title = row["question"]["actions"], row["question"]["title"]
    if action in _STATUS and action not in offered and "answer" in offered:
        reason = phrase("runs_decisions.question", action=action, title=title, offered=", ".join(offered))
        raise InvalidInput(reason=reason, key="action")
    one_of("action", action, offered)
    check_length("message", message, 0, _MAX_MESSAGE)
    wanted = row["question"]["schema"]
    form = action == "answer" and asks_form(row["question"])
    if form and args is None:
        args = _told(wanted, message)
    elif action == "answer" and not form and not message.strip():
        raise InvalidInput(reason=phrase("runs_decisions.answer"), key="message")
    if action != "edit" and not form:
        if args is not None:
            raise InvalidInput(reason=phrase("runs_decisions.no_args", action=action), key="args")
        return {"action": action, "message": message}
    if not isinstance(args, dict):
        raise InvalidInput(reason=phrase("runs_decisions.args"), key="args")
    check_text(json.dumps(args, ensure_ascii=False))
    args = with_defaults(wanted, args) if form else args
    try:
        return {"action": action, "message": message, "args": valid(wanted, args)}
    except InvalidArguments as error:
        raise InvalidInput(reason=phrase("runs_decisions.faults", faults=error.faults), key="args") from None


def with_defaults(schema: dict[str, Any], args: dict[str, Any]) -> dict[str, Any]:
    """What was answered in a form, with what its fields hold by themselves where they were left out."""
    fields = schema.get("properties", {}).items()
    return {name: field["default"] for name, field in fields if "default" in field} | args


def _told(schema: dict[str, Any], message: str) -> Any:
    """An answer in words as the fields that are asked for: JSON of them, or the value of the only one."""
    try:
        told = json.loads(message or "{}")
    except (ValueError, RecursionError):
        told = None
    names = list(schema.get("properties", {}))
    return {names[0]: message} if not isinstance(told, dict) and len(names) == 1 else told
