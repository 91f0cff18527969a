"""`untildone queue`: a durable queue of tasks for workers on one or many machines."""

import click

from untildone.cli.command_group import CommandGroup

_COMMANDS = {
    "add": ("queue.add", "Add a task, or a whole backlog."),
    "list": ("queue.listing", "List the tasks and the workers."),
    "show": ("queue.listing", "Show one task with its steps and its receipt."),
    "cancel": ("queue.changes", "Cancel a task."),
    "retry": ("queue.changes", "Queue a task again that ended without being done."),
    "limit": ("queue.limit", "Limit money, rate and tasks at once; or list the limits."),
    "pause": ("queue.changes", "Let no worker take another task."),
    "drain": ("queue.changes", "Let the workers finish their tasks and end."),
    "migrate": ("queue.roles", "Create or update the tables."),
    "grant": ("queue.roles", "Print the SQL that gives roles their rights."),
    "clean": ("queue.clean", "Remove what was kept of tasks that ended long ago."),
    "demo": ("queue.demo", "Show ten tasks, two workers, and one of them killed."),
}


@click.group("queue", cls=CommandGroup, table=_COMMANDS)
def queue_command() -> None:
    """Queue tasks; `untildone worker` takes them, also on other machines.

    \b
    untildone queue add "Port the parser" --check "npm test"
    untildone queue add --from backlog.jsonl
    untildone queue list
    untildone worker -j 2
    """
