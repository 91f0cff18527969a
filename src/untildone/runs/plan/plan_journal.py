"""The progress of a plan's tasks: a journal of steps with their inputs and results."""

import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

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
    # The last merge of the batch: what was verified, and where the branch goes.
    head: str = ""


def make_attempt(state: TaskProgress, session: str = "") -> TaskProgress:
    """Return the beginning of another attempt, in a new session."""
    state = replace(state, step="begun", session=session or str(uuid.uuid4()))
    return replace(state, outcome=None, reason="", fault=None, commit="", merge="", head="")


class PlanJournal:
    """Read as a whole, then appended step by step, under the plan's lock."""

    def __init__(self, folder: Path, now: Callable[[], str]) -> None:
        self._path = folder / _NAME
        self._now = now
        self._lock = threading.Lock()
        # Ordered by their last steps.
        self.states: dict[str, TaskProgress] = {}
        # The commit at which the work branch started; empty before the first run.
        self.base = ""
        for entry in journal.walk_verified(self._path) if self._path.exists() else ():
            if entry.kind == _PLAN:
                self.base = str(entry.data["base"])
            else:
                self._apply(entry.data)

    def get(self, task: str) -> TaskProgress:
        return self.states.get(task, TaskProgress())

    def append(self, task: str, state: TaskProgress) -> TaskProgress:
        """Append a step; it is on the disk before it counts."""
        data: dict[str, object] = {"task": task, "course": msgspec.to_builtins(state)}
        with self._lock:
            journal.append(self._path, state.step, data=data, at=self._now())
            self._apply(data)
        return state

    def list_merged(self) -> tuple[str, ...]:
        """Return the merged tasks in the order of their merges."""
        return tuple(task for task, state in self.states.items() if state.step == "merged")

    def begin_anew(self, base: str) -> None:
        """Start again; the old steps stay in the file."""
        number = len(list(self._path.parent.glob(f"{_NAME}.*"))) + 1
        if self._path.exists():
            self._path.rename(self._path.with_name(f"{_NAME}.{number}"))
        self.states.clear()
        self.base = base
        journal.append(self._path, _PLAN, data={"base": base}, at=self._now())

    def _apply(self, data: dict[str, object]) -> None:
        try:
            state = msgspec.convert(data.get("course"), TaskProgress)
        except msgspec.ValidationError as error:
            raise DamagedFileError(
                f"`{self._path}` has a step that cannot be read: {error}"
            ) from None
        task = str(data.get("task"))
        self.states.pop(task, None)
        self.states[task] = state
