"""`untildone trust`: the person lets this content of the configuration be run."""

import difflib
import sys
from pathlib import Path

import click

from untildone.cli.options import here, persons_machine, project_of, project_option
from untildone.config import Proposal, proposal
from untildone.errors import UserError
from untildone.judge.context import Context
from untildone.store.home import prepare
from untildone.store.trust import trust, trusted_text


@click.command("trust")
@click.option("--sha256", metavar="H", help="Trust only if the content has this hash (for CI).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
def command(*, sha256: str | None, yes: bool, project: Path | None) -> int:
    """Trust this repository's `untildone.toml` as it is now; any change revokes it.

    \b
    untildone trust                                        shows it and asks
    untildone trust --sha256 "$(sha256sum <reviewed.toml | cut -c1-64)"    in CI
    """
    found = here()
    place = project_of(project)
    proposed = proposal(place)
    if proposed is None:
        raise UserError(
            f"there is no `untildone.toml` in `{place}`",
            hint="checks that are found need no trust: `untildone detect` lists them",
        )
    persons_machine(found, "trust")
    if sha256 is not None and sha256.lower() != proposed.sha256:
        raise UserError(
            f"`{proposed.path}` has sha256 {proposed.sha256}, not {sha256 or 'an empty one'}",
            hint="`untildone trust` shows what is in it",
        )
    _show(found, proposed)
    if not (sha256 or yes or _agreed()):
        click.echo("not trusted: nothing in it is run", err=True)
        return 1
    prepare(found.home)
    trust(found.home, proposed.path, sha256=proposed.sha256, text=proposed.text)
    click.echo(f"trusted: {proposed.path} (sha256 {proposed.sha256})")
    return 0


def _agreed() -> bool:
    try:
        return click.confirm("trust this content?")
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo()
        raise UserError(
            "nobody answered", hint="`untildone trust --sha256 H` needs no answer"
        ) from None


def _show(found: Context, proposed: Proposal) -> None:
    before = trusted_text(found.home, proposed.path)
    if not before:
        click.echo(_visible(proposed.text))
        return
    lines = difflib.unified_diff(
        before.splitlines(), proposed.text.splitlines(), "trusted", "now", lineterm=""
    )
    click.echo(_visible("\n".join(lines)) or "unchanged since it was trusted")


def _visible(text: str) -> str:
    """Nothing in it may hide or reorder what else is shown."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text
    )
