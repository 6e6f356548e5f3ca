"""A run's record seen as an experiment: a view on the record and nothing beside it."""

from collections.abc import Mapping
from typing import Any

from dure.events import (
    AgentFinished,
    Event,
    ModelCalled,
    Notice,
    Routed,
    RunFailed,
    RunFinished,
    RunResumed,
    RunWaiting,
    ToolFinished,
    ToolStarted,
    decode,
    encode,
)
from dure.records.experiment import Experiment, Json, ModelUse, Query, Routing, ToolUse
from dure.records.figures import Prices


def view(run: Mapping[str, Any], prices: Prices) -> Experiment:
    """The run as an experiment. run: with its `events`, as `Runs.get` gives it."""
    events = [(each["at"], decode(each["kind"], each["data"])) for each in run["events"]]
    answer, options = run["answer"] or {}, run["options"]
    own = options.get("from", {}).get("events", 0)
    calls = [(n < own, at, event) for n, (at, event) in enumerate(events) if isinstance(event, ModelCalled)]
    prompts = [_model_use(event, at, prices, taken) for taken, at, event in calls]
    paid = [each for each in prompts if not each.taken]
    tools = _tools(events, own)
    ends = [e.seconds for _, e in events[own:] if isinstance(e, RunFinished | RunFailed | RunWaiting)]
    named = [event.agent for _, event in events if isinstance(event, ToolStarted | ModelCalled)]
    rating = run["rating"] or {}
    return Experiment(
        run_id=run["id"],
        **{key: run[key] for key in ("session_id", "experiment", "team", "status", "created_at", "ended_at")},
        level=options.get("level"),
        output_format=options.get("output_format"),
        question=run["message"],
        answer=answer.get("response", ""),
        citations=answer.get("citations", []),
        agents=answer.get("metadata", {}).get("agents") or list(dict.fromkeys(filter(None, named))),
        models=list(dict.fromkeys(filter(None, (p.model for p in prompts)))),
        dialects=list(dict.fromkeys(filter(None, (p.dialect for p in prompts)))),
        routing=[Routing(e.agents, e.how, e.scores, at) for at, e in events if isinstance(e, Routed)],
        prompts=prompts,
        tools=tools,
        queries=[query for tool in tools for query in _queries(tool)],
        approvals=_approvals(events),
        artifacts=run["artifacts"],
        errors=_errors(events),
        notices=[e.text for _, e in events if isinstance(e, Notice)],
        model_calls=len(paid),
        prompt_tokens=sum(p.prompt_tokens for p in paid),
        completion_tokens=sum(p.completion_tokens for p in paid),
        seconds=round(sum(ends), 3) if ends else None,
        cost=prices.total(p.cost for p in paid),
        currency=prices.currency,
        rating=rating.get("rating"),
        rating_comment=rating.get("comment"),
        rated_at=rating.get("rated_at"),
    )


def _model_use(event: ModelCalled, at: str, prices: Prices, taken: bool) -> ModelUse:
    messages = event.request.get("messages", [])
    return ModelUse(
        **{name: value for name, value in encode(event)[1].items() if name in ModelUse.__dataclass_fields__},
        system=next((text_of(m) for m in messages if m.get("role") == "system"), ""),
        user=next((text_of(m) for m in reversed(messages) if m.get("role") == "user"), ""),
        final=messages,
        options={key: value for key, value in event.request.items() if key not in ("messages", "model")},
        at=at,
        cost=prices.cost(event.model, event.prompt_tokens, event.completion_tokens, event.cached_tokens),
        taken=taken,
    )


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content is text, parts, or nothing."""
    content = message.get("content") or ""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def _tools(events: list[tuple[str, Event]], own: int) -> list[ToolUse]:
    """Each call in the order it began; one that was begun and broken off is told apart from its repetition."""
    found: list[ToolUse] = []
    for n, (at, event) in enumerate(events):
        if isinstance(event, ToolStarted):
            found.append(ToolUse(event.call_id, event.name, event.agent, event.args, at, taken=n < own))
        elif isinstance(event, ToolFinished):
            begun = next((t for t in reversed(found) if t.call_id == event.call_id and t.status == "running"), None)
            if begun is None:
                begun = ToolUse(event.call_id, event.name, event.agent, {}, at)
                found.append(begun)
            begun.at, begun.status, begun.seconds, begun.text = at, event.status, event.seconds, event.text
            begun.passages, begun.data = event.passages, event.data
    return found


def _queries(tool: ToolUse) -> list[Query]:
    data = tool.data if isinstance(tool.data, dict) else {}
    common = (tool.name, tool.agent, tool.call_id, tool.status, tool.seconds)
    sql = data.get("sql") or tool.args.get("sql")
    if isinstance(sql, str):
        rows = data.get("rows")
        return [Query("sql", sql, *common, rows if isinstance(rows, int) else None)]
    arms = data.get("arms")
    arms = arms if isinstance(arms, dict) else {}
    seen = [each for each in _listed(arms.get("queries")) if isinstance(each, dict)]
    if not seen:
        return [Query("search", str(each), *common, len(tool.passages)) for each in _listed(data.get("queries"))]
    # Its vector scores told apart from whether there were any.
    names: Json = {"dense": "vector_scores", "lexical": "lexical_scores"}
    queries = []
    for each in seen:
        arm: Json = {str(names.get(key, key)): value for key, value in each.items() if key != "query"}
        found = arm | {"dense": arms.get("dense")}
        queries.append(Query("search", str(each.get("query", "")), *common, len(tool.passages), found))
    return queries


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _approvals(events: list[tuple[str, Event]]) -> list[Json]:
    asked: dict[str, Json] = {}
    for _, event in events:
        if isinstance(event, RunWaiting):
            for each in event.approvals:
                asked.setdefault(each["id"], dict(each))
        elif isinstance(event, RunResumed):
            for decision in event.decisions:
                if decision.get("approval_id") in asked:
                    asked[decision["approval_id"]]["decision"] = decision
    return list(asked.values())


def _errors(events: list[tuple[str, Event]]) -> list[Json]:
    found: list[Json] = []
    for _, event in events:
        match event:
            case ModelCalled(error=str(error)):
                found.append({"source": f"model {event.model}".strip(), "message": error})
            case ToolFinished(status="error" | "timeout"):
                found.append({"source": f"tool {event.name}", "message": event.text})
            case AgentFinished(error=str(error)):
                found.append({"source": f"agent {event.agent}", "message": error})
            case RunFailed():
                found.append({"source": "run", "message": f"{event.code}: {event.message}"})
    return found
