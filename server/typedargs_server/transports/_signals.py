"""SIGINT and SIGTERM end a server that owns its process: orderly, and soon in any case."""

import contextlib
import os
import signal
import socket
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


_undoing: list[Callable[[], None]] = []
"""What undoes the handling of signals in force, for children that are forked meanwhile."""


@contextlib.contextmanager
def ended_by_signals(stop: Callable[[], None], *, loop_wakes: bool) -> Iterator[None]:
    """Call `stop`, in a thread of its own, at the first SIGINT or SIGTERM while in the block.

    `stop` may block. A block that is not left soon after is left by the end of the process. Outside
    the main thread, which alone gets signals, this does nothing. `loop_wakes` says that the event
    loop run in the block claims Python's one means to be woken by a signal, as trio does.
    """
    if not _in_main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    left = threading.Event()
    reading, writing = socket.socketpair()
    writing.setblocking(False)

    def on_signal(number: int, _frame: FrameType | None) -> None:
        # A signal interrupts code that may hold any lock, so that all it may do is this.
        with contextlib.suppress(OSError):
            writing.send(bytes([number]))

    def watch() -> None:
        with reading:
            while (asked := reading.recv(1)) and asked[0] not in numbers:
                pass
            if asked:
                threading.Thread(target=stop, daemon=True).start()
                if not left.wait(GRACE_SECONDS):
                    os._exit(0)

    def undo() -> None:
        if not loop_wakes:
            signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)

    threading.Thread(target=watch, daemon=True).start()
    before = {number: signal.signal(number, on_signal) for number in numbers}
    if not loop_wakes:
        # Else a signal that comes as the loop falls asleep is not handled until it wakes.
        wakeup = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    _undoing.append(undo)
    try:
        yield
    finally:
        _undoing.remove(undo)
        undo()
        left.set()
        writing.close()


def _undo_in_child() -> None:
    while _undoing:
        _undoing.pop()()


if sys.platform != "win32":
    # A signal to a forked child must end the child, and must not reach the parent's watch.
    os.register_at_fork(after_in_child=_undo_in_child)


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
