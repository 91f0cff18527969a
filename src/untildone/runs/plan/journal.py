"""How far a plan's tasks are: a journal of steps, each with its input before and its result."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from untildone.agents.headless import ClientFault
from untildone.core.verdict import Outcome
from untildone.store import journal
from untildone.store.files import DamagedFileError

_NAME = "journal.jsonl"
_PLAN = "plan"
# `begun`: an agent works on it; `ended`: without being verified; `merging`: to be found out
# whether the work branch has it already.
Step: TypeAlias = Literal["waiting", "begun", "ended", "verified", "merging", "merged"]


class TaskProgress(Struct, frozen=True, kw_only=True):
    """One task; each attempt has a loop, the next one begins where a merge sent it back."""

    step: Step = "waiting"
    # The last attempt's: who works, above which commit of the work branch, on which tree.
    session: str = ""
    onto: str = ""
    tree: str = ""
    evidence: str = ""
    conflicts: tuple[str, ...] = ()
    # The tasks whose checks must hold too: those that were merged when it was sent back.
    beside: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    # How many of them are of earlier days: their rounds are counted no more.
    earlier: int = 0
    outcome: Outcome | None = None
    reason: str = ""
    # What kept its agent from working, where that ended it.
    fault: ClientFault | None = None
    # What was verified, and what brings it into the work branch.
    commit: str = ""
    merge: str = ""


class PlanJournal:
    """Read whole, then written step by step; only under the plan's lock, by any of its threads."""

    def __init__(self, folder: Path, now: Callable[[], str]) -> None:
        self._path = folder / _NAME
        self._now = now
        self._alone = threading.Lock()
        # In the order of their last steps.
        self.courses: dict[str, TaskProgress] = {}
        # The commit the work branch began at; nothing while no run began one.
        self.base = ""
        for entry in journal.walk_verified(self._path) if self._path.exists() else ():
            if entry.kind == _PLAN:
                self.base = str(entry.data["base"])
            else:
                self._take(entry.data)

    def of(self, task: str) -> TaskProgress:
        return self.courses.get(task, TaskProgress())

    def note(self, task: str, course: TaskProgress) -> TaskProgress:
        """On the disk before it is believed."""
        data: dict[str, object] = {"task": task, "course": msgspec.to_builtins(course)}
        with self._alone:
            journal.append(self._path, course.step, data=data, at=self._now())
            self._take(data)
        return course

    def merged(self) -> tuple[str, ...]:
        """The tasks in the order of their merges."""
        return tuple(task for task, course in self.courses.items() if course.step == "merged")

    def begin_anew(self, base: str) -> None:
        """The old steps stay beside the new ones."""
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
