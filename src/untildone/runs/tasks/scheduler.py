"""The loop of everyone who works on several tasks at once: start what can be started, look, stop.

Where tasks come from and where they run is left to a subclass: a plan run starts threads for the
tasks of its plan, a worker takes tasks from a queue.
"""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

Taken = TypeVar("Taken")


class Scheduler(ABC, Generic[Taken]):
    @property
    @abstractmethod
    def jobs(self) -> int:
        """Return how many tasks may run at once."""

    @abstractmethod
    def take(self) -> Taken | None:
        """Return a task that can be started now, None if there is none."""

    @abstractmethod
    def start(self, task: Taken) -> None: ...

    @abstractmethod
    def count_running(self) -> int: ...

    def is_busy(self) -> bool:
        """Say whether something has to end first; more than tasks may be."""
        return self.count_running() > 0

    @abstractmethod
    def note_ended(self) -> None:
        """Look what has ended since the last look."""

    @abstractmethod
    def is_stopping(self) -> bool:
        """Say whether no more task is to be started."""

    @abstractmethod
    def stop_running(self) -> None:
        """Do to running tasks what a stop means for them; called at each look from then on."""

    @abstractmethod
    def expects_more(self) -> bool:
        """Say whether something may still come although nothing runs."""

    @abstractmethod
    def wait(self) -> None:
        """Wait a moment, less if a task ends."""

    def run_tasks(self) -> None:
        """Start tasks until none runs and none is left, or until those that run have stopped."""
        while True:
            self.note_ended()
            is_stopping = self.is_stopping()
            if is_stopping:
                self.stop_running()
            else:
                self._start_free()
            if not self.is_busy() and (is_stopping or not self.expects_more()):
                return
            self.wait()

    def _start_free(self) -> None:
        while self.count_running() < self.jobs:
            task = self.take()
            if task is None:
                return
            self.start(task)
