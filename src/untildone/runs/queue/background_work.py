"""Work in a thread of its own, which does not keep the process from ending."""

import threading
from collections.abc import Callable
from concurrent.futures import Future


def begin_work(action: Callable[[], str]) -> "Future[str]":
    """Run the action in a thread that does not keep the process; return its result to come."""
    future: Future[str] = Future()
    threading.Thread(target=_settle, args=(future, action), name="work", daemon=True).start()
    return future


def _settle(future: "Future[str]", action: Callable[[], str]) -> None:
    """Run the action and give its result or its error to those who wait for it."""
    try:
        future.set_result(action())
    except BaseException as error:  # noqa: BLE001  it is raised where the result is asked for
        future.set_exception(error)
