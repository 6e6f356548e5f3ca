"""MCP servers' tools as our tools."""

from dure.toolsets.mcp.servers import McpServers as McpServers
