"""Runs in sandboxes that begin before an experiment asks for them, each in a thread.

The confirmation of a stop begins them while the checks still run in the project, or only opens
their sandboxes then. A run is found by
its key, as one that is remembered: if anything that it depends on has changed meanwhile, nobody
finds it, and the experiment makes its own.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Semaphore
from typing import ParamSpec, TypeVar

from untildone.integrity.experiments.sandbox_results import SandboxRun

P = ParamSpec("P")
T = TypeVar("T")


class RunsAhead:
    """Runs by key; not more of them go on at once than there are `processors`.

    Where they wait, their checks begin once they are released.
    """

    def __init__(self, processors: int, *, waits: bool = False) -> None:
        self._processors = Semaphore(processors)
        self._released = Event()
        if not waits:
            self.release()
        self._pool = ThreadPoolExecutor()
        self._runs: dict[str, Future[SandboxRun]] = {}
        self._is_closed = False

    @contextmanager
    def occupy_processor(self) -> Iterator[None]:
        """Let one run fewer go on, as something else runs inside."""
        with self._processors:
            yield

    def start(self, key: str, run: Callable[[], SandboxRun]) -> None:
        """Begin the run in a thread; its checks wait for a processor by `share_processors`."""
        if key not in self._runs:
            self._runs[key] = self._pool.submit(run)

    def release(self) -> None:
        """Let the checks of all runs begin."""
        self._released.set()

    def share_processors(self, run: Callable[P, T]) -> Callable[P, T]:
        """Return the function so that it begins once it may and a processor is free."""

        def run_on_processor(*arguments: P.args, **options: P.kwargs) -> T:
            self._released.wait()
            with self._processors:
                if self._is_closed:
                    raise CancelledError
                return run(*arguments, **options)

        return run_on_processor

    def take(self, key: str) -> SandboxRun | None:
        """Return the run at its end; None if there is none or it failed by our own fault."""
        future = self._runs.pop(key, None)
        if future is None or future.exception() is not None:
            return None
        run = future.result()
        return None if run.failure else run

    def close(self) -> None:
        """Wait until all runs have ended; those that did not begin never do."""
        self._is_closed = True
        self.release()
        self._pool.shutdown(cancel_futures=True)
