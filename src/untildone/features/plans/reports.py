"""A verifier's result on the task of a loop: held against its sealed criteria and recorded."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from untildone.core.agent_message import find_promises, normalize, strip_quotations, truncate
from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments, find_unmet_claims
from untildone.core.plan_task import TaskReport, VerifierResult
from untildone.core.progress import ClaimReport, Progress
from untildone.engine.context import Context
from untildone.engine.verbs import change, unfinished
from untildone.errors import UserError
from untildone.features.plans.verification import (
    CriterionEvidence,
    VerifierReport,
    assess_report,
    find_result_marker,
)
from untildone.store.loops import Record

_APPROVED = r"<feature-complete>\s*APPROVED(?:_WITH_WARNINGS)?\s*</feature-complete>"
# In the promises of a loop that another tool's file began.
_ASKED_FOR = "-complete>VERIFIED</"


def record_report(context: Context, loop: str, task: str, report: VerifierReport) -> Record:
    """What it comes to stands in the progress: `INCOMPLETE` where a criterion has no evidence."""

    def edit(record: Record) -> Progress:
        _of_this_loop(record.contract, task)
        return apply_report(record.contract, unfinished(record), report)

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


def apply_report(contract: Contract, progress: Progress, report: VerifierReport) -> Progress:
    """An assumption never counts, and nothing is verified that was not shown."""
    shown = _by_criterion(contract, progress, report.criteria)
    earlier = {name: told for name, told in progress.met.items() if name not in shown}
    met = {
        name: ClaimReport(by=each.by, evidence=truncate(each.evidence))
        for name, each in shown.items()
        if each.met
    }
    progress = replace(progress, met={**earlier, **met})
    left = find_unmet_claims(apply_amendments(contract, progress.amendments), progress)
    told = assess_report(replace(report, criteria=shown), left)
    return replace(progress, report=told, signalled=told.result == "VERIFIED")


def _by_criterion(
    contract: Contract, progress: Progress, criteria: Mapping[str, CriterionEvidence]
) -> dict[str, CriterionEvidence]:
    """What is said of a check counts only against it: whether it passes is seen by running it."""
    claims = {
        normalize(claim.name): claim.name
        for claim in apply_amendments(contract, progress.amendments).claims
    }
    checks = {normalize(check.name): check.name for check in contract.checks}
    unknown = [name for name in criteria if normalize(name) not in claims | checks]
    if unknown:
        known = ", ".join(f"`{name}`" for name in (*claims.values(), *checks.values()))
        raise UserError(
            f"`{unknown[0]}` is no criterion of loop `{contract.id}` (criteria: {known or 'none'})",
            hint="name it as it stands there",
        )
    named = {(claims | checks)[normalize(name)]: shown for name, shown in criteria.items()}
    return {
        name: shown for name, shown in named.items() if not shown.met or name not in checks.values()
    }


def read_markers(contract: Contract, progress: Progress, message: str) -> Progress:
    """The markers and the promise of the seed, where the final message says one."""
    plan = contract.plan
    if plan is None:
        asked = any(_ASKED_FOR in promise for promise in contract.promises)
        return _stuck(progress, find_result_marker(message)) if asked else progress
    if plan.promise and find_promises(message, (plan.promise,), task=contract.task):
        left = find_unmet_claims(apply_amendments(contract, progress.amendments), progress)
        word = ClaimReport(by="review", evidence=f"promised: {plan.promise}")
        return replace(progress, met={**progress.met, **dict.fromkeys(left, word)}, signalled=True)
    if not plan.task and re.search(_APPROVED, strip_quotations(message)):
        return replace(progress, signalled=True)
    result = find_result_marker(message)
    return replace(progress, signalled=True) if result == "VERIFIED" else _stuck(progress, result)


def _stuck(progress: Progress, result: VerifierResult | None) -> Progress:
    """As a verifier has told it already, where one has."""
    if result not in ("BLOCKED", "MISALIGNED"):
        return progress
    told = progress.report if progress.report and progress.report.stuck else None
    return replace(progress, report=told or TaskReport(result=result), signalled=False)
