"""The table of outcomes that scripts rely on, and the words as values."""

from typing import get_args

from untildone.core.check_results import Tests
from untildone.core.verdict import OUTCOMES, FinishOutcome, OutcomeEffect, PauseOutcome


def test_outcomes_with_their_exit_codes_and_how_they_are_resumed() -> None:
    assert {name: (ended.exit_code, ended.resume) for name, ended in OUTCOMES.items()} == {
        "done": (0, ""),
        "out-of-rounds": (10, "continue --rounds +N"),
        "out-of-budget": (11, "continue --budget +N"),
        "out-of-time": (12, "continue --minutes +N"),
        "stagnated": (13, "continue"),
        "blocked": (14, "continue"),
        "tampered": (15, "continue"),
        "forbidden": (16, "continue"),
        "unrunnable": (17, "continue"),
        "cancelled": (18, ""),
        "vague": (19, "start"),
        "cut-off": (20, "continue"),
        "gate": (21, "the next prompt"),
        "paused": (22, "continue"),
        "claimed": (23, ""),
        "needs-approval": (24, "approve"),
        "unverified": (25, "continue"),
    }


def test_a_status_for_each_outcome() -> None:
    finished = {name for name, ended in OUTCOMES.items() if ended.status == "finished"}
    paused = {name for name, ended in OUTCOMES.items() if ended.status == "paused"}

    assert finished == set(get_args(FinishOutcome))
    assert paused == set(get_args(PauseOutcome))
    assert OUTCOMES["vague"] == OutcomeEffect(status="not started", exit_code=19, resume="start")


def test_skipped_tests_were_not_executed() -> None:
    assert Tests(passed=2, failed=1, skipped=9).executed == 3
