"""The lock of a server in this process; nothing of it is started."""

from .. import jsonrpc
from ..app import MCPServer
from .lock import Lock, lock_of


def lock_of_server(server: MCPServer) -> Lock:
    """Return the lock of the tools that a server has now, as its newest clients see them.

    No lifespan is entered. Raises LockError where a tool cannot be written down.
    """
    return lock_of(jsonrpc.encode(tool.wire(objects_only=False)) for tool in server.tools)
