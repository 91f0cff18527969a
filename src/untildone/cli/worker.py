"""`untildone worker`: work on queued tasks until it is ended."""

import getpass
import os
import platform
import secrets
import sys
from typing import Any, NoReturn

import click

from untildone.cli.authority import require_user_of_machine
from untildone.cli.loops import open_context
from untildone.cli.options import json_option
from untildone.cli.queue.add import parse_words
from untildone.cli.queue.queue_options import database_option, find_database
from untildone.cli.run import parse_agents, require_client
from untildone.cli.run_display import Show, open_display
from untildone.cli.worker_display import WorkerLines
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.runs.queue.address import is_shared
from untildone.runs.run_memory import RunOptions

_PATTERNS = "UNTILDONE_ALLOW_REPO"
# It lost its tasks (75), or it or the queue has no disk to write to (74).
_LOSSES = (74, 75)


@click.command("worker")
@click.option("-j", "--jobs", default=1, type=click.IntRange(1, 64), help="Tasks at once.")
@click.option(
    "--agent",
    "agents",
    callback=parse_agents,
    default="claude",
    show_default=True,
    metavar="NAME[,NAME]",
    envvar="UNTILDONE_AGENT",
    help="The agents it can run; the first does the tasks that name none.",
)
@click.option(
    "--labels", default="", callback=parse_words, metavar="A,B", help="What this machine has."
)
@click.option(
    "--allow-repo",
    "repositories",
    multiple=True,
    envvar=_PATTERNS,
    metavar="PATTERN",
    help="Work only on these repositories, such as `git@example.org:team/*`; may be repeated.",
)
@click.option(
    "--trust",
    "trusted",
    multiple=True,
    metavar="SHA256",
    help="Use a repository's configuration with this hash, as `untildone trust` prints it.",
)
@click.option(
    "--no-submitter-trust",
    "ignores_submitters",
    is_flag=True,
    help="Use no configuration because a task's submitter trusts it.",
)
@click.option(
    "--client", default="", metavar="COMMAND", help="Run this instead of the agent's program."
)
@click.option(
    "--account",
    default="",
    metavar="NAME",
    help="Whose sign-in its agents use; workers with one name share its usage limit."
    " Default: you on this machine.",
)
@click.option("--no-wait", is_flag=True, help="End when its accounts are at their usage limits.")
@click.option("--once", is_flag=True, help="End when no task is left that it can do.")
@click.option(
    "--lease",
    default=60.0,
    type=click.FloatRange(1, 3600),
    metavar="SECONDS",
    show_default=True,
    help="Others take its tasks when it was silent for so long.",
)
@database_option
@json_option
def worker_command(*, database: str, as_json: bool, **values: Any) -> int:  # noqa: ANN401  click's own values
    """Take queued tasks, run an agent on each until it is proved done, push the result.

    Each task is worked on in its own worktree of a clone in our state folder; its branch
    `untildone/ID` and its receipt are pushed when every check passes on what was committed.
    Ctrl-C lets it finish its tasks; a second one stops it, and another worker goes on with them.

    \b
    untildone worker -j 2
    untildone worker --once --agent codex
    untildone worker --database postgresql://worker@db/queue --allow-repo "git@example.org:team/*"
    """
    context = open_context(values["agents"][0])
    require_user_of_machine(context, "worker")
    # At a usage limit the task goes back to the queue, and the account sleeps.
    options = RunOptions(wait=False, client=values["client"])
    require_client(context, options)
    for name in values["agents"][1:]:
        require_client(open_context(name), RunOptions())
    url = find_database(context, database)
    values["repositories"] = values["repositories"] or _default_repositories(url)
    with open_display(WorkerLines, context.environ, as_json=as_json) as show:
        code = _run(context, url, values, options=options, show=show)
    if code in _LOSSES:
        _leave(code)
    return code


def _leave(code: int) -> NoReturn:
    """End the process at once: threads of dbos may wait for a database that is away."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(
    context: Context, url: str, values: dict[str, Any], *, options: RunOptions, show: Show
) -> int:
    # Imported here because the help and other commands must not need the extra.
    from untildone.runs.queue.configuration_trust import TrustRules
    from untildone.runs.queue.database import open_database
    from untildone.runs.queue.lease import Identity
    from untildone.runs.queue.worker import choose_silence, run_worker
    from untildone.runs.queue.worker_settings import WorkerSettings

    identity = Identity(
        id=f"{platform.node()[:40]}-{secrets.token_hex(3)}",
        host=platform.node(),
        pid=os.getpid(),
        agents=values["agents"],
        labels=values["labels"],
        jobs=values["jobs"],
        account=values["account"].strip() or f"{_find_user()}@{platform.node()}",
    )
    settings = WorkerSettings(
        identity=identity,
        url=url,
        repositories=tuple(values["repositories"]),
        options=options,
        trust=TrustRules(
            own=tuple(map(str.lower, values["trusted"])),
            takes_submitters=not values["ignores_submitters"],
        ),
        lease=values["lease"],
        once=values["once"],
        wait=not values["no_wait"],
    )
    engine = open_database(url, silence=choose_silence(settings.lease))
    return run_worker(context, engine, settings, show)


def _find_user() -> str:
    """Return the name of the user; a container may have none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _default_repositories(url: str) -> tuple[str, ...]:
    """Return what a worker may work on if nothing is said: all that its own user queued."""
    if not is_shared(url):
        return ("*",)
    raise UserError(
        "a shared queue needs the repositories that this worker may work on",
        hint='name them: `--allow-repo "git@example.org:team/*"`',
    )
