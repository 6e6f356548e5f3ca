"""What is concluded about servers of each kind."""

import pytest
from aiohttp import web

from dure.errors import ModelRefused, ModelUnavailable, Text
from dure.models.client import ChatClient
from dure.models.facts import Facts
from dure.models.probe import _llama_cpp, _ollama, probe
from dure.models.refusals import PROBE_TOOL
from dure.testing import ScriptedServer


@pytest.fixture
async def facts_of():
    async def find(server: ScriptedServer) -> Facts:
        client = ChatClient(server.url, "scripted", tries=1)
        try:
            return await probe(client)
        finally:
            await client.close()

    return find


@pytest.mark.parametrize(
    ("kind", "native", "dialect", "context", "probes"),
    [
        ("llama.cpp", True, "native", 8192, 1),
        ("llama.cpp", False, "schema", 8192, 0),
        ("ollama", True, "native", 4096, 1),
        ("ollama", False, "schema", 4096, 0),
        ("vllm", True, "native", 8192, 1),
        ("vllm", False, "schema", 8192, 1),
        ("openai", True, "native", None, 1),
        ("openai", False, "schema", None, 1),
    ],
)
async def test_servers(facts_of, kind, native, dialect, context, probes):
    async with ScriptedServer(kind=kind, native=native) as server:
        facts = await facts_of(server)
    assert (facts.kind, facts.model, facts.dialect) == (kind, "scripted", dialect)
    assert (facts.context, server.probes) == (context, probes)
    assert "가" <= max(facts.why.said("ko")) <= "힣"


async def serve(handler):
    runner = web.ServerRunner(web.Server(handler))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/v1"


@pytest.mark.parametrize(
    ("content", "finish", "dialect"),
    [
        ("I have no tools.", "stop", "schema"),
        (f'<tool_call>{{"name": "{PROBE_TOOL}", "arguments": {{"number": 4217}}}}</tool_call>', "stop", "native"),
        (f'<tool_call>{{"name": "{PROBE_TOOL}", "arguments": {{}}}}</tool_call>', "stop", "schema"),
        ("<think>The user wants me to", "length", "native"),
    ],
    ids=["tools ignored", "the call leaks as text", "its argument does not arrive", "still thinking"],
)
async def test_what_the_tiny_request_tells(content, finish, dialect):
    async def answer(request):
        if request.path.endswith("/models"):
            return web.json_response({"data": [{"id": "m"}]})
        if not request.path.endswith("/completions"):
            return web.json_response({"error": "no such route"}, status=404)
        choice = {"index": 0, "message": {"content": content}, "finish_reason": finish}
        return web.json_response({"choices": [choice]})

    runner, url = await serve(answer)
    client = ChatClient(url)
    try:
        assert (await probe(client)).dialect == dialect
    finally:
        await client.close()
        await runner.cleanup()


SAYS = {
    "/props": {"default_generation_settings": {}, "chat_template": "{{ tools }}"},
    "/api/version": {"version": "0.12.0"},
    "/api/show": {"capabilities": ["completion", "tools"]},
}


@pytest.mark.parametrize("route", ["/props", "/api/show", "models"])
@pytest.mark.parametrize(
    ("said", "dialect"), [("{}", "schema"), ('{"number": 4217}', "native"), ("", "native"), (None, "schema")]
)
async def test_what_a_server_says_of_itself_is_tried(route, said, dialect):
    """said: the arguments that arrive; empty: nothing is called; None: tools are refused."""

    async def answer(request):
        if request.path.endswith("/models"):
            return web.json_response({"data": [{"id": "m", "supported_parameters": ["tools"] * (route == "models")}]})
        if request.path.endswith("/completions"):
            if said is None and "tools" in await request.json():
                return web.json_response({"error": {"message": "tools are not supported"}}, status=400)
            call = f'<tool_call>{{"name": "{PROBE_TOOL}", "arguments": {said}}}</tool_call>' if said else "No."
            return web.json_response({"choices": [{"message": {"content": call}, "finish_reason": "stop"}]})
        known = request.path == route or (route == "/api/show" and request.path == "/api/version")
        return web.json_response(SAYS[request.path] if known else {}, status=200 if known else 404)

    runner, url = await serve(answer)
    client = ChatClient(url, "m")
    try:
        facts = await probe(client)
    finally:
        await client.close()
        await runner.cleanup()
    assert facts.dialect == dialect
    assert ("but a tiny request" in facts.why or "but the server refused" in facts.why) == (dialect == "schema")
    # What the server itself calls things stays; the sentence is the reader's.
    assert isinstance(facts.why, Text)
    assert ("그러나" in facts.why.ko) == (dialect == "schema")


async def test_a_gateway_that_lists_what_its_models_take():
    async def answer(request):
        if not request.path.endswith("/models"):
            return web.Response(status=404)
        entry = {"id": "big", "context_length": 32768, "supported_parameters": ["tools", "temperature"]}
        return web.json_response({"data": [{"id": "other"}, entry]})

    runner, url = await serve(answer)
    client = ChatClient(url, "big")
    try:
        facts = await probe(client)
    finally:
        await client.close()
        await runner.cleanup()
    assert (facts.dialect, facts.context) == ("native", 32768)


async def test_a_server_behind_another_path_than_its_root():
    async def answer(request):
        if request.path == "/llama/props":
            return web.json_response({"default_generation_settings": {"n_ctx": 512}, "chat_template": "{{ tools }}"})
        return web.json_response({"data": []}, status=200 if request.path == "/llama/v1/models" else 404)

    runner, url = await serve(answer)
    client = ChatClient(url.replace("/v1", "/llama/v1"), "m")
    try:
        facts = await probe(client)
    finally:
        await client.close()
        await runner.cleanup()
    assert (facts.kind, facts.dialect, facts.context) == ("llama.cpp", "native", 512)


def test_older_llama_cpp_tells_by_its_template():
    assert _llama_cpp("m", {"chat_template": "{% if tools %}"}).dialect == "native"
    assert _llama_cpp("m", {"chat_template": "{{ messages }}"}).dialect == "schema"


@pytest.mark.parametrize(
    ("parameters", "most", "context"),
    [("num_ctx 16384\nstop x", 32768, 16384), ("", 32768, 4096), ("", 2048, 2048), (None, None, None)],
)
def test_ollama_gives_less_context_than_its_models_could_take(parameters, most, context):
    shown = {"capabilities": ["completion"], "parameters": parameters, "model_info": {"qwen2.context_length": most}}
    assert _ollama("m", shown).context == context


async def test_nobody_there(facts_of):
    async with ScriptedServer() as server:
        pass
    with pytest.raises(ModelUnavailable):
        await facts_of(server)


async def test_a_wrong_key(facts_of):
    async with ScriptedServer(api_key="right") as server:
        with pytest.raises(ModelRefused):
            await facts_of(server)
