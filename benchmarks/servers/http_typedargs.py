"""The tool on typedargs, by HTTP."""

from .typedargs_server_ import server

app = server.http_app()
