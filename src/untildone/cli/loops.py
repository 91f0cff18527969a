"""The state a command works on, and which loop it means."""

import os
import sys
from pathlib import Path

import click

from untildone import app
from untildone.agents import NAMES
from untildone.cli.options import find_project
from untildone.cli.terminal_text import fit_headline
from untildone.core.text import join_first, pluralize
from untildone.engine.context import Context
from untildone.engine.speaker import find_agent_of_shell, find_calling_session
from untildone.errors import UserError
from untildone.report.times import format_time
from untildone.report.verdict_names import name_state
from untildone.store.home import check_home, find_state_home
from untildone.store.loops import Record

# Of many loops to choose from only this many are listed, the newest.
_MAX_LISTED = 10


def open_context(agent: str = "") -> Context:
    """Open the state; refuse an unusable folder, which must not look like one without loops.

    Without a name the agent is the one whose shell this is, or Claude Code.
    """
    home = str(find_state_home(os.environ))
    agent = agent or find_agent_of_shell(os.environ, home)
    context = app.open_context(agent=agent or NAMES[0])
    check_home(context.home)
    return context


def get_session_id(context: Context) -> str:
    """Return the id of the session whose shell this runs in; empty outside of a session.

    Where the client tells its shell no session, or one without a loop, its process does: a
    headless run gives its loop a session that the client does not know.
    """
    hooks = context.agent.HOOKS
    session = context.environ.get(hooks.SESSION_VARIABLE, "")
    if not (session or context.environ.get(hooks.SHELL_VARIABLE)):
        return ""
    if session and context.session(session).get_loop_id():
        return session
    caller = find_calling_session(str(context.home))
    has_loop = caller is not None and caller.agent == context.agent.NAME and caller.get_loop_id()
    return caller.id if caller and (has_loop or not session) else session


def list_loops(context: Context) -> list[Record]:
    return [record for record in context.loops.list_all() if isinstance(record, Record)]


def describe_other_loops(count: int) -> str:
    """Return a hint for a project without loops: tasks of a plan run in other folders."""
    return f"; `--all` shows {pluralize(count, 'loop')} elsewhere" if count else ""


def choose_loop(context: Context, loop: str | None, project: Path | None) -> Record:
    """Return the loop named, that of this session, or the only unfinished one of this project."""
    if loop is not None:
        return _find_loop(context, loop)
    session_loop = context.session(get_session_id(context)).get_loop_id()
    if session_loop:
        return _find_loop(context, session_loop)
    return _require_one(list_unfinished_loops(context, project), "there are several loops here")


def list_unfinished_loops(context: Context, project: Path | None) -> list[Record]:
    """Return the unfinished loops of this project; raise UserError if there are none."""
    unfinished = [
        record
        for record in list_project_loops(context, project)
        if record.progress.status != "finished"
    ]
    if not unfinished:
        raise UserError(
            f"there is no unfinished loop in `{find_project(project)}`",
            hint="`untildone status --all` shows those of other projects",
        )
    return unfinished


def choose_loop_to_show(context: Context, loop: str | None, project: Path | None) -> Record:
    """Return what `choose_loop` does, or the last loop of a project that has only finished ones.

    Where that leaves several, the user chooses one of a list.
    """
    records = list_project_loops(context, project) if loop is None else []
    if records and all(record.progress.status == "finished" for record in records):
        return records[0]
    if loop is not None or context.session(get_session_id(context)).get_loop_id():
        return choose_loop(context, loop, project)
    unfinished = [record for record in records if record.progress.status != "finished"]
    if len(unfinished) == 1:
        return unfinished[0]
    if unfinished:
        return ask_for_loop("there are several loops here", unfinished)
    if elsewhere := list_loops(context):
        return ask_for_loop(f"no loop ran in `{find_project(project)}`; elsewhere", elsewhere)
    raise UserError(
        f"no loop ran in `{find_project(project)}` yet",
        hint="`untildone start --preset test` starts one in an agent's session",
    )


def list_project_loops(context: Context, project: Path | None) -> list[Record]:
    """Return the loops of this project, the newest first."""
    folder = str(find_project(project))
    return [record for record in list_loops(context) if record.contract.project == folder]


def _find_loop(context: Context, loop: str) -> Record:
    """Return the loop whose id begins with `loop`."""
    if not loop:
        raise UserError("the loop id is empty", hint="`untildone status --all` lists them")
    matches = [record for record in list_loops(context) if record.contract.id.startswith(loop)]
    if matches:
        return _require_one(matches, f"several loops begin with `{loop}`")
    return context.loops.load(loop)


def ask_for_loop(message: str, records: list[Record]) -> Record:
    """Let the user choose a loop by its number; without a terminal, list them in an error."""
    listed = records[:_MAX_LISTED]
    lines = [format_loop(record) for record in listed]
    more = f"\n   and {pluralize(len(records) - len(listed), 'older one')}"
    end = more if len(records) > len(listed) else ""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        rows = "\n".join(f"   {line}" for line in lines)
        hint = f"name one: `{_suggest_command(listed[0].contract.id)}`"
        raise UserError(f"{message}:\n{rows}{end}", hint=hint)
    rows = "\n".join(f"{number:>3}  {line}" for number, line in enumerate(lines, 1))
    click.echo(f"{message}:\n{rows}{end}", err=True)
    number = click.prompt("which one", type=click.IntRange(1, len(listed)), default=1, err=True)
    return listed[number - 1]


def format_loop(record: Record) -> str:
    """Return one line about a loop, for a list."""
    state = name_state(record.progress)
    head = f"{record.contract.id}  {format_time(record.contract.started_at)}  {state:<14}  "
    head += f"{Path(record.contract.project).name}: "
    return head + fit_headline(record.contract.task, indent=len(head) + 5)


def _require_one(matches: list[Record], message: str) -> Record:
    if len(matches) == 1:
        return matches[0]
    ids = join_first(tuple(f"`{record.contract.id}`" for record in matches))
    raise UserError(
        f"{message}: {ids}", hint=f"name one: `{_suggest_command(matches[0].contract.id)}`"
    )


def _suggest_command(loop: str) -> str:
    """Return the command that was typed, with this loop as its argument or as `--loop`."""
    call = click.get_current_context()
    has_option = any("--loop" in param.opts for param in call.command.params)
    return f"{call.command_path} … --loop {loop}" if has_option else f"{call.command_path} {loop}"
