"""`untildone queue limit`: what the queue, a repository or an account may use."""

from collections.abc import Iterator

import click

from untildone.cli.options import get_current_folder, json_option, print_report
from untildone.cli.queue.listing import inert
from untildone.cli.queue.queue_options import database_option, open_limits
from untildone.errors import UserError
from untildone.runs.queue.limit_rules import Kind, Limit, parse_budget, parse_rate
from untildone.runs.queue.submission import resolve_repository
from untildone.runs.queue.values import QueueLimit, QueueLimits

_SINCE = {"": " since it was set", "day": " today", "hour": " this hour"}


@click.command("limit")
@click.option("--repo", default="", metavar="URL|PATH", help="Limit this repository.")
@click.option("--account", default="", metavar="NAME", help="Limit this account of an agent.")
@click.option(
    "--budget", default="", metavar="USD[/day|/hour]", help="Money for tasks, in USD; days are UTC."
)
@click.option("--rate", default="", metavar="N/hour", help="Tasks started in any 60 minutes.")
@click.option(
    "--parallel", default=0, type=click.IntRange(0, 100_000), metavar="N", help="Tasks at once."
)
@click.option("--off", is_flag=True, help="Remove the limit.")
@database_option
@json_option
def limit_command(
    *,
    repo: str,
    account: str,
    budget: str,
    rate: str,
    parallel: int,
    off: bool,
    database: str,
    as_json: bool,
) -> None:
    """Limit the queue, or one repository or account, for all workers together.

    Without `--budget`, `--rate`, `--parallel` or `--off` the limits are listed, with what is used.
    A task that a limit holds back stays queued, and `untildone queue list` says why.

    \b
    untildone queue limit --budget 50/day --parallel 8
    untildone queue limit --repo git@example.org:team/app.git --rate 10/hour
    untildone queue limit --account claude:ann@laptop --budget 20/day
    untildone queue limit --repo git@example.org:team/app.git --off
    """
    kind, name = _find_scope(repo, account)
    is_given = bool(budget or rate or parallel)
    if is_given and off:
        raise UserError("`--off` removes the whole limit", hint="leave out the other options")
    limits = open_limits(database, verb="queue limit" if is_given or off else "")
    if off:
        limits.remove_limit(kind, name)
    elif is_given:
        limits.set_limit(_make_limit((kind, name), budget, rate, parallel))
    listed = QueueLimits(limits=limits.list_limits())
    print_report(listed, _format_limits(listed), as_json=as_json)


def _make_limit(scope: tuple[Kind, str], budget: str, rate: str, parallel: int) -> Limit:
    money, period = parse_budget(budget) if budget else (0, "")
    return Limit(
        kind=scope[0],
        name=scope[1],
        budget_micro=money,
        period=period,
        rate=parse_rate(rate) if rate else 0,
        parallel=parallel,
    )


def _find_scope(repo: str, account: str) -> tuple[Kind, str]:
    if repo and account:
        raise UserError(
            "a limit is for a repository or for an account", hint="set two limits, one for each"
        )
    if repo:
        return "repository", resolve_repository(repo, get_current_folder())
    return ("account", account) if account else ("queue", "")


def _format_limits(listed: QueueLimits) -> Iterator[str]:
    if not listed.limits:
        yield "no limit"
    for limit in listed.limits:
        whose = f"{limit.kind} {inert(limit.name)}".strip()
        yield f"{whose}: {', '.join(_describe(limit))}"


def _describe(limit: QueueLimit) -> Iterator[str]:
    if limit.budget_usd is not None:
        reserved = f" and {limit.reserved_usd:.2f} reserved" if limit.reserved_usd else ""
        spent = f"{limit.spent_usd:.2f}{reserved} of {limit.budget_usd:.2f} USD"
        yield f"{spent}{_SINCE[limit.period]}"
    if limit.rate is not None:
        yield f"{limit.started} of {limit.rate} tasks in the last hour"
    if limit.parallel is not None:
        yield f"{limit.running} of {limit.parallel} tasks at once"
