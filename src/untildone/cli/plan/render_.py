"""`untildone plan render`: TASKS.md from the plan."""

from pathlib import Path

import click

from untildone.cli.plan.place import with_plan
from untildone.errors import UserError
from untildone.features.plans.document import in_order, read, save
from untildone.features.plans.rendering import WRITTEN, rendered


@click.command("render")
@click.option("--stdout", is_flag=True, help="Print it instead.")
@click.option("--force", is_flag=True, help="Also over a TASKS.md that we did not write.")
@with_plan
def command(*, stdout: bool, force: bool, path: Path) -> None:
    """Write TASKS.md beside the plan, for people to read.

    \b
    untildone plan render
    """
    document = in_order(read(path))
    text = rendered(document.plan)
    if stdout:
        click.echo(text, nl=False)
        return
    target = document.path.with_suffix(".md")
    if not force and target.exists() and WRITTEN.encode() not in target.read_bytes():
        raise UserError(
            f"`{target}` was not written by `untildone plan render`",
            hint="`untildone plan render --force` writes over it",
        )
    save(target, text)
    click.echo(f"written: {target}")
