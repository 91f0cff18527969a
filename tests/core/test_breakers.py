"""The breakers of a loop from a spec, through the decision."""

import pytest

from core.samples import RED, bounds, contract, failing, finding, make_evidence, result
from untildone.core.contract import Claim, Contract
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.transitions import advance
from untildone.core.verdict import Pause, Verdict

LOOP = contract(preset="loop", done_when="both", bounds=bounds(50))
CLAIMS = contract(
    preset="loop", checks=(), claims=(Claim(name="docs"),), done_when="both", bounds=bounds(50)
)


def rounds(asked: Contract, evidence: Evidence) -> tuple[int, Verdict]:
    """How many equal stops it takes until the loop pauses."""
    progress = Progress()
    for number in range(1, 20):
        verdict = decide(asked, progress, evidence)
        if isinstance(verdict, Pause):
            return number, verdict
        progress = advance(asked, progress, evidence, verdict)
    raise AssertionError("never paused")


def test_the_same_failing_test_three_times() -> None:
    assert rounds(LOOP, make_evidence(failing("t1"))) == (
        3,
        Pause(outcome="stagnated", reason="the same error in 3 rounds: t1"),
    )


def test_the_same_finding_three_times() -> None:
    found = result("red", findings=(finding(),))

    assert rounds(LOOP, make_evidence(found)) == (
        3,
        Pause(outcome="stagnated", reason="the same error in 3 rounds: a.py: unused import"),
    )


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("Traceback:\n  File 'a.py', line 3, in <module>\nKeyError: 'name'\n", "KeyError: 'name'"),
        ("compiling\nmake: fatal: no such target\nmake stopped\n", "make: fatal: no such target"),
    ],
)
def test_the_same_error_in_an_output_without_findings(output: str, error: str) -> None:
    assert rounds(LOOP, make_evidence(result("red", output=output))) == (
        3,
        Pause(outcome="stagnated", reason=f"the same error in 3 rounds: {error}"),
    )


def test_an_output_that_tells_no_error_counts_as_an_exit_status() -> None:
    said = result("red", output="0 errors were found in a.py, but it is not formatted")

    assert rounds(LOOP, make_evidence(said))[0] == 5


def test_the_same_criteria_five_times() -> None:
    assert rounds(LOOP, make_evidence(RED)) == (
        5,
        Pause(outcome="stagnated", reason="the same criteria are unmet in 5 rounds: test"),
    )
    assert rounds(CLAIMS, make_evidence())[0] == 5


def test_a_file_turned_in_circles() -> None:
    verdict = decide(LOOP, Progress(), make_evidence(RED, reverted_files=("a.py",)))

    assert verdict == Pause(
        outcome="stagnated",
        reason="edited again and again in this round, and back to its former content: `a.py`",
    )


def test_other_loops_and_a_limit_of_the_user_have_no_breaker() -> None:
    limited = contract(preset="loop", bounds=bounds(50, stagnation=7))

    assert rounds(contract(bounds=bounds(50)), make_evidence(failing("t1")))[0] == 4
    assert rounds(limited, make_evidence(failing("t1")))[0] == 8
