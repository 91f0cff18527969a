"""`untildone queue clean`: remove the rounds of tasks that ended long ago."""

from datetime import datetime, timedelta

import click

from untildone.cli.loops import open_context
from untildone.cli.options import json_option
from untildone.cli.queue.changes import print_change
from untildone.cli.queue.queue_options import database_option, open_engine
from untildone.engine.stale_loops import STALE_DAYS


@click.command("clean")
@click.option(
    "--days",
    type=click.FloatRange(min=0),
    default=STALE_DAYS,
    show_default=True,
    metavar="N",
    help="Only tasks that ended so long ago.",
)
@database_option
@json_option
def clean_command(*, days: float, database: str, as_json: bool) -> None:
    """Remove the refs of the rounds of tasks that ended long ago without being done.

    They are in the tasks' repositories, below `refs/untildone/work/`. A task that is retried after
    that begins anew.

    \b
    untildone queue clean
    untildone queue clean --days 7
    """
    context = open_context()
    engine = open_engine(context, database, verb="queue clean")
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.old_work import remove_old_work
    from untildone.runs.queue.worker_folders import WorkerFolders

    before = datetime.fromisoformat(context.now()) - timedelta(days=days)
    cache = WorkerFolders(context.home, "").repositories
    change = remove_old_work(engine, cache, before=before.isoformat(timespec="seconds"))
    print_change(change, as_json=as_json)
