"""Stagnation: whether a round moved anything, when a loop counts as stuck, circuit breakers."""

from msgspec import Struct

from untildone.core.contract import Contract
from untildone.core.criteria import find_unmet, has_measurements, hash_state, list_failure_ids
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress

# The state file stays small whatever a linter prints: the oldest failures beyond this are dropped.
MAX_FAILURES = 5_000
SAME_ERROR = 3
SAME_UNMET = 5


class RoundState(Struct, frozen=True, kw_only=True):
    """What a stop leaves unmet and failing."""

    unmet: tuple[str, ...]
    failures: tuple[str, ...]

    @property
    def key(self) -> str:
        return hash_state(self.unmet, self.failures)


def get_round_state(contract: Contract, progress: Progress, evidence: Evidence) -> RoundState:
    return RoundState(
        unmet=find_unmet(contract, progress, evidence), failures=list_failure_ids(evidence)
    )


def has_moved(progress: Progress, state: RoundState) -> bool:
    """Say whether a criterion is newly met, a failure is gone, or a failure is new."""
    if progress.unmet is None:
        return True
    newly_met = not set(progress.unmet).issubset(state.unmet)
    gone = not set(progress.failures).issubset(state.failures)
    fewer = len(state.failures) < progress.remaining
    # Failures beyond the limit were not recorded and cannot be told from new ones.
    new = not set(state.failures[:MAX_FAILURES]).issubset(progress.seen_failures)
    return newly_met or gone or fewer or new


def count_stale_rounds(progress: Progress, state: RoundState) -> int:
    """Return how many rounds in a row nothing has moved, including this one."""
    return 0 if has_moved(progress, state) else progress.stale_rounds + 1


def has_same_failures(progress: Progress, found: tuple[str, ...]) -> bool:
    """Say whether these are exactly the failures of the previous round."""
    return len(found) == progress.remaining > 0 and found[:MAX_FAILURES] == progress.failures


def get_stagnation_limit(contract: Contract, evidence: Evidence) -> int:
    """Return how many rounds may pass without movement; 0 means no limit."""
    if contract.bounds.stagnation is not None:
        return contract.bounds.stagnation
    if not contract.checks:
        return 0
    return 3 if has_measurements(evidence) else 5


def explain_stagnation(contract: Contract, progress: Progress, evidence: Evidence) -> str:
    """Return why the loop counts as stagnated after this stop; empty if it does not."""
    limit = get_stagnation_limit(contract, evidence)
    state = get_round_state(contract, progress, evidence)
    stale = count_stale_rounds(progress, state)
    same = has_same_failures(progress, state.failures)
    broken = find_breaker(contract, evidence, stale_rounds=stale, unmet=state.unmet, same=same)
    if broken or not limit:
        return broken
    recent = (*progress.recent_states, state.key)[-4:]
    if len(recent) == 4 and recent[0] == recent[2] != recent[1] == recent[3]:
        return "the same two states alternate"
    return f"nothing moved in {stale} rounds" if stale >= limit else ""


def find_breaker(
    contract: Contract, evidence: Evidence, *, stale_rounds: int, unmet: tuple[str, ...], same: bool
) -> str:
    """Return why a circuit breaker pauses a loop from a spec; empty if none does.

    `same` says that the failures repeat those of the previous round.
    """
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
    """Return the first failing test or finding; empty where only an exit status is known."""
    red = [result for result in evidence.checks if not result.green]
    tests = [test for result in red if result.tests for test in result.tests.failing[:1]]
    found = [f"{finding.path}: {finding.text}" for result in red for finding in result.findings[:1]]
    return (*tests, *found, "")[0]
