"""The page of a plan as a value: its tasks, and the loops that worked on them."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from untildone import __version__
from untildone.core.text import join_first, pluralize
from untildone.report.durations import format_seconds
from untildone.report.page.history_view import LoopRow, make_loop_row
from untildone.report.page.inert_text import list_first, make_line
from untildone.report.page.values import Figure, Headline, Listed, Tone
from untildone.report.times import measure_loop
from untildone.store.loops import Record

_MAX_TASKS = 300
_MAX_LOOPS = 10
_MAX_CRITERIA = 12
_STATES: dict[str, tuple[str, Tone]] = {
    "completed": ("completed", "good"),
    "in_progress": ("in progress", "warn"),
    "not_started": ("not started", "calm"),
}


class PlannedTask(Struct, frozen=True, kw_only=True):
    """A task as its plan has it, and the loops that worked on it, the oldest first."""

    id: str
    title: str
    status: str
    phase: str = ""
    points: int = 0
    depends_on: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    # Of a plan run: its last step, why it ended, and the commit that has it.
    step: str = ""
    reason: str = ""
    merge: str = ""
    records: tuple[Record, ...] = ()


class TaskView(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    phase: str
    state: str
    tone: Tone
    size: str
    after: str
    # What a plan run recorded last.
    note: str
    criteria: Listed
    loops: tuple[LoopRow, ...]
    more_loops: int


class PlanView(Struct, frozen=True, kw_only=True):
    feature: str
    file: str
    headline: Headline
    figures: tuple[Figure, ...]
    tasks: tuple[TaskView, ...]
    more: int = 0
    version: str


def build_plan_view(feature: str, file: str, tasks: Sequence[PlannedTask]) -> PlanView:
    return PlanView(
        feature=make_line(feature, 140),
        file=make_line(file, 200),
        headline=_build_headline(tasks),
        figures=tuple(_list_figures(tasks)),
        tasks=tuple(map(_view_task, tasks[:_MAX_TASKS])),
        more=max(0, len(tasks) - _MAX_TASKS),
        version=__version__,
    )


def _build_headline(tasks: Sequence[PlannedTask]) -> Headline:
    completed = sum(task.status == "completed" for task in tasks)
    is_complete = bool(tasks) and completed == len(tasks)
    stuck = [task.id for task in tasks if task.step == "ended"]
    return Headline(
        state=f"{completed} of {len(tasks)}",
        tone="good" if is_complete else "warn" if stuck else "calm",
        text=f"{completed:,} of {pluralize(len(tasks), 'task')} completed",
        reason=make_line(f"ended without being verified: {join_first(stuck)}") if stuck else "",
    )


def _list_figures(tasks: Sequence[PlannedTask]) -> Iterator[Figure]:
    done = sum(task.points for task in tasks if task.status == "completed")
    points = sum(task.points for task in tasks)
    yield Figure(name="Points", value=f"{done:,}", note=f"of {points:,} completed")
    records = [record for task in tasks for record in task.records]
    rounds = sum(record.progress.round for record in records)
    yield Figure(name="Rounds", value=f"{rounds:,}", note=f"in {pluralize(len(records), 'loop')}")
    known = [
        record.progress.spend_usd for record in records if record.progress.spend_usd is not None
    ]
    unknown = len(records) - len(known)
    note = f"USD; unknown of {pluralize(unknown, 'loop')}" if unknown else "USD"
    yield Figure(name="Cost", value=f"{sum(known):.2f}" if known else "unknown", note=note)
    seconds = sum(map(measure_loop, records))
    yield Figure(name="Time", value=format_seconds(seconds), note="of all loops together")


def _view_task(task: PlannedTask) -> TaskView:
    state, tone = _STATES.get(task.status, (task.status, "calm"))
    shown, more = list_first(task.criteria, _MAX_CRITERIA)
    return TaskView(
        id=make_line(task.id, 60),
        title=make_line(task.title),
        phase=make_line(task.phase, 80),
        state="ended, not verified" if task.step == "ended" else state,
        tone="bad" if task.step == "ended" else tone,
        size=pluralize(task.points, "point") if task.points else "",
        after=make_line(join_first(task.depends_on)),
        note=make_line(_describe_step(task), 300),
        criteria=Listed(texts=shown, more=more),
        loops=tuple(map(make_loop_row, task.records[-_MAX_LOOPS:])),
        more_loops=max(0, len(task.records) - _MAX_LOOPS),
    )


def _describe_step(task: PlannedTask) -> str:
    merged = f"merged as {task.merge[:12]}" if task.merge else ""
    return "; ".join(filter(None, (merged or task.step, task.reason)))
