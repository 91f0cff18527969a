"""`untildone verify`: record a verifier's result on a task, with evidence per criterion."""

from typing import cast, get_args

import click
import msgspec

from untildone.cli.agent_reports import AgentReport, records_report
from untildone.core.contract import Verification
from untildone.core.plan_task import VerifierResult, list_missing
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.plans.verifier_reports import (
    CriterionEvidence,
    VerifierReport,
    record_report,
)
from untildone.store.loops import Record

_Pairs = tuple[tuple[str, str], ...]


@click.command("verify")
@click.argument("task")
@click.option(
    "--result", required=True, type=click.Choice(get_args(VerifierResult)), help="The result."
)
@click.option(
    "--met",
    multiple=True,
    nargs=2,
    metavar="CRITERION EVIDENCE",
    help="A criterion that holds, and what you saw; may be repeated.",
)
@click.option(
    "--missing",
    multiple=True,
    nargs=2,
    metavar="CRITERION WHAT",
    help="A criterion that does not hold, and what is missing; may be repeated.",
)
@click.option(
    "--by",
    type=click.Choice(get_args(Verification)),
    default="review",
    show_default=True,
    help="How you verified it.",
)
@click.option("--reason", default="", help="Why the task is blocked or misaligned.")
@records_report
def verify_command(task: str, result: str, **values: object) -> AgentReport:
    """Record a verifier's result on TASK, or on the whole `feature`; untildone runs the checks.

    VERIFIED needs evidence for every criterion that no check covers. BLOCKED and MISALIGNED pause
    the loop for the user.

    \b
    untildone verify TASK-001 --result VERIFIED --met "The help names it" 'read `app --help`'
    untildone verify TASK-001 --result INCOMPLETE --missing "The help names it" "no such line"
    untildone verify feature --result MISALIGNED --reason "the PRD asks for a queue"
    """
    report = _build_report(cast(VerifierResult, result), values)

    def record_result(context: Context, loop: str) -> Record:
        record = record_report(context, loop, task, report)
        recorded = record.progress.report
        if recorded:
            click.echo("\n".join((recorded.summary, *list_missing(recorded))))
        return record

    encoded = msgspec.json.encode(report).decode()
    return AgentReport(
        verbs=(AgentVerb(verb="verify", name=task, text=encoded),),
        record=record_result,
        done=f"recorded for {task}",
    )


def _build_report(result: VerifierResult, values: dict[str, object]) -> VerifierReport:
    met, missing = cast(_Pairs, values["met"]), cast(_Pairs, values["missing"])
    by, reason = cast(Verification, values["by"]), str(values["reason"]).strip()
    for name, text in (*met, *missing):
        if not (name.strip() and text.strip()):
            raise UserError(f"`{name}` has no evidence", hint="say in words what you saw")
    if result in ("BLOCKED", "MISALIGNED") and not reason:
        raise UserError(f"`--result {result}` needs a reason", hint="add `--reason TEXT`")
    if result == "INCOMPLETE" and not (missing or reason):
        raise UserError(
            "`--result INCOMPLETE` does not say what is missing",
            hint="add `--missing CRITERION WHAT`",
        )
    return VerifierReport(
        result=result,
        criteria={
            **{name: CriterionEvidence(met=True, evidence=text, by=by) for name, text in met},
            **{name: CriterionEvidence(met=False, evidence=text, by=by) for name, text in missing},
        },
        reason=reason,
    )
