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
from untildone.core.questions import list_open_questions
from untildone.core.text import join_first, shorten, to_one_line
from untildone.core.verdict import Outcome
from untildone.report.notices import describe_next_step
from untildone.store.loops import Record

# The outcomes at which work stops unfinished without anybody having asked for it.
BOUNDS: tuple[Outcome, ...] = ("out-of-rounds", "out-of-budget", "out-of-time", "stagnated")
_ROUNDS = 3
_BLOCKERS = 3
_MAX_LINE = 240


def summarize_bound(
    record: Record, rounds: Sequence[Round], *, in_session: bool = False
) -> tuple[str, ...]:
    """Return the lines; none if the loop did not reach a bound, or was never judged.

    With `in_session` the user reads them in the loop's own session.
    """
    loop, outcome = record.contract.id, record.progress.outcome
    if outcome not in BOUNDS or not rounds:
        return ()
    go_on = describe_next_step(loop, outcome, in_session=in_session)
    if record.progress.open_concerns:
        approve = "/untildone:approve" if in_session else f"`untildone approve --loop {loop}`"
        go_on = f"{approve} if that was intended; else {go_on} has the agent undo it"
    else:
        go_on += ", after a look at what blocks"
    lines = (
        f"Tried: {'; '.join(_describe_attempts(record, rounds))}",
        f"Blocks: {'; '.join(_list_blockers(record, rounds[-1])[:_BLOCKERS])}",
        f"Go on: {go_on}",
    )
    return tuple(shorten(line, _MAX_LINE) for line in lines)


def _list_blockers(record: Record, last: Round) -> list[str]:
    """Return the checks that are not green, else the criteria, else the questions to the user."""
    red = [_describe_blocker(result) for result in last.checks if not result.green]
    unmet = [f"not met: {to_one_line(name)}" for name in last.unmet]
    asked = list_open_questions(record.agreed, last.concerns or ())
    questions = [each.question.text for each in asked]
    return red or unmet or questions or ["the agent has not reported the task as done"]


def _describe_attempts(record: Record, rounds: Sequence[Round]) -> list[str]:
    """Return the last rounds with what each fixed and which files were changed."""
    fixed = [after - before for before, after in pairwise((0, *(entry.fixed for entry in rounds)))]
    if record.progress.open_concerns:
        # What the user has not approved yet fixes nothing.
        fixed[-1] = 0
    trees = ("", *(entry.tree for entry in rounds))
    attempts = [
        (entry.number, ", ".join(_list_work(entry, gone)) or _describe_tree(entry, before))
        for entry, gone, before in zip(rounds, fixed, trees, strict=False)
    ]
    return [f"round {number}: {work}" for number, work in attempts[-_ROUNDS:]]


def _describe_tree(entry: Round, before: str) -> str:
    """Say whether files changed since the round before without one of the agent's edits."""
    # Of the first round it is known only if the tree was compared with the baseline.
    is_changed = entry.tree != before if before else entry.changed
    return "files were changed by commands" if is_changed else "no file was written"


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
