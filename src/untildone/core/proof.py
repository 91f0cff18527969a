"""The evidence of a change: what shows that something was done where all was green before.

A check that was green in the baseline proves nothing by staying green. Then a test must fail on
the baseline's code and pass now (*fail-to-pass*), unless the loop asks for changed files alone.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.concerns import make_concern
from untildone.core.contract import Contract, Proof
from untildone.core.evidence import ChangeEvidence, Concern, ConcernKind, Evidence
from untildone.core.progress import Progress
from untildone.core.text import join_first, pluralize


def needs_proof(contract: Contract, progress: Progress, evidence: Evidence) -> bool:
    """Say whether `done` needs evidence of the change, because no check was red before.

    A loop that followed one that was done has that loop's change to show, except that each task of
    a plan needs a change of its own.
    """
    has_own_task = contract.plan is not None and bool(contract.plan.task)
    if not contract.checks or (contract.follows_done and not has_own_task):
        return False
    if evidence.baseline is None:
        return not progress.checks_seen_red
    return not any(result.outcome == "red" for result in evidence.baseline)


def choose_proof(contract: Contract, evidence: Evidence) -> Proof:
    """Return what the contract asks for; by default tests, where a check reports any.

    A task of a plan has acceptance criteria that a verifier judges, so files are enough there.
    """
    if contract.proof:
        return contract.proof
    before = [result.tests for result in evidence.baseline or ()]
    reported = (*(result.tests for result in evidence.checks), *before)
    reports_tests = any(tests and tests.executed for tests in reported)
    return "tests" if reports_tests and contract.plan is None else "files"


def describe_needed_proof(contract: Contract, results: Sequence[CheckResult]) -> str:
    """Return the line for the start of a loop in whose baseline nothing is red."""
    if choose_proof(contract, Evidence(checks=tuple(results))) == "tests":
        needed = "a test that fails without the change (`--refactor` if the task needs none)"
    else:
        needed = "changed files, and the agent must say that it is done"
    return f"nothing is red, so green proves nothing: `done` needs {needed}"


def add_missing_proof(contract: Contract, progress: Progress, evidence: Evidence) -> Evidence:
    """Return the evidence with a concern if nothing shows a change that has to be shown."""
    change = evidence.change
    if change is None or not needs_proof(contract, progress, evidence):
        return evidence
    if is_shown(change):
        return evidence
    proof = choose_proof(contract, evidence)
    if proof == "tests":
        reason = f"no test shows the change: {change.missing or 'none fails without it'}"
    elif evidence.changed is None:
        reason = f"nothing shows the change: {change.missing or 'it is unknown what changed'}"
    else:
        return evidence
    concern = make_concern(ConcernKind.PROOF, proof, reason=reason)
    return replace(evidence, concerns=(*(evidence.concerns or ()), concern))


def is_shown(change: ChangeEvidence) -> bool:
    """Say whether a run, a removal that the user approved or a dropped version shows the change."""
    is_bitten = change.biting_tests > 0 and not change.missing
    wanted = change.approved_removals or change.dropped_versions
    return bool(change.fail_to_pass or wanted or is_bitten)


def is_about_proof(concern: Concern) -> bool:
    return concern.kind == ConcernKind.PROOF


def describe_change(change: ChangeEvidence | None) -> str:
    """Return `fail-to-pass 3, pass-to-pass 120`, or what else shows the change or does not."""
    if change is None:
        return ""
    parts = [
        f"fail-to-pass {change.fail_to_pass}" if change.fail_to_pass else "",
        _describe_biting_tests(change),
        f"from red to green: {', '.join(change.turned_green)}" if change.turned_green else "",
        f"{pluralize(len(change.approved_removals), 'approved removal')}"
        if change.approved_removals
        else "",
        f"requires {', '.join(change.dropped_versions)}" if change.dropped_versions else "",
    ]
    shown = [part for part in parts if part] or [_describe_nothing_shown(change)]
    if change.pass_to_pass is not None:
        shown.append(f"pass-to-pass {change.pass_to_pass}")
    if change.edited_tests:
        shown.append(f"assertions dropped or changed in {join_first(change.edited_tests, 3)}")
    return ", ".join(shown)


def _describe_nothing_shown(change: ChangeEvidence) -> str:
    if change.missing:
        return f"no test shows the change ({change.missing})"
    return "only changed files show the change"


def _describe_biting_tests(change: ChangeEvidence) -> str:
    if not change.biting_tests:
        return ""
    return f"{pluralize(change.biting_tests, 'new test')} of unchanged code"
