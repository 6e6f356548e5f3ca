"""A run as OpenTelemetry spans, in the GenAI conventions: one of the run, in it one of each model call and tool call.

https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from dure.records.experiment import Experiment, ModelUse, ToolUse
from dure.records.view import text_of
from dure.storage.sql import dumps

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def spans_of(run: Experiment, tracer: Tracer, *, content: bool) -> None:
    """Make and end the spans of a run. content: with prompts, answers, arguments and results."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "dure",
        "gen_ai.agent.name": run.team,
        "gen_ai.workflow.name": run.team,
        "gen_ai.conversation.id": run.session_id,
        "gen_ai.usage.input_tokens": run.prompt_tokens,
        "gen_ai.usage.output_tokens": run.completion_tokens,
        "dure.run.id": run.run_id,
        "dure.run.status": run.status,
        "dure.run.model_calls": run.model_calls,
        "dure.run.agents": run.agents,
        "dure.experiment": run.experiment,
        "dure.level": run.level,
        "dure.cost": run.cost,
        "dure.currency": run.currency if run.cost is not None else None,
    }
    if content:
        attributes["gen_ai.input.messages"] = dumps([_message({"role": "user", "content": run.question})])
        attributes["gen_ai.output.messages"] = dumps([_message({"role": "assistant", "content": run.answer})])
    # A trace of its own, also where the program that holds Dure has a span open.
    whole = tracer.start_span(
        f"invoke_agent {run.team}", Context(), attributes=_known(attributes), start_time=_ns(run.created_at)
    )
    for routed in run.routing:
        scores = {f"dure.routing.score.{name}": score for name, score in routed.scores.items()}
        event: dict[str, Any] = {"dure.routing.agents": routed.agents, "dure.routing.how": routed.how, **scores}
        whole.add_event("dure.routed", event, _ns(routed.at))
    inside = set_span_in_context(whole, Context())
    # What was taken over from another run was sent with that.
    uses: list[ModelUse | ToolUse] = [*run.prompts, *run.tools]
    for use in (each for each in uses if not each.taken):
        name, kind, its = _model_call(use, content) if isinstance(use, ModelUse) else _tool_call(use, content)
        end = _ns(use.at)
        start = end - round(use.seconds * 1e9)
        span = tracer.start_span(name, inside, kind, _known(its), start_time=start)
        if isinstance(use, ModelUse) and use.error is not None:
            _fail(span, "model_error", use.error if content else "")
        elif isinstance(use, ToolUse) and use.status in ("error", "timeout"):
            _fail(span, use.status, use.text if content else "")
        span.end(end)
    if run.status == "failed":
        failure = run.errors[-1]["message"] if run.errors else run.status
        _fail(whole, failure.partition(":")[0], failure if content else "")
    elif run.status == "completed":
        whole.set_status(Status(StatusCode.OK))
    whole.end(_ns(run.ended_at or run.created_at))


def _model_call(prompt: ModelUse, content: bool) -> tuple[str, SpanKind, dict[str, Any]]:
    """The name, kind and attributes of a call's span, unknown ones too."""
    reply = prompt.reply
    attributes = {
        "gen_ai.operation.name": "chat",
        # Which of the many servers that speak OpenAI's protocol it is, is not known.
        "gen_ai.provider.name": "openai_compatible",
        "gen_ai.request.model": prompt.model,
        "gen_ai.usage.input_tokens": prompt.prompt_tokens,
        "gen_ai.usage.output_tokens": prompt.completion_tokens,
        "gen_ai.agent.name": prompt.agent or None,
        "gen_ai.request.temperature": prompt.options.get("temperature"),
        "gen_ai.request.max_tokens": prompt.options.get("max_tokens"),
        "gen_ai.response.finish_reasons": [reply["finish_reason"]] if reply.get("finish_reason") else None,
        "dure.purpose": prompt.purpose,
        "dure.dialect": prompt.dialect,
        "dure.repaired": prompt.repaired,
        "dure.cost": prompt.cost,
    }
    if content:
        said = {"role": "assistant", "content": reply.get("content"), "calls": reply.get("tool_calls")}
        finish = {"finish_reason": reply.get("finish_reason") or "stop"}
        attributes["gen_ai.system_instructions"] = dumps([{"type": "text", "content": prompt.system}])
        asked = [_message(each) for each in prompt.final if each.get("role") != "system"]
        attributes["gen_ai.input.messages"] = dumps(asked)
        attributes["gen_ai.output.messages"] = dumps([_message(said) | finish])
    return f"chat {prompt.model}".strip(), SpanKind.CLIENT, attributes


def _tool_call(tool: ToolUse, content: bool) -> tuple[str, SpanKind, dict[str, Any]]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.call.id": tool.call_id,
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": tool.agent,
        "dure.tool.status": tool.status,
        "dure.tool.passages": len(tool.passages),
    }
    if content:
        attributes["gen_ai.tool.call.arguments"] = dumps(tool.args)
        found = [f"{passage['title']}\n{passage['text']}" for passage in tool.passages]
        attributes["gen_ai.tool.call.result"] = "\n\n".join(filter(None, [tool.text, *found]))
    return f"execute_tool {tool.name}", SpanKind.INTERNAL, attributes


def _known(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


def _fail(span: Span, kind: str, said: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR, said or None))


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """A message in the conventions' shape: `{role, parts}`."""
    text, role = text_of(message), message["role"]
    if role == "tool":
        answer = {"type": "tool_call_response", "id": message.get("tool_call_id"), "response": text}
        return {"role": role, "parts": [answer]}
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    calls = [(call["id"], call["name"], call["args"]) for call in message.get("calls") or []]
    for call in message.get("tool_calls") or []:
        calls.append((call.get("id"), call["function"]["name"], call["function"]["arguments"]))
    parts += [{"type": "tool_call", "id": id, "name": name, "arguments": args} for id, name, args in calls]
    return {"role": role, "parts": parts}


def _ns(at: str) -> int:
    """Nanoseconds since 1970 of a stored time."""
    return (datetime.fromisoformat(at) - _EPOCH) // timedelta(microseconds=1) * 1000
