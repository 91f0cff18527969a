"""`untildone queue list` and `show`: the tasks, the workers, one task with its steps."""

import time
from collections.abc import Iterator

import click

from untildone.checks.clean_output import clean
from untildone.cli.options import json_option, print_report
from untildone.cli.queue.queue_options import database_option, open_queue
from untildone.cli.terminal_text import fit_headline
from untildone.core.text import pluralize, to_one_line
from untildone.report.times import format_cost, format_time
from untildone.runs.queue.values import (
    OPEN_STATES,
    QueueDetails,
    QueueFailure,
    QueueList,
    QueueTask,
    QueueWorker,
    get_receipt_ref,
)

_LOOK_SECONDS = 2.0


@click.command("list")
@click.option("--all", "everything", is_flag=True, help="List tasks that have ended, too.")
@click.option("--dead", is_flag=True, help="List only those that used up their retries, with why.")
@click.option("--watch", is_flag=True, help="Print it again until no task is open.")
@database_option
@json_option
def list_command(
    *, everything: bool, dead: bool, watch: bool, database: str, as_json: bool
) -> None:
    """List the open tasks in their order, and the workers.

    \b
    untildone queue list --all
    untildone queue list --dead
    untildone queue list --json | jq '.tasks[].state'
    """
    queue = open_queue(database)
    while True:
        listed = QueueList(
            is_paused=queue.is_paused(),
            tasks=queue.list_dead()
            if dead
            else queue.list_tasks(() if everything else OPEN_STATES),
            workers=queue.list_workers(),
            accounts=queue.list_accounts(),
        )
        lines = ["no dead letter"] if dead and not listed.tasks else _format_list(listed)
        print_report(listed, lines, as_json=as_json)
        if not watch or not any(task.state in OPEN_STATES for task in listed.tasks):
            return
        time.sleep(_LOOK_SECONDS)


def _format_list(listed: QueueList) -> Iterator[str]:
    if listed.is_paused:
        yield "paused: no task is taken until `untildone queue pause --off`"
    if not listed.tasks:
        yield "no open task; `untildone queue list --all` lists those that have ended"
    for task in listed.tasks:
        yield _format_task(task)
        yield from map(_format_failure, task.failures)
    yield from map(_format_worker, listed.workers)
    for account in listed.accounts:
        until = format_time(account.asleep_until)
        yield f"account {inert(account.name)}  sleeps until {until}: {inert(account.reason)}"


def _format_task(task: QueueTask) -> str:
    state = f"{task.outcome}" if task.state == "ended" else task.state
    head = f"{task.id}  {state:<10}"
    if task.state == "running":
        head += f" {inert(task.worker)}"
    if task.waits_for:
        head += f" after {', '.join(task.waits_for)}"
    if task.waits:
        head += f" waits: {inert(task.waits)}"
    if task.is_dead:
        head += " dead letter"
    head += "  "
    return head + fit_headline(clean(task.task), indent=len(head))


def _format_failure(failure: QueueFailure) -> str:
    by = f" ({inert(failure.worker)})" if failure.worker else ""
    return f"  {format_time(failure.at)}  attempt {failure.attempt}: {inert(failure.reason)}{by}"


def _format_worker(worker: QueueWorker) -> str:
    accounts = ", ".join(map(inert, worker.accounts))
    seen = format_time(worker.seen_at)
    return f"worker {inert(worker.id)}  {worker.state}  {accounts}, {worker.jobs} at once, {seen}"


def inert(text: str) -> str:
    """Return foreign text as one line that cannot change the terminal."""
    return to_one_line(clean(text))


@click.command("show")
@click.argument("task")
@database_option
@json_option
def show_command(*, task: str, database: str, as_json: bool) -> None:
    """Show TASK with its steps, its result and its receipt.

    \b
    untildone queue show 1f2e
    untildone queue show 1f2e --json | jq -r .receipt
    """
    details = open_queue(database).show(task)
    print_report(details, _format_details(details), as_json=as_json)


def _format_details(details: QueueDetails) -> Iterator[str]:
    task = details.task
    yield f"{task.id}  {task.state}" + (f"  {task.outcome}" if task.outcome else "")
    yield f"task: {clean(task.task)}"
    yield f"repository: {inert(task.repository)}" + (f" at {inert(task.base)}" if task.base else "")
    deadline = format_time(task.deadline) if task.deadline else ""
    lines = {"from": task.source, "reason": task.reason, "waits": task.waits, "deadline": deadline}
    yield from (f"{name}: {clean(value)}" for name, value in lines.items() if value)
    if details.rounds:
        yield f"{pluralize(details.rounds, 'round')}, {format_cost(details.spend_usd)}"
    for step in details.steps:
        detail = f": {inert(step.detail)}" if step.detail else ""
        yield f"  {format_time(step.at)}  {inert(step.name)}{detail}  ({inert(step.worker)})"
    if task.into:
        merge = f"merged into {inert(task.into)} as {task.merge[:12]}"
        yield merge if task.merge else f"to be merged into {inert(task.into)}"
    if task.branch:
        yield f"the work is on `{task.branch}`, its receipt is `{get_receipt_ref(task.id)}`"
    if details.receipt:
        yield clean(details.receipt)
