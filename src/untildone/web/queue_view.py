"""What the page of the queue shows: counts, one page of tasks, the workers, a task's steps."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from untildone.report.page.inert_text import cut_lines, make_line
from untildone.report.times import format_cost, format_time
from untildone.runs.queue.values import (
    OPEN_STATES,
    QueueAccount,
    QueueCounts,
    QueueDetails,
    QueueStep,
    QueueTask,
    QueueWorker,
    State,
    get_receipt_ref,
)

TaskVerb: TypeAlias = Literal["cancel", "retry"]
PAGE_SIZE = 50
_STATES: tuple[State, ...] = get_args(State)
_LAST_PAGE = 100_000
_MOST_WORKERS = 100
_MOST_STEPS = 200
# Live ones first.
_WORKER_ORDER = ("alive", "draining", "dead", "ended")


class QueueTab(Struct, frozen=True, kw_only=True):
    """`name` is what the address asks for; without one it is what is open."""

    name: str
    label: str
    states: tuple[State, ...]
    count: int
    is_dead: bool = False

    @property
    def is_open(self) -> bool:
        """Say whether its tasks are still in their order, not the newest first."""
        return self.states[0] in OPEN_STATES


class TaskRow(Struct, frozen=True, kw_only=True):
    id: str
    state: State
    label: str
    title: str
    repository: str
    # Why it waits or ended.
    note: str
    worker: str
    priority: int
    agent: str
    labels: str
    # The time of the last change in UTC for programs, and local for people.
    at: str
    time: str


class WorkerRow(Struct, frozen=True, kw_only=True):
    id: str
    host: str
    state: str
    agents: str
    labels: str
    jobs: int
    running: int
    at: str
    time: str


class StepRow(Struct, frozen=True, kw_only=True):
    name: str
    detail: str
    worker: str
    attempt: int
    at: str
    time: str


class TaskView(Struct, frozen=True, kw_only=True):
    row: TaskRow
    text: str
    facts: dict[str, str]
    steps: tuple[StepRow, ...]
    more_steps: int
    receipt: str
    verbs: tuple[TaskVerb, ...]


def list_tabs(counts: QueueCounts) -> tuple[QueueTab, ...]:
    """Return what the user can choose from: what is open, and each state that has tasks."""
    number = {state: counts.of_state.get(state, 0) for state in _STATES}
    is_open = sum(number[state] for state in OPEN_STATES)
    first = QueueTab(name="", label="open", states=OPEN_STATES, count=is_open)
    others = (
        QueueTab(name=state, label=name_state(state), states=(state,), count=number[state])
        for state in _STATES
    )
    dead = QueueTab(
        name="dead", label="dead letters", states=("ended",), count=counts.dead, is_dead=True
    )
    return (first, *others, dead)


def name_state(state: State) -> str:
    return "waiting" if state == "queued" else state


def choose_tab(tabs: tuple[QueueTab, ...], query: Mapping[str, str]) -> QueueTab:
    return next((tab for tab in tabs if tab.name == query.get("state", "")), tabs[0])


def parse_page(query: Mapping[str, str], count: int) -> tuple[int, int]:
    """Return which page is asked for, and how many there are."""
    pages = min(max(1, -(-count // PAGE_SIZE)), _LAST_PAGE)
    text = query.get("page", "")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 1
    return min(max(1, number), pages), pages


def _show_time(at: str) -> str:
    """Return a local time; who may write to the database may have written anything."""
    try:
        return format_time(at)
    except ValueError:
        return ""


def make_task_row(task: QueueTask, *, is_paused: bool = False) -> TaskRow:
    ended = task.state in ("ended", "cancelled")
    return TaskRow(
        id=make_line(task.id, 32),
        state=task.state,
        label=_name_end(task) if ended else name_state(task.state),
        title=make_line(task.task, 160) or "(no task)",
        repository=make_line(task.repository, 120),
        note=_explain(task, is_paused=is_paused),
        worker=make_line(task.worker, 64) if task.state == "running" else "",
        priority=task.priority,
        agent=make_line(task.agent, 40),
        labels=make_line(", ".join(task.labels), 80),
        at=make_line(task.updated_at, 40),
        time=_show_time(task.updated_at),
    )


def _name_end(task: QueueTask) -> str:
    return f"{task.outcome or task.state}{', dead letter' if task.is_dead else ''}"


def _explain(task: QueueTask, *, is_paused: bool) -> str:
    """Return why a task waits, or why it ended."""
    if task.is_cancelling:
        return "it is being cancelled"
    if task.state != "queued":
        return make_line(task.reason, 200) if task.state != "done" else ""
    if task.waits_for:
        return make_line(f"after {', '.join(task.waits_for)}", 200)
    return make_line(task.waits, 200) or ("the queue is paused" if is_paused else "")


def make_worker_rows(
    workers: tuple[QueueWorker, ...], counts: QueueCounts
) -> tuple[tuple[WorkerRow, ...], int]:
    """Return the first workers, live ones first, and the number of the others."""
    ordered = sorted(workers, key=lambda worker: _WORKER_ORDER.index(worker.state))
    rows = tuple(
        WorkerRow(
            id=make_line(worker.id, 64),
            host=make_line(worker.host, 64),
            state=worker.state,
            agents=make_line(", ".join(worker.agents), 80),
            labels=make_line(", ".join(worker.labels), 80),
            jobs=worker.jobs,
            running=counts.of_worker.get(worker.id, 0),
            at=make_line(worker.seen_at, 40),
            time=_show_time(worker.seen_at),
        )
        for worker in ordered[:_MOST_WORKERS]
    )
    return rows, len(workers) - len(rows)


def describe_account(account: QueueAccount) -> str:
    until = _show_time(account.asleep_until)
    return f"account {account.name} sleeps until {until}: {account.reason}"


def make_task_view(details: QueueDetails, *, is_paused: bool) -> TaskView:
    task = details.task
    steps = details.steps[-_MOST_STEPS:]
    return TaskView(
        row=make_task_row(task, is_paused=is_paused),
        text=cut_lines(task.task, lines=40, width=400),
        facts={name: make_line(value, 300) for name, value in _list_facts(details) if value},
        steps=tuple(map(_make_step_row, reversed(steps))),
        more_steps=len(details.steps) - len(steps),
        receipt=cut_lines(details.receipt, lines=400, width=400),
        verbs=_list_verbs(task),
    )


def _list_facts(details: QueueDetails) -> tuple[tuple[str, str], ...]:
    task = details.task
    is_pushed = bool(task.branch)
    return (
        ("repository", task.repository),
        ("base", task.base),
        ("branch", task.branch),
        ("into", task.into),
        ("merge", task.merge),
        ("receipt", get_receipt_ref(task.id) if is_pushed else ""),
        ("from", task.source),
        ("deadline", _show_time(task.deadline)),
        ("retries", f"{task.faults} of {task.retries}" if task.faults else ""),
        ("rounds", str(details.rounds or "")),
        ("cost", "" if details.spend_usd is None else format_cost(details.spend_usd)),
    )


def _make_step_row(step: QueueStep) -> StepRow:
    return StepRow(
        name=make_line(step.name, 60),
        detail=make_line(step.detail, 300),
        worker=make_line(step.worker, 64),
        attempt=step.attempt,
        at=make_line(step.at, 40),
        time=_show_time(step.at),
    )


def _list_verbs(task: QueueTask) -> tuple[TaskVerb, ...]:
    if task.state in OPEN_STATES:
        return () if task.is_cancelling else ("cancel",)
    return () if task.state == "done" else ("retry",)
