"""A status block held against the checks and the record."""

import pytest

from core.samples import GREEN, RED, after, contract, make_evidence
from untildone.core.contract import Claim
from untildone.core.evidence import StatusBlock
from untildone.core.progress import ClaimReport
from untildone.core.reminders import find_contradictions
from untildone.core.transitions import advance
from untildone.core.verdict import Continue

ASKED = contract(claims=(Claim(name="Docs"), Claim(name="API")), done_when="both")
MET = ClaimReport(by="review", evidence="read it")
GUESSED = ClaimReport(by="assumption", evidence="surely")


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({"test": True}, ("`test`: true, but the check `test` is red",)),
        ({"Test": False, "docs": False}, ()),
        ({"all tests pass": True}, ("`all tests pass`: true, but the check `test` is red",)),
        ({"docs": True}, ("`docs`: true, but it is not reported with `untildone met`",)),
        ({"API": True}, ("`API`: true, but it is only assumed",)),
        (
            {"lint clean": True},
            ("`lint clean` is no criterion of this loop: `untildone criterion add` makes it one",),
        ),
    ],
)
def test_what_is_reported_back(criteria: dict[str, bool], expected: tuple[str, ...]) -> None:
    evidence = make_evidence(RED, status=StatusBlock(criteria=criteria))

    assert find_contradictions(ASKED, after(met={"API": GUESSED}), evidence) == expected


def test_a_green_check_in_other_words_is_no_contradiction() -> None:
    evidence = make_evidence(GREEN, status=StatusBlock(criteria={"all tests pass": True}))

    assert find_contradictions(ASKED, after(), evidence) == ()


def test_denying_what_is_green_or_recorded_is_reported_back_too() -> None:
    evidence = make_evidence(GREEN, status=StatusBlock(criteria={"test": False, "docs": False}))

    assert find_contradictions(ASKED, after(met={"Docs": MET}), evidence) == (
        "`test`: false, but the check `test` is green",
        "`docs`: false, but it is recorded as met",
    )


def test_a_signal_with_something_unmet_is_reported_back() -> None:
    evidence = make_evidence(RED, status=StatusBlock(exit_signal=True))

    assert find_contradictions(ASKED, after(), evidence) == (
        "`EXIT_SIGNAL: true`, but unmet: test, Docs, API",
    )


@pytest.mark.parametrize(
    ("stuck", "expected"),
    [
        (None, ()),
        (2, ()),
        (7, ()),
        (0, ("`STUCK_COUNT: 0`, but nothing has moved in 2 rounds",)),
    ],
)
def test_a_count_that_is_too_low_is_reported_back(
    stuck: int | None, expected: tuple[str, ...]
) -> None:
    evidence = make_evidence(RED, status=StatusBlock(stuck=stuck))
    once = advance(ASKED, after(), evidence, Continue(cause="unmet"))
    twice = advance(ASKED, once, evidence, Continue(cause="unmet"))

    assert find_contradictions(ASKED, twice, evidence) == expected
    assert find_contradictions(ASKED, after(), evidence) == ()


def test_without_a_block_there_is_nothing_to_report() -> None:
    assert find_contradictions(ASKED, after(), make_evidence(RED)) == ()
