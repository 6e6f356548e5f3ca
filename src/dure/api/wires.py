"""Parts of AG-UI events: plain dictionaries in the shape of https://ag-ui.com/spec/1.0/schema.json ."""

from typing import Any

Wire = dict[str, Any]


def interrupt(approval: dict[str, Any]) -> Wire:
    """An approval as an AG-UI interrupt; `responseSchema` is that of a resume entry's payload."""
    properties: dict[str, Any] = {"action": {"enum": approval["actions"]}}
    if "edit" in approval["actions"] or ("answer" in approval["actions"] and approval["schema"]):
        properties["args"] = approval["schema"] or {"type": "object"}
    properties["message"] = {"type": "string"}
    shown = ("kind", "agent", "tool", "args", "args_hash", "actions")
    return {
        "id": approval["id"],
        "reason": approval["kind"],
        "message": approval["title"],
        "responseSchema": {"type": "object", "properties": properties, "required": ["action"]},
        "expiresAt": approval["expires_at"],
        "metadata": {key: approval[key] for key in shown} | {"why": approval.get("why", "")},
    }


def by_agent(agent: str) -> Wire:
    """Which subagent's an event is; nothing for the run's own."""
    return {"subagentRunId": agent} if agent else {}


def custom(name: str, value: Any, agent: str = "") -> Wire:
    """What AG-UI has no event for."""
    return {"type": "CUSTOM", "name": f"dure.{name}", "value": value} | by_agent(agent)


def tokens(prompt: int, completion: int) -> Wire:
    """An entry of `usage`."""
    return {"inputTokens": prompt, "outputTokens": completion, "totalTokens": prompt + completion}
