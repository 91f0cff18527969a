"""What commands have in common: where they work, which loop is meant, who may say it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from untildone.agents import AGENTS
from untildone.checks.tree import root_of
from untildone.errors import UserError
from untildone.judge.context import Context, context
from untildone.judge.speaker import called_by_agent
from untildone.store.files import Damaged
from untildone.store.loops import Broken, Record

F = TypeVar("F", bound=Callable[..., Any])

project_option = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's folder, instead of the one this is called in.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
loop_argument = click.argument("loop", required=False)
agent_option = click.option(
    "--agent", type=click.Choice(sorted(AGENTS)), default="claude", help="Whose session it is."
)


def project_of(given: Path | None) -> Path:
    """The folder given, else the top of the worktree this is called in."""
    if given:
        return given.resolve()
    return root_of(Path.cwd()) or Path.cwd()


def here(agent: str = "claude") -> Context:
    return context(agent=agent)


def print_json(value: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def session_here(found: Context) -> str:
    """The session whose shell this runs in, if any."""
    return found.environ.get(found.agent.SESSION_VARIABLE, "")


def records(found: Context) -> list[Record]:
    return [record for record in found.loops.all() if isinstance(record, Record)]


def broken(found: Context) -> list[Broken]:
    return [record for record in found.loops.all() if isinstance(record, Broken)]


def chosen(found: Context, loop: str | None, project: Path | None) -> Record:
    """The loop named, the one of this session, or the only unfinished one of this project."""
    if loop:
        return _named(found, loop)
    own = found.session(session_here(found)).loop()
    if own:
        return _named(found, own)
    place = str(project_of(project))
    open_ = [
        record
        for record in records(found)
        if record.progress.status != "finished" and record.contract.project == place
    ]
    if len(open_) == 1:
        return open_[0]
    if not open_:
        raise UserError(
            f"there is no unfinished loop in `{place}`",
            hint="`untildone status --all` shows those of other projects",
        )
    ids = ", ".join(f"`{record.contract.id}`" for record in open_)
    raise UserError(f"there are several loops here: {ids}", hint="name one of them")


def _named(found: Context, loop: str) -> Record:
    matches = [record for record in records(found) if record.contract.id.startswith(loop)]
    if len(matches) == 1:
        return matches[0]
    try:
        return found.loops.load(loop)
    except Damaged as error:
        raise UserError(
            f"loop `{loop}` cannot be read: {error}", hint="`untildone doctor`"
        ) from None


def persons_word(found: Context, record: Record, verb: str) -> None:
    """Refuse a person's verb that comes out of a tool call of the agent."""
    if called_by_agent(found.agent, found.session_of(record)):
        raise UserError(
            f"`untildone {verb}` is the person's to say",
            hint="if you cannot go on, run `untildone blocked REASON`",
        )
