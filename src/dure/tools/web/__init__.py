"""The web: search, and pages fetched from the public internet within limits."""

from dure.tools.web.web import web_tools as web_tools
