"""`untildone queue add`: add a task, or a whole backlog."""

import os
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from untildone.agents import NAMES
from untildone.checks.secret_redaction import select_secrets
from untildone.cli import start
from untildone.cli.loops import open_context
from untildone.cli.options import EXISTING_FILE, get_current_folder, json_option, print_report
from untildone.cli.plan_options import require_plan_options
from untildone.cli.queue.listing import inert
from untildone.cli.queue.queue_options import database_option, open_queue
from untildone.core.text import pluralize
from untildone.engine.request import StartOptions
from untildone.engine.start_options import OPTIONS
from untildone.errors import UserError
from untildone.runs.queue.backlog import LOCAL_OPTIONS, read_backlog
from untildone.runs.queue.configuration_trust import find_vouched_digest
from untildone.runs.queue.planned_tasks import read_plan_tasks
from untildone.runs.queue.submission import make_storable, resolve_repository
from untildone.runs.queue.values import NewTask, QueueAdded

# What a plan does not say itself.
_PLAN_OPTIONS = frozenset(
    (
        *("plan", "repo", "base", "agent", "labels", "priority", "after", "into"),
        *("deadline", "retries", "database", "as_json"),
        *(option.name for option in OPTIONS if option.bound),
    )
)
_NAMES = frozenset(option.name for option in OPTIONS) - LOCAL_OPTIONS - {"task"}


def parse_words(
    _context: click.Context, _parameter: click.Parameter, value: str
) -> tuple[str, ...]:
    """Return the words of `gpu,linux`."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, value.split(",")))))


@click.command("add")
@click.argument("task", required=False, default="")
@click.option("--from", "backlog", type=EXISTING_FILE, metavar="FILE", help="Add a whole backlog.")
@click.option(
    "--plan", type=EXISTING_FILE, metavar="TASKS.json", help="Add the open tasks of a plan."
)
@click.option(
    "--repo", default="", metavar="URL|PATH", help="The repository; the default is this one."
)
@click.option("--base", default="", metavar="REF", help="Where to begin; default: its HEAD.")
@click.option("--agent", default="", type=click.Choice(["", *NAMES]), help="The agent it needs.")
@click.option(
    "--labels", default="", callback=parse_words, metavar="A,B", help="What its worker must have."
)
@click.option("--priority", default=0, metavar="N", help="Higher ones are taken first; default 0.")
@click.option(
    "--deadline",
    default="",
    metavar="WHEN",
    help="End it then, done or not: `4h`, `2d`, `2026-05-04T18:00`.",
)
@click.option(
    "--retries",
    default=2,
    type=click.IntRange(0, 100),
    metavar="N",
    help="Try it again so often after a crash or a failed transfer; default 2.",
)
@click.option("--after", multiple=True, metavar="ID", help="A task that must be done before.")
@click.option(
    "--into", default="", metavar="BRANCH", help="Merge it into this branch when it is done."
)
@database_option
@json_option
def add_command(
    *,
    task: str,
    backlog: Path | None,
    plan: Path | None,
    database: str,
    as_json: bool,
    **values: Any,  # noqa: ANN401  click's own values
) -> None:
    """Add TASK to the queue, with the options of `untildone start`.

    FILE has one JSON object a line, with `task` and any of `checks`, `repository`, `base`,
    `agent`, `labels`, `priority`, `after`, `deadline`, `retries`, `into` and the loop's options;
    or it is the output of `gh issue list --json number,title,body,url`.

    TASKS.json is a plan as `untildone run --plan` takes it. Its tasks wait for those that they
    depend on; the queue does not write their status into the file.

    \b
    untildone queue add "Port the parser" --check "npm test" --priority 5
    untildone queue add "Fix the build" --repo git@example.org:team/app.git --base develop
    untildone queue add --from backlog.jsonl --check "make test"
    untildone queue add --plan TASKS.json --into main
    """
    is_given = bool(task or values["template"] or values["preset"])
    if is_given + bool(backlog) + bool(plan) != 1:
        raise UserError(
            "give a task, `--from FILE` or `--plan TASKS.json`",
            hint='say what to do: `untildone queue add "TASK"`',
        )
    tasks = _make_storable(_read_tasks(_make_task(task, values), backlog, plan))
    ids = open_queue(database, verb="queue add").add(tasks)
    lines = [f"added {ids[0]}"] if len(ids) == 1 else [f"added {pluralize(len(ids), 'task')}"]
    print_report(QueueAdded(ids=ids), lines, as_json=as_json)


def _make_storable(tasks: Sequence[NewTask]) -> list[NewTask]:
    """Return the tasks as the database may have them; say what was changed or is not used."""
    folder = get_current_folder()
    named = {one.repository for one in tasks}
    addresses = {name: resolve_repository(name, folder) for name in named}
    vouched = {name: _vouch(address) for name, address in addresses.items()}
    secrets = select_secrets(os.environ)
    stored = [
        make_storable(
            replace(
                one,
                repository=addresses[one.repository],
                configuration=vouched[one.repository],
            ),
            environ=secrets,
        )
        for one in tasks
    ]
    redacted = sum(was_changed for _, was_changed in stored)
    if redacted:
        click.echo(f"note: secrets were taken out of {pluralize(redacted, 'task')}", err=True)
    return [one for one, _ in stored]


def _vouch(repository: str) -> str:
    """Return the hash of the configuration that the user trusts; say if they do not."""
    digest, untrusted = find_vouched_digest(open_context(), repository, get_current_folder())
    if untrusted:
        click.echo(f"note: no worker uses the configuration: {inert(untrusted)}", err=True)
    return digest


def _read_tasks(given: NewTask, backlog: Path | None, plan: Path | None) -> tuple[NewTask, ...]:
    if backlog:
        return read_backlog(backlog, given)
    if plan:
        require_plan_options(_PLAN_OPTIONS)
        return read_plan_tasks(plan, given)
    return (given,)


def _make_task(task: str, values: dict[str, Any]) -> NewTask:
    chosen = {name: values[name] for name in _NAMES if values[name] is not None}
    if values["template"]:
        chosen["template"] = f"{values['template']} {task}".strip()
    return NewTask(
        repository=values["repo"],
        options=StartOptions(**chosen, task="" if values["template"] else task),
        base=values["base"],
        agent=values["agent"],
        labels=values["labels"],
        priority=values["priority"],
        after=tuple(values["after"]),
        deadline=values["deadline"],
        retries=values["retries"],
        into=values["into"],
    )


add_command.params += [copy(param) for param in start.start_command.params if param.name in _NAMES]
