"""The state a command works on, and which loop it means."""

from pathlib import Path

import click

from untildone import app
from untildone.cli.options import find_project
from untildone.core.text import join_first, pluralize
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.store.home import check_home
from untildone.store.loops import Record, UnreadableLoop


def open_context(agent: str = "claude") -> Context:
    """Open the state; refuse an unusable folder, which must not look like one without loops."""
    context = app.open_context(agent=agent)
    check_home(context.home)
    return context


def get_session_id(context: Context) -> str:
    """Return the id of the session whose shell this runs in; empty outside of a session."""
    return context.environ.get(context.agent.SESSION_VARIABLE, "")


def list_loops(context: Context) -> list[Record]:
    return [record for record in context.loops.list_all() if isinstance(record, Record)]


def list_broken_loops(context: Context) -> list[UnreadableLoop]:
    return [record for record in context.loops.list_all() if isinstance(record, UnreadableLoop)]


def describe_other_loops(context: Context) -> str:
    """Return a hint for a project without loops: tasks of a plan run in other folders."""
    count = len(list_loops(context))
    return f"; `--all` shows {pluralize(count, 'loop')} elsewhere" if count else ""


def choose_loop(context: Context, loop: str | None, project: Path | None) -> Record:
    """Return the loop named, that of this session, or the only unfinished one of this project."""
    if loop is not None:
        return _find_loop(context, loop)
    session_loop = context.session(get_session_id(context)).get_loop_id()
    if session_loop:
        return _find_loop(context, session_loop)
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
    return _require_one(unfinished, "there are several loops here")


def choose_loop_to_show(context: Context, loop: str | None, project: Path | None) -> Record:
    """Return what `choose_loop` does, or the last loop of a project that has only finished ones."""
    records = list_project_loops(context, project) if loop is None else []
    if records and all(record.progress.status == "finished" for record in records):
        return records[0]
    return choose_loop(context, loop, project)


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
