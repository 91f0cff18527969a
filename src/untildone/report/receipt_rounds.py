"""The rounds of a receipt, a line each: verdict, results, cost, what was fixed, files, notes."""

from collections.abc import Iterator
from itertools import pairwise

from untildone.core.progress import Round
from untildone.core.text import join_first, to_one_line
from untildone.report.receipt_checks import describe_results
from untildone.report.verdict_names import name_verdict
from untildone.store.history import History


def describe_rounds(history: History, *, has_checks: bool) -> tuple[str, ...]:
    """Return the lines; where the loop has checks, with those rounds in which none was run.

    A stop that was not judged has a line too, behind the round before it.
    """
    rounds = history.rounds
    without = "no check was run" if has_checks else ""
    results = [describe_results(entry) or without for entry in rounds]
    # Rounds record the number of failures fixed so far.
    fixed = [after - before for before, after in pairwise((0, *(entry.fixed for entry in rounds)))]
    # Named only where several agents worked.
    has_several = len({entry.agent for entry in rounds}) > 1
    agents = [f" by {entry.agent}" if has_several and entry.agent else "" for entry in rounds]
    judged = tuple(map(_describe_round, rounds, agents, results, _compute_costs(rounds), fixed))
    lines = [(entry.number, line) for entry, line in zip(rounds, judged, strict=True)]
    lines += [(stop.after_round, f"not judged: {stop.reason}") for stop in history.unjudged]
    # Stable: the line of a round comes before those of the stops behind it.
    return tuple(line for _, line in sorted(lines, key=lambda numbered: numbered[0]))


def _compute_costs(rounds: tuple[Round, ...]) -> list[str]:
    """Return the cost of each round; rounds record the sum so far, None where it is unknown."""
    sums = [0.0, *(entry.spend_usd for entry in rounds)]
    if sums[-1] is None:
        return [""] * len(rounds)
    return [
        "cost unknown" if after is None or before is None else f"{after - before:.2f} USD"
        for before, after in pairwise(sums)
    ]


def _describe_round(entry: Round, by: str, results: str, cost: str, fixed: int) -> str:
    parts = (
        f"round {entry.number}{by}: {name_verdict(entry.verdict)}",
        results,
        cost,
        *_describe_fixed(fixed),
        *_describe_work(entry),
    )
    return "; ".join(filter(None, parts))


def _describe_fixed(fixed: int) -> Iterator[str]:
    if fixed > 0:
        yield f"fixed {fixed}"
    if fixed < 0:
        yield f"{-fixed} no longer fixed"


def _describe_work(entry: Round) -> Iterator[str]:
    if entry.written_files:
        yield f"touched {join_first(entry.written_files)}"
    yield from (f"note: {to_one_line(note)}" for note in entry.notes)
