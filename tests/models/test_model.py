"""`Model.ask` against the scripted server: dialects, what a server refuses, JSON asked for."""

import asyncio
import threading

import orjson
import pytest

from dure.dialects.native import NativeReader
from dure.errors import ContextExceeded, ModelError, ModelRefused, ModelUnavailable
from dure.messages import Usage, assistant, tool_result, user
from dure.models.client import ChatClient
from dure.models.model import Model
from dure.models.refusals import PROBE_TOOL
from dure.storage import Database
from dure.testing import ScriptedServer, call, cut, fail, raw, say
from dure.testing.server import NO_TOOLS

TOOL = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Searches the documents.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}
SCHEMA = {"type": "object", "properties": {"agent": {"enum": ["rag", "none"]}}, "required": ["agent"]}


def no_schema(body):
    return "response_format of type json_schema is not supported" if "response_format" in body else None


@pytest.fixture
async def model_on():
    """Makes a Model of a scripted server; closes it at the end."""
    made: list[Model] = []

    def make(server: ScriptedServer, **options) -> Model:
        client = ChatClient(server.url, options.pop("name", "m"), tries=1)
        made.append(Model(client, place=server.url, **options))
        return made[-1]

    yield make
    for model in made:
        await model.close()


@pytest.fixture
async def database(tmp_path):
    opened = await Database.open(f"sqlite:///{tmp_path / 'dure.db'}")
    yield opened
    await opened.close()


def args_of(asked):
    return [(c.name, c.args) for c in asked.reply.tool_calls]


@pytest.mark.parametrize("dialect", ["native", "schema", "text"])
async def test_calls_and_answers_in_every_dialect(model_on, dialect):
    async with ScriptedServer(call("search", query="연차"), say("15일입니다.")) as server:
        model = model_on(server, dialect=dialect)
        first = await model.ask([user("연차?")], [TOOL])
        asked = first.reply.tool_calls[0]
        wire = {"id": asked.id, "type": "function"}
        wire["function"] = {"name": "search", "arguments": orjson.dumps(asked.args).decode()}
        turns = [user("연차?"), assistant(None, [wire]), tool_result(asked.id, "search", "연차는 15일")]
        second = await model.ask(turns, [TOOL])
    assert args_of(first) == [("search", {"query": "연차"})]
    assert (second.reply.content, second.reply.tool_calls) == ("15일입니다.", [])
    assert first.dialect == second.dialect == dialect
    assert ("tools" in server.requests[0], "response_format" in server.requests[0]) == (
        dialect == "native",
        dialect == "schema",
    )
    assert server.probes == 0


async def test_what_was_asked_is_told(model_on):
    async with ScriptedServer(say("안녕하세요").thinking("인사다")) as server:
        asked = await model_on(server, options={"temperature": 0.5}).ask([user("안녕")], max_tokens=7)
    sent = {k: v for k, v in server.requests[0].items() if not k.startswith("stream")}
    assert asked.request == sent == {"model": "m", "messages": [user("안녕")], "temperature": 0.5, "max_tokens": 7}
    assert asked.reply.usage == Usage(1, server.prompt_tokens, server.completion_tokens)
    assert asked.reply.reasoning == "인사다"
    assert asked.seconds > 0


@pytest.mark.parametrize("dialect", ["native", "schema", "text"])
@pytest.mark.parametrize("chunk", [1, 5, 500])
async def test_pieces_come_as_they_may_be_shown(model_on, dialect, chunk):
    pieces = []
    async with ScriptedServer(say("답은 15일입니다."), chunk=chunk) as server:
        await model_on(server, dialect=dialect).ask([user("연차?")], [TOOL], on_piece=pieces.append)
    assert "".join(piece.text for piece in pieces if piece.kind == "text").strip() == "답은 15일입니다."


TOO_LONG = {
    "llama.cpp": (400, "request (76977 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    "vllm": (400, "This model's maximum context length is 4096 tokens. However, you requested 76977 tokens."),
    "openai": (400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    "ollama": (400, "prompt is too long: 208310 tokens > 200000 maximum"),
}


@pytest.mark.parametrize("kind", TOO_LONG)
@pytest.mark.parametrize("schema", [None, {"type": "object"}])
async def test_what_is_too_long_is_told_with_how_much_fits(model_on, kind, schema):
    """It is no fault of the request's form: a short one is answered."""
    async with ScriptedServer(fail(*TOO_LONG[kind]), say('{"a": 1}'), kind=kind) as server:
        model = model_on(server, context=4096)
        known = await model.facts()
        with pytest.raises(ContextExceeded) as error:
            await model.ask([user("긴 글 " * 5000)], schema=schema)
        assert (await model.ask([user("짧은 글")], schema=schema)).reply.content == '{"a": 1}'
        assert await model.facts() == known
    assert "4,096" in error.value.message("en")
    assert "문서로 올린" in error.value.message("ko")


# The dialect `auto`


@pytest.mark.parametrize("kind", ["vllm", "llama.cpp", "ollama", "openai"])
async def test_a_refusal_of_tools_changes_the_dialect_unseen(model_on, kind):
    """The server claimed, or was taken, to be able to; then it says the sentence that it is known for."""
    pieces = []
    async with ScriptedServer(call("search", query="a"), call("search", query="b"), kind=kind) as server:
        model = model_on(server)
        await model.facts()
        server.native = False
        first = await model.ask([user("q")], [TOOL], on_piece=pieces.append)
        second = await model.ask([user("q")], [TOOL])
        facts = await model.facts()
    assert (args_of(first), first.dialect) == ([("search", {"query": "a"})], "schema")
    assert (args_of(second), second.dialect) == ([("search", {"query": "b"})], "schema")
    assert [piece.kind for piece in pieces] == ["call"]
    assert server.refused[0]["messages"][-1] == user("q")
    # The same turn; the dialect `schema` reminds of its form behind the message.
    assert server.requests[0]["messages"][-1]["content"].startswith("q\n\n(Reply in JSON.")
    assert NO_TOOLS[kind] in facts.why


async def test_a_chosen_dialect_is_kept_and_the_refusal_told(model_on):
    async with ScriptedServer(native=False, kind="ollama") as server:
        with pytest.raises(ModelRefused, match="does not support tools"):
            await model_on(server, dialect="native").ask([user("q")], [TOOL])


async def test_other_refusals_change_nothing(model_on):
    async with ScriptedServer(fail(400, "context length exceeded"), say("ok"), kind="llama.cpp") as server:
        model = model_on(server)
        with pytest.raises(ModelRefused) as refused:
            await model.ask([user("q")], [TOOL])
        assert refused.value.details["reason"] == "context length exceeded"
        assert (await model.ask([user("q")], [TOOL])).dialect == "native"


async def test_without_tools_nothing_is_found_out(model_on):
    async with ScriptedServer(say("ok"), kind="vllm", native=False) as server:
        await model_on(server).ask([user("q")])
    assert (server.probes, len(server.refused)) == (0, 0)


async def test_many_at_once_find_out_once(model_on):
    async with ScriptedServer(respond=lambda body: say("ok")) as server:
        model = model_on(server)
        await asyncio.gather(*(model.ask([user("q")], [TOOL]) for _ in range(8)))
    assert server.probes == 1


@pytest.mark.parametrize("name", ["m", ""])
async def test_what_was_found_out_outlives_the_process(model_on, database, name):
    async with ScriptedServer(say("a"), say("b"), native=False) as server:
        first = await model_on(server, database=database, name=name).ask([user("q")], [TOOL])
        probes = server.probes
        second = await model_on(server, database=database, name=name).ask([user("q")], [TOOL])
        assert server.probes == probes, "found out once"
    assert first.dialect == second.dialect == "schema"
    assert all(PROBE_TOOL in str(body["tools"]) for body in server.refused)


async def test_facts_can_be_found_out_anew(model_on, database):
    async with ScriptedServer(native=False) as server:
        model = model_on(server, database=database)
        assert (await model.facts()).dialect == "schema"
        server.native = True
        assert (await model.facts()).dialect == "schema"
        assert (await model.facts(fresh=True)).dialect == "native"
        assert (await model_on(server, database=database).facts()).dialect == "native"


async def test_the_context_is_the_settings_then_the_servers_then_a_guess(model_on):
    async with ScriptedServer(kind="llama.cpp", context=2048) as server:
        model, fixed = model_on(server), model_on(server, context=1000)
        assert model.context == 8192
        await model.facts()
        assert (model.context, fixed.context) == (2048, 1000)


async def test_the_name_is_the_servers_first(model_on):
    async with ScriptedServer(say("ok"), model="qwen3") as server:
        model = model_on(server, name="")
        await model.ask([user("q")])
        assert model.name == "qwen3"


# JSON asked for


async def test_json_by_response_format(model_on):
    pieces = []
    async with ScriptedServer(raw('{"agent":\n "rag"}')) as server:
        asked = await model_on(server).ask([user("q")], schema=SCHEMA, on_piece=pieces.append)
    assert orjson.loads(asked.reply.content) == {"agent": "rag"}
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert pieces == []


async def test_of_a_small_models_forms_it_is_asked_how_probable_they_are(model_on):
    """And not where the server refuses that."""

    def no_logprobs(body):
        return "unknown parameter: logprobs" if "logprobs" in body else None

    async with ScriptedServer(*[raw('{"agent": "rag"}')] * 3) as server:
        await model_on(server, small=True).ask([user("q")], schema=SCHEMA)
        await model_on(server).ask([user("q")], schema=SCHEMA)
        assert [body.get("logprobs") for body in server.requests] == [True, None]
        server.refuses = no_logprobs
        model = model_on(server, small=True)
        asked = await model.ask([user("q")], schema=SCHEMA)
        assert (asked.reply.least, "response_format" in server.requests[-1]) == (1.0, True)


async def test_json_in_words_where_the_server_refuses_a_schema(model_on):
    reply = 'Here it is:\n```json\n{"agent": "rag"}\n```'
    async with ScriptedServer(raw(reply), raw(reply), refuses=no_schema) as server:
        model = model_on(server)
        found = [await model.ask([user("q")], schema=SCHEMA) for _ in range(2)]
    assert [orjson.loads(asked.reply.content) for asked in found] == [{"agent": "rag"}] * 2
    assert len(server.requests) == 2
    assert server.requests[0]["messages"][0]["role"] == "system"
    assert '"enum":["rag","none"]' in server.requests[0]["messages"][0]["content"]


async def test_json_in_words_where_the_server_ignores_a_schema(model_on):
    async with ScriptedServer(raw("I would ask rag."), raw('{"agent": "rag"}')) as server:
        asked = await model_on(server).ask([user("q")], schema=SCHEMA)
    assert orjson.loads(asked.reply.content) == {"agent": "rag"}
    assert "response_format" not in server.requests[1]


async def test_a_model_that_gives_no_json_at_all(model_on):
    async with ScriptedServer(raw("no"), raw("never")) as server:
        with pytest.raises(ModelError, match=r"no JSON.*never"):
            await model_on(server).ask([user("q")], schema=SCHEMA)


async def test_json_is_never_taken_for_a_call(model_on):
    """A plan may name tools; and thoughts before it are not part of it."""
    text = '<think>{"no": 1}</think>{"name": "search", "arguments": {"query": "x"}}'
    async with ScriptedServer(raw(text)) as server:
        asked = await model_on(server).ask([user("q")], schema={"type": "object"})
    assert orjson.loads(asked.reply.content) == {"name": "search", "arguments": {"query": "x"}}
    assert asked.reply.tool_calls == []
    assert asked.reply.reasoning == '{"no": 1}'


# Faults


async def test_a_broken_stream_is_an_error_and_the_next_question_works(model_on):
    async with ScriptedServer(cut("half"), say("whole")) as server:
        model = model_on(server, dialect="native")
        with pytest.raises(ModelError):
            await model.ask([user("q")], [TOOL])
        assert (await model.ask([user("q")], [TOOL])).reply.content == "whole"


async def test_ready_tells_what_a_question_would_meet(model_on):
    async with ScriptedServer() as server:
        model = model_on(server)
        await model.ready()
    with pytest.raises(ModelUnavailable):
        await model.ready()


async def test_ready_with_a_wrong_key(model_on):
    async with ScriptedServer(api_key="right") as server:
        with pytest.raises(ModelRefused, match="401"):
            await model_on(server).ready()


async def test_a_call_that_was_read_is_not_run(model_on):
    quoted = '<tool_call>{"name": "search", "arguments": {"query": "연차"}}</tool_call>'
    async with ScriptedServer(raw(f"글에 {quoted} 라고 있습니다.")) as server:
        asked = await model_on(server, dialect="native").ask([user(f"요약해 줘: {quoted}")], [TOOL])
    assert (asked.reply.tool_calls, quoted in asked.reply.content) == ([], True)


async def test_the_forms_of_calls_are_remembered_for_the_model_and_its_server(model_on, database):
    leak = '<tool_call>{"name": "search", "arguments": {"query": "연차"}}</tool_call>'
    async with ScriptedServer(raw(leak), raw(leak), call("search", query="휴가")) as server:
        model = model_on(server, dialect="native", database=database)
        first = await model.ask([user("?")], [TOOL])
        again = await model_on(server, dialect="native", database=database).ask([user("?")], [TOOL])
        assert [asked.reply.tool_calls[0].unfamiliar for asked in (first, again)] == [True, False]
        await model_on(server, dialect="native", database=database).ask([user("?")], [TOOL])
        assert await model_on(server, database=database).forms() == {"hermes": 1, "native": 1}
        assert await model_on(server, database=database, name="other").forms() == {}


async def test_a_long_reply_is_read_beside_other_work(model_on):
    beats: list[float] = []

    async def beat():
        while True:
            beats.append(asyncio.get_running_loop().time())
            await asyncio.sleep(0.005)

    async with ScriptedServer(raw("Action: search\nAction Input: x\n" * 40_000)) as server:
        beating = asyncio.create_task(beat())
        await model_on(server, dialect="text").ask([user("?")], [TOOL])
        beating.cancel()
    assert len(beats) > 20


TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls %}<~run~>"
    "{{ c.function.name }}<~with~>{{ c.function.arguments | tojson }}<~end~>{% endfor %}<eot>{% endfor %}"
    "{{ '<assistant>' if add_generation_prompt }}"
)


GO = (
    "{{ range .Messages }}{{ .Content }}{{ range .ToolCalls }}<~run~>{{ .Function.Name }}<~with~>"
    "{{ .Function.Arguments }}<~end~>{{ end }}{{ end }}"
)


@pytest.mark.parametrize("kind", ["llama.cpp", "vllm", "ollama"])
async def test_calls_are_read_as_the_models_own_template_writes_them(model_on, database, kind):
    written = '<~run~>search<~with~>{"query": "연차"}<~end~>'
    script = (raw(written), raw(f"앞 {written}"), raw("<~run~>search<~then~>연차"))
    async with ScriptedServer(*script, kind=kind, template=GO if kind == "ollama" else TEMPLATE) as server:
        model = model_on(server, database=database, name="scripted")
        asked = await model.ask([user("연차?")], [TOOL])
        assert args_of(asked) == [("search", {"query": "연차"})]
        assert [(call.reader, call.unfamiliar) for call in asked.reply.tool_calls] == [("template", False)]
        assert "<~run~>" in (await model.facts()).why
        again = model_on(server, database=database, name="scripted")
        assert args_of(await again.ask([user("연차?")], [TOOL])) == [("search", {"query": "연차"})]
        assert not args_of(await again.ask([user("연차?")], [TOOL]))
        assert (await again.facts()).written is None
        assert (await model_on(server, database=database, name="scripted").facts()).written is None


async def test_behind_a_text_only_a_form_that_this_model_writes_is_a_call(model_on, database):
    hermes = '찾겠습니다.\n\n<tool_call>{"name": "search", "arguments": {"query": "연차"}}</tool_call>'
    xml = "찾겠습니다.\n\n<function=search><parameter=query>연차</parameter></function>"
    async with ScriptedServer(raw("음</think>네."), raw(hermes), raw(xml), raw(hermes)) as server:
        model = model_on(server, database=database, name="scripted", dialect="native")
        found = [(await model.ask([user("찾아 줘")], [TOOL])).reply.tool_calls for _ in range(4)]
        # That it thinks is no form of calls.
        assert [[call.error is None for call in calls] for calls in found] == [[], [True], [False], [True]]
        assert set(await model.forms()) == {"</think>", "hermes"}


@pytest.mark.parametrize("kind", ["llama.cpp", "vllm"])
async def test_thoughts_that_the_prompt_opened_are_not_shown_as_text_even_in_the_first_reply(model_on, database, kind):
    template = TEMPLATE.replace("'<assistant>'", "'<assistant><think>'")
    script = (raw("연차부터 찾자.</think>15일입니다."), raw("15일입니다."), raw("15일입니다."), raw("음</think>네."))
    async with ScriptedServer(*script, kind=kind, template=template) as server:
        pieces: list[tuple[str, str]] = []
        model = model_on(server, database=database, name="scripted")

        async def shown():
            pieces.clear()
            asked = await model.ask([user("?")], [TOOL], on_piece=lambda piece: pieces.append((piece.kind, piece.text)))
            return asked.reply.content, "".join(text for kind, text in pieces if kind == "text")

        assert await shown() == ("15일입니다.", "15일입니다.")
        assert ("reasoning", "15일입니다.") not in pieces
        # One that does not think is streamed from the next reply on, until one does again.
        for thought in (True, False, False):
            content, text = await shown()
            assert text.endswith(content)
            assert any(kind == "reasoning" for kind, _ in pieces) == thought


@pytest.mark.parametrize(("size", "apart"), [(1000, False), (200_000, True)])
async def test_a_long_reply_is_read_off_the_event_loop(model_on, monkeypatch, size, apart):
    threads = []
    finish = NativeReader.finish

    def noted(self):
        threads.append(threading.current_thread())
        return finish(self)

    monkeypatch.setattr(NativeReader, "finish", noted)
    async with ScriptedServer(raw("가 " * (size // 2))) as server:
        asked = await model_on(server, dialect="text").ask([user("?")], [TOOL])
    assert len(asked.reply.content) == size - 1
    assert [each is not threading.main_thread() for each in threads] == [apart]
