"""Worker threads: functions that block, kept off the event loop and never waited for at its end."""

import contextlib
import functools
import math
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread


class Threads:
    """The worker threads of one event loop, and the way back from them."""

    def __init__(self) -> None:
        self.busy: set[threading.Thread] = set()
        """Those in which something runs, though its call may be cancelled."""

    def start(self) -> None:
        """Take part in the event loop that runs."""
        self._loop_thread = threading.get_ident()
        self._token = anyio.lowlevel.current_token()
        self._unlimited = anyio.CapacityLimiter(math.inf)

    async def run(
        self, limiter: anyio.CapacityLimiter, function: Callable[..., Any], *args: Any
    ) -> Any:
        """Call `function` in a worker thread, which is left to itself when this is cancelled.

        It has its place in `limiter` until the thread is done with it, cancelled or not.
        """
        place = _Place()
        try:
            limiter.acquire_on_behalf_of_nowait(place)
        except anyio.WouldBlock:
            await limiter.acquire_on_behalf_of(place)
        free = functools.partial(limiter.release_on_behalf_of, place)

        def guarded() -> tuple[Any, BaseException | None]:
            if not place.enter():
                return None, None
            thread = threading.current_thread()
            self.busy.add(thread)
            try:
                return function(*args), None
            except BaseException as error:
                return None, error  # a StopIteration or SystemExit must not end the thread
            finally:
                if place.leave():
                    with contextlib.suppress(anyio.RunFinishedError):
                        self.on_loop(free)
                self.busy.discard(thread)

        try:
            returned, error = await anyio.to_thread.run_sync(
                guarded, abandon_on_cancel=True, limiter=self._unlimited
            )
        finally:
            if place.leave():
                free()
        if error is not None:
            raise error
        return returned

    def on_loop(
        self, function: Callable[[], object], until: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Run `function` on the event loop, from whichever thread this is.

        Another thread then waits for `until`, too.
        """
        if threading.get_ident() == self._loop_thread:
            function()
        elif until is None:
            anyio.from_thread.run_sync(function, token=self._token)
        else:
            anyio.from_thread.run(_then, function, until, token=self._token)


async def _then(function: Callable[[], object], until: Callable[[], Awaitable[None]]) -> None:
    function()
    await until()


class _Place:
    """A place among the worker threads, held by the task that waits and the thread that works."""

    def __init__(self) -> None:
        self._holders = 1
        self._lock = threading.Lock()

    def enter(self) -> bool:
        """Hold it for the thread too; false where the task has given it up before."""
        with self._lock:
            if self._holders:
                self._holders += 1
            return self._holders > 0

    def leave(self) -> bool:
        """Hold it no more; true where nobody does then."""
        with self._lock:
            self._holders -= 1
            return self._holders == 0
