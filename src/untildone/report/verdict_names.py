"""The words for verdicts and outcomes, the same in every text: held, done, paused (stagnated)."""

from untildone.core.progress import Progress
from untildone.core.verdict import OUTCOMES, Continue, Finish, Ignore, Outcome, Pause, Verdict, Wait


def name_outcome(outcome: Outcome) -> str:
    """Return `done`, `cancelled`, `paused`, `paused (stagnated)`."""
    if outcome == "paused" or OUTCOMES[outcome].status != "paused":
        return outcome
    return f"paused ({outcome})"


def name_state(progress: Progress) -> str:
    """Return how a loop stands: `active`, or the name of its outcome."""
    return name_outcome(progress.outcome) if progress.outcome else progress.status


def name_verdict(verdict: Verdict) -> str:
    match verdict:
        case Continue():
            return "held"
        case Finish() | Pause():
            return name_outcome(verdict.outcome)
        case Wait():
            return "released"
        case Ignore():
            return "ignored"
