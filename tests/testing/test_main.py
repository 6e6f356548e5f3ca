"""The scripted server as a process of its own."""

import asyncio
import sys

import aiohttp

SCRIPT = """
from dure.testing import call, say

def respond(body):
    asked = body["messages"][-1]["content"]
    return call("f", x=1) if asked == "work" else say(asked)
"""


async def test_answers_by_a_function_until_stdin_ends(tmp_path):
    script = tmp_path / "answers.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "dure.testing", f"{script}:respond"]
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(*command, **pipes)
    try:
        url = (await process.stdout.readline()).decode().strip()
        texts = []
        async with aiohttp.ClientSession() as session:
            for content in ("echo", "work"):
                body = {"messages": [{"role": "user", "content": content}]}
                async with session.post(url + "/chat/completions", json=body) as response:
                    texts.append((await response.json())["choices"][0]["message"]["content"])
            async with session.get(url.removesuffix("/v1") + "/scripted") as response:
                counts = await response.json()
    finally:
        process.stdin.close()
        code = await process.wait()
    assert code == 0
    assert texts == ["echo", 'Thought: I need f.\nAction: f\nAction Input: {"x":1}']
    assert counts["requests"] == 2
    assert counts["problems"] == []
