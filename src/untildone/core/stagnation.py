"""Stagnation: whether a round moved anything, and when a loop counts as stuck."""

from msgspec import Struct

from untildone.core.contract import Contract
from untildone.core.criteria import find_unmet, has_measurements, hash_state, list_failure_ids
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.spec.breakers import find_breaker

# The state file stays small whatever a linter prints: the oldest failures beyond this are dropped.
MAX_FAILURES = 5_000


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
    """Whether a criterion is newly met, a failure is gone, or a failure is new."""
    if progress.unmet is None:
        return True
    newly_met = not set(progress.unmet).issubset(state.unmet)
    gone = not set(progress.failures).issubset(state.failures)
    fewer = len(state.failures) < progress.remaining
    # Failures beyond the limit were not recorded and cannot be told from new ones.
    new = not set(state.failures[:MAX_FAILURES]).issubset(progress.seen_failures)
    return newly_met or gone or fewer or new


def count_stale_rounds(progress: Progress, state: RoundState) -> int:
    """How many rounds in a row nothing has moved, including this one."""
    return 0 if has_moved(progress, state) else progress.stale_rounds + 1


def has_same_failures(progress: Progress, found: tuple[str, ...]) -> bool:
    """Whether these are exactly the failures of the previous round."""
    return len(found) == progress.remaining > 0 and found[:MAX_FAILURES] == progress.failures


def get_stagnation_limit(contract: Contract, evidence: Evidence) -> int:
    """How many rounds may pass without movement; 0 means no limit."""
    if contract.bounds.stagnation is not None:
        return contract.bounds.stagnation
    if not contract.checks:
        return 0
    return 3 if has_measurements(evidence) else 5


def explain_stagnation(contract: Contract, progress: Progress, evidence: Evidence) -> str:
    """Why the loop counts as stagnated after this stop; empty if it does not."""
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
