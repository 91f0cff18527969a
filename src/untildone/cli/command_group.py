"""A group of commands whose modules are imported only when they are called."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click

from untildone.errors import UserError

# What people type who know another program, with our word for it.
_SYNONYMS = {
    **dict.fromkeys(("stop", "abort", "end", "kill"), "cancel"),
    **dict.fromkeys(("resume", "unpause"), "continue"),
    **dict.fromkeys(("list", "ls", "ps"), "status"),
    **dict.fromkeys(("log", "logs"), "history"),
    **dict.fromkeys(("install", "setup"), "init"),
    **dict.fromkeys(("accept", "allow"), "approve"),
    **dict.fromkeys(("test", "tests", "lint", "build"), "check"),
    **dict.fromkeys(("gc", "prune"), "clean"),
    "help": "--help",
    "version": "--version",
}


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the command that was probably meant instead of one that does not exist."""
        typed = args[0]
        similar = "" if typed in self._table else self._find_similar(typed)
        if similar and not ctx.resilient_parsing:
            raise UserError(
                f"no such command `{typed}`", hint=f"did you mean `{ctx.command_path} {similar}`?"
            )
        return super().resolve_command(ctx, args)

    def _find_similar(self, typed: str) -> str:
        """Return the synonym or the nearest name of a command that is shown in the help."""
        shown = [name for name, (_, text) in self._table.items() if text]
        synonym = _SYNONYMS.get(typed.lower(), "")
        if synonym in shown or synonym.startswith("-"):
            return synonym
        begun = [name for name in shown if len(typed) > 1 and name.startswith(typed.lower())]
        return next(iter((*begun, *get_close_matches(typed.lower(), shown, n=1))), "")

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._table.items() if text])
