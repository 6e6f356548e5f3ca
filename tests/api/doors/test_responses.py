"""Teams as models of OpenAI's Responses API, asked by OpenAI's own client."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from fixtures.desk import Desk
from fixtures.late import Late
from pydantic import BaseModel

from dure.testing import ScriptedServer, call, fail, say
from dure.testing import json as wire

Serve = Callable[..., Awaitable[httpx.AsyncClient]]
Asked = Callable[..., Awaitable[Any]]
openai = Late("openai", "needs the package openai")
ASK: dict[str, Any] = {"model": "assistant", "input": "2 곱하기 21은?"}


async def test_an_answer_is_a_response(asked: Asked) -> None:
    async with ScriptedServer(call("calculate", expression="2*21"), say("42입니다.")) as scripted:
        client = await asked(scripted)
        raw = await client.responses.with_raw_response.create(**ASK, instructions="Be brief.", temperature=1)
        answer = raw.parse()
    assert (answer.output_text, answer.status, answer.error) == ("42입니다.", "completed", None)
    assert [item.type for item in answer.output] == ["reasoning", "message"]
    assert "calculate" in answer.output[0].summary[0].text
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens > 0
    assert raw.headers["x-run-id"] in answer.id
    assert "Be brief." not in str(scripted.requests)


async def test_an_answer_is_of_the_clients_type(asked: Asked) -> None:
    class Product(BaseModel):
        number: int

    async with ScriptedServer(say("42입니다."), wire({"number": 42})) as scripted:
        client = await asked(scripted)
        assert (await client.responses.parse(**ASK, text_format=Product)).output_parsed == Product(number=42)


async def test_a_stream_adds_up_to_the_response(asked: Asked) -> None:
    """OpenAI's client puts the events together itself and holds the end against them."""
    steps = call("calculate", expression="2*21"), say("42입니다.").thinking("곱하면 된다.")
    async with ScriptedServer(*steps) as scripted:
        client = await asked(scripted)
        async with client.responses.stream(**ASK) as stream:
            events = [event async for event in stream]
            whole = await stream.get_final_response()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    kinds = [event.type.removeprefix("response.") for event in events]
    assert (kinds[:2], kinds[-1]) == (["created", "in_progress"], "completed")
    thought = "".join(event.delta for event in events if event.type == "response.reasoning_summary_text.delta")
    assert thought.index("calculate") < thought.index("곱하면 된다.")
    assert thought == whole.output[0].summary[0].text
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text
    assert kinds.count("output_item.added") == kinds.count("output_item.done") == len(whole.output) == 2


async def test_the_response_before_is_gone_on_with(asked: Asked) -> None:
    """Where another answer followed it already, the conversation goes on in a session of its own."""
    steps = say("반가워요, 김 님."), say("김 님입니다."), say("아까 말씀하셨죠."), say("네.")
    async with ScriptedServer(*steps) as scripted:
        client = await asked(scripted)

        async def ask(text: Any, before: str | None = None) -> tuple[str, str]:
            raw = await client.responses.with_raw_response.create(
                model="assistant", input=text, previous_response_id=before
            )
            return raw.parse().id, raw.headers["x-session-id"]

        first, session = await ask("저는 김이에요")
        assert (await ask("제가 누구죠?", first))[1] == session
        _, other = await ask("제 이름을 어떻게 알아요?", first)
        assert other != session
        last = scripted.requests[2]["messages"]
        assert "저는 김이에요" in str(last)
        assert "제가 누구죠?" not in str(last)
        with pytest.raises(openai.NotFoundError):
            await ask("안녕", "resp_r-0")
        await ask("안녕")


async def test_a_conversation_that_is_sent_whole_stays_in_one_session(asked: Asked) -> None:
    """As clients that keep nothing on the server send it: with what the model thought and called between."""
    async with ScriptedServer(
        call("calculate", expression="2*21"), say("42입니다."), say("네."), say("42요.")
    ) as scripted:
        client = await asked(scripted)
        turns: list[Any] = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": ASK["input"]}]
        raw = await client.responses.with_raw_response.create(model="assistant", input=turns, store=False)
        turns += [item.model_dump(exclude_none=True) for item in raw.parse().output]
        turns.append({"role": "user", "content": [{"type": "input_text", "text": "정말?"}]})
        again = await client.responses.with_raw_response.create(model="assistant", input=turns, store=False)
        named = await client.responses.with_raw_response.create(**ASK, conversation="c-1", extra_body={"stream": False})
    assert again.headers["x-session-id"] == raw.headers["x-session-id"]
    assert named.headers["x-session-id"] == "c-1"


async def test_sources_are_annotations(asked: Asked) -> None:
    steps = call("search_knowledge_base", queries=["연차휴가"]), say("연차휴가는 15일입니다. [1]")
    async with ScriptedServer(*steps) as scripted:
        client = await asked(scripted)
        async with httpx.AsyncClient(base_url=str(client.base_url)) as plain:
            files = {"file": ("규정.txt", "연차휴가는 15일이다.".encode())}
            document = (await plain.post("documents", files=files)).json()["documents"][0]["id"]
            while (await plain.get(f"documents/{document}")).json()["status"] != "ready":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        stream = await client.responses.create(model="assistant", input="연차휴가는 며칠이야?", stream=True)
        events = [event async for event in stream]
    (message,) = [item for item in events[-1].response.output if item.type == "message"]
    (part,) = message.content
    (cited,) = part.annotations
    assert (part.text[cited.start_index : cited.end_index], cited.title) == ("[1]", "규정")
    assert document in cited.url
    (added,) = [event for event in events if event.type == "response.output_text.annotation.added"]
    assert added.annotation.model_dump() == cited.model_dump()


async def test_an_approval_is_told_with_a_link_and_the_conversation_goes_on_after_it(desk: Desk) -> None:
    steps = call("send_mail", to="kim", text="안녕"), say("보냈습니다."), say("김 님에게요.")
    async with ScriptedServer(*steps) as scripted:
        plain = await desk.open(scripted)
        async with openai.AsyncOpenAI(base_url=f"{plain.base_url}/v1", api_key="unused", max_retries=0) as client:
            waiting = await client.responses.create(model="desk", input="김에게 인사해 줘")
            session = waiting.output_text.rpartition(f"{plain.base_url}/#/s/")[2]
            before = {"model": "desk", "previous_response_id": waiting.id}
            again = await client.responses.create(**before, input="누구에게?")
            assert (again.output_text, desk.sent) == (waiting.output_text, [])
            (approval,) = (await plain.get("/v1/approvals")).json()["approvals"]
            assert approval["session_id"] == session
            entry = {"approval_id": approval["id"], "action": "approve"}
            await plain.post(f"/v1/runs/{approval['run_id']}/approvals", json={"decisions": [entry], "stream": True})
            assert (await client.responses.create(**before, input="누구에게?")).output_text == "김 님에게요."
    assert desk.sent == [("kim", "안녕")]


async def test_below_a_path_links_lead_there(desk: Desk) -> None:
    async with ScriptedServer(call("send_mail", to="kim", text="안녕")) as scripted:
        plain = await desk.open(scripted, root_path="/dure")
        asked = {"model": "desk", "input": "김에게 인사해 줘"}
        # A proxy takes the path off, or leaves it.
        waiting = (await plain.post("/v1/responses", json=asked)).json()
        again = (await plain.post("/dure/v1/responses", json=asked | {"previous_response_id": waiting["id"]})).json()
    text = again["output"][-1]["content"][0]["text"]
    assert f"{plain.base_url}/dure/#/s/" in text
    assert text == waiting["output"][-1]["content"][0]["text"]


async def test_forms_and_errors(asked: Asked) -> None:
    async with ScriptedServer(say("42입니다."), fail(401), fail(401)) as scripted:
        client = await asked(scripted)
        answer = await client.responses.create(**ASK, text={"format": {"type": "json_object"}})
        assert json.loads(answer.output_text) == {"answer": "42입니다.", "sources": []}
        picture = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
        schema = {"type": "json_schema", "name": "x", "schema": {}}
        wrong: list[dict[str, Any]] = [
            {"input": [{"role": "user", "content": [picture]}]},
            {"input": [{"role": "assistant", "content": "hi"}]},
            {"input": []},
            {"input": [{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": "hi"}]},
            {"tool_choice": "required"},
            {"text": {"format": schema}},
        ]
        for fields in wrong:
            with pytest.raises(openai.BadRequestError) as raised:
                await client.responses.create(**ASK | fields)
            assert raised.value.type == "invalid_request_error", fields
        with pytest.raises(openai.NotFoundError) as unknown:
            await client.responses.create(**ASK | {"model": "gpt-9"})
        assert unknown.value.code == "model_not_found"
        with pytest.raises(openai.InternalServerError) as failed:
            await client.responses.create(**ASK)
        assert failed.value.code == "model_refused"
        events = [event async for event in await client.responses.create(**ASK, stream=True)]
    assert (events[-1].type, events[-1].response.status) == ("response.failed", "failed")
    assert events[-1].response.error.code == "model_refused"


async def test_a_limit_is_an_incomplete_response(asked: Asked) -> None:
    steps = call("calculate", expression="1+1"), say("여기까지입니다.")
    async with ScriptedServer(*steps) as scripted:
        client = await asked(scripted, max_iterations=1)
        answer = await client.responses.create(**ASK)
    assert (answer.status, answer.incomplete_details.reason) == ("incomplete", "max_output_tokens")


async def test_owners_do_not_share_responses(asked: Asked) -> None:
    async with ScriptedServer(say("네.")) as scripted:
        client = await asked(scripted, api_keys="kim:1,lee:2")
        client.api_key = "1"
        mine = await client.responses.create(**ASK)
        client.api_key = "2"
        with pytest.raises(openai.NotFoundError):
            await client.responses.create(**ASK, previous_response_id=mine.id)
