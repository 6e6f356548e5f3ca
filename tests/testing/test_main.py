"""The scripted server as a process of its own."""

import asyncio
import sys

import aiohttp
import orjson

SCRIPT = {
    "steps": [{"say": "one"}, {"call": {"name": "f", "args": {"x": 1}}}, {"say": "hit", "when": "needle"}],
    "repeat": True,
}


async def test_serves_a_script_until_stdin_ends(tmp_path):
    script = tmp_path / "script.json"
    script.write_bytes(orjson.dumps(SCRIPT))
    command = [sys.executable, "-m", "dure.testing", str(script)]
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(*command, **pipes)
    try:
        url = (await process.stdout.readline()).decode().strip()
        texts = []
        async with aiohttp.ClientSession() as session:
            for content in ("a", "the needle", "b", "c"):
                body = {"messages": [{"role": "user", "content": content}]}
                async with session.post(url + "/chat/completions", json=body) as response:
                    texts.append((await response.json())["choices"][0]["message"]["content"])
            async with session.get(url.removesuffix("/v1") + "/scripted") as response:
                counts = await response.json()
    finally:
        process.stdin.close()
        code = await process.wait()
    assert code == 0
    assert texts == ["one", "hit", 'Thought: I need f.\nAction: f\nAction Input: {"x":1}', "one"]
    assert counts["requests"] == 4
    assert counts["problems"] == []


async def test_serves_a_function_of_a_file(tmp_path):
    from dure.testing.__main__ import load

    file = tmp_path / "answers.py"
    file.write_text(
        "from dure.testing import say\n\ndef respond(body):\n    return say(body['messages'][0]['content'])\n"
    )
    respond = load(f"{file}:respond")
    assert respond({"messages": [{"content": "echo"}]}).text == "echo"
