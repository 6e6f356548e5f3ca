"""The table tools over an empty knowledge base."""

import pytest

from dure.data.limits import COMMON
from dure.messages import ToolCall
from dure.packs.tables.tables import Tables
from dure.storage.files import Folder
from dure.tooling import ToolContext
from dure.toolsets import run_call


@pytest.fixture
async def ask(request, knowledge, tmp_path):
    """Within the usual limits where a test gives no others."""
    tables = Tables(knowledge, Folder(tmp_path / "notes"), getattr(request, "param", COMMON))
    tools = {each.name: each for each in tables.tools()}

    async def call(name, owner="me", language="ko", **args):
        return await run_call(tools, ToolCall(name, args), ToolContext(owner, language=language))

    yield call
    await tables.close()
