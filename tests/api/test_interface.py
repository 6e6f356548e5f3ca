"""The description of the interface is true: schemathesis asks all of it what it allows and what it does not."""

import asyncio
import sys
from pathlib import Path

import pytest

from dure import Dure
from dure.testing import ScriptedServer, say, served

CHECKS = """
[checks.positive_data_acceptance]
# 422, OpenAI's 400: what a JSON Schema cannot say, such as names of teams that there are.
expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "413", "422", "429", "5xx"]

# Also names of papers, which may be deleted.
[[operations]]
include-path-regex = "^/v1/papers/(export|marks)$"
checks.allow_header_conformance.enabled = false
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_schemathesis_finds_nothing(database_url: str, tmp_path: Path) -> None:
    checks = tmp_path / "schemathesis.toml"
    checks.write_text(CHECKS)
    given = {"data_dir": tmp_path / "data", "embeddings": False, "tool_dialect": "native", "port": 0}
    async with ScriptedServer(respond=lambda body: say("답")) as model:
        dure = Dure(model_base_url=model.url, database_url=database_url, api_keys=["kim:admin:key-of-kim"], **given)
        async with served(dure) as url:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(checks)),
                *("run", f"{url}/openapi.json", "-H", "Authorization: Bearer key-of-kim", "--seed", "1"),
                # JSON-RPC, of which OpenAPI knows nothing: these doors have judges of their own.
                *("--exclude-path-regex", "^/(mcp|a2a)", "--max-examples", "3", "--phases", "coverage,fuzzing"),
                *("--request-timeout", "60", "--no-color"),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                cwd=tmp_path,
            )
            said, _ = await child.communicate()
    assert child.returncode == 0, said.decode()
