"""Circuit breakers of a loop from a spec, in addition to the stagnation limit."""

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence

SAME_ERROR = 3
SAME_UNMET = 5


def find_breaker(
    contract: Contract, evidence: Evidence, *, stale_rounds: int, unmet: tuple[str, ...], same: bool
) -> str:
    """Why the loop should pause; `same` if the failures repeat those of the previous round."""
    if contract.preset != "loop" or contract.bounds.stagnation is not None:
        return ""
    if evidence.reverted_files:
        files = ", ".join(f"`{path}`" for path in evidence.reverted_files)
        return f"edited again and again in this round, and back to its former content: {files}"
    # The first of several equal rounds does not count as stale.
    error = _find_first_error(evidence) if same and stale_rounds + 1 >= SAME_ERROR else ""
    if error:
        return f"the same error in {stale_rounds + 1} rounds: {error}"
    if unmet and stale_rounds + 1 >= SAME_UNMET:
        return f"the same criteria are unmet in {stale_rounds + 1} rounds: {', '.join(unmet[:6])}"
    return ""


def _find_first_error(evidence: Evidence) -> str:
    """The first failing test or finding; empty where only an exit status is known."""
    red = [result for result in evidence.checks if not result.green]
    tests = [test for result in red if result.tests for test in result.tests.failing[:1]]
    found = [f"{each.path}: {each.text}" for result in red for each in result.findings[:1]]
    return (*tests, *found, "")[0]
