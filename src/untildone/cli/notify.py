"""`untildone notify test`: sends a notification to each address of the user's, now."""

import click
from msgspec import Struct

from untildone.cli import loops, options
from untildone.cli.authority import require_user_of_machine
from untildone.cli.command_group import CommandGroup
from untildone.config.proposals import load_user_settings
from untildone.config.schema import Milestone
from untildone.engine.context import Context
from untildone.errors import UserError

_COMMANDS = {"test": ("notify", "Send a test to each of your addresses.")}


class SentTest(Struct, frozen=True, kw_only=True):
    """One address, of which only the kind is shown: the rest may be a secret."""

    address: str
    sent: bool
    problem: str = ""


@click.group("notify", cls=CommandGroup, table=_COMMANDS)
def notify_command() -> None:
    """Try out the notifications that `config.toml` in the state folder asks for.

    \b
    untildone notify test
    """


@click.command("test")
@options.json_option
def test_command(*, as_json: bool) -> int:
    """Send a test to each of your addresses, also in quiet hours: exit 1 if one fails.

    \b
    untildone notify test
    untildone notify test --json | jq '.results[] | select(.sent | not)'
    """
    context = loops.open_context()
    require_user_of_machine(context, "notify")
    results = _send_tests(context, _list_addresses(context))
    lines = [
        f"{result.address}  {f'failed: {result.problem}' if result.problem else 'sent'}"
        for result in results
    ]
    options.print_report({"results": results}, lines, as_json=as_json)
    return 0 if all(result.sent for result in results) else 1


def _list_addresses(context: Context) -> list[str]:
    """Return the user's addresses; raise UserError if there is none."""
    # Imported here: the help of the command does not need it.
    from untildone.features.milestones.milestones import list_user_milestones

    path = context.home / "config.toml"
    milestones = list_user_milestones(load_user_settings(path))
    addresses = [milestone.notify for milestone in milestones if milestone.notify]
    if not addresses:
        raise UserError(
            f"no address is configured in `{path}`",
            hint='add `[notify]` and `to = ["ntfys://example.org/my-topic"]` there',
        )
    return list(dict.fromkeys(addresses))


def _send_tests(context: Context, addresses: list[str]) -> list[SentTest]:
    from untildone.features.milestones.delivery import send
    from untildone.features.milestones.events import Delivery, MilestoneEvent
    from untildone.features.milestones.failures import record_results

    message = MilestoneEvent(
        event="test",
        loop="",
        agent=context.agent.NAME,
        session="",
        project=str(options.get_current_folder()),
        task="If you read this, notifications arrive.",
        at=context.now(),
        status="active",
        outcome=None,
        reason="",
        round=0,
        max_rounds=0,
        unmet=(),
        remaining=0,
        improved=None,
        spend_usd=None,
    )
    deliveries = [
        Delivery(milestone=Milestone(notify=address), message=message) for address in addresses
    ]
    results = send(context, deliveries)
    record_results(context, results)
    return [
        SentTest(
            address=f"{delivery.milestone.notify.partition('://')[0]}://…",
            sent=not problem,
            problem=problem.removeprefix("`notify` "),
        )
        for delivery, problem in results
    ]
