"""Teams as A2A agents, asked by the client of the protocol's own SDK over real HTTP."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from aiohttp import web
from fixtures.desk import Desk

from dure.testing import ScriptedServer, call, fail, say

pytest.importorskip("a2a", reason="needs the extra a2a")
from a2a.client import A2AClientError, ClientConfig, create_client
from a2a.types import a2a_pb2 as proto
from a2a.utils import errors
from google.protobuf.json_format import MessageToDict, ParseDict

from dure.api.doors import a2a_tasks

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
MAIL = call("send_mail", to="kim", text="안녕")


class Asking:
    """A client of one team: messages in the protocol's JSON, tasks as dictionaries."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def send(self, *parts: dict[str, Any], later: bool = False, **more: Any) -> list[dict[str, Any]]:
        """What came of a message: tasks and updates, in order."""
        message = {"messageId": "m", "role": "ROLE_USER", "parts": list(parts), **more}
        request = ParseDict({"message": message}, proto.SendMessageRequest())
        request.configuration.return_immediately = later
        return [MessageToDict(each) async for each in self.client.send_message(request)]

    async def ask(self, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        """The task of a message, once it has ended or waits."""
        (found,) = await self.send(*parts, **more)
        task: dict[str, Any] = found["task"]
        return task

    async def get(self, id: str) -> dict[str, Any]:
        return MessageToDict(await self.client.get_task(proto.GetTaskRequest(id=id)))


@asynccontextmanager
async def connected(
    plain: httpx.AsyncClient, team: str = "assistant", key: str = "", *, streaming: bool = False
) -> AsyncIterator[Asking]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(headers=headers, timeout=60, verify=False))
        config = ClientConfig(httpx_client=http, streaming=streaming)
        client = await create_client(f"{plain.base_url}/a2a/{team}", client_config=config)
        stack.push_async_callback(client.close)
        yield Asking(client)


async def test_a_card_tells_of_a_team(serve: Serve) -> None:
    plain = await serve()
    card = (await plain.get("/.well-known/agent-card.json")).json()
    assert ParseDict(card, proto.AgentCard()).name
    (interface,) = card["supportedInterfaces"]
    assert interface == {
        "url": f"{plain.base_url}/a2a/workplace",
        "protocolBinding": "JSONRPC",
        "protocolVersion": "1.0",
    }
    assert card["skills"][0]["examples"]
    assert "securitySchemes" not in card
    unknown = await plain.get("/a2a/nobody/.well-known/agent-card.json")
    assert unknown.json()["error"]["code"] == "unknown_team"


async def test_a_team_is_asked_and_asked_again(serve: Serve) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 15일입니다. [1]"), say("네.")
    async with ScriptedServer(*steps) as scripted:
        plain = await serve(scripted)
        files = {"file": ("규정.txt", "연차휴가는 15일이다.".encode())}
        id = (await plain.post("/v1/documents", files=files)).json()["documents"][0]["id"]
        while (await plain.get(f"/v1/documents/{id}")).json()["status"] != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        async with connected(plain) as agent:
            task = await agent.ask({"text": "연차휴가는 며칠이야?"})
            again = await agent.ask({"data": {"sure": True}}, contextId=task["contextId"])
            kept = await agent.get(task["id"])
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    (artifact,) = task["artifacts"]
    text, data = artifact["parts"]
    assert text["text"].startswith("연차휴가는 15일입니다. [1]")
    assert [each["title"] for each in data["data"]["citations"]] == ["규정"]
    assert [each["parts"][0]["text"] for each in task["history"]] == ["연차휴가는 며칠이야?"]
    assert kept == task
    assert again["contextId"] == task["contextId"]
    assert '{"sure":true}' in str(scripted.requests[2]["messages"])
    assert "연차휴가는 15일입니다" in str(scripted.requests[2]["messages"])


async def test_a_stream_tells_who_works_and_ends_with_the_answer(desk: Desk) -> None:
    async with ScriptedServer(call("send_mail", to="kim", text="안녕")) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk", streaming=True) as agent:
            found = await agent.send({"text": "김에게 인사해 줘"})
            assert [*found[0]] == ["task"]
            assert found[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
            about = {"taskId": found[0]["task"]["id"], "contextId": found[0]["task"]["contextId"]}
            scripted.then(say("보냈습니다."))
            found = await agent.send({"data": {"action": "approve"}}, **about)
    working = [each["statusUpdate"]["status"] for each in found if "statusUpdate" in each]
    assert [each["state"] for each in working] == ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]
    assert working[0]["message"]["parts"][0]["text"] == "clerk: send_mail"
    (artifact,) = [each["artifactUpdate"] for each in found if "artifactUpdate" in each]
    assert artifact["artifact"]["parts"][0]["text"] == "보냈습니다."
    assert desk.sent == [("kim", "안녕")]


@pytest.mark.parametrize(
    ("part", "sent"),
    [
        ({"data": {"action": "approve"}}, [("kim", "안녕")]),
        ({"data": {"action": "reject", "message": "no"}}, []),
        ({"data": {"action": "edit", "args": {"to": "lee", "text": "hi"}}}, [("lee", "hi")]),
        ({"data": {"args": {"to": "lee", "text": "hi"}}}, [("lee", "hi")]),
        ({"text": json.dumps({"to": "lee", "text": "hi"})}, [("lee", "hi")]),
    ],
)
async def test_what_waits_is_decided_by_the_next_message(desk: Desk, part: dict[str, Any], sent: list[Any]) -> None:
    async with ScriptedServer(MAIL, say("다 했습니다.")) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk") as agent:
            task = await agent.ask({"text": "김에게 인사해 줘"})
            told = task["status"]["message"]["parts"][1]["data"]["approvals"]
            assert (task["status"]["state"], told[0]["args"]) == (
                "TASK_STATE_INPUT_REQUIRED",
                {"to": "kim", "text": "안녕"},
            )
            asked = await agent.ask({"text": "무슨 일이었지?"}, taskId=task["id"])
            assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
            done = await agent.ask(part, taskId=task["id"])
            assert done["status"]["state"] == "TASK_STATE_COMPLETED"
            with pytest.raises(errors.UnsupportedOperationError):
                await agent.ask(part, taskId=task["id"])
    assert desk.sent == sent


@pytest.mark.parametrize(
    "data",
    [
        {"action": "answer", "message": "x"},
        {"action": "edit", "args": {"to": 1}},
        {"action": "edit", "args": {"to": "kim", "text": 2**60}},
        {"action": "approve", "approval_id": "p-nobodys"},
        {"action": "obey"},
        {"no": "decision"},
    ],
)
async def test_a_decision_is_checked_like_any_other(desk: Desk, data: dict[str, Any]) -> None:
    async with ScriptedServer(MAIL) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk") as agent:
            task = await agent.ask({"text": "김에게 인사해 줘"})
            with pytest.raises((errors.InvalidParamsError, errors.TaskNotFoundError)):
                await agent.ask({"data": data}, taskId=task["id"])
            with pytest.raises(errors.InvalidParamsError):
                await agent.ask({"data": {"action": "approve"}}, taskId=task["id"], contextId="s-other")
            assert (await agent.get(task["id"]))["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert desk.sent == []


async def test_tasks_are_cancelled_and_followed_again(desk: Desk) -> None:
    gate = asyncio.Event()
    async with ScriptedServer(say("늦은 답").after(gate), say("답").after(gate)) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk") as agent, connected(plain, "desk", streaming=True) as follower:
            one = await agent.ask({"text": "하나"}, later=True)
            assert one["status"]["state"] in ("TASK_STATE_WORKING", "TASK_STATE_SUBMITTED")
            await scripted.arrived()
            gone = MessageToDict(await agent.client.cancel_task(proto.CancelTaskRequest(id=one["id"])))
            assert gone["status"]["state"] == "TASK_STATE_CANCELED"
            with pytest.raises(errors.TaskNotCancelableError):
                await agent.client.cancel_task(proto.CancelTaskRequest(id=one["id"]))
            with pytest.raises(errors.UnsupportedOperationError):
                await anext(follower.client.subscribe(proto.SubscribeToTaskRequest(id=one["id"])))
            two = await agent.ask({"text": "둘"}, later=True)
            await scripted.arrived(2)
            found = []
            async for each in follower.client.subscribe(proto.SubscribeToTaskRequest(id=two["id"])):
                found.append(MessageToDict(each))
                gate.set()
    assert found[0]["task"]["id"] == two["id"]
    assert found[-2]["artifactUpdate"]["artifact"]["parts"][0]["text"] == "답"
    assert found[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_who_follows_a_task_stays_through_its_question(desk: Desk) -> None:
    async with ScriptedServer(MAIL, say("보냈습니다.")) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk") as agent, connected(plain, "desk", streaming=True) as follower:
            task = await agent.ask({"text": "김에게 인사해 줘"})
            found = []
            async for each in follower.client.subscribe(proto.SubscribeToTaskRequest(id=task["id"])):
                found.append(MessageToDict(each))
                if len(found) == 1:
                    await agent.ask({"data": {"action": "approve"}}, taskId=task["id"])
    assert found[0]["task"]["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert found[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_a_decision_as_soon_as_it_waits_ends_nobodys_following(desk: Desk, monkeypatch: Any) -> None:
    gate, looked, seen = asyncio.Event(), a2a_tasks._run, []
    async with ScriptedServer(MAIL, say("보냈습니다.").after(gate)) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk") as agent, connected(plain, "desk", streaming=True) as follower:
            task = await agent.ask({"text": "김에게 인사해 줘"})

            async def decided(at: Any, run_id: str) -> Any:
                seen.append(run_id)
                if len(seen) == 3:
                    # It has heard that the run waits, and asks what of.
                    await agent.ask({"data": {"action": "approve"}}, taskId=run_id, later=True)
                    asyncio.get_running_loop().call_later(0.2, gate.set)
                return await looked(at, run_id)

            monkeypatch.setattr(a2a_tasks, "_run", decided)
            subscribed = follower.client.subscribe(proto.SubscribeToTaskRequest(id=task["id"]))
            found = [MessageToDict(each) async for each in subscribed]
    assert found[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_tasks_are_listed_page_by_page(serve: Serve) -> None:
    async with ScriptedServer(say("하나."), say("둘."), fail(400, "no")) as scripted:
        plain = await serve(scripted)
        async with connected(plain) as agent:
            tasks = [await agent.ask({"text": text}) for text in ("1", "2", "3")]
            assert [each["status"]["state"] for each in tasks][2] == "TASK_STATE_FAILED"
            assert tasks[2]["status"]["message"]["parts"][0]["text"]

            async def listed(**wanted: Any) -> dict[str, Any]:
                request = ParseDict(wanted, proto.ListTasksRequest())
                return MessageToDict(await agent.client.list_tasks(request))

            first = await listed(pageSize=2, historyLength=0)
            second = await listed(pageSize=2, pageToken=first["nextPageToken"], includeArtifacts=True)
            failed = await listed(status="TASK_STATE_FAILED")
            one = await listed(contextId=tasks[0]["contextId"])
            none = await listed(statusTimestampAfter="2100-01-01T00:00:00Z")
            for wrong in ({"pageSize": 0}, {"pageSize": 101}, {"pageToken": "x"}):
                with pytest.raises(errors.InvalidParamsError):
                    await listed(**wrong)
    ids = [each["id"] for each in tasks]
    assert [each["id"] for each in first["tasks"]] == ids[:0:-1]
    assert first["totalSize"] == 3
    assert all("artifacts" not in each and "history" not in each for each in first["tasks"])
    assert [each["id"] for each in second["tasks"]] == ids[:1]
    assert second["tasks"][0]["artifacts"]
    assert [each["id"] for each in failed["tasks"]] == ids[2:]
    assert [each["id"] for each in one["tasks"]] == ids[:1]
    assert "tasks" not in none


@pytest.mark.parametrize(
    "part",
    [
        {"url": "http://169.254.169.254/latest", "mediaType": "image/png"},
        {"raw": base64.b64encode(b"RIFF").decode(), "mediaType": "audio/wav"},
        {"raw": base64.b64encode(b"none").decode(), "mediaType": "image/png"},
        {"text": "  "},
    ],
)
async def test_what_cannot_be_used_is_refused(serve: Serve, part: dict[str, Any]) -> None:
    plain = await serve()
    async with connected(plain) as agent:
        with pytest.raises((errors.InvalidParamsError, errors.ContentTypeNotSupportedError)):
            await agent.ask(part)
        with pytest.raises(errors.TaskNotFoundError):
            await agent.get("r-nobodys")
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0"}
    for body, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":1,"method":"Nothing"}', -32601)):
        assert (await plain.post("/a2a/assistant", content=body, headers=headers)).json()["error"]["code"] == code
    untyped = await plain.post("/a2a/assistant", content=b"{}")
    assert (untyped.status_code, untyped.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert (await plain.post("/a2a/nobody", json={})).status_code == 422


@pytest.mark.parametrize(
    ("method", "params", "part", "korean"),
    [
        ("ListTasks", {"pageSize": 0}, {}, "pageSize는 1~100,"),
        ("SendMessage", {}, {"url": "http://x/y", "mediaType": "image/png"}, "글, 데이터, 사진(raw)만"),
    ],
)
async def test_refusals_are_told_in_the_language_that_is_asked_for(
    serve: Serve, method: str, params: dict[str, Any], part: dict[str, Any], korean: str
) -> None:
    plain = await serve()
    if part:
        params = {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [part]}}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    async def told(**headers: str) -> str:
        reply = await plain.post("/a2a/assistant", json=body, headers={"A2A-Version": "1.0", **headers})
        return str(reply.json()["error"]["message"])

    assert korean in await told(**{"Accept-Language": "ko"})
    assert korean not in await told()


async def test_a_key_and_its_own_rows_alone(serve: Serve) -> None:
    async with ScriptedServer(say("네.")) as scripted:
        plain = await serve(scripted, api_keys="kim:1,lee:2,lee:reader:3")
        assert (await plain.get("/.well-known/agent-card.json")).status_code == 401
        assert (await plain.post("/a2a/assistant", json={})).status_code == 401
        async with connected(plain, key="1") as agent:
            task = await agent.ask({"text": "안녕"})
        async with connected(plain, "workplace", key="1") as agent:
            with pytest.raises(errors.TaskNotFoundError):
                await agent.get(task["id"])
        async with connected(plain, key="2") as agent:
            with pytest.raises(errors.TaskNotFoundError):
                await agent.get(task["id"])
            with pytest.raises(errors.TaskNotFoundError):
                await agent.ask({"data": {"action": "approve"}}, taskId=task["id"])
            assert not (await agent.client.list_tasks(proto.ListTasksRequest())).tasks
        card = (
            await plain.get("/a2a/assistant/.well-known/agent-card.json", headers={"Authorization": "Bearer 3"})
        ).json()
        assert card["securitySchemes"]["key"]["httpAuthSecurityScheme"]["scheme"] == "Bearer"
        async with connected(plain, key="3") as agent:
            with pytest.raises(A2AClientError):
                await agent.ask({"text": "안녕"})


class Told:
    """A server that is told of tasks: what came, with its headers; `answers` of it come first, then 200."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.came: list[tuple[dict[str, str], bytes]] = []
        self.heard = asyncio.Event()

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        self.came.append(({key.lower(): value for key, value in request.headers.items()}, await request.read()))
        self.heard.set()
        return web.Response(status=self.answers.pop(0) if self.answers else 200)

    async def until(self, state: str) -> dict[str, Any]:
        """The task as it was told in that state."""
        async with asyncio.timeout(30):
            while True:
                for _, body in self.came:
                    task: dict[str, Any] = json.loads(body)["task"]
                    if task["status"]["state"] == state:
                        return task
                self.heard.clear()
                await self.heard.wait()

    async def __aenter__(self) -> str:
        self.runner = web.ServerRunner(web.Server(self._handle))
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        return f"127.0.0.1:{self.runner.addresses[0][1]}"

    async def __aexit__(self, *_: object) -> None:
        await self.runner.cleanup()


async def test_a_server_is_told_of_a_task(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dure.api.doors.a2a_push._PAUSES", (0.01,))
    told = Told(500)
    async with told as host, ScriptedServer(MAIL, say("보냈습니다.")) as scripted:
        plain = await desk.open(scripted, webhook_hosts=[host])
        async with connected(plain, "desk") as agent:
            how = {"scheme": "Bearer", "credentials": "s3cret"}
            config = {"url": f"http://{host}/hook", "token": "t0ken", "authentication": how}
            first = await agent.ask({"text": "김에게 인사해 줘"})
            about = ParseDict({"taskId": first["id"], "id": "one", **config}, proto.TaskPushNotificationConfig())
            made = await agent.client.create_task_push_notification_config(about)
            assert (made.id, made.task_id) == ("one", first["id"])
            await told.until("TASK_STATE_INPUT_REQUIRED")
            of = {"task_id": first["id"]}
            request = proto.ListTaskPushNotificationConfigsRequest(**of)
            assert [each.id for each in (await agent.client.list_task_push_notification_configs(request)).configs] == [
                "one"
            ]
            one = proto.GetTaskPushNotificationConfigRequest(**of, id="one")
            assert (await agent.client.get_task_push_notification_config(one)).token == "t0ken"
            await agent.ask({"data": {"action": "approve"}}, taskId=first["id"])
            task = await told.until("TASK_STATE_COMPLETED")
            await agent.client.delete_task_push_notification_config(
                proto.DeleteTaskPushNotificationConfigRequest(**of, id="one")
            )
            with pytest.raises(errors.TaskNotFoundError):
                await agent.client.get_task_push_notification_config(one)
    assert task["artifacts"][0]["parts"][0]["text"] == "보냈습니다."
    headers, body = told.came[-1]
    assert (headers["x-a2a-notification-token"], headers["authorization"]) == ("t0ken", "Bearer s3cret")
    signed = hmac.new(b"t0ken", f"{headers['dure-timestamp']}.".encode() + body, hashlib.sha256).hexdigest()
    assert headers["dure-signature"] == f"sha256={signed}"
    assert len({each["dure-delivery"] for each, _ in told.came}) < len(told.came)


async def test_a_server_named_with_the_message_is_told_after_a_restart_too(desk: Desk) -> None:
    told = Told()
    async with told as host, ScriptedServer(MAIL, say("보냈습니다.")) as scripted:
        async with AsyncExitStack() as first:
            stack, desk._stack = desk._stack, first
            plain = await desk.open(scripted, webhook_hosts=[host])
            async with connected(plain, "desk") as agent:
                message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "김에게 인사해 줘"}]}
                config = {"taskPushNotificationConfig": {"url": f"http://{host}/hook"}}
                request = ParseDict({"message": message, "configuration": config}, proto.SendMessageRequest())
                async for _ in agent.client.send_message(request):
                    pass
            waiting = await told.until("TASK_STATE_INPUT_REQUIRED")
            desk._stack = stack
        plain = await desk.open(scripted, webhook_hosts=[host])
        async with connected(plain, "desk") as agent:
            await agent.ask({"data": {"action": "approve"}}, taskId=waiting["id"])
        assert (await told.until("TASK_STATE_COMPLETED"))["id"] == waiting["id"]
    assert "dure-signature" not in told.came[-1][0]


async def test_no_private_address_is_told(desk: Desk) -> None:
    async with ScriptedServer(MAIL) as scripted:
        plain = await desk.open(scripted)
        async with connected(plain, "desk") as agent:
            task = await agent.ask({"text": "김에게 인사해 줘"})
            for url in ("http://127.0.0.1:8080/", "http://169.254.169.254/", "file:///etc/passwd", "http://10.0.0.1/"):
                config = proto.TaskPushNotificationConfig(task_id=task["id"], url=url)
                with pytest.raises(errors.InvalidParamsError):
                    await agent.client.create_task_push_notification_config(config)
            other = proto.TaskPushNotificationConfig(task_id="r-nobodys", url="https://example.com/")
            with pytest.raises(errors.TaskNotFoundError):
                await agent.client.create_task_push_notification_config(other)


async def test_the_extra_that_is_missing_is_named(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    from dure.api.doors import a2a

    a2a._dispatcher.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "a2a.server.routes.jsonrpc_dispatcher", None)
    plain = await serve()
    refused = await plain.get("/.well-known/agent-card.json")
    assert refused.status_code == 422
    assert "[a2a]" in refused.json()["error"]["message"]
