"""`untildone plan`: commands for a task list, each imported only when it is called."""

import importlib

import click

_COMMANDS = {
    "init": "Write a new plan.",
    "validate": "List everything that is wrong with the plan.",
    "next": "Show the next task.",
    "show": "Show the plan, or one task and how it is verified.",
    "set-status": "Set the status of a task.",
    "refine": "List the tasks over 5 points, or split one.",
    "start": "Hold a session until a task is verified, or all of them.",
    "render": "Write TASKS.md from the plan.",
    "import": "Import a plan from another tool's file.",
}


class _Commands(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"untildone.cli.plan.{name.replace('-', '_')}_")
        command: click.Command = module.command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group("plan", cls=_Commands)
def command() -> None:
    """A plan is a TASKS.json: tasks with points, dependencies and acceptance criteria.

    \b
    untildone plan next --json
    untildone plan show TASK-001
    untildone plan set-status TASK-001 in_progress
    """
