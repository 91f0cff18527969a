"""The display of a plan run: a live table on a terminal, plain lines elsewhere, or JSON."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
import msgspec
from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from untildone.agents.headless import AgentText, RunEvent, Tool
from untildone.cli.run_display import draw_live
from untildone.core.text import pluralize, to_one_line
from untildone.core.verdict import Pause
from untildone.runs.events import Asked, Ended, Judged, Waiting
from untildone.runs.plan.events import (
    PlanEnded,
    PlanStarted,
    TaskBegan,
    TaskMerged,
    TaskSentBack,
    TaskSummary,
)
from untildone.runs.plan.task_run import Show


@contextmanager
def open_display(environ: Mapping[str, str], *, as_json: bool) -> Iterator[Show]:
    if as_json:
        yield _print
        return
    console = Console(stderr=True, highlight=False)
    lines = _Lines(console)
    with draw_live(lines, console, environ):
        yield lines


def _print(task: str, happening: RunEvent) -> None:
    fields = msgspec.to_builtins(happening)
    click.echo(json.dumps({"task": task, **fields} if task else fields))


class _Working(Struct):
    began: float
    round: int = 0
    doing: str = "starting"


class _Lines:
    """Prints lasting lines, and is itself the table of running tasks that is redrawn."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._working: dict[str, _Working] = {}

    def __call__(self, task: str, happening: RunEvent) -> None:
        match happening:
            case PlanStarted():
                self._introduce(happening)
            case PlanEnded():
                self._conclude(happening)
            case _:
                self._move(task, happening)
                text = _describe(happening)
                if text:
                    self._say(f"{task}: {text}")

    def _move(self, task: str, happening: RunEvent) -> None:
        row = self._working.setdefault(task, _Working(began=time.monotonic()))
        match happening:
            case Asked():
                row.round, row.doing = happening.round, "working"
            case Tool():
                row.doing = to_one_line(f"{happening.name} {happening.detail}")
            case AgentText():
                row.doing = to_one_line(happening.text)
            case Judged():
                row.doing = "judged"
            case Ended() if happening.outcome == "done":
                row.doing = "verified; merging"
            case Ended() | TaskMerged():
                self._working.pop(task, None)
            case _:
                pass

    def __rich__(self) -> Table:
        table = Table("task", "round", "time", "doing", box=None, pad_edge=False)
        # Another thread draws this, so iterate over a copy.
        for task, row in list(self._working.items()):
            seconds = time.monotonic() - row.began
            doing = Text(row.doing, no_wrap=True, overflow="ellipsis")
            table.add_row(task, str(row.round or ""), _format_time(seconds), doing)
        return table

    def _introduce(self, started: PlanStarted) -> None:
        for notice in started.notices:
            self._say(f"note: {notice}")
        where = f" into `{started.branch}`" if started.branch else ""
        at_once = f", {started.jobs} at once" if started.jobs > 1 else ""
        tasks = pluralize(len(started.tasks), "task")
        self._say(f"plan {started.feature}: {tasks} to do{where}{at_once}")

    def _conclude(self, ended: PlanEnded) -> None:
        self._working.clear()
        click.echo("\n".join(map(_format_summary, ended.tasks)))
        spent = [task.spend_usd for task in ended.tasks if task.spend_usd is not None]
        cost = f", {sum(spent):.2f} USD" if spent else ""
        click.echo(f"{ended.outcome}: {ended.reason} ({_format_time(ended.seconds)}{cost})")
        for task in ended.tasks:
            if task.loop and task.step not in ("merged", "waiting"):
                self._say(f"{task.id}: `untildone show {task.loop}` shows what is left")
        if ended.outcome not in ("done", "claimed"):
            self._say("run the same command again to continue")
        elif ended.branch:
            self._say(f"the work is on `{ended.branch}`; run `git merge {ended.branch}` to take it")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


def _describe(happening: RunEvent) -> str:
    match happening:
        case TaskBegan():
            again = f", attempt {happening.attempt}" if happening.attempt > 1 else ""
            return f"{happening.title}{again}"
        case Judged() if isinstance(happening.verdict, Pause):
            return f"unmet: {', '.join(happening.unmet)}" if happening.unmet else ""
        case Judged():
            return happening.notice.removeprefix("untildone: ")
        case Waiting():
            return f"{happening.fault}: {happening.reason}; waiting {round(happening.seconds)} s"
        case TaskSentBack():
            return f"sent back: {happening.reason}"
        case TaskMerged():
            return f"merged {happening.commit[:12]}".rstrip() if happening.commit else "done"
        case Ended() if happening.outcome != "done":
            return f"{happening.outcome}: {happening.reason}"
        case _:
            return ""


def _format_summary(task: TaskSummary) -> str:
    state = task.step if task.step in ("merged", "waiting") else task.outcome or "paused"
    parts = [pluralize(task.rounds, "round"), _format_time(task.seconds)] if task.rounds else []
    parts += [] if task.spend_usd is None else [f"{task.spend_usd:.2f} USD"]
    details = f" ({', '.join(parts)})" if parts else ""
    return f"{task.id}  {state}{details}  {to_one_line(task.title)}"


def _format_time(seconds: float) -> str:
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"
