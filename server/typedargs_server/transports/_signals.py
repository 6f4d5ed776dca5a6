"""SIGINT and SIGTERM end a server that owns its process: orderly, and soon in any case."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

GRACE_SECONDS: Final = 0.8
"""How long a server has to end by itself after a signal; then the process is ended."""


@contextlib.contextmanager
def ended_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop`, in a thread of its own, at the first SIGINT or SIGTERM while in the block.

    `stop` may block. Outside the main thread, which alone gets signals, this does nothing.
    """

    def on_signal(number: int, _frame: FrameType | None) -> None:
        end_within(GRACE_SECONDS, 128 + number)
        threading.Thread(target=stop, daemon=True).start()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_within(seconds: float, status: int) -> None:
    """End the process with `status` after `seconds`, unless it has ended by itself.

    For threads that never end: Python would wait for them.
    """
    timer = threading.Timer(seconds, os._exit, [status])
    timer.daemon = True
    timer.start()
