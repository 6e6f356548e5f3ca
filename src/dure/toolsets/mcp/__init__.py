"""MCP servers' tools as our tools."""

from dure.toolsets.mcp.server import Patience as Patience
from dure.toolsets.mcp.servers import McpServers as McpServers
