"""A verifier's report on a loop's task, and the markers that an agent's message may contain.

A verifier (a subagent that reviews the work) reports a result and evidence for each criterion
with `untildone verify`. The criteria are the loop's checks, which are run, and its claims, which
need evidence: `VERIFIED` without evidence for each claim is recorded as `INCOMPLETE`.

`BLOCKED` (the task cannot be done) and `MISALIGNED` (something else was done) mean: it is stuck.
"""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.agent_message import find_promises, normalize, strip_quotations, truncate
from untildone.core.contract import Contract, Verification
from untildone.core.criteria import apply_amendments, find_unmet_claims
from untildone.core.plan_task import TaskReport, VerifierResult
from untildone.core.progress import ClaimReport, Progress
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop, require_unfinished
from untildone.errors import UserError
from untildone.store.loops import Record

# "<task-loop-complete>VERIFIED</task-loop-complete>"
_MARKER = re.compile(
    r"<(task-loop-complete|feature-task-complete)>\s*(VERIFIED|INCOMPLETE|BLOCKED|MISALIGNED)\s*</\1>"
)
_FEATURE_APPROVED = r"<feature-complete>\s*APPROVED(?:_WITH_WARNINGS)?\s*</feature-complete>"
# Part of the promises of a loop that was imported from ShipSpec's file.
_VERIFIED_PROMISE = "-complete>VERIFIED</"
_NO_EVIDENCE = "no evidence was given"


class CriterionEvidence(Struct, frozen=True, kw_only=True):
    """What a verifier says about one criterion; an assumption never counts."""

    met: bool
    evidence: str
    by: Verification = "review"

    @property
    def is_proof(self) -> bool:
        """Whether it is met, with evidence that is more than an assumption."""
        return self.met and self.by != "assumption" and bool(self.evidence.strip())


class VerifierReport(Struct, frozen=True, kw_only=True):
    """What a verifier reports: a result, and evidence by the text of each criterion."""

    result: VerifierResult
    criteria: dict[str, CriterionEvidence] = {}
    reason: str = ""


def record_report(context: Context, loop: str, task: str, report: VerifierReport) -> Record:
    """Save the report with the loop and return the loop's record.

    Raises UserError if the loop is not on this task, has ended, or has no such criterion.
    """

    def add_report(record: Record) -> Progress:
        _require_task_of(record.contract, task)
        return apply_report(record.contract, require_unfinished(record), report)

    return change_loop(context, loop, add_report, kind="verified", result=report.result)


def _require_task_of(contract: Contract, task: str) -> None:
    """Raise UserError if the loop is not on this task."""
    if contract.plan is None:
        raise UserError(
            f"loop `{contract.id}` does not belong to a plan",
            hint="`untildone met` reports a criterion",
        )
    if task != contract.plan.name:
        raise UserError(
            f"loop `{contract.id}` is on `{contract.plan.name}`, not on `{task}`",
            hint=f"`untildone verify {contract.plan.name} …`",
        )


def apply_report(contract: Contract, progress: Progress, report: VerifierReport) -> Progress:
    """Return the progress with the report and its evidence.

    The loop is signalled as done only if every claim has evidence.
    """
    criteria = _match_criteria(contract, progress, report.criteria)
    earlier = {name: claim for name, claim in progress.met.items() if name not in criteria}
    newly_met = {
        name: ClaimReport(by=proof.by, evidence=truncate(proof.evidence))
        for name, proof in criteria.items()
        if proof.met and proof.evidence.strip()
    }
    progress = replace(progress, met={**earlier, **newly_met})
    assessed = assess_report(
        replace(report, criteria=criteria), _list_unmet_claims(contract, progress)
    )
    return replace(progress, report=assessed, signalled=assessed.result == "VERIFIED")


def _list_unmet_claims(contract: Contract, progress: Progress) -> tuple[str, ...]:
    """Return the claims, as amended since the loop began, that nothing has proved yet."""
    return find_unmet_claims(apply_amendments(contract, progress.amendments), progress)


def _match_criteria(
    contract: Contract, progress: Progress, criteria: Mapping[str, CriterionEvidence]
) -> dict[str, CriterionEvidence]:
    """Return the evidence by the names that the loop has for its criteria.

    That a check passes is proved only by running it, so such evidence is left out; that one
    fails is believed. Raises UserError for a criterion that the loop does not have.
    """
    claims = {
        normalize(claim.name): claim.name
        for claim in apply_amendments(contract, progress.amendments).claims
    }
    checks = {normalize(check.name): check.name for check in contract.checks}
    unknown = [name for name in criteria if normalize(name) not in claims | checks]
    if unknown:
        known = ", ".join(f"`{name}`" for name in (*claims.values(), *checks.values()))
        raise UserError(
            f"`{unknown[0]}` is not a criterion of loop `{contract.id}`"
            f" (criteria: {known or 'none'})",
            hint="write it exactly as listed",
        )
    evidence = {(claims | checks)[normalize(name)]: proof for name, proof in criteria.items()}
    return {
        name: proof
        for name, proof in evidence.items()
        if not proof.met or name not in checks.values()
    }


def assess_report(report: VerifierReport, unmet_claims: Iterable[str]) -> TaskReport:
    """Return the report to record, with what is missing.

    It is `VERIFIED` only if it proves all claims that were unmet and denies no criterion.
    """
    missing = {
        name: truncate(proof.evidence) for name, proof in report.criteria.items() if not proof.met
    }
    result = report.result
    if result == "VERIFIED":
        unproved = (
            name
            for name in unmet_claims
            if not (name in report.criteria and report.criteria[name].is_proof)
        )
        missing = {**dict.fromkeys(unproved, _NO_EVIDENCE), **missing}
        result = "INCOMPLETE" if missing else result
    return TaskReport(result=result, missing=missing, reason=truncate(report.reason))


def read_markers(contract: Contract, progress: Progress, message: str) -> Progress:
    """Return the progress after the markers and the promise in the agent's final message."""
    plan = contract.plan
    # Without a plan the loop may have been imported from a file of ShipSpec.
    if plan is None:
        expects_marker = any(_VERIFIED_PROMISE in promise for promise in contract.promises)
        result = find_result_marker(message) if expects_marker else None
        return _mark_stuck(progress, result)
    if plan.promise and find_promises(message, (plan.promise,), task=contract.task):
        unmet = _list_unmet_claims(contract, progress)
        promised = ClaimReport(by="review", evidence=f"promised: {plan.promise}")
        met = {**progress.met, **dict.fromkeys(unmet, promised)}
        return replace(progress, met=met, signalled=True)
    if not plan.task and re.search(_FEATURE_APPROVED, strip_quotations(message)):
        return replace(progress, signalled=True)
    result = find_result_marker(message)
    if result == "VERIFIED":
        return replace(progress, signalled=True)
    return _mark_stuck(progress, result)


def find_result_marker(message: str) -> VerifierResult | None:
    """Return the result of the last marker that the message states rather than quotes."""
    markers = _MARKER.findall(strip_quotations(message))
    return markers[-1][1] if markers else None


def _mark_stuck(progress: Progress, result: VerifierResult | None) -> Progress:
    """Return the progress with a report that the task is stuck, if the result says so.

    An earlier report that the task is stuck is kept, because it has the reason.
    """
    if result not in ("BLOCKED", "MISALIGNED"):
        return progress
    earlier = progress.report if progress.report and progress.report.stuck else None
    return replace(progress, report=earlier or TaskReport(result=result), signalled=False)
