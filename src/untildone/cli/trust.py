"""`untildone trust`: the person lets this content of the configuration be run."""

import difflib
from pathlib import Path

import click

from untildone.cli.options import here, project_of, project_option, session_here
from untildone.config import Proposal, proposal
from untildone.errors import UserError
from untildone.judge.context import Context
from untildone.judge.speaker import called_by_agent
from untildone.store.home import prepare
from untildone.store.trust import trust, trusted_text


@click.command("trust")
@click.option("--sha256", metavar="H", help="Trust only if the content has this hash (for CI).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
def command(*, sha256: str | None, yes: bool, project: Path | None) -> None:
    """Trust this repository's `untildone.toml` as it is now; any change revokes it."""
    found = here()
    proposed = proposal(project_of(project))
    if proposed is None:
        raise UserError(
            f"there is no `untildone.toml` in `{project_of(project)}`", hint="nothing needs trust"
        )
    _by_the_person(found)
    if sha256 and sha256 != proposed.sha256:
        raise UserError(f"`{proposed.path}` has sha256 {proposed.sha256}, not {sha256}")
    _show(found, proposed)
    if not (sha256 or yes):
        click.confirm("trust this content?", abort=True)
    prepare(found.home)
    trust(found.home, proposed.path, sha256=proposed.sha256, text=proposed.text)
    click.echo(f"trusted: {proposed.path} (sha256 {proposed.sha256})")


def _by_the_person(found: Context) -> None:
    session = session_here(found)
    if session and called_by_agent(found.agent, found.session(session)):
        raise UserError("`untildone trust` is the person's to say")


def _show(found: Context, proposed: Proposal) -> None:
    before = trusted_text(found.home, proposed.path)
    if not before:
        click.echo(proposed.text)
        return
    lines = difflib.unified_diff(
        before.splitlines(), proposed.text.splitlines(), "trusted", "now", lineterm=""
    )
    click.echo("\n".join(lines) or "unchanged since it was trusted")
