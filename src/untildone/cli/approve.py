"""`untildone approve`: the person allows what was lost against the start."""

from pathlib import Path

import click

from untildone.cli.options import chosen, here, persons_word, project_option
from untildone.cli.said import which_option
from untildone.judge import verbs
from untildone.judge.verbs import ALL


@click.command("approve")
@click.argument("findings", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Approve all that is asked about.")
@which_option
@project_option
def command(
    findings: tuple[str, ...], *, everything: bool, loop: str | None, project: Path | None
) -> None:
    """Approve losses by the ids the pause names.

    \b
    untildone approve --all
    untildone approve remove-test:tests/test_old.py::test_gone
    """
    found = here()
    record = chosen(found, loop, project)
    persons_word(found, record, "approve")
    approved = verbs.allow(found, record, (ALL,) if everything else findings)
    click.echo(f"approved {', '.join(approved)}; `untildone continue` goes on")
