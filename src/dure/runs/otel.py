"""Runs as OpenTelemetry spans, in the GenAI conventions: one of the run, in it one of each model call and tool call.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ . Made of a run's record after its end, so a slow or missing
collector holds up no run. Where spans go is said as everywhere: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`,
`OTEL_EXPORTER_OTLP_HEADERS` …; what was asked and answered goes with them only when
`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.
"""

import asyncio
import importlib.util
import logging
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from dure.errors import DureError, SettingsError, Text, install_line
from dure.events import ENDED
from dure.messages import json_bytes
from dure.runs.experiments import Experiment, ModelUse, ToolUse, text_of
from dure.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

log = logging.getLogger(__name__)

Load = Callable[[str, str], Awaitable[Experiment]]
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_TIMEOUTS = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
_SECONDS = 3.0
"""For one batch, where the environment says nothing."""
_WAITING = 1000
"""Ended runs that wait to be exported; more are dropped."""
_PATIENCE = 5.0
"""Seconds to hand over what is left when Dure closes."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def wanted(settings: Settings) -> bool:
    """Whether runs are to be exported. Raises SettingsError where they should be and the extra is missing."""
    if settings.otel is False:
        return False
    if settings.otel is None and not any(os.environ.get(name) for name in _ENDPOINTS):
        return False
    if _installed():
        return True
    if settings.otel:
        raise SettingsError(
            key="DURE_OTEL",
            reason=Text(
                f"the extra is missing: {install_line('otel')}", ko=f"추가 패키지가 없습니다: {install_line('otel')}"
            ),
        )
    return False


def _installed() -> bool:
    names = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
    try:
        return all(importlib.util.find_spec(name) is not None for name in names)
    except ModuleNotFoundError:
        return False


class Exporter:
    """Exports runs that have ended, in the background. load: a run's experiment by owner and id."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._queue: asyncio.Queue[tuple[str, str]] = asyncio.Queue(_WAITING)
        self._provider: TracerProvider | None = None
        self._full = False
        self._task = asyncio.create_task(self._work(), name="dure-otel")

    def ended(self, owner: str, run_id: str) -> None:
        """Note that a run has ended; never blocks."""
        try:
            self._queue.put_nowait((owner, run_id))
            self._full = False
        except asyncio.QueueFull:
            if not self._full:
                log.warning("more runs end than can be exported; some are left out")
            self._full = True

    async def close(self) -> None:
        """Export what is left, for a few seconds at most."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._queue.join()
        except TimeoutError:
            log.warning("some runs were not exported")
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._provider is not None:
            await asyncio.to_thread(self._provider.shutdown)

    async def _work(self) -> None:
        while True:
            owner, run_id = await self._queue.get()
            try:
                run = await self._load(owner, run_id)
                if run.status in ENDED:
                    await asyncio.to_thread(self._export, run)
            except DureError as error:
                log.info("run %s is not exported: %s", run_id, error)
            except Exception:
                log.exception("run %s could not be exported", run_id)
            finally:
                self._queue.task_done()

    def _export(self, run: Experiment) -> None:
        # Half a second to load, paid by the first run and not by every start.
        if self._provider is None:
            self._provider = _provider()
        content = os.environ.get(_CONTENT, "").strip().lower() in ("true", "1", "span_only", "span_and_event")
        spans_of(run, self._provider.get_tracer("dure"), content=content)


def _provider() -> "TracerProvider":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # `create` lets the environment (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) win only over what is not given.
    given = {"service.version": version("dure")}
    named = "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "") or os.environ.get("OTEL_SERVICE_NAME")
    provider = TracerProvider(resource=Resource.create(given if named else given | {"service.name": "dure"}))
    # The exporter tries again until then, also while Dure closes.
    set_there = any(os.environ.get(name) for name in _TIMEOUTS)
    exporter = OTLPSpanExporter(timeout=None if set_there else _SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def spans_of(run: Experiment, tracer: "Tracer", *, content: bool) -> None:
    """Make and end the spans of a run. content: with prompts, answers, arguments and results."""
    from opentelemetry.context import Context
    from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

    attributes: dict[str, Any] = {
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
    }
    more = {
        "dure.experiment": run.experiment,
        "dure.level": run.level,
        "dure.cost": run.cost,
        "dure.currency": run.currency if run.cost is not None else None,
    }
    attributes |= {name: value for name, value in more.items() if value is not None}
    if content:
        attributes["gen_ai.input.messages"] = _dumps([_message({"role": "user", "content": run.question})])
        attributes["gen_ai.output.messages"] = _dumps([_message({"role": "assistant", "content": run.answer})])
    # A trace of its own, also where the program that holds Dure has a span open.
    whole = tracer.start_span(
        f"invoke_agent {run.team}", Context(), SpanKind.INTERNAL, attributes, start_time=_ns(run.created_at)
    )
    for routed in run.routing:
        scores = {f"dure.routing.score.{name}": score for name, score in routed.scores.items()}
        event: dict[str, Any] = {"dure.routing.agents": routed.agents, "dure.routing.how": routed.how, **scores}
        whole.add_event("dure.routed", event, _ns(routed.at))
    inside = set_span_in_context(whole, Context())
    for prompt in run.prompts:
        _model_span(tracer, inside, prompt, content)
    for tool in run.tools:
        _tool_span(tracer, inside, tool, content)
    if run.status == "failed":
        failure = run.errors[-1]["message"] if run.errors else run.status
        _fail(whole, failure.partition(":")[0], failure if content else "")
    elif run.status == "completed":
        whole.set_status(Status(StatusCode.OK))
    whole.end(_ns(run.ended_at or run.created_at))


def _model_span(tracer: "Tracer", inside: "Context", prompt: ModelUse, content: bool) -> None:
    from opentelemetry.trace import SpanKind

    reply = prompt.reply
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        # Which of the many servers that speak OpenAI's protocol it is, is not known.
        "gen_ai.provider.name": "openai_compatible",
        "gen_ai.request.model": prompt.model,
        "gen_ai.usage.input_tokens": prompt.prompt_tokens,
        "gen_ai.usage.output_tokens": prompt.completion_tokens,
        "dure.purpose": prompt.purpose,
        "dure.dialect": prompt.dialect,
        "dure.repaired": prompt.repaired,
    }
    more = {
        "gen_ai.agent.name": prompt.agent or None,
        "gen_ai.request.temperature": prompt.options.get("temperature"),
        "gen_ai.request.max_tokens": prompt.options.get("max_tokens"),
        "gen_ai.response.finish_reasons": [reply["finish_reason"]] if reply.get("finish_reason") else None,
        "dure.cost": prompt.cost,
    }
    attributes |= {name: value for name, value in more.items() if value is not None}
    if content:
        said = {"role": "assistant", "content": reply.get("content"), "calls": reply.get("tool_calls")}
        finish = {"finish_reason": reply.get("finish_reason") or "stop"}
        attributes["gen_ai.system_instructions"] = _dumps([{"type": "text", "content": prompt.system}])
        asked = [_message(each) for each in prompt.final if each.get("role") != "system"]
        attributes["gen_ai.input.messages"] = _dumps(asked)
        attributes["gen_ai.output.messages"] = _dumps([_message(said) | finish])
    end = _ns(prompt.at)
    start = end - round(prompt.seconds * 1e9)
    span = tracer.start_span(f"chat {prompt.model}".strip(), inside, SpanKind.CLIENT, attributes, start_time=start)
    if prompt.error is not None:
        _fail(span, "model_error", prompt.error if content else "")
    span.end(end)


def _tool_span(tracer: "Tracer", inside: "Context", tool: ToolUse, content: bool) -> None:
    from opentelemetry.trace import SpanKind

    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.call.id": tool.call_id,
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": tool.agent,
        "dure.tool.status": tool.status,
        "dure.tool.passages": len(tool.passages),
    }
    if content:
        attributes["gen_ai.tool.call.arguments"] = _dumps(tool.args)
        found = [f"{passage['title']}\n{passage['text']}" for passage in tool.passages]
        attributes["gen_ai.tool.call.result"] = "\n\n".join(filter(None, [tool.text, *found]))
    end = _ns(tool.at)
    start = end - round(tool.seconds * 1e9)
    span = tracer.start_span(f"execute_tool {tool.name}", inside, SpanKind.INTERNAL, attributes, start_time=start)
    if tool.status in ("error", "timeout"):
        _fail(span, tool.status, tool.text if content else "")
    span.end(end)


def _fail(span: "Span", kind: str, said: str) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR, said or None))


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """A message in the conventions' shape: `{role, parts}`."""
    text, role = text_of(message), message["role"]
    if role == "tool":
        answer = {"type": "tool_call_response", "id": message.get("tool_call_id"), "response": text}
        return {"role": role, "parts": [answer]}
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    for call in message.get("calls") or []:
        parts.append({"type": "tool_call", "id": call["id"], "name": call["name"], "arguments": call["args"]})
    for call in message.get("tool_calls") or []:
        called = call["function"]
        parts.append(
            {"type": "tool_call", "id": call.get("id"), "name": called["name"], "arguments": called["arguments"]}
        )
    return {"role": role, "parts": parts}


def _dumps(value: Any) -> str:
    return json_bytes(value).decode()


def _ns(at: str) -> int:
    """Nanoseconds since 1970 of a stored time."""
    return (datetime.fromisoformat(at) - _EPOCH) // timedelta(microseconds=1) * 1000
