"""Variables of LangSmith's send nothing out unless Dure is told to."""

import asyncio
import os
import sys

import pytest
from aiohttp import web

PROGRAM = """
import asyncio
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tracers.langchain import wait_for_all_tracers
from dure import Agent, Dure

async def main():
    model = GenericFakeChatModel(messages=iter([AIMessage("답입니다.")] * 3))
    async with Dure(model=model, tool_dialect="text", embeddings=False) as dure:
        print(await dure.ask(Agent(name="clerk", description="x"), "비밀 질문"))
    wait_for_all_tracers()

asyncio.run(main())
"""


@pytest.mark.parametrize("wanted", [False, True])
async def test_questions_go_to_langsmith_only_where_that_was_asked_for(tmp_path, wanted: bool) -> None:
    asked: list[str] = []

    async def hear(request: web.BaseRequest) -> web.Response:
        asked.append(f"{request.path} {len(await request.read())}")
        return web.json_response({})

    runner = web.ServerRunner(web.Server(hear))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    settings = {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_API_KEY": "x",
        "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{runner.addresses[0][1]}",
        "DURE_DATA_DIR": str(tmp_path),
        "DURE_LANGSMITH": str(wanted),
    }
    # Without what a Dure of an earlier test has set in this process.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM), env=inherited | settings, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    await runner.cleanup()
    assert (process.returncode, out.decode()) == (0, "답입니다.\n")
    assert bool(asked) is wanted
