"""The command line: a table of commands, and the one error boundary."""

import importlib
import platform
import sys
import traceback
from collections.abc import Sequence

import click

from untildone import __version__
from untildone.errors import UserError

# command -> what it does, in the order of the help; the module of the same name has `command`
COMMANDS = {
    "demo": "Show the whole thing in a minute, without key or agent.",
    "init": "Install hooks, skills and status line.",
    "uninstall": "Take our entries out again.",
    "doctor": "Explain what is wrong and how to mend it.",
    "drill": "Prove that the installed hook holds and lets go.",
    "detect": "List the checks found here, with reasons.",
    "check": "Run the checks now: 0 green, 1 red, 17 unrunnable.",
    "start": "Start a loop in an agent's session.",
    "status": "Show what runs, and whether it is really held.",
    "history": "List what ran.",
    "show": "Show one loop whole.",
    "rounds": "Show a loop's rounds as they happened.",
    "pause": "Pause a loop.",
    "continue": "Continue a paused loop.",
    "cancel": "Cancel a loop.",
    "approve": "Approve what was lost against the start.",
    "trust": "Trust this repository's configuration as it is now.",
    "met": "Report a claim as met (the agent's).",
    "criterion": "Add a criterion (the agent's).",
    "note": "Leave a note in the receipt (the agent's).",
    "signal": "Say that the task is done (the agent's).",
    "blocked": "Say what cannot be got past (the agent's).",
    "completion": "Print the shell's completion script.",
    "hook": "Answer one event of an agent (what the installed command comes to).",
    "statusline": "Print the agent's status line.",
    "baseline": "",
}
_MODULES = {"continue": "resume"}
_HIDDEN = frozenset(("hook", "statusline", "baseline"))


class Commands(click.Group):
    """Imports a command's module only when that command is meant."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"untildone.cli.{_MODULES.get(name, name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, text) for name, text in COMMANDS.items() if name not in _HIDDEN]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="untildone")
def cli() -> None:
    """Keep a coding agent working until the evidence says that the work is done.

    \b
    untildone demo      see it in a minute
    untildone init      install it for Claude Code, once per machine
    """


def main(argv: Sequence[str] | None = None) -> int:
    try:
        result = cli.main(args=argv, prog_name="untildone", standalone_mode=False)
    except UserError as error:
        return _told(error)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader had enough; silence Python's own complaint at exit.
        sys.stderr.close()
        return 0
    except Exception:  # noqa: BLE001  the one boundary: a bug ends here, with a report to paste
        return _bug()
    return result if isinstance(result, int) else 0


def _told(error: UserError) -> int:
    click.echo(f"error: {error.message}", err=True)
    if error.hint:
        click.echo(f"\nhint: {error.hint}", err=True)
    return error.exit_code


def _bug() -> int:
    report = (
        "error: a bug in untildone; please report it with the following\n\n"
        f"untildone {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"arguments: {sys.argv[1:]}\n\n```\n{traceback.format_exc()}```"
    )
    click.echo(report, err=True)
    return 3
