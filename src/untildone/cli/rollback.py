"""`untildone rollback`: the user restores the files from before a step."""

from pathlib import Path

import click

from untildone.cli.authority import require_user
from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.cli.options import json_option, loop_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.features.spec import steps

_SHOWN = 20


@click.command("rollback")
@click.argument("step")
@loop_option
@project_option
@json_option
def command(step: str, *, loop: str | None, project: Path | None, as_json: bool) -> None:
    """Restore the files from before a step; the current files are saved first.

    Commits, branches, the index and ignored files stay as they are.

    \b
    untildone rollback 2             the files from before the second step
    untildone rollback undo-1        the files from before that rollback
    """
    context = open_context()
    record = choose_loop_to_show(context, loop, project)
    require_user(context, record, "rollback")
    restored = steps.roll_back(context, record, step, cwd=find_project(project))
    if as_json:
        print_json(restored)
        return
    changed = [f"  wrote {path}" for path in restored.written]
    changed += [f"  removed {path}" for path in restored.removed]
    more = [f"  and {len(changed) - _SHOWN} more"] if len(changed) > _SHOWN else []
    click.echo("\n".join([f"rolled back `{restored.root}`:", *changed[:_SHOWN], *more]))
    click.echo(f"to undo this: `untildone rollback {restored.saved}`")
