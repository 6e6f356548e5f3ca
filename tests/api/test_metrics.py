"""What Prometheus reads, read by its own client."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from dure.api.metrics import Metrics
from dure.events import ModelCalled
from dure.testing import ScriptedServer, call, fail, say

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
parser = pytest.importorskip("prometheus_client.parser", reason="needs the package prometheus-client")


def read(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Samples by name and labels."""
    families = list(parser.text_string_to_metric_families(text))
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


async def test_what_was_done_is_counted(serve: Serve) -> None:
    steps = call("calculate", expression="2*21"), say("42입니다.").thinking("곱하면 된다."), fail(401)
    async with ScriptedServer(*steps) as scripted:
        client = await serve(scripted)
        for _ in range(2):
            await client.post("/v1/chat", json={"message": "2 곱하기 21은?", "team": "assistant"})
        reply = await client.get("/metrics")
        runs = (await client.get("/v1/runs")).json()["runs"]
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = read(reply.text)

    def value(name: str, **labels: str) -> float:
        return found["dure_" + name, frozenset(labels.items())]

    model = next(dict(labels)["model"] for name, labels in found if name == "dure_model_calls_total")
    assert value("runs_started_total", team="assistant") == 2
    assert [value("runs_ended_total", status=each) for each in ("completed", "failed")] == [1, 1]
    assert value("run_seconds_count") == value("run_seconds_bucket", le="+Inf") == 2
    assert [value("model_calls_total", model=model, outcome=each) for each in ("ok", "error")] == [2, 1]
    for kind in ("prompt", "completion"):
        used = sum(run["usage"][f"{kind}_tokens"] for run in runs)
        assert value("tokens_total", model=model, kind=kind) == used > 0
    assert value("tool_calls_total", status="ok") == 1
    assert value("runs_open", status="running") == 0
    assert value("model_seconds_sum", model=model) > 0


async def test_a_run_that_waits_is_open(desk: Any) -> None:
    async with ScriptedServer(call("send_mail", to="kim", text="안녕")) as scripted:
        client = await desk.open(scripted, api_keys=["kim:1", "prometheus:admin:2"])
        asked = {"message": "김에게 인사해 줘", "team": "desk"}
        await client.post("/v1/chat", json=asked, headers={"Authorization": "Bearer 1"})
        text = (await client.get("/metrics", headers={"Authorization": "Bearer 2"})).text
    assert read(text)["dure_runs_open", frozenset({("status", "waiting")})] == 1
    assert "kim" not in text


def test_labels_are_escaped() -> None:
    metrics = Metrics()
    name = 'a "b"\\\nc'
    metrics.heard(ModelCalled("work", name, "native", {}, {}, 0.3, 5, 7))
    found = read(metrics.text({}))
    assert found["dure_tokens_total", frozenset({("model", name), ("kind", "completion")})] == 7
    buckets = {dict(labels)["le"]: value for (metric, labels), value in found.items() if metric.endswith("_bucket")}
    assert (buckets["0.1"], buckets["0.5"], buckets["600"], buckets["+Inf"]) == (0, 1, 1, 1)
