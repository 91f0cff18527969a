"""Checks that a loop goes on without: their tool is missing, and the user named no such check."""

from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.contract import Contract, LeftOut
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress


def leave_out_unrunnable(contract: Contract, progress: Progress, evidence: Evidence) -> Evidence:
    """Return the evidence without results of checks that may be left out, and with their names.

    A check that cannot run is left out once user or agent were told of it. One that the user named,
    or the last one that is left, never is.
    """
    told = {missing.name for missing in contract.missing_tools}.union(progress.left_out)
    dropped = tuple(
        LeftOut(name=result.name, reason=result.reason)
        for result in find_dispensable(contract, evidence)
        if progress.unrunnable_reported or result.name in told
    )
    names = {entry.name for entry in dropped}
    kept = tuple(result for result in evidence.checks if result.name not in names)
    return replace(evidence, checks=kept, left_out=dropped)


def find_dispensable(contract: Contract, evidence: Evidence) -> tuple[CheckResult, ...]:
    """Return the results of checks that cannot run and that the loop can go on without."""
    broken = tuple(result for result in evidence.checks if result.outcome == "unrunnable")
    others = {check.name for check in contract.checks}.difference(result.name for result in broken)
    found = {check.name for check in contract.checks if check.detected}
    return tuple(result for result in broken if result.name in found) if others else ()


def drop_left_out(contract: Contract, evidence: Evidence) -> Contract:
    """Return the contract without the checks that are left out at this stop."""
    names = {entry.name for entry in evidence.left_out}
    checks = tuple(check for check in contract.checks if check.name not in names)
    return replace(contract, checks=checks) if names else contract
