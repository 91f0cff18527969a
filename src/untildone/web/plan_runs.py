"""The plan runs of this machine: how far each task is, and which loops worked on it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.text import pluralize
from untildone.errors import UserError
from untildone.process.runner import is_alive
from untildone.report.page.inert_text import make_line
from untildone.report.times import format_time
from untildone.report.verdict_names import name_outcome
from untildone.runs.plan.plan_journal import PlanJournal, Step, TaskProgress
from untildone.runs.plan.plan_record import PlanRecord, read_record
from untildone.store.durable_files import DamagedFileError
from untildone.store.loop_index import Stamp, take_stamp

_ID = re.compile(r"[0-9a-f]{24}")
_FILES = ("journal.jsonl", "run.json")
_MAX_RUNS = 20
_MAX_TASKS = 500
_BROKEN_OFF = "broken off"
_STEPS: dict[Step, str] = {
    "waiting": "waiting",
    "begun": "at work",
    "ended": "given up",
    "verified": "verified",
    "merging": "merging",
    "merged": "merged",
}


class TaskRow(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    step: Step
    state: str
    reason: str
    # The newest first.
    loops: tuple[str, ...]


class PlanRun(Struct, frozen=True, kw_only=True):
    id: str
    feature: str
    plan: str = ""
    state: str
    running: bool = False
    process: int = 0
    reason: str = ""
    merged: int
    total: int
    # The time of the start in UTC for programs, and local for people.
    at: str = ""
    time: str = ""
    tasks: tuple[TaskRow, ...]
    more_tasks: int = 0

    @property
    def summary(self) -> str:
        return f"{self.merged} of {pluralize(self.total, 'task')} merged"


class PlanIndex:
    """The plan runs in memory: a refresh reads only those whose files have changed."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "plans"
        self._lock = Lock()
        self._known: dict[str, tuple[Stamp, PlanRun | None]] = {}

    def list_all(self) -> tuple[PlanRun, ...]:
        """Return the last runs, those that run now first, then the newest."""
        try:
            names = [path.name for path in self._folder.iterdir() if _ID.fullmatch(path.name)]
        except OSError:
            return ()
        runs = [run for name in names if (run := self._refresh(name))]
        runs.sort(key=lambda run: (run.running, run.at), reverse=True)
        return tuple(runs[:_MAX_RUNS])

    def load(self, name: str) -> PlanRun:
        """Return one run; raise UserError if there is none with this name."""
        run = self._refresh(name) if _ID.fullmatch(name) else None
        if run is None:
            raise UserError("there is no such plan run", hint="go back to the list")
        return run

    def _refresh(self, name: str) -> PlanRun | None:
        folder = self._folder / name
        with self._lock:
            stamp = take_stamp(folder, _FILES)
            known = self._known.get(name)
            if known is None or known[0] != stamp:
                known = self._known[name] = (stamp, _load(folder))
        run = known[1]
        if run and run.running and not is_alive(run.process):
            return replace(run, running=False, state=_BROKEN_OFF)
        return run


def _load(folder: Path) -> PlanRun | None:
    """Return the run of this folder; None if nothing was run yet, or it cannot be read."""
    try:
        states = PlanJournal(folder, lambda: "").states
    except (OSError, DamagedFileError, KeyError):
        return None
    record = read_record(folder)
    if record is None and not states:
        return None
    tasks = tuple(_list_tasks(record, states))
    run = PlanRun(
        id=folder.name,
        feature="a plan of an earlier version",
        state="unknown",
        merged=sum(task.step == "merged" for task in tasks),
        total=len(tasks),
        tasks=tasks[:_MAX_TASKS],
        more_tasks=max(0, len(tasks) - _MAX_TASKS),
    )
    return _describe(run, record) if record else run


def _describe(run: PlanRun, record: PlanRecord) -> PlanRun:
    return replace(
        run,
        feature=make_line(record.feature, 120),
        plan=make_line(record.plan, 300),
        state=name_outcome(record.outcome) if record.outcome else "running",
        running=not record.ended_at,
        process=record.process,
        reason=make_line(record.reason, 400),
        at=record.started_at,
        time=format_time(record.started_at),
    )


def _list_tasks(record: PlanRecord | None, states: Mapping[str, TaskProgress]) -> Iterator[TaskRow]:
    titles = record.titles if record else dict.fromkeys(states, "")
    completed = frozenset(record.completed if record else ())
    for name, title in titles.items():
        state = states.get(name, TaskProgress())
        step: Step = "merged" if name in completed else state.step
        yield TaskRow(
            name=make_line(name, 80),
            title=make_line(title, 160),
            step=step,
            state=_STEPS[step],
            reason=make_line(state.reason, 300),
            loops=tuple(reversed(state.loops)),
        )
