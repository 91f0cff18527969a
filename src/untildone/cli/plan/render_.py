"""`untildone plan render`: writes TASKS.md from the plan."""

from pathlib import Path

import click

from untildone.cli.plan.plan_path import with_plan
from untildone.errors import UserError
from untildone.features.plans.editing import save_plan
from untildone.features.plans.plan_file import read_plan, require_order
from untildone.features.plans.rendering import GENERATED_NOTICE, render_markdown


@click.command("render")
@click.option("--stdout", is_flag=True, help="Print the text instead.")
@click.option("--force", is_flag=True, help="Overwrite a TASKS.md that untildone did not write.")
@with_plan
def command(*, stdout: bool, force: bool, path: Path) -> None:
    """Write TASKS.md beside the plan, for people to read.

    \b
    untildone plan render
    """
    document = require_order(read_plan(path))
    text = render_markdown(document.plan)
    if stdout:
        click.echo(text, nl=False)
        return
    target = document.path.with_suffix(".md")
    if not force and target.exists() and GENERATED_NOTICE.encode() not in target.read_bytes():
        raise UserError(
            f"`{target}` was not written by `untildone plan render`",
            hint="run `untildone plan render --force` to overwrite it",
        )
    save_plan(target, text)
    click.echo(f"written: {target}")
