"""The display of a worker: a live table of its tasks, and lasting lines."""

from rich.console import Console
from rich.table import Table

from untildone.agents.headless import RunEvent
from untildone.checks.clean_output import clean
from untildone.cli.run_plan_display import PlanLines
from untildone.core.text import pluralize, to_one_line
from untildone.runs.queue import worker_events
from untildone.runs.queue.worker_events import TaskEnded, TaskReturned, TaskTaken
from untildone.runs.run_events import Ended
from untildone.runs.tasks.task_events import TaskSentBack


class WorkerLines:
    """The rows of the tasks are those of a plan run."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tasks = PlanLines(console)

    def __call__(self, task: str, event: RunEvent) -> None:
        text = describe_event(event)
        if text:
            name = f"{task}: " if task else ""
            self._console.print(f"{name}{text}", markup=False, soft_wrap=True)
        elif task and not isinstance(event, Ended):
            self._tasks(task, event)
        if isinstance(event, TaskEnded | TaskReturned | TaskSentBack):
            self._tasks.forget(task)

    def __rich__(self) -> Table:
        return self._tasks.__rich__()


def describe_event(event: RunEvent) -> str:
    """Return the line of an event of the worker itself, with nothing that changes a terminal."""
    match event:
        case worker_events.WorkerStarted():
            agents = ", ".join(event.agents)
            at_once = f", {pluralize(event.jobs, 'task')} at once"
            return f"worker {event.worker}: {agents}{at_once}; {event.database}"
        case TaskTaken():
            resumed = "goes on with" if event.is_taken_over else "took"
            return f"{resumed} {to_one_line(clean(event.title))}"
        case TaskEnded(state="merging"):
            return f"pushed {event.branch} ({event.commit[:12]}); it waits for its merge"
        case TaskEnded() if event.branch:
            return f"done: pushed {event.branch} ({event.commit[:12]})"
        case TaskEnded():
            return f"{event.outcome}: {to_one_line(clean(event.reason))}".removesuffix(": ")
        case TaskReturned():
            return f"queued again: {to_one_line(clean(event.reason))}"
        case worker_events.WorkerBuried():
            return f"worker {event.worker} was silent for too long; its tasks can be taken"
        case worker_events.WorkerDraining():
            return f"draining: {event.reason}"
        case worker_events.WorkerEnded():
            return f"worker {event.worker} ended: {event.reason}"
        case _:
            return _describe_fault(event)


def _describe_fault(event: RunEvent) -> str:
    match event:
        case worker_events.TaskFailed():
            return f"untildone failed:\n{clean(event.error)}"
        case worker_events.DatabaseAway():
            return f"the database is away: {to_one_line(clean(event.reason))}; asking again"
        case worker_events.DatabaseBack():
            return f"the database is back after {event.seconds:.0f} s"
        case _:
            return ""
