"""When the ASGI server is about to end, known before it says so.

uvicorn tells an application of its end only when all responses have ended, and waits for those;
a stream that is open until the server ends would keep it for ever. That it was asked to end stands
in an attribute of the object that handles its signals.
"""

import signal
from collections.abc import Callable
from typing import Any, Final

import anyio

_LOOK_SECONDS: Final = 0.25


async def left() -> None:
    """Wait until the ASGI server was asked to end; for ever, where that cannot be known."""
    is_leaving = _is_leaving()
    if is_leaving is None:
        await anyio.sleep_forever()
        return
    while not is_leaving():  # noqa: ASYNC110  # nobody else would set an event
        await anyio.sleep(_LOOK_SECONDS)


def _is_leaving() -> Callable[[], bool] | None:
    handler: Any = signal.getsignal(signal.SIGTERM)
    server: Any = getattr(handler, "__self__", None)
    if not isinstance(getattr(server, "should_exit", None), bool):
        return None
    return lambda: bool(server.should_exit)
