"""`untildone receipt`: commands for receipts that others verify."""

import click

from untildone.cli.command_group import CommandGroup

_COMMANDS = {
    "show": ("receipt.show", "Show a receipt, also as an in-toto statement."),
    "sign": ("receipt.sign", "Sign a receipt with your SSH key."),
    "verify": ("receipt.verify", "Verify one receipt: tree, contract, journal, signature."),
    "check": ("receipt.check", "Demand a valid receipt for a commit, in CI."),
}


@click.group("receipt", cls=CommandGroup, table=_COMMANDS)
def receipt_command() -> None:
    """Show, sign and verify receipts, so that a reviewer need not take your word.

    \b
    untildone receipt sign --note
    untildone receipt check --range origin/main..HEAD --key allowed_signers
    """
