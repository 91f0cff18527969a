"""The command line: a table of commands, and the one error boundary."""

import errno
import io
import os
import platform
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from untildone import __version__
from untildone.cli.command_group import CommandGroup
from untildone.errors import UserError

# The module and the one-line help of each command, in the order of the help.
COMMANDS = {
    "demo": ("demo", "Show a loop in a minute, without an API key or an agent."),
    "init": ("init", "Install hooks, skills and status line."),
    "uninstall": ("init", "Remove what `init` installed."),
    "doctor": ("doctor", "Explain what is wrong and how to fix it."),
    "drill": ("drill", "Prove that the installed hook holds and releases."),
    "detect": ("detect", "List the checks found here, with reasons."),
    "check": ("check", "Run the checks now: 0 green, 1 red, 17 unrunnable."),
    "templates": ("templates", "List the named loops, with their checks and bounds."),
    "start": ("start", "Start a loop in an agent's session."),
    "run": ("run", "Run an agent headless until its work is done."),
    "import": ("import_", "Start a loop from another tool's file."),
    "plan": ("plan", "Work with a task list: validate it, show what is next."),
    "queue": ("queue", "Queue tasks for workers, also on other machines."),
    "worker": ("worker", "Work on queued tasks."),
    "status": ("status", "Show active loops, and whether their agents are held."),
    "history": ("history", "List past loops."),
    "show": ("show", "Show one loop in full."),
    "receipt": ("receipt", "Show, sign and verify the receipt of a loop."),
    "rounds": ("history", "Show the rounds of a loop."),
    "report": ("report", "Write a loop as one page, for a browser or a pull request."),
    "replay": ("replay", "Replay the rounds of a loop in the terminal."),
    "serve": ("serve", "Show all loops on a live page in your browser."),
    "pause": ("user_verbs", "Pause a loop."),
    "continue": ("continue_", "Continue a paused loop."),
    "cancel": ("user_verbs", "Cancel a loop."),
    "approve": ("user_verbs", "Approve concerns that a loop paused for."),
    "clean": ("clean", "Cancel loops that were paused long ago."),
    "rollback": ("steps", "Restore the files from before a step."),
    "notify": ("notify", "Try out the notifications."),
    "otel": ("otel", "Send a loop as an OpenTelemetry trace."),
    "trust": ("trust", "Trust this repository's configuration as it is now."),
    "met": ("agent_verbs", "Report a claim as met (for the agent)."),
    "verify": ("verify", "Record a verifier's result on a task of a plan (for the agent)."),
    "criterion": ("agent_verbs", "Add a criterion (for the agent)."),
    "steps": ("steps", "Name the steps and report which are done (for the agent)."),
    "precheck": ("steps", "Record what could go wrong in a risky change (for the agent)."),
    "score": ("score", "Score a spec: how clear it is, and what would make it clearer."),
    "note": ("agent_verbs", "Leave a note in the receipt (for the agent)."),
    "signal": ("agent_verbs", "Report that the task is done (for the agent)."),
    "blocked": ("agent_verbs", "Report what needs the user (for the agent)."),
    "completion": ("completion", "Print the shell's completion script."),
    "hook": ("internal", ""),
    "statusline": ("internal", ""),
    "baseline": ("internal", ""),
    "sandbox-trial": ("internal", ""),
    "diagnose": ("internal", ""),
    "milestone": ("internal", ""),
    "otel-export": ("internal", ""),
}
# The exit status of a program that SIGPIPE ended: 128 + 13.
_CLOSED_PIPE = 141
_REFUSALS = frozenset(
    (
        *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO),
        *(errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EFBIG),
    )
)
_LONGEST = 200


@contextmanager
def _handle_closed_pipe() -> Iterator[None]:
    """Exit 141 if the reader closes the pipe; click and rich would exit 1, meaning "not met"."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as ended:
        if not isinstance(ended.__context__ or ended, BrokenPipeError):
            raise
        _discard_output()
        raise click.exceptions.Exit(_CLOSED_PIPE) from None


class _Commands(CommandGroup):
    """The top group: its help and its commands may be written to a pipe that is closed."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:  # noqa: ANN401  click's own
        with _handle_closed_pipe():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> object:
        with _handle_closed_pipe():
            return super().invoke(ctx)


@click.group(
    cls=_Commands, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="untildone")
def cli() -> None:
    """Keep a coding agent working until the evidence says that the work is done.

    \b
    untildone demo      watch a loop in a minute
    untildone init      install it for your agents, once per machine
    untildone check     run this project's checks
    untildone status    show active loops, and whether their agents are held
    """


def main(argv: Sequence[str] | None = None) -> int:
    _escape_unencodable_output()
    try:
        result = cli.main(args=argv, prog_name="untildone", standalone_mode=False)
    except UserError as error:
        return _print_error(error)
    except click.ClickException as error:
        return _print_usage_error(error)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except Exception as error:  # noqa: BLE001  the one boundary: a bug ends here, with a report to paste
        user_error = _explain_system_error(error)
        return _print_error(user_error) if user_error else _report_bug()
    return result if isinstance(result, int) else 0


def _escape_unencodable_output() -> None:
    """Escape characters of paths and tasks that the terminal's encoding lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _print_error(error: UserError) -> int:
    click.echo(f"error: {error.message}", err=True)
    if error.hint:
        click.echo(f"\nhint: {error.hint}", err=True)
    return error.exit_code


def _print_usage_error(error: click.ClickException) -> int:
    """Print click's message in our style: one line, lower case, literals in backticks."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        error.show()
        return error.exit_code
    text = " ".join(error.format_message().split()).removesuffix(".")
    text = re.sub(r"(?<!\w)'([^'`]*)'(?!\w)", r"`\1`", text[:1].lower() + text[1:])
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "untildone"
    return _print_error(UserError(text, hint=f"run `{path} --help` to see its options"))


def _explain_system_error(error: Exception) -> UserError | None:
    """Return a message for a full disk, a missing permission, damaged or locked files, or None."""
    # Imported here because hardly any command gets here.
    from untildone.store.durable_files import DamagedFileError
    from untildone.store.lock import LockTimeoutError

    if isinstance(error, DamagedFileError):
        return UserError(str(error), hint="run `untildone doctor` for details")
    if isinstance(error, LockTimeoutError):
        return UserError(str(error), hint="try again when the other program has ended")
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    reason = (error.strerror or str(error)).lower()
    if error.filename is not None:
        return UserError(f"`{error.filename}`: {reason}", hint="run `untildone doctor` for details")
    target = "the output" if _is_output_refused() else "the state"
    return UserError(f"{target} cannot be written: {reason}", hint="free some space and try again")


def _is_output_refused() -> bool:
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
        return True
    return False


def _discard_output() -> None:
    """Discard what is left: Python's last flush would fail again and change the exit status."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.close(sink)


def _report_bug() -> int:
    arguments = [argument[:_LONGEST] for argument in sys.argv[1:]]
    report = (
        "error: this is a bug in untildone; please report it with the following\n\n"
        f"untildone {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"arguments: {arguments}\n\n```\n{traceback.format_exc()}```"
    )
    click.echo(report, err=True)
    return 3
