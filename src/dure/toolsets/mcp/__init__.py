"""MCP servers' tools as our tools."""

from dure.toolsets.mcp.config import Patience as Patience
from dure.toolsets.mcp.servers import McpServers as McpServers
