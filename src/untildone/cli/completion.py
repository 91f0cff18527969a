"""`untildone completion`: the shell's completion script."""

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

_SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


@click.command("completion")
@click.argument("shell", type=click.Choice(tuple(_SHELLS)))
def completion_command(shell: str) -> None:
    """Print the completion script; save it where your shell loads completions.

    \b
    untildone completion bash > ~/.local/share/bash-completion/completions/untildone
    untildone completion fish > ~/.config/fish/completions/untildone.fish
    """
    from untildone.cli.main import cli

    click.echo(_SHELLS[shell](cli, {}, "untildone", "_UNTILDONE_COMPLETE").source())
