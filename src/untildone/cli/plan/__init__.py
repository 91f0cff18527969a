"""`untildone plan`: commands for a task list."""

import click

from untildone.cli.command_group import CommandGroup

_COMMANDS = {
    "init": ("plan.files", "Write a new plan."),
    "validate": ("plan.review", "List everything that is wrong with the plan."),
    "next": ("plan.next_", "Show the next task."),
    "show": ("plan.show", "Show the plan, or one task and how it is verified."),
    "set-status": ("plan.tasks", "Set the status of a task."),
    "refine": ("plan.review", "List the tasks over 5 points, or split one."),
    "start": ("plan.tasks", "Hold a session until a task is verified, or all of them."),
    "render": ("plan.files", "Write TASKS.md from the plan."),
    "import": ("plan.files", "Import a plan from another tool's file."),
}


@click.group("plan", cls=CommandGroup, table=_COMMANDS)
def plan_command() -> None:
    """Work with a plan, a TASKS.json: tasks with points, dependencies and acceptance criteria.

    \b
    untildone plan next --json
    untildone plan show TASK-001
    untildone plan set-status TASK-001 in_progress
    """
