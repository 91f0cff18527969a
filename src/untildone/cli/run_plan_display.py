"""The display of a plan run: a live table of the running tasks, and lasting lines."""

import time

import click
from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from untildone.agents.headless import AgentText, RunEvent, Tool
from untildone.cli.run_display import format_minutes
from untildone.core.text import pluralize, to_one_line
from untildone.core.verdict import Pause
from untildone.runs.plan import plan_events
from untildone.runs.plan.plan_events import PlanEnded, PlanStarted, TaskSummary
from untildone.runs.run_events import Asked, Ended, Judged, Waiting
from untildone.runs.tasks.task_events import TaskMerged, TaskSentBack


class _Row(Struct):
    """A running task: since when, its round, what its agent does now."""

    began: float
    round: int = 0
    doing: str = "starting"


class PlanLines:
    """One row for each task that is running."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._rows: dict[str, _Row] = {}

    def __call__(self, task: str, event: RunEvent) -> None:
        match event:
            case PlanStarted():
                self._print_start(event)
            case PlanEnded():
                self._print_end(event)
            case _:
                self._update_row(task, event)
                text = _describe(event)
                if text:
                    self._print(f"{task}: {text}")

    def forget(self, task: str) -> None:
        """Remove the row of a task that is no longer running."""
        self._rows.pop(task, None)

    def _update_row(self, task: str, event: RunEvent) -> None:
        row = self._rows.setdefault(task, _Row(began=time.monotonic()))
        match event:
            case Asked():
                row.round, row.doing = event.round, "working"
            case Tool():
                row.doing = to_one_line(f"{event.name} {event.detail}")
            case AgentText():
                row.doing = to_one_line(event.text)
            case Judged():
                row.doing = "judged"
            case Ended() if event.outcome == "done":
                row.doing = "verified; merging"
            case Ended() | TaskMerged():
                self._rows.pop(task, None)
            case _:
                pass

    def __rich__(self) -> Table:
        table = Table("task", "round", "time", "doing", box=None, pad_edge=False)
        # Another thread draws this, so iterate over a copy.
        for task, row in list(self._rows.items()):
            seconds = time.monotonic() - row.began
            doing = Text(row.doing, no_wrap=True, overflow="ellipsis")
            table.add_row(task, str(row.round or ""), format_minutes(seconds), doing)
        return table

    def _print_start(self, started: PlanStarted) -> None:
        for notice in started.notices:
            self._print(f"note: {notice}")
        target = f" into `{started.branch}`" if started.branch else ""
        at_once = f", {started.jobs} at once" if started.jobs > 1 else ""
        tasks = pluralize(len(started.tasks), "task")
        self._print(f"plan {started.feature}: {tasks} to do{target}{at_once}")

    def _print_end(self, ended: PlanEnded) -> None:
        self._rows.clear()
        click.echo("\n".join(map(_format_summary, ended.tasks)))
        spent = [task.spend_usd for task in ended.tasks if task.spend_usd is not None]
        cost = f", {sum(spent):.2f} USD" if spent else ""
        click.echo(f"{ended.outcome}: {ended.reason} ({format_minutes(ended.seconds)}{cost})")
        for task in ended.tasks:
            if task.loop and task.step not in ("merged", "waiting"):
                self._print(f"{task.id}: `untildone show {task.loop}` shows what is left")
        if ended.outcome not in ("done", "claimed"):
            self._print("run the same command again to continue")
        elif ended.branch:
            self._print(
                f"the work is on `{ended.branch}`; run `git merge {ended.branch}` to take it"
            )

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


def _describe(event: RunEvent) -> str:
    match event:
        case plan_events.TaskBegan():
            attempt = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return f"{event.title}{attempt}"
        case Judged() if isinstance(event.verdict, Pause):
            return f"unmet: {', '.join(event.unmet)}" if event.unmet else ""
        case Judged():
            return event.notice.removeprefix("untildone: ")
        case Waiting():
            return f"{event.fault}: {event.reason}; waiting {round(event.seconds)} s"
        case TaskSentBack():
            return f"sent back: {event.reason}"
        case TaskMerged():
            return f"merged {event.commit[:12]}".rstrip() if event.commit else "done"
        case Ended() if event.outcome != "done":
            return f"{event.outcome}: {event.reason}"
        case _:
            return ""


def _format_summary(task: TaskSummary) -> str:
    state = task.step if task.step in ("merged", "waiting") else task.outcome or "paused"
    parts = [pluralize(task.rounds, "round"), format_minutes(task.seconds)] if task.rounds else []
    parts += [] if task.spend_usd is None else [f"{task.spend_usd:.2f} USD"]
    details = f" ({', '.join(parts)})" if parts else ""
    return f"{task.id}  {state}{details}  {to_one_line(task.title)}"
