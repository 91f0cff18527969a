"""The progress of a plan's tasks: a journal of steps with their inputs and results."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from untildone.agents.headless import ClientFault
from untildone.core.verdict import Outcome
from untildone.store import journal
from untildone.store.durable_files import DamagedFileError

_NAME = "journal.jsonl"
_PLAN = "plan"
# `begun`: an agent works on it; `ended`: it ended without being verified; `merging`: the work
# branch may or may not have it already.
Step: TypeAlias = Literal["waiting", "begun", "ended", "verified", "merging", "merged"]


class TaskProgress(Struct, frozen=True, kw_only=True):
    """The progress of one task; a new attempt starts when a merge sends it back."""

    step: Step = "waiting"
    # Of the last attempt: session, base commit on the work branch, tree.
    session: str = ""
    onto: str = ""
    tree: str = ""
    evidence: str = ""
    conflicts: tuple[str, ...] = ()
    # The tasks whose checks must pass too: those merged when it was sent back.
    beside: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    # How many of them are from earlier runs, whose rounds no longer count.
    earlier: int = 0
    outcome: Outcome | None = None
    reason: str = ""
    # The failure of the client that ended it, if any.
    fault: ClientFault | None = None
    # The verified commit, and the merge commit for the work branch.
    commit: str = ""
    merge: str = ""


class PlanJournal:
    """Read as a whole, then appended step by step, under the plan's lock."""

    def __init__(self, folder: Path, now: Callable[[], str]) -> None:
        self._path = folder / _NAME
        self._now = now
        self._alone = threading.Lock()
        # Ordered by their last steps.
        self.courses: dict[str, TaskProgress] = {}
        # The commit at which the work branch started; empty before the first run.
        self.base = ""
        for entry in journal.walk_verified(self._path) if self._path.exists() else ():
            if entry.kind == _PLAN:
                self.base = str(entry.data["base"])
            else:
                self._take(entry.data)

    def of(self, task: str) -> TaskProgress:
        return self.courses.get(task, TaskProgress())

    def note(self, task: str, course: TaskProgress) -> TaskProgress:
        """Append a step; it is on the disk before it counts."""
        data: dict[str, object] = {"task": task, "course": msgspec.to_builtins(course)}
        with self._alone:
            journal.append(self._path, course.step, data=data, at=self._now())
            self._take(data)
        return course

    def merged(self) -> tuple[str, ...]:
        """Return the merged tasks in the order of their merges."""
        return tuple(task for task, course in self.courses.items() if course.step == "merged")

    def begin_anew(self, base: str) -> None:
        """Start again; the old steps stay in the file."""
        number = len(list(self._path.parent.glob(f"{_NAME}.*"))) + 1
        if self._path.exists():
            self._path.rename(self._path.with_name(f"{_NAME}.{number}"))
        self.courses.clear()
        self.base = base
        journal.append(self._path, _PLAN, data={"base": base}, at=self._now())

    def _take(self, data: dict[str, object]) -> None:
        try:
            course = msgspec.convert(data.get("course"), TaskProgress)
        except msgspec.ValidationError as error:
            raise DamagedFileError(
                f"`{self._path}` has a step that cannot be read: {error}"
            ) from None
        task = str(data.get("task"))
        self.courses.pop(task, None)
        self.courses[task] = course
