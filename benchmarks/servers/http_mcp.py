"""The tool on the official SDK, by HTTP, in its fastest mode: no sessions, answers as JSON."""

from .mcp_ import server

app = server.streamable_http_app(json_response=True, stateless_http=True)
