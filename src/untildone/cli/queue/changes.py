"""`untildone queue cancel`, `retry`, `pause` and `drain`: the user's verbs for the queue."""

import click

from untildone.cli.options import json_option, print_report
from untildone.cli.queue.queue_options import database_option, open_queue
from untildone.errors import UserError
from untildone.runs.queue.values import QueueChange


def print_change(change: QueueChange, *, as_json: bool) -> None:
    """Print what a verb has changed in the queue."""
    names = ", ".join(change.changed)
    print_report(change, [f"{names}: {change.note}" if names else change.note], as_json=as_json)


@click.command("cancel")
@click.argument("task")
@database_option
@json_option
def cancel_command(*, task: str, database: str, as_json: bool) -> None:
    """Cancel TASK; if it is running, its worker ends it.

    \b
    untildone queue cancel 1f2e
    """
    print_change(open_queue(database, verb="queue cancel").cancel(task), as_json=as_json)


@click.command("retry")
@click.argument("task", required=False, default="")
@click.option("--dead", is_flag=True, help="All that used up their retries.")
@database_option
@json_option
def retry_command(*, task: str, dead: bool, database: str, as_json: bool) -> None:
    """Queue TASK again; it continues from its last recorded round, with new bounds and retries.

    \b
    untildone queue retry 1f2e
    untildone queue retry --dead
    """
    if bool(task) == dead:
        raise UserError(
            "give a task or `--dead`", hint="`untildone queue list --dead` lists what gave up"
        )
    queue = open_queue(database, verb="queue retry")
    print_change(queue.retry_dead() if dead else queue.retry(task), as_json=as_json)


@click.command("pause")
@click.option("--off", is_flag=True, help="Let the workers take tasks again.")
@database_option
@json_option
def pause_command(*, off: bool, database: str, as_json: bool) -> None:
    """Let no worker take another task; running ones go on.

    \b
    untildone queue pause
    untildone queue pause --off
    """
    queue = open_queue(database, verb="queue pause")
    print_change(queue.set_paused(paused=not off), as_json=as_json)


@click.command("drain")
@database_option
@json_option
def drain_command(*, database: str, as_json: bool) -> None:
    """Let the workers of this moment finish their running tasks and end.

    \b
    untildone queue drain
    """
    print_change(open_queue(database, verb="queue drain").drain(), as_json=as_json)
