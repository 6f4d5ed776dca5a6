"""SIGINT and SIGTERM end a server that owns its process: orderly, and soon in any case."""

import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from types import FrameType
from typing import Final

GRACE_SECONDS: Final = 0.7
"""How long a server has to end by itself after a signal; then the process is ended."""

THREAD_GRACE_SECONDS: Final = 0.1
"""How long threads that were left to themselves may hold up the end of the process."""


@contextlib.contextmanager
def ended_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop`, in a thread of its own, at the first SIGINT or SIGTERM while in the block.

    `stop` may block. A block that is not left soon after is left by the end of the process. Outside
    the main thread, which alone gets signals, this does nothing.
    """
    if not _in_main_thread():
        yield
        return
    # A signal handler interrupts code that may hold any lock; this queue alone is made for that.
    asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
    left = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        asked.put(True)

    def watch() -> None:
        if asked.get():
            threading.Thread(target=stop, daemon=True).start()
            if not left.wait(GRACE_SECONDS):
                os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        left.set()
        asked.put(False)
        for number, handler in before.items():
            signal.signal(number, handler)


def end_despite(stuck: AbstractSet[threading.Thread]) -> None:
    """Let the process end when its main thread does, though the threads `stuck` may never end.

    Python would wait for them. Its exit status is then 0. Called outside the main thread, whose
    program may have more to do, this does nothing.
    """
    if not stuck or not _in_main_thread():
        return

    def end() -> None:
        threading.main_thread().join()
        for thread in threading.enumerate():
            if thread not in stuck and not thread.daemon and thread is not threading.main_thread():
                thread.join()
        ending = threading.Timer(THREAD_GRACE_SECONDS, os._exit, [0])
        ending.daemon = True
        ending.start()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()

    threading.Thread(target=end, daemon=True).start()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
