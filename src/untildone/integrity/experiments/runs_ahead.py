"""Runs in sandboxes that begin before an experiment asks for them, each in a thread.

The confirmation of a stop begins them while the checks still run in the project, or only opens
their sandboxes then. A run is found by its key, as one that is remembered: if anything that it
depends on has changed meanwhile, nobody finds it, and the experiment makes its own.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from threading import Event, Semaphore
from typing import ParamSpec, TypeVar

from untildone.integrity.experiments.sandbox_results import SandboxRun

P = ParamSpec("P")
T = TypeVar("T")


class RunsAhead:
    """Runs by key; not more of them go on at once than there are `processors`.

    Their checks begin in the order of their start: the longest run is started first. With `waits`
    none of them begins before `release`.
    """

    def __init__(self, processors: int, *, waits: bool = False) -> None:
        self._processors = Semaphore(processors)
        self._released = Event()
        if not waits:
            self.release()
        self._pool = ThreadPoolExecutor()
        self._runs: dict[str, Future[SandboxRun]] = {}
        # One for each run, set once its sandbox is open.
        self._opened: list[Event] = []
        # Set once the checks of the run that was started last have begun.
        self._last_began = Event()
        self._last_began.set()
        self._dropped: set[str] = set()
        self._is_closed = False

    def occupy_processor(self, *, until: Event) -> None:
        """Reserve a processor for something else until the event is set."""
        self._processors.acquire()

        def give_back() -> None:
            until.wait()
            self._processors.release()

        self._pool.submit(give_back)

    def start(
        self, key: str, run_checks: Callable[P, T], run: Callable[[Callable[P, T]], SandboxRun]
    ) -> None:
        """Begin the run in a thread: `run` opens a sandbox and calls what it is given there.

        That is `run_checks`, which then begins once it may and a processor is free.
        """
        if key in self._runs:
            return
        opened, began, may_begin = Event(), Event(), self._last_began

        def run_on_processor(*arguments: P.args, **options: P.kwargs) -> T:
            opened.set()
            self._released.wait()
            may_begin.wait()
            with self._processors:
                began.set()
                if self._is_closed or key in self._dropped:
                    raise CancelledError
                return run_checks(*arguments, **options)

        def end(_: Future[SandboxRun]) -> None:
            """Keep nobody waiting for a sandbox that could not be opened."""
            opened.set()
            began.set()

        self._opened.append(opened)
        self._last_began = began
        self._runs[key] = self._pool.submit(run, run_on_processor)
        self._runs[key].add_done_callback(end)

    def wait_for_sandboxes(self) -> None:
        """Wait until the sandbox of each run is open.

        Opening one is many short steps of a thread, and each has to wait for its turn while
        another thread computes.
        """
        for opened in self._opened:
            opened.wait()

    def drop(self, key: str) -> None:
        """Do not begin the run, unless it has begun."""
        self._dropped.add(key)

    def release(self) -> None:
        """Let the checks of all runs begin."""
        self._released.set()

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
