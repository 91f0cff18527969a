"""What a user reads when a loop reaches a bound: what was tried, what blocks, how to go on.

Tried: round 1: fixed 2, wrote cart.py; round 2: wrote cart.py
Blocks: test, red, 3 passed, 1 failed: assert 40 == 45
Go on: `untildone continue 1f2e --rounds +N`, after a look at what blocks
"""

from collections.abc import Sequence
from itertools import pairwise

from untildone.core.check_results import CheckResult
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.text import join_first, shorten, to_one_line
from untildone.core.verdict import Outcome
from untildone.report.notices import describe_next_step
from untildone.store.loops import Record

# The outcomes at which work stops unfinished without anybody having asked for it.
BOUNDS: tuple[Outcome, ...] = ("out-of-rounds", "out-of-budget", "out-of-time", "stagnated")
_ROUNDS = 3
_BLOCKERS = 3
_MAX_LINE = 240


def summarize_bound(record: Record, rounds: Sequence[Round]) -> tuple[str, ...]:
    """Return the lines; none if the loop did not reach a bound, or was never judged."""
    outcome = record.progress.outcome
    if outcome not in BOUNDS or not rounds:
        return ()
    blockers = [_describe_blocker(result) for result in rounds[-1].checks if not result.green]
    blockers = blockers or list(map(to_one_line, rounds[-1].unmet))
    lines = (
        f"Tried: {'; '.join(_describe_attempts(rounds))}",
        f"Blocks: {'; '.join(blockers[:_BLOCKERS]) or 'nothing that a check shows'}",
        f"Go on: {describe_next_step(record.contract.id, outcome)}, after a look at what blocks",
    )
    return tuple(shorten(line, _MAX_LINE) for line in lines)


def _describe_attempts(rounds: Sequence[Round]) -> list[str]:
    """Return the last rounds with what each fixed and which files the agent wrote."""
    fixed = [after - before for before, after in pairwise((0, *(entry.fixed for entry in rounds)))]
    attempts = [
        f"round {entry.number}: {', '.join(_list_work(entry, gone)) or 'no file was written'}"
        for entry, gone in zip(rounds, fixed, strict=True)
    ]
    return attempts[-_ROUNDS:]


def _list_work(entry: Round, fixed: int) -> list[str]:
    work = [f"fixed {fixed}"] if fixed > 0 else []
    work += [f"wrote {join_first(entry.written_files, 3)}"] if entry.written_files else []
    return work + [to_one_line(note) for note in entry.notes]


def _describe_blocker(result: CheckResult) -> str:
    """Return the check with its result and its first failure."""
    found = [to_one_line(finding.text) for finding in result.findings[:1]]
    failing = list(result.tests.failing[:1]) if result.tests else []
    first = ": ".join([*failing, *found])
    return f"{result.name}, {summarize_result(result)}" + (
        f": {shorten(first, 120)}" if first else ""
    )
