"""`untildone approve`: the person allows what was lost against the start."""

from pathlib import Path

import click

from untildone.cli.options import chosen, here, persons_word, project_option
from untildone.errors import UserError
from untildone.judge import verbs


@click.command("approve")
@click.argument("findings", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Approve all that is asked about.")
@click.option("--loop", help="The loop, where it is not this session's or project's only one.")
@project_option
def command(
    findings: tuple[str, ...], *, everything: bool, loop: str | None, project: Path | None
) -> None:
    """Approve losses by the ids the pause names."""
    found = here()
    record = chosen(found, loop, project)
    persons_word(found, record, "approve")
    asked = record.progress.told_losses
    approved = asked if everything else findings
    unknown = [finding for finding in approved if finding not in asked]
    if unknown or not approved:
        known = ", ".join(f"`{finding}`" for finding in asked) or "nothing"
        named = ", ".join(f"`{finding}`" for finding in unknown) or "nothing"
        raise UserError(f"{named} is not asked about (asked: {known})", hint="give ids, or `--all`")
    verbs.allow(found, record.contract.id, approved)
    click.echo(f"approved {', '.join(approved)}; `untildone continue` goes on")
