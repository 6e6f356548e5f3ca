"""Runs as OpenTelemetry spans, received by a real collector."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from dure.errors import SettingsError
from dure.records import otel
from dure.settings import Settings
from dure.testing import ScriptedServer, call, fail, say

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Span = dict[str, Any]


class Collector:
    """Takes OTLP over HTTP and keeps the spans."""

    def __init__(self) -> None:
        self.url = ""
        self.spans: list[Span] = []
        self.resources: list[dict[str, Any]] = []
        self.raw = b""
        self.gate = asyncio.Event()
        self.gate.set()

    async def take(self, request: web.BaseRequest) -> web.Response:
        assert request.path == "/v1/traces"
        body = await request.read()
        self.raw += gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        await self.gate.wait()
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(_values(of_resource.resource.attributes))
            for span in (s for scope in of_resource.scope_spans for s in scope.spans):
                self.spans.append(
                    {
                        "name": span.name,
                        "id": span.span_id,
                        "parent": span.parent_span_id,
                        "trace": span.trace_id,
                        "kind": span.kind,
                        "start": span.start_time_unix_nano,
                        "end": span.end_time_unix_nano,
                        "status": span.status.code,
                        "said": span.status.message,
                        "attributes": _values(span.attributes),
                        "events": [(each.name, _values(each.attributes)) for each in span.events],
                    }
                )
        return web.Response(body=b"")


def _values(attributes: Any) -> dict[str, Any]:
    def value(any_value: Any) -> Any:
        kind = any_value.WhichOneof("value")
        found = getattr(any_value, kind)
        return [value(each) for each in found.values] if kind == "array_value" else found

    return {each.key: value(each.value) for each in attributes}


@asynccontextmanager
async def collecting(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Collector]:
    collector = Collector()
    runner = web.ServerRunner(web.Server(collector.take), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    collector.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    try:
        yield collector
    finally:
        collector.gate.set()
        await runner.cleanup()


@pytest.fixture
async def collector(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Collector]:
    async with collecting(monkeypatch) as opened:
        yield opened


async def one_run(tmp_path: Any, server: ScriptedServer, **settings: Any) -> Any:
    """A run in a Dure that is closed afterwards, which sends what is left."""
    from dure import Dure

    given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
    async with Dure(model_base_url=server.url, **given, **settings) as dure:
        with dure.experiment("mine"):
            return await dure.chat("비밀 2 곱하기 21은?", team="assistant")


async def test_a_span_for_the_run_and_each_call(collector: Collector, tmp_path: Any) -> None:
    prices = {"scripted": (1, 1)}
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as server:
        answer = await one_run(tmp_path, server, prices=prices)
    assert sorted(span["name"] for span in collector.spans) == [
        "chat scripted",
        "chat scripted",
        "execute_tool calculate",
        "invoke_agent assistant",
    ]
    by_name = {span["name"]: span for span in collector.spans}
    whole, tool = by_name["invoke_agent assistant"], by_name["execute_tool calculate"]
    assert whole["parent"] == b""
    assert all(span["parent"] == whole["id"] for span in collector.spans if span is not whole)
    assert {span["trace"] for span in collector.spans} == {whole["trace"]}
    assert all(whole["start"] <= span["start"] <= span["end"] <= whole["end"] for span in collector.spans)
    told = whole["attributes"]
    usage = answer.metadata["usage"]
    assert told["gen_ai.operation.name"] == "invoke_agent"
    assert told["gen_ai.conversation.id"] == answer.metadata["thread_id"]
    assert told["dure.run.id"] == answer.metadata["run_id"]
    assert (told["dure.experiment"], told["dure.run.status"]) == ("mine", "completed")
    assert told["gen_ai.usage.input_tokens"] == usage["prompt_tokens"]
    assert told["dure.cost"] == pytest.approx((usage["prompt_tokens"] + usage["completion_tokens"]) / 1e6)
    chats = [span["attributes"] for span in collector.spans if span["name"] == "chat scripted"]
    assert {each["gen_ai.request.model"] for each in chats} == {"scripted"}
    assert sum(each["gen_ai.usage.output_tokens"] for each in chats) == usage["completion_tokens"]
    assert chats[0]["gen_ai.response.finish_reasons"]
    assert tool["attributes"]["gen_ai.tool.name"] == "calculate"
    assert collector.resources[0]["service.name"] == "dure"
    # What was said is nobody's business unless it is asked for.
    assert "비밀".encode() not in collector.raw
    assert "입니다".encode() not in collector.raw


async def test_what_was_said_goes_with_it_when_that_is_asked_for(
    collector: Collector, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "team of ours")
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as server:
        await one_run(tmp_path, server)
    by_name = {span["name"]: span["attributes"] for span in collector.spans}
    whole, last, tool = (by_name[n] for n in ("invoke_agent assistant", "chat scripted", "execute_tool calculate"))
    question = {"type": "text", "content": "비밀 2 곱하기 21은?"}
    assert json.loads(whole["gen_ai.input.messages"]) == [{"role": "user", "parts": [question]}]
    asked = json.loads(last["gen_ai.input.messages"])
    assert [each["role"] for each in asked] == ["user", "assistant", "tool"]
    assert asked[1]["parts"][0]["type"] == "tool_call"
    assert asked[2]["parts"][0]["type"] == "tool_call_response"
    said = json.loads(last["gen_ai.output.messages"])
    assert said[0]["parts"] == [{"type": "text", "content": "42입니다."}]
    assert json.loads(last["gen_ai.system_instructions"])[0]["content"]
    assert json.loads(tool["gen_ai.tool.call.arguments"]) == {"expression": "2*21"}
    assert "42" in tool["gen_ai.tool.call.result"]
    assert collector.resources[0]["service.name"] == "team of ours"


async def test_of_a_run_that_was_begun_again_only_what_it_did_itself(collector: Collector, tmp_path: Any) -> None:
    from dure import Dure

    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다."), say("마흔둘입니다.")) as server:
        answer = await one_run(tmp_path, server)
        collector.spans.clear()
        given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native"}
        async with Dure(model_base_url=server.url, **given) as dure:
            events = (await dure.runs.get("default", answer.run_id))["events"]
            last = next(each["seq"] for each in reversed(events) if each["kind"] == "model_called")
            await dure.runs.answer("default", (await dure.runs.again("default", answer.run_id, last)).id)
    assert sorted(span["name"] for span in collector.spans) == ["chat scripted", "invoke_agent assistant"]


async def test_a_failed_run_is_an_error(collector: Collector, tmp_path: Any) -> None:
    async with ScriptedServer(fail(400, "비밀")) as server:
        with pytest.raises(Exception, match="비밀"):
            await one_run(tmp_path, server)
    by_name = {span["name"]: span for span in collector.spans}
    assert by_name["invoke_agent assistant"]["attributes"]["error.type"] == "model_refused"
    assert [span["status"] for span in collector.spans] == [2, 2]
    assert "비밀".encode() not in collector.raw


async def test_a_collector_that_is_slow_or_away_holds_up_no_run(
    collector: Collector, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, opened: Any
) -> None:
    collector.gate.clear()
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
    async with ScriptedServer(respond=lambda _: say("답")) as server:
        dure = await opened(server)
        for n in range(3):
            assert (await dure.chat(f"질문 {n}", team="assistant")).response == "답"
    assert collector.spans == []
    collector.gate.set()


def test_when_it_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert not otel.wanted(Settings())
    assert otel.wanted(Settings(otel=True))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    assert otel.wanted(Settings())
    assert not otel.wanted(Settings(otel=False))
    monkeypatch.setattr(otel, "_installed", lambda: False)
    assert not otel.wanted(Settings())
    with pytest.raises(SettingsError):
        otel.wanted(Settings(otel=True))
