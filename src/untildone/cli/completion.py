"""`untildone completion`: the shell's completion script."""

import click
from click.shell_completion import get_completion_class

from untildone.errors import UserError


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the completion script; put it where your shell loads such files.

    \b
    untildone completion bash > ~/.local/share/bash-completion/completions/untildone
    """
    from untildone.cli.main import cli

    found = get_completion_class(shell)
    if found is None:
        raise UserError(f"there is no completion for `{shell}`")
    click.echo(found(cli, {}, "untildone", "_UNTILDONE_COMPLETE").source())
