"""The comparison of the environment, which runs in a thread while checks run."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

from untildone.core.evidence import Concern
from untildone.worktree.limits import Budget

# Finds the concerns about what is outside of the trees, within the budget.
FindWithinBudget: TypeAlias = Callable[[Budget], tuple[Concern, ...]]
# What it may take of the budget of a stop.
_SECONDS = 4.0


class EnvironmentThread:
    """Compares the environment once, with a part of the budget; what is left is given back."""

    def __init__(self, find: FindWithinBudget, budget: Budget, pool: ThreadPoolExecutor) -> None:
        self._find = find
        self._budget = budget
        self._lent = Budget()
        self._pool = pool
        self._future: Future[tuple[Concern, ...]] | None = None

    def start(self) -> None:
        """Start the thread, unless it was started before."""
        if self._future is None:
            self._lent = self._budget.lend(_SECONDS)
            self._future = self._pool.submit(self._find, self._lent)

    def find_concerns(self) -> tuple[Concern, ...]:
        """Return what was found, as soon as the thread has ended."""
        self.start()
        concerns = self._future.result() if self._future else ()
        self._budget.take_back(self._lent)
        self._lent = Budget(seconds=0)
        return concerns
