"""The only concurrency: calls as anyio tasks, within limits and timeouts, until cancelled.

One runner serves all connections of a server while the server runs. A connection's effects come
in through `perform`; what a call gives goes back to its connection, and the bytes that result to
the connection's peer.
"""

import functools
import logging
import math
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, Final, Self

import anyio
import anyio.lowlevel

from . import faults
from ._steps import Waiting, begin
from ._threads import Threads
from .context import RequestContext
from .definition import Proceed, ServerDefinition
from .effects import Answered, Call, Cancel, Effect, Framed, Run, Send
from .errors import InvalidParams, ToolError, WireError
from .peer import Link, Peer
from .rounds import InputRequired
from .state import Opened
from .subscriptions import Change
from .tools import Tool
from .work import UnfitResult, Work

logger = logging.getLogger("typedargs")


CUT_OFF_SECONDS: Final = 0.5
"""How long handlers that are cut off at the end have to end by themselves."""


class Runner:
    """Runs the calls of a server; an async context manager around all serving.

    Leaving it cancels what still runs. `debug` puts the exceptions of handlers into answers.
    """

    def __init__(
        self,
        definition: ServerDefinition,
        lifespan: Callable[[], AbstractAsyncContextManager[Any]] | None = None,
        *,
        debug: bool = False,
    ) -> None:
        self.definition = definition
        self._lifespan = lifespan
        self._debug = debug
        self._peers: dict[Peer, None] = {}
        self.running: dict[Call, anyio.CancelScope] = {}
        """The calls that run, each with the scope that it can be cancelled by."""
        self.max_calls = definition.limits.max_concurrent_calls
        self._labels: Counter[str] = Counter()
        self._ended = anyio.Event()
        self._is_late = False
        self._state: Any = None
        self.threads = Threads()

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        async with AsyncExitStack() as stack:
            if self._lifespan is not None:
                self._state = await stack.enter_async_context(self._lifespan())
            self.threads.start()
            self._current_task = _asyncio_task()
            self._workers = anyio.CapacityLimiter(self.definition.limits.max_threads)
            self._tasks = await stack.enter_async_context(anyio.create_task_group())
            stack.callback(self.definition.changes.listen(self._changed))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        self._tasks.cancel_scope.cancel()
        return await self._stack.__aexit__(kind, error, traceback)

    def add(self, peer: Peer) -> None:
        """Tell `peer` from now on of changes."""
        self._peers[peer] = None

    def remove(self, peer: Peer) -> None:
        """Forget `peer`, which is gone."""
        del self._peers[peer]

    def perform(self, peer: Peer, effects: list[Effect]) -> None:
        """Do what the protocol core wants done."""
        for effect in effects:
            match effect:
                case Send():
                    peer.send(effect)
                case Run(call):
                    self._start(peer, call)
                case Cancel(call):
                    if call in self.running:
                        self.running[call].cancel()
                case Answered(asked, result, error):
                    if asked in peer.pending:
                        reply = peer.pending[asked]
                        reply.result, reply.error = result, error
                        reply.event.set()

    async def drain(self) -> None:
        """Wait until no call runs, at most as long as the limits say; then cut and answer them."""
        seconds = self.definition.limits.drain_seconds
        with anyio.move_on_after(seconds):
            await self._quiet()
        if self.running:
            running = ", ".join(sorted(self._labels))
            logger.warning(
                "cut off %g s after no more could come, still running: %s", seconds, running
            )
            self._is_late = True
            for scope in self.running.values():
                scope.cancel()
            with anyio.move_on_after(CUT_OFF_SECONDS):
                await self._quiet()

    async def _quiet(self) -> None:
        while self.running:
            await self._end_of_a_call()

    @property
    def has_room(self) -> bool:
        """Whether the server may run one more call."""
        return len(self.running) < self.max_calls

    async def room(self) -> None:
        """Wait until the server may run one more call."""
        while not self.has_room:
            await self._end_of_a_call()

    async def _end_of_a_call(self) -> None:
        if self._ended.is_set():
            self._ended = anyio.Event()
        await self._ended.wait()

    def _start(self, peer: Peer, call: Call) -> None:
        """Run a call in a task of its own."""
        if self._refuses(peer, call):
            return
        scope = anyio.CancelScope()
        self._count(call, scope)
        self._tasks.start_soon(self._run, peer, call, scope)

    async def _run(self, peer: Peer, call: Call, scope: anyio.CancelScope) -> None:
        with scope:
            waiting = None if scope.cancel_called else self._step(peer, call)
            if waiting is None:
                self._discount(call)
            else:
                await self.go_on(peer, call, waiting)
        await self.shrug()

    def beside(self, function: Callable[..., Awaitable[None]], *args: Any) -> anyio.Event:
        """Run an async function in a task beside; returns what is set at its end."""
        ended = anyio.Event()

        async def run() -> None:
            try:
                await function(*args)
            except Exception:
                logger.exception("a task of the server failed")
            finally:
                ended.set()

        self._tasks.start_soon(run)
        return ended

    async def shrug(self) -> None:
        """Take back what a handler that has ended has asked of the task in which it ran.

        On asyncio it may have cancelled that task, which is ours and goes on.
        """
        task = self._cancelled_task()
        if task is None:
            return
        try:
            await anyio.lowlevel.checkpoint()
        except anyio.get_cancelled_exc_class():
            if anyio.current_effective_deadline() == -math.inf:
                raise
        while task.uncancel():
            pass

    def begin(self, peer: Peer, call: Call, scope: anyio.CancelScope) -> Waiting[Any] | None:
        """Run a call in this task, up to where it waits; None where it is done by then.

        What it returns is to be given to `go_on` at once; `scope` is around this and that.
        """
        if self._refuses(peer, call):
            return None
        waiting = self._step(peer, call)
        if waiting is not None:
            self._count(call, scope)
        return waiting

    async def go_on(self, peer: Peer, call: Call, waiting: Waiting[Any]) -> None:
        """Run the rest of a call that has begun in this task; raises what cancels it."""
        try:
            self._finish(peer, call, await waiting)
        except anyio.get_cancelled_exc_class():
            if self._is_late:
                self._finish(peer, call, faults.cut_off(_label(call)))
            raise
        finally:
            self._discount(call)

    def _step(self, peer: Peer, call: Call) -> Waiting[Any] | None:
        begun = begin(self._outcome(peer, call))
        if isinstance(begun, Waiting):
            return begun
        self._finish(peer, call, begun.value)
        return None

    def _count(self, call: Call, scope: anyio.CancelScope) -> None:
        self.running[call] = scope
        self._labels[_label(call)] += 1

    def _discount(self, call: Call) -> None:
        label = _label(call)
        del self.running[call]
        self._labels[label] -= 1
        if not self._labels[label]:
            del self._labels[label]
        self._ended.set()

    def _refuses(self, peer: Peer, call: Call) -> bool:
        """Answer a call that would be one too many, if it is."""
        work = call.work
        own_limit = None if work is None else work.max_concurrency
        if not self.has_room:
            busy = faults.overloaded("The server", self.max_calls)
        elif work is None or own_limit is None or self._labels[work.label] < own_limit:
            return False
        else:
            busy = faults.overloaded(work.label, own_limit)
        self._finish(peer, call, busy)
        return True

    async def _outcome(self, peer: Peer, call: Call) -> Any:
        """Return what comes of a call, in the form that its connection finishes it with."""
        work = call.work
        try:
            if call.state is not None:
                await self._use(call.state)
            if work is None or self.definition.middleware:
                return await self._through_middleware(peer, call)
            return await self._answer(work, peer, call)
        except BaseException as error:
            if is_cancellation(error) or self._is_cancelled(peer, error):
                raise
            return self.failure(_label(call), error)

    def _is_cancelled(self, peer: Peer, error: BaseException) -> bool:
        """Tell whether `error` is the end of a call whose task is not ours, and was cancelled."""
        return (
            peer.runs_in_its_task
            and isinstance(error, anyio.get_cancelled_exc_class())
            and self._cancelled_task() is not None
        )

    def _cancelled_task(self) -> Any:
        """Return the current task, if it was cancelled by asyncio's own means, else None."""
        task = None if self._current_task is None else self._current_task()
        return None if task is None or not task.cancelling() else task

    async def _through_middleware(self, peer: Peer, call: Call) -> Any:
        context = self._context(peer, call)

        async def innermost() -> Any:
            if call.work is not None:
                return await self._answer(call.work, peer, call)
            if isinstance(call.arguments, WireError):
                raise call.arguments
            return call.arguments

        answer: Proceed = innermost
        for around in reversed(self.definition.middleware):
            answer = functools.partial(around, context, answer)
        return await answer()

    async def _answer(self, work: Work, peer: Peer, call: Call) -> Any:
        if work.timeout is None:
            return self._result(work, call, await self._invoke(work, peer, call))
        with anyio.move_on_after(work.timeout) as scope:
            return self._result(work, call, await self._invoke(work, peer, call))
        assert scope.cancelled_caught
        return faults.timed_out(work.label, work.timeout)

    def _result(self, work: Work, call: Call, returned: Any) -> Any:
        """Return what a handler returned as an outcome; raises UnfitResult where it is none."""
        if isinstance(work, Tool) and call.told is None and not self.definition.middleware:
            framed = call.era.framed(call.id, work, returned)
            if framed is not None:
                return Framed(framed)
        return work.result(returned)

    async def _use(self, state: Opened) -> None:
        """Raise InvalidParams where a state is used that may be used once."""
        used = self.definition.used
        if used is not None and not await used.claim(state.id, state.expires_at):
            raise InvalidParams(
                "requestState was used already; send the request again without requestState"
            )

    def failure(self, label: str, error: BaseException) -> Any:
        """Return the answer to what a handler raised; SystemExit too is its failure, no end."""
        match alone(error):
            case ToolError() as told:
                return faults.tool_error(told)
            case WireError() | InputRequired() as told:
                return told
            case UnfitResult():
                logger.error("%s failed: %s", label, error)
            case _:
                logger.error("%s failed", label, exc_info=error)
        return faults.handler_failed(label, error if self._debug else None)

    def _invoke(self, work: Work, peer: Peer, call: Call) -> Awaitable[Any]:
        """Call the handler; what is returned gives what it returns."""
        handler = work.handler
        context = None
        if handler.takes_context:
            context = self._context(peer, call)
        if handler.is_async:
            returned: Awaitable[Any] = handler.call(call.arguments, context)
            return returned
        return self._invoke_function(work, call.arguments, context)

    async def _invoke_function(
        self, work: Work, arguments: Any, context: RequestContext | None
    ) -> Any:
        handler = work.handler
        if work.inline:
            returned = handler.call(arguments, context)
        else:
            returned = await self.threads.run(self._workers, handler.call, arguments, context)
        if hasattr(returned, "__await__"):
            returned = await returned
        return returned

    def _context(self, peer: Peer, call: Call) -> RequestContext:
        return RequestContext(Link(peer, call, self.threads, self.perform), self._state)

    def _finish(self, peer: Peer, call: Call, outcome: Any) -> None:
        for effect in peer.connection.finish(call, outcome):
            peer.send(effect)

    def _changed(self, change: Change) -> None:
        self.threads.on_loop(functools.partial(self._announce, change))

    def _announce(self, change: Change) -> None:
        for peer in list(self._peers):
            self.perform(peer, peer.connection.changed(change))


def _asyncio_task() -> Callable[[], Any] | None:
    """Return what tells the current task of asyncio; None where another event loop runs."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return None
    current_task: Callable[[], Any] = asyncio.current_task
    return current_task


def _label(call: Call) -> str:
    return call.method if call.work is None else call.work.label


def alone(error: BaseException) -> BaseException:
    """Return the one exception in a group, as of a handler's task group, or what is no such.

    Questions that several tasks ask are one, too.
    """
    if isinstance(error, BaseExceptionGroup):
        asking, others = error.split(InputRequired)
        if asking is not None and others is None:
            return InputRequired.of(list(_leaves(asking)))
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _leaves(group: BaseExceptionGroup[Any]) -> Iterator[Any]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def is_cancellation(error: BaseException) -> bool:
    """Tell whether `error` is the end of a cancelled call, and not a handler's own exception."""
    if anyio.current_effective_deadline() != -math.inf:
        return False
    cancelled = anyio.get_cancelled_exc_class()
    if isinstance(error, BaseExceptionGroup):
        return error.split(cancelled)[1] is None
    return isinstance(error, cancelled)
