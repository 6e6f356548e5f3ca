"""A2A's methods over our runs: a task is a run, a context a session. Nothing is held in memory."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.request_handler import RequestHandler, validate_request_params
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.types import a2a_pb2 as proto
from a2a.utils import errors
from google.protobuf.json_format import MessageToDict, ParseDict
from starlette.requests import Request

from dure.api.approvals import worded
from dure.api.auth import Caller
from dure.api.bodies import Payload, checked
from dure.api.doors.a2a_push import Pushes
from dure.api.doors.turns import Turn
from dure.api.following import record
from dure.api.paging import next_of, place
from dure.api.wires import Wire
from dure.errors import DureError, Language, NotFound
from dure.events import ENDED, AgentStarted, ToolStarted
from dure.messages import json_bytes
from dure.runs import Ask, Runs
from dure.texts import TEXTS

_TEXT = TEXTS["api_a2a"]
_STATES = {
    "queued": "SUBMITTED",
    "running": "WORKING",
    "waiting": "INPUT_REQUIRED",
    "completed": "COMPLETED",
    "stopped": "COMPLETED",
    "failed": "FAILED",
    "cancelled": "CANCELED",
}
"""A run that stopped at a limit has a partial answer, and the reason in its task's metadata."""
_PAGE, _MOST = 50, 100
"""Tasks of a list."""
_LOOK = 1.0
"""Seconds after which a task that waits is looked at again for who follows it."""
_EXACT = 2**53
"""The protocol's numbers are floating ones: a whole one beyond this is not what was sent."""


@dataclass(slots=True)
class Asked:
    """Who asks which team, at which address of the server."""

    who: Caller
    team: str
    base: str
    pushes: Pushes

    @property
    def runs(self) -> Runs:
        return self.who.dure.runs

    @property
    def owner(self) -> str:
        return self.who.owner

    @property
    def language(self) -> Language:
        return self.who.language or "en"

    def refused(self, kind: type[errors.A2AError], key: str, **values: Any) -> errors.A2AError:
        """One of the protocol's own errors, as a text of `api_a2a` tells it."""
        return kind(_TEXT.say(key, self.language, **values))


class Contexts(DefaultServerCallContextBuilder):
    """What a request is answered by: `request.state.asked`."""

    def build(self, request: Request) -> ServerCallContext:
        context = super().build(request)
        context.state["asked"] = Asked(*request.state.asked)
        return context


class Tasks(RequestHandler):
    """What the protocol asks of an agent."""

    @validate_request_params
    async def on_message_send(self, params: proto.SendMessageRequest, context: ServerCallContext) -> proto.Task:
        with _asked(context) as at:
            run_id, _ = await _begun(at, params)
            if not params.configuration.return_immediately:
                async with aclosing(at.runs.events(at.owner, run_id)) as events:
                    async for _ in events:
                        pass
            return await _task(at, await _run(at, run_id), params.configuration)

    @validate_request_params
    async def on_message_send_stream(
        self, params: proto.SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Any, None]:
        with _asked(context) as at:
            run_id, after = await _begun(at, params)
            async for each in _follow(at, run_id, after):
                yield each

    @validate_request_params
    async def on_subscribe_to_task(
        self, params: proto.SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Any, None]:
        with _asked(context) as at:
            run = await _run(at, params.id)
            if run["status"] in ENDED:
                raise at.refused(errors.UnsupportedOperationError, "ended", status=run["status"])
            async for each in _follow(at, params.id, len(await record(at.who, params.id)), through=True):
                yield each

    @validate_request_params
    async def on_get_task(self, params: proto.GetTaskRequest, context: ServerCallContext) -> proto.Task:
        with _asked(context) as at:
            return await _task(at, await _run(at, params.id), params)

    @validate_request_params
    async def on_cancel_task(self, params: proto.CancelTaskRequest, context: ServerCallContext) -> proto.Task:
        with _asked(context) as at:
            run = await _run(at, params.id)
            if run["status"] in ENDED:
                raise at.refused(errors.TaskNotCancelableError, "ended", status=run["status"])
            await at.runs.cancel(at.owner, params.id)
            return await _task(at, await _run(at, params.id))

    async def on_list_tasks(self, params: proto.ListTasksRequest, context: ServerCallContext) -> Any:
        size = params.page_size if params.HasField("page_size") else _PAGE
        state = proto.TaskState.Name(params.status).removeprefix("TASK_STATE_")
        wanted: Wire = {"session_id": params.context_id or None}
        if params.status:
            wanted["status"] = tuple(status for status, each in _STATES.items() if each == state)
        if params.HasField("status_timestamp_after"):
            wanted["changed"] = params.status_timestamp_after.ToJsonString()
        with _asked(context) as at:
            if not 1 <= size <= _MOST or params.history_length < 0:
                raise at.refused(errors.InvalidParamsError, "page", most=_MOST)
            wanted["team"] = at.team
            rows = await at.runs.list(at.owner, limit=size, before=place(params.page_token or None), **wanted)
            total = await at.runs.count(at.owner, **wanted)
            tasks = [await _task(at, row, params, params.include_artifacts) for row in rows]
        following = next_of(rows, size, "created_at") or ""
        return proto.ListTasksResponse(tasks=tasks, next_page_token=following, page_size=size, total_size=total)

    async def on_get_extended_agent_card(self, params: Any, context: ServerCallContext) -> Any:
        raise errors.UnsupportedOperationError

    @validate_request_params
    async def on_create_task_push_notification_config(
        self, params: proto.TaskPushNotificationConfig, context: ServerCallContext
    ) -> proto.TaskPushNotificationConfig:
        with _asked(context) as at:
            return await _add(at, (await _run(at, params.task_id))["id"], params)

    @validate_request_params
    async def on_get_task_push_notification_config(
        self, params: proto.GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> proto.TaskPushNotificationConfig:
        with _asked(context) as at:
            for each in await _configs(at, params.task_id):
                if each.id == params.id:
                    return each
            raise at.refused(errors.TaskNotFoundError, "no_configuration", id=params.id[:64])

    @validate_request_params
    async def on_list_task_push_notification_configs(
        self, params: proto.ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> proto.ListTaskPushNotificationConfigsResponse:
        with _asked(context) as at:
            configs = await _configs(at, params.task_id)
            return proto.ListTaskPushNotificationConfigsResponse(configs=configs)

    @validate_request_params
    async def on_delete_task_push_notification_config(
        self, params: proto.DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        with _asked(context) as at:
            await _run(at, params.task_id)
            await at.pushes.drop(params.task_id, params.id)


@contextmanager
def _asked(context: ServerCallContext) -> Iterator[Asked]:
    """Who asks; our errors as the protocol has them."""
    at: Asked = context.state["asked"]
    try:
        yield at
    except NotFound as error:
        raise errors.TaskNotFoundError(error.message(at.language)) from None
    except DureError as error:
        told = error.as_dict(at.language)["error"]
        kind = errors.InvalidParamsError if error.status < 500 else errors.InternalError
        raise kind(told["message"], told) from None


async def _run(at: Asked, run_id: str) -> Wire:
    """Raises NotFound, also for another team's."""
    run = await at.runs.brief(at.owner, run_id)
    if run["team"] != at.team:
        raise NotFound(what="run", id=run_id[:64])
    return run


async def _configs(at: Asked, run_id: str) -> list[proto.TaskPushNotificationConfig]:
    await _run(at, run_id)
    return [ParseDict(each, proto.TaskPushNotificationConfig()) for each in await at.pushes.configs(run_id)]


async def _add(at: Asked, run_id: str, config: proto.TaskPushNotificationConfig) -> proto.TaskPushNotificationConfig:
    kept = await at.pushes.add(at.owner, at.base, run_id, MessageToDict(config))
    made: proto.TaskPushNotificationConfig = ParseDict(kept, proto.TaskPushNotificationConfig())
    return made


async def shown(pushes: Pushes, owner: str, run_id: str, base: str) -> Wire:
    """A task as servers are told it."""
    run = await pushes.dure.runs.brief(owner, run_id)
    at = Asked(Caller(owner, pushes.dure, None, "owner"), run["team"], base, pushes)
    told: Wire = MessageToDict(await _task(at, run))
    return told


async def _begun(at: Asked, params: proto.SendMessageRequest) -> tuple[str, int]:
    """As `_begin`, with a server that is to be told of the task."""
    config = params.configuration.task_push_notification_config
    if named := params.configuration.HasField("task_push_notification_config"):
        await at.pushes.check(MessageToDict(config))
    run_id, after = await _begin(at, params.message)
    if named:
        await _add(at, run_id, config)
    return run_id, after


async def _begin(at: Asked, message: proto.Message) -> tuple[str, int]:
    """Start a run, or decide what one waits for: its id, and the number of its last event before. Raises what
    `Runs.start` and `Runs.decide` raise."""
    parts = [MessageToDict(part) for part in message.parts]
    if not message.task_id:
        turn = Turn(role="user", content=[_part(at, each) for each in parts])
        ask = Ask(turn.text, message.context_id or None, at.team, output_format="markdown", images=turn.images)
        return (await at.runs.start(at.owner, ask)).id, 0
    run = await _run(at, message.task_id)
    if message.context_id not in ("", run["session_id"]):
        raise at.refused(errors.InvalidParamsError, "context")
    if run["status"] != "waiting":
        raise at.refused(errors.UnsupportedOperationError, "no_message", status=run["status"])
    after, approvals = len(await record(at.who, run["id"])), await at.runs.approvals(at.owner, run["id"])
    given = [_decision(at, each["data"], approvals) for each in parts if isinstance(each.get("data"), dict)]
    text = "\n".join(each["text"] for each in parts if "text" in each)
    if decisions := given or worded(approvals, text):
        await at.runs.decide(at.owner, run["id"], decisions)
    return run["id"], after


def _decision(at: Asked, data: Wire, approvals: list[Wire]) -> Wire:
    """A data part's decision; which approval it is about may be left out where one is open. Raises InvalidInput."""
    data = {"approval_id": approvals[0]["id"] if len(approvals) == 1 else "", **data}
    id = str(data.pop("approval_id"))
    said = checked(Payload, data)
    if not _exact(said.args):
        raise at.refused(errors.InvalidParamsError, "exact")
    return said.decision(id)


def _exact(value: Any) -> bool:
    if isinstance(value, dict | list):
        return all(map(_exact, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int | float) or abs(value) < _EXACT


def _part(at: Asked, part: Wire) -> Wire:
    """A part as `Turn` reads it. An address is not fetched."""
    kind, name = part.get("mediaType", ""), part.get("filename", "")
    match part:
        case {"text": text}:
            return {"type": "text", "text": text}
        case {"raw": raw} if kind.startswith("image/"):
            return {"type": "image", "data": raw}
        case {"data": value}:
            return {"type": "text", "text": json_bytes(value).decode()}
    raise at.refused(errors.ContentTypeNotSupportedError, "part", part=f"{name} {kind}".strip())


async def _task(at: Asked, run: Wire, shown: Any = None, artifacts: bool = True) -> proto.Task:
    """The run as a task. shown: where its `history_length` stands."""
    run_id, answer = run["id"], run["answer"] or {}
    about = {"taskId": run_id, "contextId": run["session_id"]}
    state: Wire = {"state": f"TASK_STATE_{_STATES[run['status']]}", "timestamp": run["ended_at"] or run["created_at"]}
    if run["status"] == "waiting":
        waiting = await at.runs.answer(at.owner, run_id)
        asked = {"text": waiting.response}, {"data": {"approvals": waiting.approvals}, "mediaType": "application/json"}
        state["message"] = _message(f"{run_id}.asked", "AGENT", about, *asked)
    elif run["error"]:
        state["message"] = _message(f"{run_id}.error", "AGENT", about, {"text": run["error"]["message"]})
    task: Wire = {"id": run_id, "contextId": run["session_id"], "status": state}
    if reason := answer.get("metadata", {}).get("reason"):
        task["metadata"] = {"reason": reason}
    if shown is None or not shown.HasField("history_length") or shown.history_length:
        task["history"] = [_message(f"{run_id}.asked", "USER", about, {"text": run["message"]})]
    if answer.get("response") and artifacts:
        parts = [{"text": answer["response"], "mediaType": "text/markdown"}]
        if answer["citations"]:
            parts.append({"data": {"citations": answer["citations"]}, "mediaType": "application/json"})
        task["artifacts"] = [{"artifactId": "answer", "name": "answer", "parts": parts}]
        made = [each for each in await at.runs.artifacts(at.owner, run_id) if each["agent"]]
        address = f"{at.base}v1/runs/{run_id}/artifacts/"
        task["artifacts"] += [
            {"artifactId": each["id"], "name": each["name"]}
            | {"parts": [{"url": address + each["id"], "filename": each["name"], "mediaType": each["media_type"]}]}
            for each in made
        ]
    whole: proto.Task = ParseDict(task, proto.Task())
    return whole


def _message(id: str, role: str, about: Wire, *parts: Wire) -> Wire:
    return {"messageId": id, "role": f"ROLE_{role}", "parts": list(parts), **about}


async def _follow(at: Asked, run_id: str, after: int, *, through: bool = False) -> AsyncGenerator[Any, None]:
    """The task as it is, who works and what is called, then what came of it: what the run waits for too, unless the
    reader stays `through` that. Who hangs up ends nothing."""
    task = await _task(at, await _run(at, run_id))
    yield task
    about, looked = {"taskId": run_id, "contextId": task.context_id}, after
    while True:
        async with aclosing(at.runs.events(at.owner, run_id, after)) as events:
            async for after, event in events:
                if isinstance(event, AgentStarted | ToolStarted):
                    text = event.agent if isinstance(event, AgentStarted) else f"{event.agent}: {event.name}"
                    message = _message(f"{run_id}.{after}", "AGENT", about, {"text": text})
                    status = {"state": "TASK_STATE_WORKING", "message": message}
                    yield ParseDict({**about, "status": status}, proto.TaskStatusUpdateEvent())
        task = await _task(at, run := await _run(at, run_id))
        if run["status"] in ENDED or (run["status"] == "waiting" and not through):
            break
        if run["status"] != "waiting":
            continue  # Decided between the two.
        if looked != after:
            yield proto.TaskStatusUpdateEvent(**_ids(task), status=task.status)
        looked = after
        await asyncio.sleep(_LOOK)
    for artifact in task.artifacts:
        yield proto.TaskArtifactUpdateEvent(**_ids(task), artifact=artifact, last_chunk=True)
    yield proto.TaskStatusUpdateEvent(**_ids(task), status=task.status)


def _ids(task: proto.Task) -> Wire:
    return {"task_id": task.id, "context_id": task.context_id}
