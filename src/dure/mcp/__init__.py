"""MCP servers' tools as our tools."""

from dure.mcp.server import Patience as Patience
from dure.mcp.servers import McpServers as McpServers
