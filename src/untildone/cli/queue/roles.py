"""`untildone queue migrate` and `grant`: the tables, and who may do what in them."""

import click

from untildone.cli.authority import require_user_of_machine
from untildone.cli.loops import open_context
from untildone.cli.queue.queue_options import database_option, find_database
from untildone.errors import UserError
from untildone.runs.queue.address import get_name, is_shared


@click.command("migrate")
@database_option
def migrate_command(*, database: str) -> None:
    """Create the queue's tables, or bring them up to this version.

    The first command does that too, if its role owns the database. Where submitters and workers
    have roles with fewer rights, the owner runs this first and after an upgrade.

    \b
    untildone queue migrate --database postgresql://owner@db/queue
    """
    context = open_context()
    require_user_of_machine(context, "queue migrate")
    url = find_database(context, database)
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.database import migrate

    migrate(url)
    click.echo("the tables are up to date")


@click.command("grant")
@click.option("--submitter", multiple=True, metavar="NAME", help="Adds, cancels, retries tasks.")
@click.option("--worker", multiple=True, metavar="NAME", help="Does tasks.")
@click.option("--reader", multiple=True, metavar="NAME", help="Only looks.")
@database_option
def grant_command(
    *,
    submitter: tuple[str, ...],
    worker: tuple[str, ...],
    reader: tuple[str, ...],
    database: str,
) -> None:
    """Print the SQL that gives roles of Postgres the rights they need, and no others.

    Nothing is changed: the owner of the database runs it. A role that is named has only these
    rights in the queue afterwards.

    \b
    untildone queue grant --submitter alice --submitter bob --worker build --reader board
    untildone queue grant --worker build | psql -v ON_ERROR_STOP=1 "$UNTILDONE_DATABASE"
    """
    url = find_database(open_context(), database)
    if not is_shared(url):
        raise UserError(
            "a SQLite file has no roles: who may write to the file may do everything",
            hint="name a database in Postgres: `--database postgresql://OWNER@HOST/NAME`",
        )
    if not (submitter or worker or reader):
        raise UserError("no role is named", hint="name one: `--submitter`, `--worker`, `--reader`")
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.grants import format_grants
    from untildone.runs.queue.rights import Role

    named: list[tuple[Role, str]] = [
        *(("submitter", name) for name in submitter),
        *(("worker", name) for name in worker),
        *(("reader", name) for name in reader),
    ]
    click.echo(format_grants(get_name(url), named))
