"""Runs sent as OpenTelemetry spans (`spans.py`). Made of a run's record after its end, so a slow or missing
collector holds up no run. Where spans go is said as everywhere: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`,
`OTEL_EXPORTER_OTLP_HEADERS` …; what was asked and answered goes with them only when
`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.
"""

import asyncio
import importlib.util
import logging
import os
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import TYPE_CHECKING

from dure.errors import DureError, missing
from dure.events import ENDED
from dure.records.experiment import Experiment
from dure.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

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


def wanted(settings: Settings) -> bool:
    """Whether runs are to be exported. Raises SettingsError where they should be and the extra is missing."""
    on = any(os.environ.get(name) for name in _ENDPOINTS) if settings.otel is None else settings.otel
    if on and settings.otel and not _installed():
        raise missing("DURE_OTEL", "otel")
    return on and _installed()


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
        self._provider: TracerProvider | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._one_at_a_time = asyncio.Lock()

    def ended(self, owner: str, run_id: str) -> None:
        """Note that a run has ended; never blocks."""
        if len(self._under_way) >= _WAITING:
            log.warning("more runs end than can be exported; run %s is left out", run_id)
            return
        task = asyncio.create_task(self._send(owner, run_id), name="dure-otel")
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def close(self) -> None:
        """Export what is left, for a few seconds at most."""
        if self._under_way:
            _, late = await asyncio.wait(self._under_way, timeout=_PATIENCE)
            for task in late:
                log.warning("a run was not exported")
                task.cancel()
        if self._provider is not None:
            await asyncio.to_thread(self._provider.shutdown)

    async def _send(self, owner: str, run_id: str) -> None:
        async with self._one_at_a_time:
            try:
                run = await self._load(owner, run_id)
                if run.status in ENDED:
                    await asyncio.to_thread(self._export, run)
            except DureError as error:
                log.info("run %s is not exported: %s", run_id, error)
            except Exception:
                log.exception("run %s could not be exported", run_id)

    def _export(self, run: Experiment) -> None:
        # Half a second to load, paid by the first run and not by every start.
        from dure.records.spans import spans_of

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
