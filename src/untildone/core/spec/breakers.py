"""When a loop from a spec is going round in circles: the breakers beside the stagnation limit."""

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence

SAME_ERROR = 3
SAME_UNMET = 5


def find_breaker(
    contract: Contract, evidence: Evidence, *, stale_rounds: int, unmet: tuple[str, ...], same: bool
) -> str:
    """Why the loop should pause: `stale` rounds brought nothing new, or the `same` failures."""
    if contract.preset != "loop" or contract.bounds.stagnation is not None:
        return ""
    if evidence.reverted_files:
        files = ", ".join(f"`{path}`" for path in evidence.reverted_files)
        return f"edited again and again in this round, and back where it was: {files}"
    # The first of the equal rounds is not stale yet.
    error = _error(evidence) if same and stale_rounds + 1 >= SAME_ERROR else ""
    if error:
        return f"the same error in {stale_rounds + 1} rounds: {error}"
    if unmet and stale_rounds + 1 >= SAME_UNMET:
        return f"the same criteria are unmet in {stale_rounds + 1} rounds: {', '.join(unmet[:6])}"
    return ""


def _error(evidence: Evidence) -> str:
    """The first failing test or finding; nothing where only an exit code is known."""
    red = [result for result in evidence.checks if not result.green]
    tests = [test for result in red if result.tests for test in result.tests.failing[:1]]
    found = [f"{each.path}: {each.text}" for result in red for each in result.findings[:1]]
    return (*tests, *found, "")[0]
