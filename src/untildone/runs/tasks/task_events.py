"""Events of tasks on their way into a branch."""

from collections.abc import Callable
from typing import TypeAlias

from untildone.agents.headless import RunEvent

# Shows an event of a task, or of the whole run if the name is empty.
Show: TypeAlias = Callable[[str, RunEvent], None]


class TaskMerged(RunEvent, frozen=True, kw_only=True, tag="task-merged"):
    commit: str
    checks: tuple[str, ...]


class TaskSentBack(RunEvent, frozen=True, kw_only=True, tag="task-sent-back"):
    reason: str
