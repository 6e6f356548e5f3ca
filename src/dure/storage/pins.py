"""Queries on what the tools of MCP servers said of themselves when they were accepted, for all owners."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from dure.storage.schema import mcp_tools
from dure.storage.sql import insert, upsert

Known = dict[str, Any]


def share(connection: sa.Connection, known: Known, accepted: Collection[str]) -> Known:
    """What all processes go by, by server: of those that were `accepted` what is known here, of the others what is
    stored, and what is known here where nothing is."""
    for server, tools in known.items():
        if server in accepted:
            upsert(connection, mcp_tools, {"server": server}, {"tools": tools})
        else:
            connection.execute(
                insert(connection, mcp_tools).values(server=server, tools=tools).on_conflict_do_nothing()
            )
    return {row.server: row.tools for row in connection.execute(sa.select(mcp_tools))}
