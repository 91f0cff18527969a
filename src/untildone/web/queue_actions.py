"""The user's verbs on the pages of the queue, with the same effect as the commands."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from untildone.errors import UserError
from untildone.runs.queue.values import QueueChange
from untildone.web.queue_source import QueueSource

if TYPE_CHECKING:
    from untildone.runs.queue.task_queue import TaskQueue

_OF_TASK: dict[str, Callable[["TaskQueue", str], QueueChange]] = {
    "cancel": lambda queue, task: queue.cancel(task),
    "retry": lambda queue, task: queue.retry(task),
}
_OF_QUEUE: dict[str, Callable[["TaskQueue"], QueueChange]] = {
    "pause": lambda queue: queue.set_paused(paused=True),
    "resume": lambda queue: queue.set_paused(paused=False),
}


def carry_out(source: QueueSource, verb: str, task: str = "") -> str:
    """Carry out a verb on a task, or on the whole queue; return what it did."""
    verbs = _OF_TASK if task else _OF_QUEUE
    if verb not in verbs:
        raise UserError(f"there is no verb `{verb}`", hint="reload the page")
    with source.read() as queue:
        if not task:
            return _OF_QUEUE[verb](queue).note
        change = _OF_TASK[verb](queue, task)
    return f"task {', '.join(change.changed)}: {change.note}"
