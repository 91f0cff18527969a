"""A group of commands whose modules are imported only when they are called."""

import importlib
from collections.abc import Mapping
from typing import Any

import click


class CommandGroup(click.Group):
    """`table` has the module and the one-line help of each command, in the order of the help.

    A module defines the command `set-status` as `set_status_command`. A command without help is
    hidden.
    """

    def __init__(self, *, table: Mapping[str, tuple[str, str]], **options: Any) -> None:  # noqa: ANN401  click's own
        super().__init__(**options)
        self._table = table

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._table:
            return None
        module = importlib.import_module(f"untildone.cli.{self._table[name][0]}")
        command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._table.items() if text])
