"""`untildone note`, `blocked`, `signal`, `met`, `criterion add`: what the agent reports itself."""

from typing import cast, get_args

import click

from untildone.cli.agent_reports import AgentReport, records_report, require_text
from untildone.core.contract import Verification
from untildone.engine.agent_verbs import AgentVerb

_WAYS = click.Choice(get_args(Verification))


@click.command("note")
@click.argument("text", callback=require_text)
@records_report
def note_command(text: str) -> AgentReport:
    """Leave a note in the loop's receipt.

    \b
    untildone note "the old parser is still used by the importer"
    """
    return AgentReport(verbs=(AgentVerb(verb="note", text=text),), done="noted")


@click.command("blocked")
@click.argument("reason", callback=require_text)
@records_report
def blocked_command(reason: str) -> AgentReport:
    """Report what you cannot do without the user; the second report pauses the loop.

    \b
    untildone blocked "the test needs the password of the staging database"
    """
    return AgentReport(verbs=(AgentVerb(verb="blocked", text=reason),), done="recorded; stop now")


@click.command("signal")
@records_report
def signal_command() -> AgentReport:
    """Report that you believe the whole task is done; the checks still decide.

    \b
    untildone signal
    """
    return AgentReport(
        verbs=(AgentVerb(verb="signal"),), done="recorded; stop now, and the checks decide"
    )


@click.command("met")
@click.argument("name")
@click.option("--by", required=True, type=_WAYS, help="How you verified it.")
@click.option("--evidence", required=True, callback=require_text, help="What you saw.")
@records_report
def met_command(name: str, by: str, evidence: str) -> AgentReport:
    """Report a claim as met; an assumption never counts.

    \b
    untildone met "API returns 200" --by execution --evidence "curl -i :8000/ -> 200"
    """
    kind = cast(Verification, by)
    return AgentReport(
        verbs=(AgentVerb(verb="met", name=name, text=evidence, by=kind),),
        done=f"recorded: {name} by {by}",
    )


@click.group("criterion")
def criterion_command() -> None:
    """Criteria that only you, the agent, can report on.

    \b
    untildone criterion add "the help names the new option" --by observation
    """


@criterion_command.command("add")
@click.argument("name", callback=require_text)
@click.option(
    "--by", type=_WAYS, default="execution", show_default=True, help="How you will verify it."
)
@records_report
def add_criterion(name: str, by: str) -> AgentReport:
    """Add a criterion; existing criteria stay.

    \b
    untildone criterion add "the help names the new option" --by observation
    """
    kind = cast(Verification, by)
    return AgentReport(
        verbs=(AgentVerb(verb="criterion", name=name, by=kind),), done=f"added: {name}"
    )
