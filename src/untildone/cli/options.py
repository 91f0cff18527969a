"""What commands have in common: where they work, which loop is meant, who may say it."""

from pathlib import Path

import click

from untildone.cli.flags import json_option as json_option
from untildone.cli.flags import print_json as print_json
from untildone.cli.flags import project_option as project_option
from untildone.core.text import number
from untildone.engine.context import Context, context
from untildone.engine.speaker import calling_session, is_in_check, speaks_for_agent
from untildone.errors import UserError
from untildone.report.receipt import first_of
from untildone.store.home import look_at
from untildone.store.loops import Broken, Record
from untildone.store.sessions import Session
from untildone.worktree.files import find_worktree_root

loop_argument = click.argument("loop", required=False)


def project_of(given: Path | None) -> Path:
    """The folder given, else the top of the worktree this is called in."""
    if given:
        return given.resolve()
    try:
        called_in = Path.cwd()
    except FileNotFoundError:
        raise UserError(
            "the folder this is called in is gone", hint="`cd` elsewhere, or give `--project DIR`"
        ) from None
    return find_worktree_root(called_in) or called_in


def here(agent: str = "claude") -> Context:
    """A state that is there and cannot be ours is named, never taken for no loop."""
    found = context(agent=agent)
    look_at(found.home)
    return found


def session_here(found: Context) -> str:
    """The session whose shell this runs in, if any."""
    return found.environ.get(found.agent.SESSION_VARIABLE, "")


def records(found: Context) -> list[Record]:
    return [record for record in found.loops.all() if isinstance(record, Record)]


def broken(found: Context) -> list[Broken]:
    return [record for record in found.loops.all() if isinstance(record, Broken)]


def elsewhere(found: Context) -> str:
    """Where nothing is here: a plan's tasks, for one, are worked on in folders of their own."""
    count = len(records(found))
    return f"; `--all` shows {number(count, 'loop')} elsewhere" if count else ""


def chosen(found: Context, loop: str | None, project: Path | None) -> Record:
    """The loop named, the one of this session, or the only unfinished one of this project."""
    if loop is not None:
        return _named(found, loop)
    own = found.session(session_here(found)).loop()
    if own:
        return _named(found, own)
    unfinished = [
        record for record in loops_of(found, project) if record.progress.status != "finished"
    ]
    if not unfinished:
        raise UserError(
            f"there is no unfinished loop in `{project_of(project)}`",
            hint="`untildone status --all` shows those of other projects",
        )
    return _only(unfinished, "there are several loops here")


def looked_at(found: Context, loop: str | None, project: Path | None) -> Record:
    """As `chosen`; where nothing is unfinished, the last one of this project."""
    ended = loops_of(found, project) if loop is None else []
    if ended and all(record.progress.status == "finished" for record in ended):
        return ended[0]
    return chosen(found, loop, project)


def loops_of(found: Context, project: Path | None) -> list[Record]:
    """Those of this project, the newest first."""
    place = str(project_of(project))
    return [record for record in records(found) if record.contract.project == place]


def _named(found: Context, loop: str) -> Record:
    """By the id or its beginning."""
    if not loop:
        raise UserError("the id of the loop is empty", hint="`untildone status --all` lists them")
    matches = [record for record in records(found) if record.contract.id.startswith(loop)]
    if matches:
        return _only(matches, f"several loops begin with `{loop}`")
    return found.loops.load(loop)


def _only(matches: list[Record], otherwise: str) -> Record:
    if len(matches) == 1:
        return matches[0]
    ids = first_of(tuple(f"`{record.contract.id}`" for record in matches))
    raise UserError(f"{otherwise}: {ids}", hint=f"name one: `{_naming(matches[0].contract.id)}`")


def _naming(loop: str) -> str:
    """The command that was typed, with this loop: some take it as `--loop`."""
    called = click.get_current_context()
    option = any("--loop" in param.opts for param in called.command.params)
    return f"{called.command_path} … --loop {loop}" if option else f"{called.command_path} {loop}"


def require_user(
    found: Context, record: Record, verb: str, *, session: Session | None = None
) -> None:
    """Refuse a person's verb that comes from an agent's side, towards the loop's own session."""
    require_user_of_loop(found, session or found.session_of(record), verb)


def refuse_in_check(found: Context, verb: str) -> None:
    """Code that a check runs has no say in whether it is checked."""
    if is_in_check(str(found.home)):
        raise UserError(
            f"`untildone {verb}` is refused: it was called from inside a check",
            hint="run it in your own terminal",
        )


def require_user_of_loop(found: Context, session: Session, verb: str) -> None:
    refuse_in_check(found, verb)
    if speaks_for_agent(found.agent, str(found.home), session):
        raise UserError(
            f"`untildone {verb}` is the person's to say",
            hint="if you cannot go on, run `untildone blocked REASON`",
        )


def require_user_of_machine(found: Context, verb: str) -> None:
    """Refuse what concerns the whole machine from below any agent's client."""
    refuse_in_check(found, verb)
    if calling_session(found.agent, str(found.home)):
        raise UserError(
            f"`untildone {verb}` is the person's to say",
            hint="it is run in their own terminal, not inside a session",
        )


def own_loop(found: Context, record: Record) -> None:
    """Refuse an agent's word on the loop of another session."""
    caller = calling_session(found.agent, str(found.home))
    if caller and caller.id != found.session_of(record).id:
        raise UserError(
            f"loop `{record.contract.id}` belongs to another session",
            hint="leave out `--loop`",
        )
