"""Stagnation: whether a round moved anything, when a loop counts as stuck, circuit breakers."""

import re

from msgspec import Struct

from untildone.core.contract import Contract
from untildone.core.criteria import (
    find_unmet,
    has_measurements,
    hash_state,
    list_failure_ids,
    list_failure_messages,
)
from untildone.core.evidence import Evidence
from untildone.core.late_patterns import compile_late
from untildone.core.progress import Progress
from untildone.core.text import to_one_line

# The state file stays small whatever a linter prints: the oldest failures beyond this are dropped.
MAX_FAILURES = 5_000
# One key per red check and round.
MAX_MESSAGES = 500
# The limit where tests or findings are measured, and where only an exit status is known.
LIMIT_MEASURED = 3
LIMIT_UNMEASURED = 5
SAME_ERROR = 3
# Of an output without findings, as a bare traceback.
_ERROR_LINE = compile_late(
    r"\w(?:Error|Exception)\b|^\W*(?:[\w./-]+: )*(?:error|fatal|panic|exception)\b",
    re.IGNORECASE,
)
_MAX_OUTPUT = 20_000
SAME_UNMET = 5


class RoundState(Struct, frozen=True, kw_only=True):
    """What a stop leaves unmet and failing, and a key of what each red check says."""

    unmet: tuple[str, ...]
    failures: tuple[str, ...]
    messages: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return hash_state(self.unmet, (*self.failures, *self.messages))


def get_round_state(contract: Contract, progress: Progress, evidence: Evidence) -> RoundState:
    return RoundState(
        unmet=find_unmet(contract, progress, evidence),
        failures=list_failure_ids(evidence),
        messages=list_failure_messages(evidence)[:MAX_MESSAGES],
    )


def has_moved(progress: Progress, state: RoundState) -> bool:
    """Say whether a criterion is newly met, a failure is gone or new, or one says something new.

    A test that fails with `11 == 6` and then with `9 == 6` moves; back at `11 == 6` it does not.
    """
    if progress.unmet is None:
        return True
    newly_met = not set(progress.unmet).issubset(state.unmet)
    gone = not set(progress.failures).issubset(state.failures)
    fewer = len(state.failures) < progress.remaining
    # Failures beyond the limit were not recorded and cannot be told from new ones.
    new = not set(state.failures[:MAX_FAILURES]).issubset(progress.seen_failures)
    says_new = not set(state.messages).issubset(progress.seen_messages)
    return newly_met or gone or fewer or new or says_new


def count_stale_rounds(progress: Progress, state: RoundState) -> int:
    """Return how many rounds in a row nothing has moved, including this one."""
    return 0 if has_moved(progress, state) else progress.stale_rounds + 1


def has_same_failures(progress: Progress, state: RoundState) -> bool:
    """Say whether exactly the failures of the previous round are there and say the same."""
    same_ids = state.failures[:MAX_FAILURES] == progress.failures
    same_number = len(state.failures) == progress.remaining > 0
    return same_ids and same_number and state.messages == progress.messages


def is_back_again(progress: Progress, state: RoundState) -> bool:
    """Say whether this is the state of two rounds ago, with another one in between."""
    before = progress.recent_states[-2:]
    return len(before) == 2 and state.key == before[0] != before[1]


def get_stagnation_limit(contract: Contract, evidence: Evidence) -> int:
    """Return how many rounds may pass without movement; 0 means no limit."""
    if contract.bounds.stagnation is not None:
        return contract.bounds.stagnation
    if not contract.checks:
        return 0
    return LIMIT_MEASURED if has_measurements(evidence) else LIMIT_UNMEASURED


def describe_stagnation_limit(contract: Contract) -> str:
    """Return the limit for the line at the loop's start; empty if there is none."""
    limit = contract.bounds.stagnation
    rounds = contract.bounds.rounds
    if (
        limit == 0
        or (limit is None and not contract.checks)
        or 0 < rounds <= (limit or LIMIT_MEASURED)
    ):
        return ""
    # Whether a check reports more than its exit status is known only after it has run.
    unmeasured = "" if limit else f" ({LIMIT_UNMEASURED} where a check only says red or green)"
    return f", paused after {limit or LIMIT_MEASURED} without progress{unmeasured}"


def explain_stagnation(contract: Contract, progress: Progress, evidence: Evidence) -> str:
    """Return why the loop counts as stagnated after this stop; empty if it does not."""
    limit = get_stagnation_limit(contract, evidence)
    state = get_round_state(contract, progress, evidence)
    stale = count_stale_rounds(progress, state)
    same = has_same_failures(progress, state)
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
    """Return the first failing test or finding, else the last line of output that tells an error.

    Empty where only an exit status is known.
    """
    red = [result for result in evidence.checks if not result.green]
    tests = [test for result in red if result.tests for test in result.tests.failing[:1]]
    found = [f"{finding.path}: {finding.text}" for result in red for finding in result.findings[:1]]
    told = [line for result in red for line in _find_error_lines(result.output)[-1:]]
    return (*tests, *found, *told, "")[0]


def _find_error_lines(output: str) -> list[str]:
    """Return the lines such as `KeyError: 'name'`, `fatal: no such branch`, `panic: nil map`."""
    lines = output[-_MAX_OUTPUT:].splitlines()
    return [to_one_line(line) for line in lines if _ERROR_LINE.search(line)]
