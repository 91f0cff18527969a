"""A verifier's result on the task of a loop: held against its sealed criteria and recorded."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from untildone.errors import UserError
from untildone.judge.context import Context
from untildone.judge.verbs import change, unfinished
from untildone.loop.criteria import agreed, unmet_claims
from untildone.loop.model import Contract, Met, Progress
from untildone.loop.tasks import TaskReport
from untildone.loop.words import folded, kept, promises_said, spoken
from untildone.plans.verification import Report, Shown, result_said
from untildone.store.loops import Record

_APPROVED = r"<feature-complete>\s*APPROVED(?:_WITH_WARNINGS)?\s*</feature-complete>"
_UNSHOWN = "no evidence was given"


def record_report(context: Context, loop: str, task: str, report: Report) -> Record:
    """What it comes to stands in the progress: `INCOMPLETE` where a criterion has no evidence."""

    def edit(record: Record) -> Progress:
        _of_this_loop(record.contract, task)
        return reported(record.contract, unfinished(record), report)

    return change(context, loop, edit, kind="verified", result=report.result)


def _of_this_loop(contract: Contract, task: str) -> None:
    if contract.plan is None:
        raise UserError(
            f"loop `{contract.id}` is of no plan", hint="`untildone met` reports a criterion"
        )
    if task != contract.plan.name:
        raise UserError(
            f"loop `{contract.id}` is on `{contract.plan.name}`, not on `{task}`",
            hint=f"`untildone verify {contract.plan.name} …`",
        )


def reported(contract: Contract, progress: Progress, report: Report) -> Progress:
    """An assumption never counts, and nothing is verified that was not shown."""
    shown = _by_criterion(contract, progress, report.criteria)
    holds = {name: each for name, each in shown.items() if each.met}
    missing = {name: kept(each.evidence) for name, each in shown.items() if not each.met}
    met = {name: Met(by=each.by, evidence=kept(each.evidence)) for name, each in holds.items()}
    kept_met = {name: told for name, told in progress.met.items() if name not in missing}
    progress = replace(progress, met={**kept_met, **met})
    if report.result == "VERIFIED":
        left = unmet_claims(agreed(contract, progress.amendments), progress)
        missing = {**dict.fromkeys(left, _UNSHOWN), **missing}
    result = "INCOMPLETE" if report.result == "VERIFIED" and missing else report.result
    return replace(
        progress,
        report=TaskReport(result=result, missing=missing, reason=kept(report.reason)),
        signalled=result == "VERIFIED",
    )


def _by_criterion(
    contract: Contract, progress: Progress, criteria: Mapping[str, Shown]
) -> dict[str, Shown]:
    """What is said of a check counts only against it: whether it passes is seen by running it."""
    claims = {
        folded(claim.name): claim.name for claim in agreed(contract, progress.amendments).claims
    }
    checks = {folded(check.name): check.name for check in contract.checks}
    unknown = [name for name in criteria if folded(name) not in claims | checks]
    if unknown:
        known = ", ".join(f"`{name}`" for name in (*claims.values(), *checks.values()))
        raise UserError(
            f"`{unknown[0]}` is no criterion of loop `{contract.id}` (criteria: {known or 'none'})",
            hint="name it as it stands there",
        )
    named = {(claims | checks)[folded(name)]: shown for name, shown in criteria.items()}
    return {
        name: shown for name, shown in named.items() if not shown.met or name not in checks.values()
    }


def spoken_of(contract: Contract, progress: Progress, message: str) -> Progress:
    """The markers and the promise of the seed, where the final message says one."""
    plan = contract.plan
    if plan is None:
        return progress
    if plan.promise and promises_said(message, (plan.promise,), task=contract.task):
        left = unmet_claims(agreed(contract, progress.amendments), progress)
        word = Met(by="review", evidence=f"promised: {plan.promise}")
        return replace(progress, met={**progress.met, **dict.fromkeys(left, word)}, signalled=True)
    if not plan.task and re.search(_APPROVED, spoken(message)):
        return replace(progress, signalled=True)
    match result_said(message):
        case "VERIFIED":
            return replace(progress, signalled=True)
        case "BLOCKED" | "MISALIGNED" as result:
            told = progress.report if progress.report and progress.report.stuck else None
            return replace(progress, report=told or TaskReport(result=result), signalled=False)
        case _:
            return progress
