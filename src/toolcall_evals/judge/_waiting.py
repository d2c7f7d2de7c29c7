"""Waiting for a judge: never longer than a limit, from sync and async code, whatever the judge itself is.

A plain call waits in a daemon thread, so that one that hangs holds up neither its caller nor the end of the program. Coroutines that are
asked for from sync code all run on one loop in one thread: the connections of an async client belong to the loop that opened them.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import random
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any

_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}

_PASSING = ("Timeout", "Connect", "RateLimit", "ReadError", "WriteError", "RemoteProtocolError")
"""Parts of the names of errors that pass: clients have classes of their own, which derive from no built-in (httpx 0.28, botocore)."""


def plain(call: Callable[[], Any], limit_s: float) -> Any:
    """
    What a plain call returns.

    Raises:
        TimeoutError: It took longer than `limit_s`; its thread is left to itself.
    """
    return _result(_started(call), limit_s)


async def aplain(call: Callable[[], Any], limit_s: float) -> Any:
    """As `plain`, without holding up the event loop."""
    return await within(asyncio.wrap_future(_started(call)), limit_s)


def from_sync(waiting: Coroutine[Any, Any, Any], limit_s: float) -> Any:
    """What a coroutine returns, from code that is not async; also inside a running loop, such as a notebook's."""
    return _result(asyncio.run_coroutine_threadsafe(within(waiting, limit_s), _loop()), limit_s + 5)


async def within(waiting: Awaitable[Any], limit_s: float) -> Any:
    """What an awaitable gives, or a `TimeoutError` that says how long was waited."""
    try:
        async with asyncio.timeout(limit_s) as limit:
            return await waiting
    except TimeoutError:
        if limit.expired():
            raise TimeoutError(f"no answer within {limit_s:g} s") from None
        raise


def retried(call: Callable[[], Any], retries: int) -> Any:
    """A call, made again after errors that pass by themselves."""
    for attempt in range(retries):
        try:
            return call()
        except Exception as error:
            if not passing(error):
                raise
            time.sleep(_pause_s(attempt))
    return call()


async def aretried(call: Callable[[], Awaitable[Any]], retries: int) -> Any:
    """As `retried`, without holding up the event loop."""
    for attempt in range(retries):
        try:
            return await call()
        except Exception as error:
            if not passing(error):
                raise
            await asyncio.sleep(_pause_s(attempt))
    return await call()


def passing(error: Exception) -> bool:
    """Whether an error may be gone at the next attempt: a time-out, a lost connection, a rate limit, a server's fault."""
    response = getattr(error, "response", None)
    for status in (getattr(error, "status_code", None), getattr(response, "status_code", None), getattr(error, "code", None)):
        if isinstance(status, int):
            return status in (408, 409, 429) or status >= 500
    return isinstance(error, TimeoutError | ConnectionError) or any(part in type(error).__name__ for part in _PASSING)


def _pause_s(attempt: int) -> float:
    return min(0.5 * float(2**attempt), 8.0) * (0.75 + 0.25 * random.random())


def _started(call: Callable[[], Any]) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    context = contextvars.copy_context()  # a judge's own traces hang on it

    def work() -> None:
        try:
            result = context.run(call)
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=work, name="toolcall-evals-judge", daemon=True).start()
    return future


def _result(future: Future[Any], limit_s: float) -> Any:
    try:
        return future.result(limit_s)
    except TimeoutError:
        if future.done():
            raise
        future.cancel()
        raise TimeoutError(f"no answer within {limit_s:g} s") from None


def _loop() -> asyncio.AbstractEventLoop:
    """The loop of this process; a fork has no thread that runs its parent's."""
    with _lock:
        if os.getpid() not in _loops:
            _loops.clear()
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="toolcall-evals-judges", daemon=True).start()
        return _loops[os.getpid()]
