"""What commands have in common: where they work, which loop is meant, who may say it."""

from pathlib import Path

import click

from untildone import app
from untildone.cli.project import find_project
from untildone.core.text import pluralize
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.report.receipt import join_first
from untildone.store.home import check_home
from untildone.store.loops import Record, UnreadableLoop


def open_context(agent: str = "claude") -> Context:
    """A state that is there and cannot be ours is named, never taken for no loop."""
    found = app.open_context(agent=agent)
    check_home(found.home)
    return found


def current_session_id(found: Context) -> str:
    """The session whose shell this runs in, if any."""
    return found.environ.get(found.agent.SESSION_VARIABLE, "")


def list_loops(found: Context) -> list[Record]:
    return [record for record in found.loops.list_all() if isinstance(record, Record)]


def list_broken_loops(found: Context) -> list[UnreadableLoop]:
    return [record for record in found.loops.list_all() if isinstance(record, UnreadableLoop)]


def describe_other_loops(found: Context) -> str:
    """Where nothing is here: a plan's tasks, for one, are worked on in folders of their own."""
    count = len(list_loops(found))
    return f"; `--all` shows {pluralize(count, 'loop')} elsewhere" if count else ""


def choose_loop(found: Context, loop: str | None, project: Path | None) -> Record:
    """The loop named, the one of this session, or the only unfinished one of this project."""
    if loop is not None:
        return _find_loop(found, loop)
    own = found.session(current_session_id(found)).get_loop_id()
    if own:
        return _find_loop(found, own)
    unfinished = [
        record
        for record in list_project_loops(found, project)
        if record.progress.status != "finished"
    ]
    if not unfinished:
        raise UserError(
            f"there is no unfinished loop in `{find_project(project)}`",
            hint="`untildone status --all` shows those of other projects",
        )
    return _require_one(unfinished, "there are several loops here")


def choose_loop_to_show(found: Context, loop: str | None, project: Path | None) -> Record:
    """As `chosen`; where nothing is unfinished, the last one of this project."""
    ended = list_project_loops(found, project) if loop is None else []
    if ended and all(record.progress.status == "finished" for record in ended):
        return ended[0]
    return choose_loop(found, loop, project)


def list_project_loops(found: Context, project: Path | None) -> list[Record]:
    """Those of this project, the newest first."""
    place = str(find_project(project))
    return [record for record in list_loops(found) if record.contract.project == place]


def _find_loop(found: Context, loop: str) -> Record:
    """By the id or its beginning."""
    if not loop:
        raise UserError("the id of the loop is empty", hint="`untildone status --all` lists them")
    matches = [record for record in list_loops(found) if record.contract.id.startswith(loop)]
    if matches:
        return _require_one(matches, f"several loops begin with `{loop}`")
    return found.loops.load(loop)


def _require_one(matches: list[Record], otherwise: str) -> Record:
    if len(matches) == 1:
        return matches[0]
    ids = join_first(tuple(f"`{record.contract.id}`" for record in matches))
    raise UserError(
        f"{otherwise}: {ids}", hint=f"name one: `{_suggest_command(matches[0].contract.id)}`"
    )


def _suggest_command(loop: str) -> str:
    """The command that was typed, with this loop: some take it as `--loop`."""
    called = click.get_current_context()
    option = any("--loop" in param.opts for param in called.command.params)
    return f"{called.command_path} … --loop {loop}" if option else f"{called.command_path} {loop}"
