"""Options of the queue's commands, and how they open its database."""

from typing import TYPE_CHECKING

import click

from untildone.cli.authority import require_user_of_machine
from untildone.cli.loops import open_context
from untildone.engine.context import Context
from untildone.runs.queue import address
from untildone.store.home import prepare_home

if TYPE_CHECKING:
    import sqlalchemy as sa

    from untildone.runs.queue.limits import LimitBook
    from untildone.runs.queue.task_queue import TaskQueue

database_option = click.option(
    "--database",
    default="",
    metavar="URL|PATH",
    envvar=address.VARIABLE,
    help="The queue's database: a SQLite file (the default is one of yours), or Postgres.",
)


def find_database(context: Context, database: str) -> str:
    address.require_extra()
    prepare_home(context.home)
    return address.find_url(database, home=context.home, environ=context.environ)


def open_queue(database: str, *, verb: str = "") -> "TaskQueue":
    """Open the queue; a verb that changes it is the user's, not an agent's."""
    context = open_context()
    engine = open_engine(context, database, verb=verb)
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.task_queue import TaskQueue

    return TaskQueue(engine, context.now)


def open_limits(database: str, *, verb: str = "") -> "LimitBook":
    """Open the queue's limits, as `open_queue` does."""
    context = open_context()
    engine = open_engine(context, database, verb=verb)
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.limits import LimitBook

    return LimitBook(engine, context.now)


def open_engine(context: Context, database: str, *, verb: str = "") -> "sa.Engine":
    """Open the queue's database, whose failures are errors of the user's."""
    if verb:
        require_user_of_machine(context, verb)
    url = find_database(context, database)
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.database import explain_errors, open_database

    return explain_errors(open_database(url), url)
